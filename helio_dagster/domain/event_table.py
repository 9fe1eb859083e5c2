"""Rows written into a pipeline, as a table of kind `events`."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.pipeline import EventTable, Step
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import EARLIEST, LATEST, datetime_to_ns

ReadList = Callable[[str], str]
"""The text of a list beside the pipelines; InputError if it cannot be read."""
TIME_NAMES = ("time", "onset", "start", "epoch", "date", "datetime", "time_utc", "start_time")
"""Headers that name the time of a row; without one, the first column is the time."""
STOP_NAMES = ("stop", "stop_time")
"""Headers that name when an event is over."""


def event_source(step: Step, read_list: ReadList) -> EventTable | None:
    """The rows of a table step, or of its file beside the pipelines; None for other steps.

    Raises
    ------
    InputError
        There is no such file, or it cannot be read.
    """
    if step.events is None:
        return step.table
    return EventTable(csv=read_list(step.events.file), source=step.events.source or step.events.file)


def stop_name(meta: TableMeta) -> str | None:
    """Name of the column that says where rows of events stop; None where they are moments."""
    named = (column.name for column in meta.columns if column.role == "data" and column.name.lower() in STOP_NAMES)
    return meta.role_name("stop") or next(named, None)


class EventTableError(HelioError):
    """The rows cannot be read; `line` counts the CSV's lines from 1."""

    exit_code = 2

    def __init__(self, problem: str, *, line: int, hint: str = "") -> None:
        super().__init__(problem, where=f"csv line {line}", hint=hint)
        self.line = line


@lru_cache(maxsize=8)
def read_events(events: EventTable) -> Table:
    """The rows as a table, sorted by time; remembered, as a list is read by the check, the graph and the step itself.

    The time is the first column headed like one (`time`, `onset`, `start`, …), else the first column. A column headed `stop`
    becomes `datetime64[ns]` with NaT where it is blank; a column of numbers float64 with NaN where it is blank; any other stays
    text.

    Raises
    ------
    EventTableError
        A row, a time or the header cannot be read, no row is given, or two rows have the same time.
    """
    header, rows = _rows(events.csv)
    time_at = next((index for index, name in enumerate(header) if name.lower() in TIME_NAMES), 0)
    time = np.array([_moment(cells[time_at], line=line, name=header[time_at]) for line, cells in rows], dtype="datetime64[ns]")
    order = np.argsort(time, kind="stable")
    ordered = [rows[index] for index in order]
    time = time[order]
    for (_, _), (line, cells), earlier, later in zip(ordered, ordered[1:], time, time[1:], strict=False):
        if earlier == later:
            raise EventTableError(f"a second row at {cells[time_at]!r}", line=line, hint="Give each row its own time.")
    columns = {
        name: _column(name, [(line, cells[index]) for line, cells in ordered])
        for index, name in enumerate(header)
        if index != time_at
    }
    for name, stops in columns.items():
        if name.lower() in STOP_NAMES:
            _check_order(time, stops, ordered)
    meta = TableMeta(kind="events", columns=tuple(ColumnMeta(name=name, label=name) for name in columns), label=events.source)
    return Table(time, columns, meta)


def _rows(text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    read: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                read.append((line, [cell.strip() for cell in cells]))
            line = reader.line_num + 1
    except csv.Error as error:
        raise EventTableError(f"not CSV: {error}", line=line, hint="Close every quote; double a quote inside one.") from None
    if not read:
        raise EventTableError("the table is empty", line=1, hint="Write a header, then one row a line.")
    header_line, header = read[0]
    if "" in header or len(set(header)) < len(header):
        raise EventTableError("a column without a name of its own", line=header_line, hint="Name every column once.")
    if len(read) == 1:
        raise EventTableError("the table has a header and no row", line=header_line, hint="Write one row a line below it.")
    for number, cells in read[1:]:
        if len(cells) != len(header):
            problem = f"{len(cells)} cells, where the header names {len(header)} columns"
            raise EventTableError(problem, line=number, hint="Quote a cell that holds a comma.")
    return header, read[1:]


def _moment(text: str, *, line: int, name: str) -> np.datetime64:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        hint = "Write ISO dates or times in UTC, such as 2003-10-29T06:11Z."
        raise EventTableError(f"{text!r} in column {name!r} is not a time", line=line, hint=hint) from None
    moment = moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
    if not EARLIEST <= moment <= LATEST:
        raise EventTableError(f"{text!r} is outside {EARLIEST:%Y} to {LATEST:%Y}", line=line, hint="Check the year.")
    return datetime_to_ns(moment)


def _column(name: str, cells: Sequence[tuple[int, str]]) -> NDArray[Any]:
    if name.lower() in STOP_NAMES:
        moments = [_moment(cell, line=line, name=name) if cell else np.datetime64("NaT", "ns") for line, cell in cells]
        return np.array(moments, dtype="datetime64[ns]")
    try:
        return np.array([float(cell) if cell else np.nan for _, cell in cells], dtype="float64")
    except ValueError:
        return np.array([cell for _, cell in cells], dtype=np.str_)


def _check_order(time: NDArray[Any], stops: NDArray[Any], rows: Sequence[tuple[int, list[str]]]) -> None:
    for start, stop, (line, _) in zip(time, stops, rows, strict=True):
        if stop <= start:  # NaT compares false
            raise EventTableError("the stop is not after the time", line=line, hint="Ranges are half-open: [time, stop).")
