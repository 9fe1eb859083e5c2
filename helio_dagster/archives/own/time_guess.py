"""Guess which columns of a table of text are its time and how that is written, or say which record cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from helio_dagster.archives.own.guess import (
    FORMATS,
    PLAUSIBLE_S,
    clock_format,
    date_formats,
    day_count,
    fault_of,
    is_iso,
    repeats,
)
from helio_dagster.archives.own.times import TimeFault
from helio_dagster.archives.own.unnamed_times import unnamed_parts
from helio_dagster.domain.errors import InputError, OwnFileError

_PARTS = (
    ("%Y", re.compile(r"year|yyyy|yr", re.IGNORECASE)),
    ("%j", re.compile(r"doy|ddd|day_?of_?year|dayofyear", re.IGNORECASE)),
    ("%m", re.compile(r"month|mon|mm|mo", re.IGNORECASE)),
    ("%d", re.compile(r"day|dd|dom", re.IGNORECASE)),
    ("%H", re.compile(r"hours?|hr|hh", re.IGNORECASE)),
    ("%M", re.compile(r"minutes?|min|mn|mi|mm", re.IGNORECASE)),
    ("%S", re.compile(r"seconds?|sec|ss", re.IGNORECASE)),
)
"""Directives and the names of the columns that they read, in the order in which columns have them."""
_DATES = ("%Y %j", "%Y %m %d")
_SECONDS = re.compile(r"s|sod|ut_?s|.*sec.*", re.IGNORECASE)
_UNNAMED = re.compile(r"column_\d+")
_MINUTE_S = 60


def guess_time(head: pd.DataFrame, given: Sequence[str], form: str, path: Path) -> dict[str, Any]:
    """The columns of the time and their format, as a description has them.

    Parameters
    ----------
    head
        The first records as text; its index counts the file's lines, or its records, from 0.
    given, form
        The columns and the format, where they are known.
    path
        The file.

    Raises
    ------
    InputError, OwnFileError
        There is no such column, or no time for sure: with the record that cannot be read, where those before it can.
    """
    name, names = path.name, [str(each) for each in head.columns]
    for each in given:
        if each not in names:
            raise InputError(f"{name} has no column {each!r}", hint=f"Its columns: {', '.join(names)}.")
    if given and form:
        return {"columns": list(given), "format": form}
    first: TimeFault | None = None
    farthest: TimeFault | None = None
    spare: dict[str, Any] = {}
    for columns, each in _tries(head, given, form):
        fault = fault_of(head, columns, each)
        if fault is None:
            found = {"columns": columns} | ({"format": each} if each != "iso" else {})
            if given or not repeats(head, columns, each):
                return found
            spare = spare or found
            continue
        first = first or fault
        if fault.row > 0 and fault.row > (farthest.row if farthest is not None else 0):
            farthest = fault
    if spare:
        return spare
    if farthest is not None:
        raise OwnFileError(f"{name}, {place_of(head, farthest.row)}: {farthest.problem}", where=str(path), hint=farthest.hint)
    named = _NAMED_FORMAT.search(first.hint) if first is not None else None
    example = named[0] if named else "'%d.%m.%Y %H:%M:%S'"
    hint = f"Say which: --time {names[0]!r} --time-format {example}, or iso, epoch_s, year_doy_seconds."
    said = f"; {place_of(head, first.row)}: {first.problem}" if first is not None else ""
    if first is not None and ("format" not in first.hint or "months" in first.hint):
        hint = f"{first.hint} {hint}"
    if first is not None and (count := _COUNTED.search(first.problem)) and (known := _spreadsheet(float(count[1]))):
        hint = f"{known} {hint}"
    if first is not None and "two digits" in first.problem:
        hint = f"{first.hint} If another column is the time, say which: --time NAME --time-format FORMAT."
    columns, forms = _numbered_dates(head, given)
    if not form and not given and (ways := unnamed_parts(head, names)):
        hint = f"Say which: {', or '.join(_options(*way) for way in ways)}."
    elif len(forms) > 1 and not form:
        hint = f"Say which: {' '.join(f'--time {each!r}' for each in columns)} --time-format {' or '.join(map(repr, forms))}."
    raise InputError(f"{name}: no column is a time for sure{said}", hint=hint)


def place_of(head: pd.DataFrame, row: int) -> str:
    """Where a row of the head stands in the file, in words."""
    is_line = head.index.name == "line"
    return f"line {head.index[row]}" if is_line else f"record {row + 1}"


def _options(columns: Sequence[str], form: str) -> str:
    return f"{' '.join(f'--time {each!r}' for each in columns)} --time-format {form!r}"


def _tries(head: pd.DataFrame, given: Sequence[str], form: str) -> Iterator[tuple[list[str], str]]:
    names = [str(each) for each in head.columns]
    if not form and (parts := _parts_of(list(given) or names, head)) is not None:
        yield parts
        return
    if not form and not given and (ways := unnamed_parts(head, names)):
        yield from ways if len(ways) == 1 else ()
        return
    columns, forms = ([], []) if form else _numbered_dates(head, given)
    if len(forms) == 1:
        yield columns, forms[0]
    later = [[each] for each in names[3:] if len(head) and is_iso(str(head[each].iloc[0]).strip())]
    for tried in [list(given)] if given else [[each] for each in names[:3]] + [names[:2], names[:3], *later]:
        for each in [form] if form else [*FORMATS, *_numeric_formats(head, tried)]:
            if form or not _is_too_short(head, tried, each):
                yield tried, each


def _numbered_dates(head: pd.DataFrame, given: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns of dates such as 29.10.2003, with that of the clock behind, and the formats that can read them."""
    names = [str(each) for each in given or head.columns]
    for place, name in enumerate(names[:3]):
        forms = date_formats([str(each) for each in head[name]])
        if not forms:
            continue
        behind = names[place + 1 : place + 2]
        clock = clock_format([str(each) for each in head[behind[0]]]) if behind and ":" not in forms[0] else ""
        return [name, *behind] if clock else [name], [f"{form} {clock}".strip() for form in forms]
    return [], []


def _parts_of(names: Sequence[str], head: pd.DataFrame) -> tuple[list[str], str] | None:
    """Columns called year, month, day, hour and so on, from the first, and the format that reads them; None without a date."""
    found: list[str] = []
    left = list(_PARTS)
    for name in names:
        place = next((place for place, (_, pattern) in enumerate(left) if pattern.fullmatch(name.strip())), None)
        if place is None or (not found and left[place][0] != "%Y"):
            break
        found.append(left[place][0])
        left = left[place + 1 :]
    form = " ".join(found)
    if form == "%Y %j %S":
        return list(names[:3]), "year_doy_seconds"
    if form == "%Y %j" and len(head) and pd.to_numeric(head[names[1]], errors="coerce").mod(1).gt(0).any():
        return list(names[:2]), "year_doy"
    is_date = form.startswith(_DATES) and "%j %m" not in form and "%j %d" not in form
    clock = form.removeprefix(_DATES[0]).removeprefix(_DATES[1]).strip()
    return (list(names[: len(found)]), form) if is_date and "%H %M %S".startswith(clock) and len(found) > 2 else None


def _is_too_short(head: pd.DataFrame, columns: Sequence[str], form: str) -> bool:
    """Whether digits without marks are fewer than a format's: pandas would read 1704067200 as a time of the year 1704."""
    digits = {"%Y%m%d%H%M%S": 14, "%Y%m%d": 8}.get(form)
    return digits is not None and any(len(str(head[each].iloc[0]).strip()) < digits for each in columns)


def _numeric_formats(head: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    if len(columns) == 3:
        return ["year_doy_seconds"] if _counts_seconds(head, columns[2]) else []
    if len(columns) != 1:
        return []
    values = pd.to_numeric(head[columns[0]], errors="coerce").dropna()
    if len(values) and (days := day_count(columns[0], float(values.iloc[0]))):
        return [days]
    if not re.search(r"time|epoch|unix", columns[0], re.IGNORECASE):
        return []
    scales = {"epoch_s": 1.0, "epoch_ms": 1e3, "epoch_us": 1e6, "epoch_ns": 1e9}
    low, high = PLAUSIBLE_S
    return [form for form, scale in scales.items() if len(values) and low < values.iloc[0] / scale < high]


def _counts_seconds(head: pd.DataFrame, column: str) -> bool:
    """Whether a column counts seconds, by its name or, without one, by values that no hour or minute has."""
    if not _UNNAMED.fullmatch(column):
        return _SECONDS.fullmatch(column.strip()) is not None
    values = pd.to_numeric(head[column], errors="coerce")
    return bool((values >= _MINUTE_S).any())


_NAMED_FORMAT = re.compile(r"'%[^']+'")
_COUNTED = re.compile(r"the time '\s*(\d+(?:\.\d*)?)\s*' is a bare number")


def _spreadsheet(count: float) -> str:
    """What a count of days may be that programs for tables write; empty where it is none."""
    if 30_000 < count < 60_000:
        return "If it counts a spreadsheet's days, the format is 'days since 1899-12-30'; modified Julian dates are mjd."
    if 700_000 < count < 770_000:
        return "If it is MATLAB's datenum, subtract 719529 in the file and give 'days since 1970-01-01'."
    return ""
