"""The curves of a panel over an axis of its own: frequency, lag, energy, angle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.table import ColumnMeta, Scale, Table, TableMeta
from helio_dagster.domain.units import is_same_unit
from helio_dagster.figures import look
from helio_dagster.figures.colors import channel_colors
from helio_dagster.figures.curve_columns import MAX_CHANNELS, drawn_columns, numeric_columns
from helio_dagster.figures.curves import Curve, curves_of_trace
from helio_dagster.figures.intervals import time_words, windows
from helio_dagster.figures.lines import drawable
from helio_dagster.figures.markup import capitalized, unit_codes_removed
from helio_dagster.figures.panels import is_image, quantity_of_unit
from helio_dagster.figures.spectrogram_bins import bin_edges
from helio_dagster.figures.spread_words import spread_words
from helio_dagster.figures.telling_apart import distinct_curves

Floats = NDArray[np.float64]
_BARE_COUNTS = ("count", "counts", "n")


@dataclass(frozen=True)
class AxisCurve:
    """One curve over an axis that is not time.

    Parameters
    ----------
    curve
        Its values, label and colour.
    column
        The column that it is drawn from.
    x
        float64, shape (point,), increasing: where the values stand on the axis; of a stepped curve both edges of each bin.
    lower, upper
        Ends of the spread, shape (point,), NaN where there is none; None for a curve without.
    spread
        What the spread is, in words; empty where that is not known.
    """

    curve: Curve
    column: str
    x: Floats
    lower: Floats | None
    upper: Floats | None
    spread: str = ""

    def left_out(self, x_scale: Scale, y_scale: Scale) -> int:
        """How many values logarithmic axes cannot show, as they are not positive."""
        values = self.curve.values
        is_out = ((values <= 0) & (y_scale == "log")) | ((self.x <= 0) & (x_scale == "log"))
        return int((is_out & np.isfinite(values))[:: 2 if self.curve.is_stepped else 1].sum())

    def shown(self, x_scale: Scale, y_scale: Scale) -> Floats:
        """The values, shape (point,), with NaN for what the axes cannot show."""
        values = drawable(self.curve, y_scale).astype(np.float64)
        return np.where(self.x > 0, values, np.nan) if x_scale == "log" else values


@dataclass(frozen=True)
class AxisWords:
    """Title and unit of an axis."""

    title: str
    unit: str


@dataclass(frozen=True)
class CurveSet:
    """All curves of a panel, distinguished; the names of columns that are not drawn; how many values were combined."""

    curves: tuple[AxisCurve, ...]
    left_away: tuple[str, ...]
    counts: tuple[str, ...] = ()


def curves_of_panel(
    traces: Sequence[tuple[int, Trace]], tables: Mapping[str, Table], path: str, spacecraft: Mapping[str, str] | None = None
) -> CurveSet:
    """The curves of a panel: one for each column and each interval of its traces.

    Without a `component`, the columns of the first one's unit are drawn; counts beside others need an axis of their own.

    Raises
    ------
    FigureError
        A table has no such component, or nothing to draw as a curve.
    """
    found: list[AxisCurve] = []
    starts: list[str] = []
    left_away: list[str] = []
    counts: dict[str, None] = {}
    for index, trace in traces:
        where = f"{path}.traces[{index}]"
        table = tables[trace.data]
        columns = drawn_columns(trace, numeric_columns(table), table.meta, where)
        units = [column.unit or table.meta.unit for column in columns]
        leading = next((place for place, column in enumerate(columns) if column.role != "count"), 0)
        is_drawn = [
            place == leading or (unit == units[leading] and column.role != "count")
            for place, (unit, column) in enumerate(zip(units, columns, strict=True))
        ]
        hidden = [column for column, drawn in zip(columns, is_drawn, strict=True) if not drawn]
        left_away += [column.label or column.name for column in hidden if column.role != "count"]
        counts |= {_amount_words(column, table): None for column in _amounts(table, drawn=columns, hidden=hidden)}
        parts = windows(table)
        if len(parts) > MAX_CHANNELS:
            left_away.append(f"{len(parts) - MAX_CHANNELS} later intervals of {trace.data}")
            parts = parts[:MAX_CHANNELS]
        begins = time_words(_short(np.array([part.time[0] for part in parts]))) if len(parts) > 1 else [""]
        for part, begin in zip(parts, begins, strict=True):
            drawn = [_with_table_label(curve, trace, table.meta) for curve in curves_of_trace(trace, part, where)]
            made = [
                _axis_curve(replace(curve, color=trace.color), column, part)
                for curve, column in zip(drawn, columns, strict=True)
            ]
            found += [curve for curve, is_of_unit in zip(made, is_drawn, strict=True) if is_of_unit]
            starts += [begin] * sum(is_drawn)
    return CurveSet(_dressed(found, starts, spacecraft), tuple(left_away), tuple(filter(None, counts)))


def _amounts(table: Table, *, drawn: Sequence[ColumnMeta], hidden: Sequence[ColumnMeta]) -> list[ColumnMeta]:
    """The columns that say of how many each value is made: those not drawn, and a table's only one beside a `component`."""
    known = [column for column in table.meta.columns if column.role == "count"]
    beside = [column for column in known if len(known) == 1 and column not in drawn]
    return beside or [column for column in hidden if column.role == "count"]


def _amount_words(column: ColumnMeta, table: Table) -> str:
    """Of how many each value is made: `N = 3 to 4 events`; empty where it is made of none."""
    values = table.columns[column.name].astype(np.float64)
    shown = values[np.isfinite(values)]
    if not len(shown):
        return ""
    low, high = int(shown.min()), int(shown.max())
    name = (column.label or column.name).removeprefix("number of ")
    what = "" if name.casefold() in _BARE_COUNTS else f" {name}"
    return f"N = {low:,}{what}" if low == high else f"N = {low:,} to {high:,}{what}"


def _short(times: NDArray[np.datetime64]) -> NDArray[np.datetime64]:
    """Whole seconds, where these tell the times apart."""
    seconds = times.astype("datetime64[s]")
    return seconds if len(np.unique(seconds)) == len(np.unique(times)) else times


def _with_table_label(curve: Curve, trace: Trace, meta: TableMeta) -> Curve:
    """One of several columns says what it is of: `median` alone is not a quantity."""
    if trace.component is None or len(meta.data_names) < 2 or curve.quantity.lower() in curve.table_label.lower():
        return curve
    quantity = ", ".join(filter(None, (curve.table_label, curve.quantity)))
    is_open = curve.label == curve.quantity and not curve.is_labelled
    return replace(curve, quantity=quantity, label=quantity if is_open else curve.label)


def check_curve(trace: Trace, meta: TableMeta, where: str) -> None:
    """Refuse a curve without an axis, or asked to be an image; raises FigureError."""
    is_image(trace, meta, where)
    if meta.columns and meta.axis_name is None:
        hint = "Give the column that holds the axis, such as the frequency, the role `axis`."
        raise FigureError(f"{trace.data} is a curve without an axis", where=f"{where}.data", hint=hint)


def axis_words(metas: Sequence[TableMeta], panel: Panel) -> AxisWords:
    """Title and unit of the horizontal axis: the panel's title, else by the data."""
    known = [meta for meta in metas if meta.axis_name is not None]
    units = list(dict.fromkeys(axis_unit(meta) for meta in known))
    unit = units[0] if units else ""
    if panel.x.title is not None:
        return AxisWords(panel.x.title, unit)
    titles: dict[str, str] = {}
    for meta in known:  # a title that differs from another only in its case is the same
        title = _axis_label(meta)
        titles.setdefault(title.lower(), title)
    return AxisWords(capitalized(", ".join(title for title in titles.values() if title)), unit)


def axis_unit(meta: TableMeta) -> str:
    """Unit of a curve's axis."""
    column = _axis_column(meta)
    return (meta.bins.unit if meta.bins else "") or (column.unit if column else "")


def check_axes(traces: Sequence[tuple[int, Trace]], metas: Mapping[str, TableMeta], path: str) -> None:
    """Refuse curves over axes of different units in one panel; raises FigureError."""
    known = [(index, trace) for index, trace in traces if metas[trace.data].axis_name is not None]
    for index, trace in known[1:]:
        first, own = axis_unit(metas[known[0][1].data]), axis_unit(metas[trace.data])
        if own != first and not is_same_unit(own, first):
            units = [unit or "a pure number" for unit in (own, first)]
            raise FigureError(
                f"the axis of {trace.data} is in {units[0]}, that of {known[0][1].data} in {units[1]}",
                where=f"{path}.traces[{index}].data",
                hint=f"Put {trace.data} into a separate panel.",
            )


def axis_scale(metas: Sequence[TableMeta]) -> Scale:
    """Scale of the horizontal axis by the data: log if the axis of any curve is, because code need not state a scale."""
    return (
        "log"
        if any(meta.axis_name is not None and meta.bins is not None and meta.bins.scale == "log" for meta in metas)
        else "linear"
    )


def _axis_column(meta: TableMeta) -> ColumnMeta | None:
    return next((column for column in meta.columns if column.role == "axis"), None)


def _axis_label(meta: TableMeta) -> str:
    column = _axis_column(meta)
    given = (meta.bins.label if meta.bins else "") or (column.label if column else "")
    return unit_codes_removed(given) or quantity_of_unit(axis_unit(meta)) or (column.name if column else "")


def _axis_curve(curve: Curve, column: ColumnMeta, table: Table) -> AxisCurve:
    """A curve of one interval over its axis, in order of the axis; points without a place on it are left out."""
    axis = table.meta.axis_name
    if axis is None:  # nothing is known of the table
        return AxisCurve(curve, column.name, np.empty(0), None, None)
    x = table.columns[axis].astype(np.float64)
    lower, upper = _spread(column, curve, table)
    order = np.argsort(x, kind="stable")
    order = order[np.isfinite(x[order])]
    x = x[order]
    if curve.is_stepped and len(x):
        edges = bin_edges(x, axis_scale([table.meta]) if x[0] > 0 else "linear")
        x, order = np.column_stack([edges[:-1], edges[1:]]).ravel(), np.repeat(order, 2)
    return AxisCurve(
        replace(curve, values=curve.values[order], time_ms=curve.time_ms[order]),
        column.name,
        x,
        lower[order] if lower is not None else None,
        upper[order] if upper is not None else None,
        spread_words(column, table.meta),
    )


def _spread(column: ColumnMeta, curve: Curve, table: Table) -> tuple[Floats | None, Floats | None]:
    """Lower and upper end: as the table has them, else the value less and more its uncertainty."""
    names = table.meta.companions(column.name)
    values = curve.values.astype(np.float64)
    if "uncertainty" in names:
        deviation = np.abs(table.columns[names["uncertainty"]].astype(np.float64))
        lower, upper = values - deviation, values + deviation
    elif "lower" in names or "upper" in names:
        lower = upper = values
    else:
        return None, None
    if "lower" in names:
        lower = table.columns[names["lower"]].astype(np.float64)
    if "upper" in names:
        upper = table.columns[names["upper"]].astype(np.float64)
    return lower, upper


def _dressed(found: Sequence[AxisCurve], starts: Sequence[str], spacecraft: Mapping[str, str] | None) -> tuple[AxisCurve, ...]:
    """The curves with labels and colours of their own; those of several intervals are called by their start."""
    plain = [each.curve for each in found]
    is_one_quantity = len({(curve.path, curve.quantity) for curve in plain}) == 1
    if len(plain) > len(look.COLORWAY) and all(curve.color is None for curve in plain):
        plain = [replace(curve, color=color) for curve, color in zip(plain, channel_colors(len(plain)), strict=True)]
    named = []
    for curve, begin in zip(distinct_curves(plain, spacecraft), starts, strict=True):
        words = [begin] if begin and is_one_quantity and curve.label == curve.quantity else [curve.label, begin]
        named.append(replace(curve, label=", ".join(filter(None, words))))
    return tuple(replace(each, curve=curve) for each, curve in zip(found, named, strict=True))
