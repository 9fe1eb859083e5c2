"""What a binary file says of its columns, and what readers of each format offer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import OwnFileError

MOST_COLUMNS = 4096
"""Columns of a file, and values a record of one may have."""
_T = TypeVar("_T")
_COMPONENT = re.compile(r"(?P<name>.+)_(?P<place>[1-9]\d{0,3})")


class Seen(BaseModel):
    """One column of a file, by the file's own attributes.

    `width` counts the values of a record; `arrays` have another number of them in each, and are not read. A number means
    `raw * scale + offset`; it is missing where it is one of `fills` or outside `low` to `high`, all of them before scaling.
    `time_units` says what the numbers of a time count, as `domain.time_units` reads it, `time_problem` why that is not known,
    `why` what keeps a text from being numbers. Columns of one `axis` have their records in common; it is empty where the file
    does not say. `bins` are the centers of its values along another axis, `bins_name` and `bins_unit` what that
    is, where the file says it. `head` holds the first values as text, for people.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    kind: Literal["number", "text", "time", "arrays"]
    records: int
    width: int = 1
    unit: str = ""
    scale: float = 1.0
    offset: float = 0.0
    fills: tuple[float, ...] = ()
    low: float | None = None
    high: float | None = None
    time_units: str = ""
    time_problem: str = ""
    why: str = ""
    axis: str = ""
    bins: tuple[float, ...] = ()
    bins_name: str = ""
    bins_unit: str = ""
    attributes: dict[str, str] = {}
    head: tuple[str, ...] = ()

    @property
    def components(self) -> list[str]:
        """The names by which a description reads its values: its own, or for several values a record each with its place."""
        return [self.name] if self.width == 1 else [f"{self.name}_{place + 1}" for place in range(self.width)]


class Contents(Protocol):
    """An opened file."""

    @property
    def columns(self) -> Mapping[str, Seen]:
        """Its columns by name, in the order of the file."""

    def read(self, seen: Seen, component: int, start: int, stop: int) -> NDArray[Any]:
        """The records `[start, stop)` of a column, shape (record,): numbers as stored, `str` objects, or `datetime64[ns]`."""

    def close(self) -> None:
        """Let go of the file."""


def find_column(contents: Contents, name: str, fault: Fault) -> tuple[Seen, int]:
    """A column by the name that a description has, and which value of each record is meant, counted from 0.

    Raises
    ------
    OwnFileError
        There is no such column.
    """
    columns = contents.columns
    if name in columns and columns[name].width == 1:
        return columns[name], 0
    found = _COMPONENT.fullmatch(name)
    if found is not None and found["name"] in columns and int(found["place"]) <= columns[found["name"]].width > 1:
        return columns[found["name"]], int(found["place"]) - 1
    if name in columns:
        parts = columns[name].components
        raise fault(f"{name!r} has {len(parts)} values in each record", f"Write {parts[0]} to {parts[-1]}.")
    known = [each for seen in columns.values() for each in seen.components[:4]]
    raise fault(f"it has no column {name!r}", remedy(name, known[:200], what="Its columns"))


def table_named(tables: Sequence[tuple[str, _T, int]], wanted: str | None, what: str, fault: Fault) -> tuple[str, _T, int]:
    """One of several tables of a file: by name, else by number counted from 1; the first where none is asked for.

    Raises
    ------
    OwnFileError
        There is none, or none of that name.
    """
    if not tables:
        raise fault(f"it holds no {what}", "Give another file.")
    if wanted is None:
        return tables[0]
    named = [each for each in tables if each[0].casefold() == wanted.strip().casefold()]
    if not named and wanted.isdigit() and 1 <= int(wanted) <= len(tables):
        named = [tables[int(wanted) - 1]]
    if not named:
        names = ", ".join(each[0] or str(place) for place, each in enumerate(tables[:30], start=1))
        raise fault(f"it has no {what} {wanted!r}", f"It has {names}.")
    return named[0]


class Fault:
    """Makes the errors of one file."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name

    def __call__(self, problem: str, hint: str = "", *, record: int | None = None) -> OwnFileError:
        """The error for something in the file; `record` is counted from 0 here and from 1 in the message."""
        place = self._name if record is None else f"{self._name}, record {record + 1}"
        return OwnFileError(f"{place}: {problem}", where=str(self._path), hint=hint)


def as_numbers(raw: NDArray[Any], seen: Seen) -> NDArray[np.float64]:
    """Values of a number column, shape (record,), NaN where they are missing."""
    stored = np.asarray(raw, dtype=np.float64)
    is_missing = np.isin(stored, seen.fills) if seen.fills else np.zeros(len(stored), dtype=bool)
    if seen.low is not None:
        is_missing |= stored < seen.low
    if seen.high is not None:
        is_missing |= stored > seen.high
    values = stored if seen.scale == 1.0 and seen.offset == 0.0 else stored * seen.scale + seen.offset
    return np.where(is_missing, np.nan, values)
