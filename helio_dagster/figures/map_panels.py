"""A row with a map: values over two axes of its own, as coloured cells; cells without samples stay blank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Axis, Panel, Trace
from helio_dagster.domain.table import BinAxis, ColumnMeta, Scale, Table, TableMeta
from helio_dagster.figures import look
from helio_dagster.figures.axis_curves import AxisWords
from helio_dagster.figures.curve_columns import drawn_columns
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits, chosen_limits, given_ends
from helio_dagster.figures.intervals import time_words, windows
from helio_dagster.figures.markup import capitalized, label_to_html, unit_codes_removed, unit_to_html, with_owner
from helio_dagster.figures.own_axes import corner_note, not_positive_words, own_axis, x_title
from helio_dagster.figures.panels import Row, owner_of
from helio_dagster.figures.parts import Parts, fit_title, panel_note, tick_width_px, value_axis
from helio_dagster.figures.spectrogram_bins import bin_edges, whole_angles
from helio_dagster.figures.spectrograms import color_bar

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cells:
    """The cells of one map.

    Parameters
    ----------
    x_edges, y_edges
        float64, shape (column + 1,) and (row + 1,), increasing, in the units of the axes.
    values
        float64, shape (row, column); NaN where nothing is drawn: no value, or no sample.
    """

    x_edges: Floats
    y_edges: Floats
    values: Floats


@dataclass(frozen=True)
class MapPanel:
    """A panel with a map and everything it shows; `cells` is None where there is nothing to draw."""

    row: Row
    column: ColumnMeta
    x_words: AxisWords
    y_words: AxisWords
    scales: tuple[Scale, Scale]
    z_scale: Scale
    cells: Cells | None
    notes: tuple[str, ...]


def check_map(trace: Trace, meta: TableMeta, where: str) -> None:
    """Refuse a map without two axes, a column it has not, or another way to draw it; raises FigureError."""
    if trace.draw is not None:
        raise FigureError(f"{trace.data} is a map, which is drawn as cells", where=f"{where}.draw", hint="Leave `draw` out.")
    if meta.columns and len(meta.axis_names) < 2:
        raise FigureError(f"{trace.data} is a map without two axes", where=f"{where}.data", hint="Give it two columns of axes.")
    if meta.columns:
        drawn_columns(trace, _value_columns(meta), meta, where)


def check_single_map(traces: Sequence[Trace], path: str) -> None:
    """Refuse anything beside a map; raises FigureError."""
    if len(traces) > 1:
        hint = f"Put {traces[1].data} into a separate panel."
        raise FigureError("a panel with a map shows nothing else", where=f"{path}.traces[1].data", hint=hint)


def make_map_panel(
    panel: Panel, tables: Mapping[str, Table], path: str, spacecraft: Mapping[str, str] | None = None
) -> MapPanel:
    """What a panel with a map shows. Of the maps of several intervals it is the last, and the panel says so.

    Raises
    ------
    FigureError
        The table has not the column asked for.
    """
    (trace,) = panel.traces
    table = tables[trace.data]
    meta = table.meta
    column = drawn_columns(trace, _value_columns(meta), meta, f"{path}.traces[0]")[0]
    parts = windows(table)
    notes: list[str] = []
    if len(parts) > 1:
        last = time_words(np.array([part.time[0] for part in parts]))[-1]
        notes.append(f"1 of {counted(len(parts), 'interval')} drawn: the one from {last} UTC")
    first, second = meta.first_axis or BinAxis(), meta.bins or BinAxis()
    scales = (panel.x.scale or first.scale, panel.y.scale or second.scale)
    z_scale: Scale = panel.z.scale or meta.scale
    cells = _cells(parts[-1], column, scales) if len(table) else None
    if cells is not None and z_scale == "log":
        is_lost = cells.values <= 0
        notes += not_positive_words(int(is_lost.sum()))
        cells = Cells(cells.x_edges, cells.y_edges, np.where(is_lost, np.nan, cells.values))
    return MapPanel(
        row=Row(path, panel, (), None, owner_of(panel, spacecraft)),
        column=column,
        x_words=_words(panel.x, first),
        y_words=_words(panel.y, second),
        scales=scales,
        z_scale=z_scale,
        cells=cells if cells is not None and np.isfinite(cells.values).any() else None,
        notes=tuple(notes),
    )


def draw_map(panel: MapPanel, place: Place, panel_px: float | None = None) -> Parts:
    """The row of a panel with a map; one without a value says why.

    Raises
    ------
    FigureError
        The panel asks for a log axis or colours that begin at or below zero.
    """
    cells, (x_scale, y_scale), asked = panel.cells, panel.scales, panel.row.panel
    x_ends, y_ends = (_ends(cells.x_edges, x_scale), _ends(cells.y_edges, y_scale)) if cells is not None else (None, None)
    x_limits = chosen_limits(given_ends(asked.x, x_scale, f"{panel.row.path}.x.range"), x_ends)
    y_limits = chosen_limits(given_ends(asked.y, y_scale, f"{panel.row.path}.y.range"), y_ends)
    z_given = given_ends(asked.z, panel.z_scale, f"{panel.row.path}.z.range")
    axis = value_axis(panel.row, place, y_limits, scale=y_scale)
    axis.anchor = place.own_x
    parts = Parts(fit_title(panel.y_words.title, panel.y_words.unit, place.height_px), axis, tick_width_px(axis))
    parts.own_x = own_axis(place, x_scale, x_limits, panel_px=panel_px)
    parts.annotations.append(x_title(panel.x_words.title, panel.x_words.unit, place))
    if cells is None:
        parts.traces.append(go.Scatter(x=[], y=[], xaxis=place.own_x, yaxis=place.axis))
        parts.annotations.append(panel_note("no value above zero for log colours" if panel.notes else "no data", place))
        return parts
    z_limits = chosen_limits(z_given, _color_limits(cells.values, panel.z_scale))
    parts.traces.append(_heatmap(panel, cells, z_limits, place))
    parts.annotations += corner_note(panel.notes, place)
    return parts


def _heatmap(panel: MapPanel, cells: Cells, limits: Limits, place: Place) -> go.Heatmap:
    asked = panel.row.panel.z.title
    title = asked if asked is not None else capitalized(with_owner(panel.column.label or panel.column.name, panel.row.owner))
    unit = panel.column.unit
    is_log = panel.z_scale == "log"
    return go.Heatmap(
        x=cells.x_edges,
        y=cells.y_edges,
        z=(np.log10(cells.values) if is_log else cells.values).astype(np.float32),
        customdata=cells.values if is_log else None,
        zmin=limits[0],
        zmax=limits[1],
        zsmooth=False,
        colorscale=look.COLORSCALE,
        hoverongaps=False,
        xaxis=place.own_x,
        yaxis=place.axis,
        name=label_to_html(title),
        colorbar=color_bar(title, unit, limits, panel.z_scale, place),
        hovertemplate=f"%{{x:.4g}}, %{{y:.4g}}: %{{{'customdata' if is_log else 'z'}:.4g}} {unit_to_html(unit)}<extra></extra>",
    )


def _value_columns(meta: TableMeta) -> list[ColumnMeta]:
    """What a map can draw: its values, and how many samples they are made of."""
    return sorted(meta.value_columns, key=lambda column: column.role == "count")


def _words(axis: Axis, bins: BinAxis) -> AxisWords:
    return AxisWords(axis.title if axis.title is not None else capitalized(unit_codes_removed(bins.label)), bins.unit)


def _cells(table: Table, column: ColumnMeta, scales: tuple[Scale, Scale]) -> Cells:
    """The cells that the axes can show. A count of 0 says that there is nothing to draw."""
    across = len(table) // len(np.unique(table.columns[table.meta.axis_names[0]]))
    values = table.columns[column.name].astype(np.float64).reshape(-1, across)
    counts = table.meta.role_name("count") or (column.name if table.columns[column.name].dtype.kind in "iu" else None)
    if counts is not None:
        values = np.where(table.columns[counts].reshape(-1, across) > 0, values, np.nan)
    x_edges, is_x = _edges(table, table.meta.axis_names[0], slice(None, None, across), scales[0])
    y_edges, is_y = _edges(table, table.meta.axis_names[1], slice(None, across), scales[1])
    spread = np.full((len(is_y), len(is_x)), np.nan)
    spread[np.ix_(is_y >= 0, is_x >= 0)] = values.T[np.ix_(is_y[is_y >= 0], is_x[is_x >= 0])]
    return Cells(x_edges, y_edges, spread)


def _edges(table: Table, axis: str, which: slice, scale: Scale) -> tuple[Floats, NDArray[np.intp]]:
    """Edges of the bins along an axis, and for each interval between them the bin that fills it; -1 where none does."""
    middles = table.columns[axis][which]
    names = table.meta.companions(axis)
    if "lower" in names and "upper" in names:
        lower, upper = (table.columns[names[role]][which] for role in ("lower", "upper"))
    else:
        usable = middles[middles > 0] if scale == "log" else middles
        known = bin_edges(usable, scale) if len(usable) else np.zeros(1)
        lost = np.full(len(middles) - len(usable), np.nan)
        lower, upper = np.append(lost, known[:-1]), np.append(lost, known[1:])
    edges: list[float] = []
    bins: list[int] = []
    for place in np.flatnonzero((lower > 0) | ((scale == "linear") & np.isfinite(lower))).tolist():
        if edges and edges[-1] < lower[place]:
            bins.append(-1)
        if not edges or edges[-1] < lower[place]:
            edges.append(float(lower[place]))
        edges.append(float(upper[place]))
        bins.append(place)
    described = next(column for column in table.meta.columns if column.name == axis)
    ends = whole_angles(np.array(edges), f"{described.label} {axis}", described.unit)
    return ends, np.array(bins, dtype=np.intp)


def _ends(edges: Floats, scale: Scale) -> Limits | None:
    if not len(edges):
        return None
    low, high = float(edges[0]), float(edges[-1])
    return (float(np.log10(low)), float(np.log10(high))) if scale == "log" else (low, high)


def _color_limits(values: Floats, scale: Scale) -> Limits:
    """Ends of the colours, as powers of ten for log: those of what is drawn; from zero where nothing is below it."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if scale == "log":
        low, high = float(np.log10(low)), float(np.log10(high))
        return (low, high) if high > low else (low - 0.5, high + 0.5)
    low = min(low, 0.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
