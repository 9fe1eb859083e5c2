"""Which row of a sheet names its columns, which says their units, and where the records begin. Loaded only by the worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from helio_dagster.archives.own.binary.seen import MOST_COLUMNS, Fault
from helio_dagster.domain.units import is_unit

Row = tuple[int, tuple[Any, ...]]
_MOST_ABOVE = 50
_CLOCKS = ("utc", "ut", "ut1", "iso", "gmt")


@dataclass(frozen=True)
class SheetHeading:
    """The columns of a sheet: their places by name, their units by name where a row says them, and the rows of records."""

    places: dict[str, int]
    units: dict[str, str]
    records: Sequence[Row]


def read_heading(rows: Sequence[Row], fault: Fault) -> SheetHeading:
    """Find the names among the rows that are not empty.

    Rows above the names, such as a title, hold fewer cells than records do; a row of units may stand below the names. Without
    a record that holds a number or a date, and where names are numbers, the first row is taken for the names.

    Raises
    ------
    OwnFileError
        Two columns have one name, or a row between names and records is neither.
    """
    first = _first_record(rows)
    least = max(2, max((_filled(row) for _, row in rows[: _MOST_ABOVE + 1]), default=0) / 2)
    above = [place for place in range(first) if _filled(rows[place][1]) >= least and not _are_units(rows[place][1])]
    if not above:
        return SheetHeading(_names(rows[0], fault), {}, rows[1:])
    places = _names(rows[above[-1]], fault)
    units: dict[str, str] = {}
    for number, row in rows[above[-1] + 1 : first]:
        if not _are_units(row):
            shown = next(str(value)[:40] for value in row if value is not None)
            problem = f"row {number} ({shown!r}, ...) stands between the names of the columns and the records"
            raise fault(problem, "Delete it; a row of units alone may stay.")
        units |= {name: _bare(row[place]) for name, place in places.items() if place < len(row) and _is_unit(row[place])}
    return SheetHeading(places, units, rows[first:])


def _first_record(rows: Sequence[Row]) -> int:
    """The first row with a number or a date, and as many cells as most records; 0 where there is none near the top."""
    widest = max((_filled(row) for _, row in rows[: _MOST_ABOVE + 1]), default=0)
    for place, (_, row) in enumerate(rows[: _MOST_ABOVE + 1]):
        is_record = any(isinstance(value, (int, float, date)) and not isinstance(value, bool) for value in row)
        if is_record and _filled(row) >= max(2, widest / 2):
            return place
    return 0


def _filled(row: Sequence[Any]) -> int:
    return sum(value is not None and str(value).strip() != "" for value in row)


def _are_units(row: Sequence[Any]) -> bool:
    given = [value for value in row if value is not None and str(value).strip()]
    return any(_is_unit(value) for value in given) and all(_is_unit(value) or _is_clock(value) for value in given)


def _is_unit(value: Any) -> bool:
    return isinstance(value, str) and bool(_bare(value)) and is_unit(_bare(value)) and not _is_clock(value)


def _is_clock(value: Any) -> bool:
    return isinstance(value, str) and _bare(value).casefold() in (*_CLOCKS, "")


def _bare(value: Any) -> str:
    return str(value).strip().strip("()[] -").strip()


def _names(row: Row, fault: Fault) -> dict[str, int]:
    names: dict[str, int] = {}
    for place, value in enumerate(row[1][:MOST_COLUMNS]):
        name = str(value).strip() if value is not None else ""
        if not name:
            continue
        if name in names:
            raise fault(f"two columns are called {name!r}", "Give them different names.")
        names[name] = place
    return names
