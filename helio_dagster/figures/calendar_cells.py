"""The cells of a calendar: which there are in a range, where each stands, and its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.coverage import cadence_s, coverage
from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.figure_kinds import Calendar
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.curve_columns import drawn_columns

Floats = NDArray[np.float64]
Show = Literal["coverage", "mean", "min", "max", "count"]
MOST_ROWS = 400

_MOST_ROWS_OF_MONTHS = 36
_SAMPLED = ("series", "vector", "spectrogram", "points")
_REDUCE: dict[Show, Callable[[Floats], float]] = {
    "mean": lambda values: float(np.mean(values)),
    "min": lambda values: float(np.min(values)),
    "max": lambda values: float(np.max(values)),
    "count": lambda values: float(len(values)),
}
_LEAP_YEAR = 2000


@dataclass(frozen=True)
class Grid:
    """The cells in a range.

    Parameters
    ----------
    windows
        The part of each cell that is inside the range, in order of time.
    rows, columns
        Where each cell stands, int, shape (cell,), from the top and from the left.
    row_names, across
        What stands before each row, and how many columns there are.
    """

    windows: tuple[TimeRange, ...]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    row_names: tuple[str, ...]
    across: int
    kind: Literal["hours", "days of a month", "days of a year", "months"]


def check_calendar(panel: Panel, metas: Mapping[str, TableMeta], path: str) -> None:
    """Refuse a second trace, a kind without a value for each day, and a column that is not there; raises FigureError."""
    assert panel.calendar is not None  # noqa: S101 - asked only of such panels
    if len(panel.traces) > 1:
        hint = f"Put {panel.traces[1].data} into a separate panel."
        raise FigureError("a calendar shows one step", where=f"{path}.traces[1].data", hint=hint)
    (trace,) = panel.traces
    if trace.draw is not None:
        raise FigureError("a calendar is drawn as cells", where=f"{path}.traces[0].draw", hint="Leave `draw` out.")
    for name, axis in (("x", panel.x), ("y", panel.y)):
        if axis.scale is not None or axis.range is not None:
            hint = "Remove it; the figure's range decides which days there are."
            raise FigureError("the axes of a calendar are days", where=f"{path}.{name}", hint=hint)
    meta = metas[trace.data]
    if meta.columns:
        show = shown_of(panel.calendar, meta, trace.data, path)
        if show not in ("coverage", "count") or trace.component is not None:
            value_column(trace, meta, f"{path}.traces[0]")


def shown_of(calendar: Calendar, meta: TableMeta, reference: str, path: str) -> Show:
    """What a cell shows of a table.

    Raises
    ------
    FigureError
        The table has no such thing.
    """
    default: Show = "count" if meta.kind == "events" else "mean" if meta.kind == "facts" else "coverage"
    show = calendar.show or default
    if meta.kind in _SAMPLED or (meta.kind in ("facts", "events") and show != "coverage"):
        return show
    where = f"{path}.traces[0].data"
    if meta.kind in ("facts", "events"):
        problem = f"{reference} gives {meta.kind}, which cover no time by samples"
        hint = "Write `show: count`, or `mean`, `min` or `max` with a `component`."
        raise FigureError(problem, where=f"{path}.calendar.show", hint=hint)
    problem = f"{reference} gives {meta.kind}, which has no value for each day"
    raise FigureError(problem, where=where, hint="A calendar shows series, facts or events.")


def value_column(trace: Trace, meta: TableMeta, where: str) -> ColumnMeta:
    """The one column whose values are shown; FigureError where there are several and none is named."""
    columns = drawn_columns(trace, list(meta.value_columns), meta, where)
    if len(columns) > 1:
        known = ", ".join(column.name for column in columns[:8])
        raise FigureError(
            f"{trace.data} has {len(columns)} columns, and a calendar shows one",
            where=where,
            hint=f"Name one with `component`: {known}.",
        )
    return columns[0]


def make_grid(calendar: Calendar, span: TimeRange, path: str) -> Grid:
    """The cells of a range.

    Raises
    ------
    FigureError
        There are too many rows.
    """
    starts = list(_starts(span, calendar.cell))
    months = (starts[-1].year - starts[0].year) * 12 + starts[-1].month - starts[0].month + 1
    rows_are = {"hour": "day", "month": "year"}.get(calendar.cell) or calendar.rows
    rows_are = rows_are or ("month" if months <= _MOST_ROWS_OF_MONTHS else "year")
    keys: dict[Any, int] = {}
    rows, columns = [], []
    for start in starts:
        key = {"day": start.date(), "month": (start.year, start.month), "year": start.year}[rows_are]
        rows.append(keys.setdefault(key, len(keys)))
        columns.append(_column(start, calendar.cell, rows_are))
    if len(keys) > MOST_ROWS:
        raise FigureError(
            f"a calendar of this range has {len(keys)} rows, more than {MOST_ROWS}",
            where=f"{path}.calendar.cell",
            hint="Draw a shorter range, or write `cell: day` or `cell: month`.",
        )
    ends = [*starts[1:], span.stop]
    windows = tuple(TimeRange(max(start, span.start), stop) for start, stop in zip(starts, ends, strict=True))
    names: dict[str, Callable[[Any], str]] = {"day": str, "month": lambda key: f"{date(key[0], key[1], 1):%b %Y}", "year": str}
    across = {"hour": 24, "month": 12}.get(calendar.cell) or (31 if rows_are == "month" else 366)
    kind: Any = {"hour": "hours", "month": "months"}.get(calendar.cell) or f"days of a {rows_are}"
    return Grid(windows, np.array(rows), np.array(columns), tuple(names[rows_are](key) for key in keys), across, kind)


def _starts(span: TimeRange, cell: str) -> list[datetime]:
    """Where each cell begins, the first at or before the start of the range."""
    first = span.start.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    if cell != "hour":
        first = first.replace(hour=0)
    if cell == "month":
        first = first.replace(day=1)
    found = []
    while first < span.stop:
        found.append(first)
        if cell == "month":
            first = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
        else:
            first += timedelta(hours=1) if cell == "hour" else timedelta(days=1)
    return found


def _column(start: datetime, cell: str, rows_are: str) -> int:
    """From the left; in a row of a year every month begins at the same place, in leap years and others."""
    if cell == "hour":
        return start.hour
    if cell == "month":
        return start.month - 1
    if rows_are == "month":
        return start.day - 1
    return date(_LEAP_YEAR, start.month, start.day).timetuple().tm_yday - 1


def cell_values(table: Table, show: Show, column: ColumnMeta | None, windows: tuple[TimeRange, ...]) -> Floats:
    """The value of each cell, shape (cell,); NaN where there are no data.

    A coverage is a share from 0 to 1; 0 says that there are records without a valid value. Facts belong to every cell that
    their interval touches.

    Parameters
    ----------
    column
        Of which column; None for all of them.
    """
    if table.meta.kind in ("facts", "events"):
        return _interval_values(table, show, column, windows)
    if column is not None:
        meta = table.meta.model_copy(update={"kind": "series", "columns": (column,), "bins": None})
        table = Table(table.time, {column.name: table.columns[column.name]}, meta)
    cadence = cadence_s(table)
    found = np.full(len(windows), np.nan)
    for place, window in enumerate(windows):
        part = table.clip(window)
        if not len(part):
            continue
        if show == "coverage":
            found[place] = coverage(part, window, cadence if cadence is not None else window.duration.total_seconds())
            continue
        values = np.concatenate([part.columns[name].astype(np.float64) for name in part.meta.data_names or part.columns])
        values = values[np.isfinite(values)]
        if len(values) or show == "count":
            found[place] = _REDUCE[show](values)
    return found


def _interval_values(table: Table, show: Show, column: ColumnMeta | None, windows: tuple[TimeRange, ...]) -> Floats:
    """Facts and events by the cells that their interval touches; events are counted where they begin."""
    bounds = np.array([window.bounds_ns() for window in windows])
    stop_name = table.meta.role_name("stop")
    first = np.searchsorted(bounds[:, 0], table.time, side="right") - 1
    last = first.copy()
    if stop_name is not None and table.meta.kind == "facts":
        stops = table.columns[stop_name].astype("datetime64[ns]")
        ends = np.searchsorted(bounds[:, 0], stops, side="left") - 1
        last = np.where(np.isnat(stops), first, np.maximum(ends, first))
    values = table.columns[column.name].astype(np.float64) if column is not None else np.ones(len(table))
    gathered: list[list[float]] = [[] for _ in windows]
    for begin, end, value in zip(first.tolist(), last.tolist(), values.tolist(), strict=True):
        for place in range(max(0, begin), min(end, len(windows) - 1) + 1):
            if np.isfinite(value):
                gathered[place].append(value)
    is_counted = table.meta.kind == "events" and show == "count"  # no event is a number too
    return np.array([_REDUCE[show](np.array(each)) if each or is_counted else np.nan for each in gathered])
