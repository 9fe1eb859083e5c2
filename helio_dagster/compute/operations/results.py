"""Results that are not series: facts, curves, maps and events. Their columns, and how a table of them is put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.operations.columns import Floats
from helio_dagster.domain.table import BinAxis, ColumnMeta, Role, Scale, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

Nanoseconds = NDArray[np.int64]
HOUR_NS = 3_600_000_000_000
_STOP = ColumnMeta(name="stop", label="stop", role="stop")
_EDGES: tuple[Role, ...] = ("lower", "upper")


def fact(name: str, label: str, unit: str = "") -> tuple[ColumnMeta, ...]:
    """The column of a number."""
    return (ColumnMeta(name=name, label=label, unit=unit),)


def uncertain_fact(name: str, label: str, unit: str = "") -> tuple[ColumnMeta, ...]:
    """The columns of a number and its uncertainty, which is named `<name>_uncertainty`."""
    companion = ColumnMeta(name=f"{name}_uncertainty", label=f"uncertainty of {label}", unit=unit, role="uncertainty")
    return (*fact(name, label, unit), companion)


def count_column(name: str, label: str) -> tuple[ColumnMeta, ...]:
    """The column of a whole number that says how many values the others are made of."""
    return (ColumnMeta(name=name, label=label, role="count"),)


def facts_meta(label: str, columns: Iterable[ColumnMeta], *, frame: str | None = None, scale: Scale = "linear") -> TableMeta:
    """Metadata of facts: where the interval stops, then the numbers; `log` for a line through logarithms."""
    return TableMeta(kind="facts", columns=(_STOP, *columns), label=label, frame=frame, scale=scale)


def facts_table(window: TimeRange, found: Mapping[str, float | np.datetime64], meta: TableMeta) -> Table:
    """One row of facts about a window.

    Parameters
    ----------
    window
        The interval; the row stands at its start.
    found
        Column to its number or time. A number that is missing here or not finite is NaN, a count that is missing 0.
    meta
        From `facts_meta`.
    """
    start, stop = window.bounds_ns()
    columns: dict[str, NDArray[np.generic]] = {"stop": np.array([stop], dtype="datetime64[ns]")}
    for column in meta.columns[1:]:
        value = found.get(column.name, 0 if column.role == "count" else np.nan)
        if column.role == "count":
            columns[column.name] = np.array([value], dtype=np.int64)
        elif isinstance(value, np.datetime64):
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


def curve_table(window: TimeRange, columns: Mapping[str, NDArray[np.generic]], meta: TableMeta) -> Table:
    """A curve over a window: one row for each value of its axis, all at the start of the window.

    Parameters
    ----------
    window
        The window.
    columns
        By the names in `meta`, shape (place on the axis,) each: its places and what belongs to them. Whole numbers stay whole,
        others become float64.
    meta
        Of the table.
    """
    length = len(next(iter(columns.values())))
    start, _ = window.bounds_ns()
    arrays = {
        column.name: np.ascontiguousarray(
            columns[column.name],
            dtype=np.int64 if column.role == "count" or columns[column.name].dtype.kind == "i" else np.float64,
        )
        for column in meta.columns
    }
    return Table(np.full(length, start, dtype="datetime64[ns]"), arrays, meta)


def map_meta(
    label: str, names: tuple[str, str], axes: tuple[BinAxis, BinAxis], columns: Iterable[ColumnMeta], *, unit: str = ""
) -> TableMeta:
    """Metadata of a map; `names` are those of the columns of its axes, `axes` what they mean."""
    placed: list[ColumnMeta] = []
    for name, axis in zip(names, axes, strict=True):
        placed.append(ColumnMeta(name=name, label=axis.label, unit=axis.unit, role="axis"))
        placed += [
            ColumnMeta(name=f"{name}_{edge}", label=f"{edge} edge of {axis.label}", unit=axis.unit, role=edge)
            for edge in _EDGES
        ]
    first, second = axes
    return TableMeta(kind="map", columns=(*placed, *columns), label=label, unit=unit, bins=second, first_axis=first)


def map_table(
    window: TimeRange, edges: tuple[Floats, Floats], columns: Mapping[str, NDArray[np.generic]], meta: TableMeta
) -> Table:
    """A map over a window: one row for each cell, all at the start of the window, in order of the first axis.

    Parameters
    ----------
    edges
        Edges of the bins along both axes, ascending, shape (bin + 1,). A value stands at the middle of its bin, on a log axis
        at the geometric one.
    columns
        The values, shape (bin of the first axis * bin of the second,).
    meta
        From `map_meta`.
    """
    counts = tuple(len(each) - 1 for each in edges)
    start, _ = window.bounds_ns()
    arrays: dict[str, NDArray[np.generic]] = {}
    names = iter(meta.columns)
    for place, (own, axis) in enumerate(zip(edges, (meta.first_axis, meta.bins), strict=True)):
        lower, upper = own[:-1], own[1:]
        middle = np.sqrt(lower * upper) if axis is not None and axis.scale == "log" else 0.5 * lower + 0.5 * upper
        for values in (middle, lower, upper):
            spread = np.repeat(values, counts[1]) if place == 0 else np.tile(values, counts[0])
            arrays[next(names).name] = np.ascontiguousarray(spread, dtype=np.float64)
    arrays |= {column.name: np.ascontiguousarray(columns[column.name]) for column in names}
    return Table(np.full(counts[0] * counts[1], start, dtype="datetime64[ns]"), arrays, meta)


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
