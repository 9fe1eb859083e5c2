"""A row of curves over an axis of its own: lines, spreads, fitted lines, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.basedatatypes import BaseTraceType

from helio_dagster.domain.figure import Panel
from helio_dagster.domain.table import ColumnMeta, Scale, Table
from helio_dagster.figures import look
from helio_dagster.figures.axis_curves import AxisCurve, AxisWords, CurveSet, axis_scale, axis_words, curves_of_panel
from helio_dagster.figures.fits import Overlay, fit_traces, mark_shapes, overlays_of_panel
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits, chosen_limits, given_ends
from helio_dagster.figures.lines import label_items, why_empty
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.own_axes import (
    corner_note,
    extent,
    not_positive_words,
    own_axis,
    show_zero,
    tight_limits,
    x_title,
)
from helio_dagster.figures.panels import Row, owner_of
from helio_dagster.figures.parts import (
    Parts,
    fit_label,
    fit_title,
    marked_labels,
    panel_note,
    tick_width_px,
    value_axis,
    value_limits,
)
from helio_dagster.figures.spread_words import spread_labels
from helio_dagster.figures.thinning import joined, stretches
from helio_dagster.figures.ticks import padded_range

_SPREAD_OPACITY = 0.2
_LOWEST_SPREAD = 0.1
"""Of the lowest value: how far down a spread may stretch a log axis."""
_WIDTH_PX = 1.5
_POINT_PX = 5.0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CurvePanel:
    """A panel of curves with everything it shows.

    `row` holds the curves' labels, value axis and titles as those of a panel over time. `is_power_law` says that a curve is
    logarithmic along both axes, so that a slope is one of logarithms.
    """

    row: Row
    curves: tuple[AxisCurve, ...]
    words: AxisWords
    x_scale: Scale
    axis: ColumnMeta | None
    is_power_law: bool
    overlays: tuple[Overlay, ...]
    left_away: tuple[str, ...]
    counts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def axis_shown(self) -> tuple[object, ...] | None:
        """Title, unit, scale and range of its axis; None where there is nothing to show."""
        limits = _limits(self)[0]
        return None if limits is None else (self.words, self.x_scale, limits)

    def labels(self, room_px: float) -> list[tuple[str, str]]:
        """Markup and colour of the labels at the right: curves, what their spreads are, then facts."""
        spreads = [(each.spread, each.curve.style == "points", each.curve.color or look.INK) for each in self.curves]
        items = [(fit_label(text, room_px), color) for text, color in (*label_items(self.row), *spread_labels(spreads))]
        return [*items, *(label for overlay in self.overlays for label in overlay.labels(room_px))]


def make_curve_panel(
    panel: Panel, tables: Mapping[str, Table], path: str, spacecraft: Mapping[str, str] | None = None
) -> CurvePanel:
    """What a panel of curves shows.

    Raises
    ------
    FigureError
        A table has not the component asked for, or cannot be drawn as asked.
    """
    numbered = list(enumerate(panel.traces))
    curved = [(index, trace) for index, trace in numbered if tables[trace.data].meta.kind != "facts"]
    facts = [(index, trace) for index, trace in numbered if tables[trace.data].meta.kind == "facts"]
    found = curves_of_panel(curved, tables, path, spacecraft)
    metas = [tables[trace.data].meta for _, trace in curved]
    overlays = overlays_of_panel(facts, tables, path, {each.column: each.curve.color for each in found.curves})
    by_data = axis_scale(metas)
    if any(overlay.is_power_law for overlay in overlays) and _is_positive(found):
        by_data, found = "log", _with_log_values(found)
    axes = (column for meta in metas for column in meta.columns if column.role == "axis")
    return CurvePanel(
        row=Row(path, panel, tuple(each.curve for each in found.curves), None, owner_of(panel, spacecraft)),
        curves=found.curves,
        words=axis_words(metas, panel),
        x_scale=panel.x.scale or by_data,
        axis=next(axes, None),
        is_power_law=any(axis_scale([meta]) == "log" and meta.scale == "log" for meta in metas),
        overlays=tuple(overlays),
        left_away=found.left_away,
        counts=found.counts,
    )


def _is_positive(found: CurveSet) -> bool:
    """Whether two logarithmic axes can show all of the curves."""
    return all(each.curve.has_only_positive and (each.x > 0).all() for each in found.curves)


def _with_log_values(found: CurveSet) -> CurveSet:
    """Curves that a power law was fitted to, where the data say no scale."""
    return replace(found, curves=tuple(replace(each, curve=replace(each.curve, scale="log")) for each in found.curves))


def draw_curves(panel: CurvePanel, place: Place, label_room_px: float, panel_px: float | None = None) -> Parts:
    """The row of a panel of curves; one without a value says why.

    Raises
    ------
    FigureError
        The panel asks for a log axis that begins at or below zero.
    """
    row, x_scale, y_scale = panel.row, panel.x_scale, panel.row.scale
    x_limits, y_limits = _limits(panel)
    axis = value_axis(row, place, y_limits)
    axis.anchor = place.own_x
    parts = Parts(fit_title(row.title, row.unit or "", place.height_px), axis, tick_width_px(axis))
    parts.own_x = own_axis(place, x_scale, x_limits, panel_px=panel_px)
    parts.annotations.append(x_title(panel.words.title, panel.words.unit, place))
    if (
        x_limits is None
        or y_limits is None
        or not any(np.isfinite(each.shown(x_scale, y_scale)).any() for each in panel.curves)
    ):
        parts.traces.append(go.Scatter(x=[], y=[], xaxis=place.own_x, yaxis=place.axis))
        parts.annotations.append(panel_note(why_empty(row), place))
    else:
        spreads = [_spread_trace(each, x_scale, y_scale, y_limits, place) for each in panel.curves]
        parts.traces += [spread for spread in spreads if spread is not None]
        for each in panel.curves:
            parts.traces += _traces(each, x_scale, y_scale, place)
        is_power_law = panel.is_power_law or x_scale == y_scale == "log"
        parts.traces += fit_traces(panel.overlays, place, x_limits, (x_scale, y_scale), is_power_law=is_power_law)
        parts.shapes += mark_shapes(panel.overlays, panel.axis, panel.words.unit, place)
        show_zero(axis)
        show_zero(parts.own_x)
    parts.annotations += marked_labels(panel.labels(label_room_px), place)
    parts.annotations += corner_note(_notes(panel), place)
    return parts


def _limits(panel: CurvePanel) -> tuple[Limits | None, Limits | None]:
    """Ends of both axes: the panel's, else by what is drawn; the vertical one by what lies inside the horizontal one."""
    x_scale, y_scale = panel.x_scale, panel.row.scale
    given_x = given_ends(panel.row.panel.x, x_scale, f"{panel.row.path}.x.range")
    shown = [each.shown(x_scale, y_scale) for each in panel.curves]
    x_ends = extent([each.x[np.isfinite(values)] for each, values in zip(panel.curves, shown, strict=True)], x_scale)
    x_limits = chosen_limits(given_x, tight_limits(x_ends, x_scale) if x_ends else None)
    if x_limits is None:
        return None, value_limits(panel.row, None)
    inside = [_inside(each.x, x_limits, x_scale) for each in panel.curves]
    values = [kept[here] for kept, here in zip(shown, inside, strict=True)]
    y_ends = extent(values, y_scale)
    if y_ends is None:
        return x_limits, value_limits(panel.row, None)
    spreads = zip(panel.curves, inside, strict=True)
    sides = [side[here] for each, here in spreads for side in (each.lower, each.upper) if side is not None]
    wider = extent([*values, *sides], y_scale) or y_ends
    lowest = max(wider[0], y_ends[0] * _LOWEST_SPREAD) if y_scale == "log" else wider[0]
    return x_limits, value_limits(panel.row, padded_range(lowest, wider[1], y_scale))


def _inside(x: Floats, limits: Limits, scale: Scale) -> NDArray[np.bool_]:
    low, high = limits if scale == "linear" else (10.0 ** limits[0], 10.0 ** limits[1])
    room = 1e-9 * max(abs(low), abs(high))
    inside: NDArray[np.bool_] = (x >= low - room) & (x <= high + room)
    return inside


def _places(each: AxisCurve, x_scale: Scale) -> Floats:
    """Where the points are along the drawn axis; those that a log axis cannot show hold no value."""
    if x_scale == "linear":
        return each.x
    places: Floats = np.log10(np.where(each.x > 0, each.x, np.finfo(np.float64).tiny))
    return places


def _traces(each: AxisCurve, x_scale: Scale, y_scale: Scale, place: Place) -> list[BaseTraceType]:
    """The line or the points of a curve; points, also those alone between holes, with the spread as a bar."""
    curve, values = each.curve, each.shown(x_scale, y_scale)
    parts = stretches(_places(each, x_scale), values)
    count, drawn = int(np.isfinite(values).sum()), sum(map(len, parts))
    axes = {"xaxis": place.own_x, "yaxis": place.axis, "name": label_to_html(curve.label) or curve.reference}
    color = curve.color or look.INK
    meta = {"samples": count} if drawn < count else None
    found: list[BaseTraceType] = []
    dotted = parts if curve.style == "points" else [part for part in parts if len(part) == 1]
    if curve.style == "line":
        stroke = {"color": color, "width": max(curve.width, _WIDTH_PX), "dash": curve.dash}
        x, y = (joined([array[part] for part in parts]) for array in (each.x, values))
        found.append(go.Scatter(x=x, y=y, mode="lines", line=stroke, connectgaps=False, meta=meta, **axes))
    if dotted:
        dots = np.concatenate(dotted)
        found.append(
            go.Scatter(
                x=each.x[dots],
                y=values[dots],
                mode="markers",
                marker={"size": _POINT_PX, "color": color},
                error_y=_bars(each, values, dots, color),
                meta=meta if curve.style == "points" else None,
                hoverinfo="skip" if curve.style == "line" else None,
                **axes,
            )
        )
    return found


def _bars(each: AxisCurve, values: Floats, dots: NDArray[np.intp], color: str) -> dict[str, object] | None:
    if each.lower is None or each.upper is None:
        return None
    up, down = (each.upper - values)[dots], (values - each.lower)[dots]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "color": color, "thickness": 1, "width": 3}


def _spread_trace(each: AxisCurve, x_scale: Scale, y_scale: Scale, y_limits: Limits, place: Place) -> go.Scatter | None:
    """The spread as a band: one closed shape for each unbroken stretch, none where it or the value is missing."""
    if each.lower is None or each.upper is None or each.curve.style == "points":
        return None
    floor = 10.0 ** (y_limits[0] - 1) if y_scale == "log" else -np.inf
    lower = np.maximum(each.lower, floor)
    is_known = np.isfinite(lower) & np.isfinite(each.upper) & (each.upper >= lower)
    values = np.where(is_known, each.shown(x_scale, y_scale), np.nan)
    parts = [part for part in stretches(_places(each, x_scale), values) if len(part) > 1]
    if not parts:
        return None
    around = [np.concatenate([part, part[::-1]]) for part in parts]
    edges = [np.concatenate([each.upper[part], lower[part][::-1]]) for part in parts]
    return go.Scatter(
        x=joined([each.x[part] for part in around]),
        y=joined(edges),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=each.curve.color or look.INK,
        opacity=_SPREAD_OPACITY,
        hoverinfo="skip",
        xaxis=place.own_x,
        yaxis=place.axis,
        name=f"{label_to_html(each.curve.label) or each.curve.reference}, spread",
    )


def _notes(panel: CurvePanel) -> list[str]:
    """What of the data is not drawn."""
    count = sum(each.left_out(panel.x_scale, panel.row.scale) for each in panel.curves)
    away = [f"not drawn: {', '.join(panel.left_away)}"] if panel.left_away else []
    return [*not_positive_words(count), *away, *panel.counts, *panel.notes]
