"""Results that are not series: facts, curves and events. Their columns, and how a table of them is put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.operations.columns import Floats
from helio_dagster.domain.table import BinAxis, ColumnMeta, Scale, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

Nanoseconds = NDArray[np.int64]
HOUR_NS = 3_600_000_000_000
_STOP = ColumnMeta(name="stop", label="stop", role="stop")


def fact(name: str, label: str, unit: str = "") -> tuple[ColumnMeta, ...]:
    """The column of a number."""
    return (ColumnMeta(name=name, label=label, unit=unit),)


def uncertain_fact(name: str, label: str, unit: str = "") -> tuple[ColumnMeta, ...]:
    """The columns of a number and its uncertainty, which is named `<name>_uncertainty`."""
    companion = ColumnMeta(name=f"{name}_uncertainty", label=f"uncertainty of {label}", unit=unit, role="uncertainty")
    return (*fact(name, label, unit), companion)


def facts_meta(label: str, columns: Iterable[ColumnMeta], *, frame: str | None = None) -> TableMeta:
    """Metadata of facts: where the interval stops, then the numbers."""
    return TableMeta(kind="facts", columns=(_STOP, *columns), label=label, frame=frame)


def facts_table(window: TimeRange, found: Mapping[str, float | np.datetime64], meta: TableMeta) -> Table:
    """One row of facts about a window.

    Parameters
    ----------
    window
        The interval; the row stands at its start.
    found
        Column to its number or time. A number that is missing here or not finite is NaN.
    meta
        From `facts_meta`.
    """
    start, stop = window.bounds_ns()
    columns: dict[str, NDArray[np.generic]] = {"stop": np.array([stop], dtype="datetime64[ns]")}
    for column in meta.columns[1:]:
        value = found.get(column.name, np.nan)
        if isinstance(value, np.datetime64):
            columns[column.name] = np.array([value], dtype="datetime64[ns]")
        else:
            columns[column.name] = np.array([value if np.isfinite(value) else np.nan], dtype=np.float64)
    return Table(np.array([start], dtype="datetime64[ns]"), columns, meta)


def curve_meta(
    label: str,
    axis: tuple[str, BinAxis],
    columns: Iterable[ColumnMeta],
    *,
    unit: str = "",
    frame: str | None = None,
    scale: Scale = "linear",
) -> TableMeta:
    """Metadata of a curve; `axis` is the name of its axis's column and what it means."""
    name, bins = axis
    column = ColumnMeta(name=name, label=bins.label, unit=bins.unit, role="axis")
    return TableMeta(kind="curve", columns=(column, *columns), label=label, unit=unit, frame=frame, scale=scale, bins=bins)


def curve_table(window: TimeRange, columns: Mapping[str, Floats], meta: TableMeta) -> Table:
    """A curve over a window: one row for each value of its axis, all at the start of the window."""
    length = len(next(iter(columns.values())))
    start, _ = window.bounds_ns()
    arrays = {column.name: np.ascontiguousarray(columns[column.name], dtype=np.float64) for column in meta.columns}
    return Table(np.full(length, start, dtype="datetime64[ns]"), arrays, meta)


def events_meta(label: str, columns: Iterable[ColumnMeta]) -> TableMeta:
    """Metadata of events that last: their stop and their duration in h, then the other columns."""
    return TableMeta(kind="events", columns=(_STOP, *fact("duration", "duration", "h"), *columns), label=label)


def events_table(starts: Nanoseconds, stops: Nanoseconds, columns: Mapping[str, Floats], meta: TableMeta) -> Table:
    """Events in order of their start.

    Parameters
    ----------
    starts, stops
        int64, shape (event,): ns since 1970.
    columns
        The other columns' values, float64, shape (event,).
    meta
        From `events_meta`.
    """
    order = np.lexsort((stops, starts))
    arrays: dict[str, NDArray[np.generic]] = {
        "stop": stops[order].astype("datetime64[ns]"),
        "duration": (stops - starts)[order] / HOUR_NS,
    }
    for column in meta.columns[2:]:
        arrays[column.name] = np.asarray(columns[column.name], dtype=np.float64)[order]
    return Table(starts[order].astype("datetime64[ns]"), arrays, meta)


def times_ns(table: Table) -> Nanoseconds:
    """Times of a table's rows in ns since 1970, shape (record,)."""
    return table.time.astype("datetime64[ns]").astype(np.int64)
