"""Rows written into a pipeline or into a file beside it, as a table of kind `events`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import SerializerFunctionWrapHandler, model_serializer

from helio_dagster.domain.amounts import counted
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.event_lists.conventions import ID_NAMES, STOP_NAMES
from helio_dagster.domain.event_lists.delimited import read_delimited
from helio_dagster.domain.event_lists.listed import EventTableError, ListedRows, has_zone, parse_moment
from helio_dagster.domain.event_lists.reading import read_list_text
from helio_dagster.domain.pipeline import EventTable, Step
from helio_dagster.domain.pipeline_fields import CONTROL
from helio_dagster.domain.table import ColumnMeta, Role, Table, TableMeta
from helio_dagster.domain.time_range import EARLIEST, LATEST, datetime_to_ns
from helio_dagster.domain.units import normalize_unit

__all__ = ["STOP_NAMES", "EventTableError", "ListText", "ReadEvents", "ReadList", "event_source", "read_events", "read_listed"]

ReadList = Callable[[str], str]
"""The text of a list beside the pipelines; InputError if it cannot be read."""


class ListText(EventTable):
    """The text of a list in a file, in any supported form, and the columns that its step names."""

    start: str | None = None
    """The column of the time; by the convention of the form where not given."""
    stop: str | None = None
    """The column of the stop."""
    id: str | None = None
    """The column of the id."""

    @model_serializer(mode="wrap")
    def _without_unset(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without the columns that are not given: the code versions of lists are made of this."""
        written: dict[str, Any] = write(self)
        return {name: value for name, value in written.items() if value is not None}


@dataclass(frozen=True)
class ReadEvents:
    """The rows of a list as a table, and how they were read, in words."""

    table: Table
    summary: str


def event_source(step: Step, read_list: ReadList) -> EventTable | None:
    """The rows of a table step, or of its file beside the pipelines; None for other steps.

    Raises
    ------
    InputError
        There is no such file, or it cannot be read.
    """
    if step.events is None:
        return step.table
    given = step.events
    return list_text(read_list(given.file), given.file, given.source, start=given.start, stop=given.stop, id_column=given.id)


def stop_name(meta: TableMeta) -> str | None:
    """Name of the column that says where rows of events stop; None where they are moments."""
    named = (column.name for column in meta.columns if column.role == "data" and column.name.lower() in STOP_NAMES)
    return meta.role_name("stop") or next(named, None)


def list_text(
    text: str, name: str, source: str = "", *, start: str | None = None, stop: str | None = None, id_column: str | None = None
) -> ListText:
    """The text of a list as it is given to `read_events`.

    Raises
    ------
    InputError
        It holds control characters, so it is not text.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (found := CONTROL.search(text)) is not None:
        line = text.count("\n", 0, found.start()) + 1
        hint = "Save it as CSV, JSON, VOTable or plain text."
        raise InputError(f"the list {name} is not text: line {line} holds a control character", hint=hint)
    return ListText(csv=text, source=source or name, start=start, stop=stop, id=id_column)


def read_events(events: EventTable) -> Table:
    """The rows as a table; see `read_listed`."""
    return read_listed(events).table


@lru_cache(maxsize=8)
def read_listed(events: EventTable) -> ReadEvents:
    """The rows as a table; remembered, as a list is read by the check, the graph and the step itself.

    A table in a pipeline is CSV; a file may have any form that `read_list_text` knows. Rows are in order of time, then of stop,
    id and what else they say, whatever order they are given in; several may begin at one time. The stop becomes
    `datetime64[ns]` with NaT where it is blank; a column of numbers float64 with NaN where it is blank; any other stays text.
    Columns keep the unit that the form gives them.

    Raises
    ------
    EventTableError
        A row, a time or the header cannot be read, no row is given, a row is given twice, or a named column does not exist.
    """
    given = events if isinstance(events, ListText) else None
    listed = read_list_text(events.csv) if given is not None else read_delimited(events.csv)
    names = listed.names
    chosen = {role: _chosen(getattr(given, role, None), names, listed) for role in ("start", "stop", "id")}
    time_name = chosen["start"] or listed.start
    stop_name = chosen["stop"] or (listed.stop if listed.stop != time_name else None)
    id_name = chosen["id"] or listed.id
    cells = {name: [row[place] for _, row in listed.rows] for place, name in enumerate(names)}
    lines = [line for line, _ in listed.rows]
    time = _times(time_name, cells[time_name], lines, listed)
    stops = _times(stop_name, cells[stop_name], lines, listed, may_be_blank=True) if stop_name else None
    if stops is not None:
        _check_order(time, stops, lines, listed)
    order = _order(time, stops, cells[id_name] if id_name else None, listed.rows)
    _check_once(order, listed)
    columns: dict[str, NDArray[Any]] = {}
    for name in names:
        if name == stop_name and stops is not None:
            columns[name] = stops[order]
        elif name != time_name:
            columns[name] = _column([cells[name][place] for place in order])
    roles: dict[str, Role] = {}
    if stop_name and (chosen["stop"] or stop_name.lower() not in STOP_NAMES):
        roles[stop_name] = "stop"
    if id_name and (chosen["id"] or id_name.lower() not in ID_NAMES):
        roles[id_name] = "id"
    metas = [
        ColumnMeta(
            name=each.name, label=each.label or each.name, unit=normalize_unit(each.unit), role=roles.get(each.name, "data")
        )
        for each in listed.columns
        if each.name != time_name
    ]
    meta = TableMeta(kind="events", columns=tuple(metas), label=events.source)
    zoned = any(cell and not has_zone(cell) for name in (time_name, stop_name) if name for cell in cells[name])
    words = f"read as {listed.form}: {counted(len(time), 'event')}, time from {time_name!r}"
    words += "".join(f", {role} from {name!r}" for role, name in (("stop", stop_name), ("id", id_name)) if name)
    words += "; times without a zone are taken as UTC" if zoned else ""
    return ReadEvents(Table(time[order], columns, meta), words)


def _chosen(name: str | None, names: Sequence[str], listed: ListedRows) -> str | None:
    """A column that the step names, in any case."""
    if name is None or name in names:
        return name
    same = [each for each in names if each.lower() == name.lower()]
    if len(same) == 1:
        return same[0]
    hint = remedy(name, names, what="its columns")
    raise EventTableError(f"the list has no column {name!r}", line=1, hint=hint, what=listed.what)


def _times(
    name: str, cells: Sequence[str], lines: Sequence[int], listed: ListedRows, *, may_be_blank: bool = False
) -> NDArray[np.datetime64]:
    moments = [
        np.datetime64("NaT", "ns")
        if may_be_blank and _is_blank(cell)
        else _moment(cell, line=line, name=name, what=listed.what)
        for line, cell in zip(lines, cells, strict=True)
    ]
    return np.array(moments, dtype="datetime64[ns]")


def _is_blank(cell: str) -> bool:
    return cell.lower() in ("", "nat", "nan", "none", "null")


def _moment(text: str, *, line: int, name: str, what: str) -> np.datetime64:
    moment = parse_moment(text)
    if moment is None:
        if _year_is_wrong(text):
            problem = f"{text!r} is outside {EARLIEST:%Y} to {LATEST:%Y}"
            raise EventTableError(problem, line=line, hint="Check the year.", what=what)
        hint = "Write ISO dates or times in UTC, such as 2003-10-29T06:11Z."
        hint = "pandas writes ISO times with `to_json(date_format='iso')`." if text.isdecimal() else hint
        raise EventTableError(f"{text!r} in column {name!r} is not a time", line=line, hint=hint, what=what)
    return datetime_to_ns(moment)


def _year_is_wrong(text: str) -> bool:
    """Whether the text is a time but for its year."""
    return parse_moment(f"2000{text[4:]}") is not None and text[:4].isdecimal()


def _order(
    time: NDArray[np.datetime64],
    stops: NDArray[np.datetime64] | None,
    ids: Sequence[str] | None,
    rows: Sequence[tuple[int, Sequence[str]]],
) -> list[int]:
    """The order of the rows, which does not depend on the order in which they are given."""
    order = np.argsort(time, kind="stable").tolist()
    if not (np.diff(time[order]) == np.timedelta64(0)).any():
        return list(order)
    starts = time.astype(np.int64).tolist()
    lasts = (time if stops is None else np.where(np.isnat(stops), time, stops)).astype(np.int64).tolist()
    return sorted(order, key=lambda row: (starts[row], lasts[row], ids[row] if ids else "", list(rows[row][1])))


def _check_once(order: Sequence[int], listed: ListedRows) -> None:
    for earlier, later in pairwise(order):
        (one, cells), (other, same) = listed.rows[earlier], listed.rows[later]
        if list(cells) == list(same):
            first, second = sorted((one, other))
            problem = f"the same event as in {listed.what.removeprefix('csv ')} {first}"
            raise EventTableError(problem, line=second, hint="Remove one of them.", what=listed.what)


def _column(cells: Sequence[str]) -> NDArray[Any]:
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells], dtype="float64")
    except ValueError:
        return np.array(cells, dtype=np.str_)


def _check_order(time: NDArray[Any], stops: NDArray[Any], lines: Sequence[int], listed: ListedRows) -> None:
    for place in np.flatnonzero(stops <= time).tolist():  # NaT compares false
        line = lines[place]
        raise EventTableError(
            "the stop is not after the time", line=line, hint="Ranges are half-open: [time, stop).", what=listed.what
        )
