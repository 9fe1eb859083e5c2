"""The uncertainties and spreads of traces over time: which column of which step, at the times of the trace."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import ComputeError, FigureError
from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.figure_marks import Spread
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.unit_conversion import conversion_factor
from helio_dagster.figures.axis_rows import nearest
from helio_dagster.figures.curve_columns import drawn_columns, numeric_columns
from helio_dagster.figures.curves import TimeSpread
from helio_dagster.figures.spread_words import UNCERTAINTY, range_words

Floats = NDArray[np.float64]


def check_spreads(panel: Panel, metas: Mapping[str, TableMeta], path: str, *, is_over_time: bool) -> None:
    """Refuse spreads of what is not one line over time, and columns that do not fit it; raises FigureError."""
    for index, trace in enumerate(panel.traces):
        where = f"{path}.traces[{index}]"
        if not trace.spreads:
            continue
        if not is_over_time:
            hint = "Remove it. Curves draw the columns `lower`, `upper` and `uncertainty` of their own step."
            raise FigureError("a spread belongs to a line over time", where=f"{where}.{trace.spreads[0][0]}", hint=hint)
        meta = metas[trace.data]
        if not meta.columns:
            continue
        column = _drawn(trace, meta, where, list(meta.value_columns))
        for name, spread in trace.spreads:
            other = meta if spread.data is None else metas.get(spread.data)
            if other is not None and other.columns:
                _factor(column, meta, _column(spread, other, trace.data, f"{where}.{name}"), other, f"{where}.{name}")


def spread_of(trace: Trace, table: Table, tables: Mapping[str, Table], where: str) -> TimeSpread | None:
    """What lies around a trace's line; None where nothing does.

    Raises
    ------
    FigureError
        It cannot be drawn.
    """
    if not trace.spreads or any(each.data is not None and each.data not in tables for _, each in trace.spreads):
        return None
    column = _drawn(trace, table.meta, where, numeric_columns(table))
    ends, labels = list[Floats](), list[str]()
    for name, spread in trace.spreads:
        other = tables[spread.data] if spread.data is not None else table
        if not other.meta.columns:
            ends.append(np.full(len(table), np.nan))
            continue
        of = _column(spread, other.meta, trace.data, f"{where}.{name}")
        labels.append(of.label)
        factor = _factor(column, table.meta, of, other.meta, f"{where}.{name}")
        values = other.columns[of.name].astype(np.float64) * factor
        if spread.data is not None:
            times, own = (each.time.astype("datetime64[ns]").astype(np.int64) / 1e6 for each in (other, table))
            values = nearest(times, values, own)
        ends.append(values)
    if trace.error is None:
        return TimeSpread(ends[0], ends[1], range_words(labels))
    middle, deviation = table.columns[column.name].astype(np.float64), np.abs(ends[0])
    return TimeSpread(middle - deviation, middle + deviation, UNCERTAINTY)


def _drawn(trace: Trace, meta: TableMeta, where: str, columns: list[ColumnMeta]) -> ColumnMeta:
    """The one column that a trace with a spread draws."""
    found = drawn_columns(trace, columns, meta, where)
    if len(found) > 1:
        known = ", ".join(column.name for column in found[:8])
        raise FigureError(
            f"a spread belongs to one line, and {trace.data} has {len(columns)} columns",
            where=f"{where}.component",
            hint=f"Name the column to draw with `component`: {known}.",
        )
    return found[0]


def _column(spread: Spread, meta: TableMeta, reference: str, where: str) -> ColumnMeta:
    """The column that holds it, of any role."""
    said = spread.data or reference
    if spread.component is not None:
        found = next((column for column in meta.columns if spread.component in (column.name, column.label)), None)
        if found is None:
            known = ", ".join(column.name for column in meta.columns[:8])
            raise FigureError(f"{said} has no column {spread.component}", where=f"{where}.component", hint=f"It has {known}.")
        return found
    columns = list(meta.value_columns)
    if len(columns) != 1:
        known = ", ".join(column.name for column in columns[:8])
        problem = f"{said} has {len(columns)} columns, and a spread is one"
        raise FigureError(problem, where=where, hint=f"Name one with `component`: {known}.")
    return columns[0]


def _factor(column: ColumnMeta, meta: TableMeta, of: ColumnMeta, other: TableMeta, where: str) -> float:
    """What a spread is multiplied by to be in the unit of its line."""
    unit, own = of.unit or other.unit, column.unit or meta.unit
    try:
        return float(conversion_factor(unit, own)) if unit and own else 1.0
    except ComputeError:
        problem = f"the spread {of.name} is in {unit}, and its line {column.name} in {own}"
        raise FigureError(problem, where=where, hint="Take a spread in the unit of the line.") from None
