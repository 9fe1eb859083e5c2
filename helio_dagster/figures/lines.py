"""A row of lines: traces, value axis, labels at its right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.basedatatypes import BaseTraceType

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Axis
from helio_dagster.domain.table import Scale
from helio_dagster.domain.units import is_same_unit
from helio_dagster.figures import look
from helio_dagster.figures.curves import Curve
from helio_dagster.figures.downsample import thin_line, thin_overview
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.markup import label_to_html, raised
from helio_dagster.figures.own_axes import corner_note, not_positive_words
from helio_dagster.figures.panels import Row
from helio_dagster.figures.parts import (
    Parts,
    fit_title,
    panel_note,
    side_labels,
    tick_width_px,
    title_annotation,
    value_axis,
    value_limits,
)
from helio_dagster.figures.spread_bands import band_trace, drawable_end, error_bars
from helio_dagster.figures.spread_words import spread_labels
from helio_dagster.figures.ticks import padded_range

_POINT_PX, _MARKED_PX = 3.0, 5.0


RIGHT_AXIS_PX = 86
"""Room for a right-hand axis: ticks, their labels and its title."""

_MOST_UNITS = 2
_LOWEST_SPREAD = 0.1
"""Of the lowest value: how far down a spread may stretch a log axis."""


def draw_lines(row: Row, place: Place, label_room_px: float, points: int) -> Parts:
    """A row that shows curves only; a panel without a value says why. Curves of a second unit have an axis at the right.

    Raises
    ------
    FigureError
        The curves have more than two units.
    """
    left, right = sides(row)
    extent = spread_extent(left.curves, left.scale)
    limits = value_limits(left, padded_range(*extent, left.scale) if extent else None)
    axis = value_axis(left, place, limits)
    parts = Parts(fit_title(left.title, left.unit or "", place.height_px), axis, tick_width_px(axis))
    for curve in left.curves:
        parts.traces += curve_traces(curve, place.axis, left.scale, points)
    if right is not None:
        _add_right_axis(parts, right, place, points)
    if not any(curves_extent(side.curves, side.scale) for side in (left, right) if side is not None):
        parts.annotations.append(panel_note(why_empty(row), place))
    elif extent and left.scale == "linear" and limits and limits[0] < 0 < limits[1]:
        parts.shapes.append(_zero_line(place))
    parts.annotations += corner_note(left_out_words(row), place, xref="x domain")
    beyond_px = RIGHT_AXIS_PX if right is not None else 0
    parts.annotations += side_labels(label_items(row), place, label_room_px - beyond_px, shift_px=beyond_px)
    return parts


def sides(row: Row) -> tuple[Row, Row | None]:
    """The curves of a panel by their axis: those of the first unit at the left, of a second at the right.

    Raises
    ------
    FigureError
        There are more than two units.
    """
    units = list(dict.fromkeys(curve.unit for curve in row.curves))
    if len(units) < _MOST_UNITS or row.image is not None:
        return row, None
    check_units(units, row.path)
    first, second = (tuple(curve for curve in row.curves if curve.unit == unit) for unit in units)
    right = row.panel.model_copy(update={"y": Axis()})
    return replace(row, curves=first), replace(row, curves=second, panel=right)


def check_units(units: Sequence[str], path: str) -> None:
    """Refuse more units than a panel has axes; FigureError names them. Two ways to write a unit count as one."""
    units = [unit for place, unit in enumerate(units) if not any(is_same_unit(unit, other) for other in units[:place])]
    if len(units) > _MOST_UNITS:
        named = ", ".join(unit or "no unit" for unit in units)
        raise FigureError(
            f"a panel has two value axes at most, and its data have {len(units)} units: {named}",
            where=f"{path}.traces",
            hint="Give each quantity a separate panel.",
        )


def _add_right_axis(parts: Parts, row: Row, place: Place, points: int) -> None:
    """The second unit's axis, its title and its curves; the grid is the left axis's."""
    extent = spread_extent(row.curves, row.scale)
    axis = value_axis(row, place, padded_range(*extent, row.scale) if extent else None)
    axis.update(overlaying=place.axis, side="right", showgrid=False, mirror=False, domain=None)
    if axis.tickmode is None:
        axis.tickmode = "auto"  # else plotly puts ticks where the left axis has them, at odd numbers
    parts.right = axis
    title = fit_title(row.title, row.unit or "", place.height_px)
    shift_px = RIGHT_AXIS_PX - title.thickness_px / 2 - 6
    parts.annotations.append(title_annotation(title, place, shift_px, is_right=True))
    for curve in row.curves:
        parts.traces += curve_traces(curve, place.right_axis, row.scale, points)


def left_out_words(row: Row) -> list[str]:
    """What logarithmic axes leave out of the curves: values that are not positive, counted."""
    count = 0
    for side in sides(row):
        if side is not None and side.scale == "log":
            count += sum(curve.not_positive for curve in side.curves)
    return not_positive_words(count)


def label_items(row: Row) -> list[tuple[str, str]]:
    """Text and colour of each label of the row's curves, then of what lies around them; none where the title already says it.

    A curve without a value says so, and units are named here where they differ.
    """
    items: list[tuple[str, str]] = []
    spreads = spread_labels(
        (curve.spread, curve.style == "points", curve.color or look.INK)
        for curve in row.curves
        if not _is_bare(curve, row.scale)
    )
    if len(row.curves) == 1 and row.image is None and _is_in_title(row.curves[0], row.title):
        return spreads
    is_empty = all(_is_bare(curve, row.scale) for curve in row.curves)
    for curve in row.curves:
        text = curve.label if row.unit is not None or not curve.unit else f"{curve.label} ({raised(curve.unit)})"
        if _is_bare(curve, row.scale) and not is_empty:
            items.append((f"{text}: {_STATUS_WORDS.get(curve.status, _NOT_POSITIVE)}", look.QUIET))
        else:
            items.append((text, curve.color or look.INK))
    return items + spreads


def curve_traces(curve: Curve, axis: str, scale: Scale, points: int) -> list[BaseTraceType]:
    """The line or at most so many points of a curve on a value axis, and dots for the isolated samples between gaps."""
    if curve.lower is not None and curve.style == "line":
        band = band_trace(curve, axis, scale)
        without = curve_traces(replace(curve, lower=None, upper=None), axis, scale, points)
        return [band, *without] if band is not None else without
    if curve.overview is None:
        line = thin_line(curve.time_ms, drawable(curve, scale), reach=curve.reach, limit=points)
    else:
        line = thin_overview(curve.overview, drawable(curve, scale), limit=points)
    name = label_to_html(curve.label) or curve.reference
    color = curve.color or look.INK
    marker: dict[str, object] = {"size": max(_POINT_PX, curve.width), "color": color}
    if curve.marker is not None:
        marker |= {"symbol": curve.marker, "size": max(_MARKED_PX, 3 * curve.width)}
    meta = {"samples": line.samples} | ({"about": True} if line.is_about else {}) if line.samples is not None else None
    if curve.style == "points":
        bars = error_bars(curve, line.time_ms, line.values, color)
        x, y = line.time_ms, line.values
        return [go.Scatter(x=x, y=y, mode="markers", marker=marker, yaxis=axis, name=name, meta=meta, error_y=bars)]
    stroke = {"color": color, "width": curve.width, "dash": curve.dash}
    if curve.is_stepped:
        stroke["shape"] = "hv" if curve.reach is None else "hvh"  # bins stand at their middles
    traces: list[BaseTraceType] = [
        go.Scatter(
            x=line.time_ms,
            y=line.values,
            mode="lines" if curve.marker is None else "lines+markers",
            line=stroke,
            marker=None if curve.marker is None else marker,
            yaxis=axis,
            name=name,
            connectgaps=False,
            meta=meta,
        )
    ]
    if len(line.lone) and curve.marker is None:
        traces.append(
            go.Scatter(
                x=line.time_ms[line.lone],
                y=line.values[line.lone],
                mode="markers",
                marker=marker,
                yaxis=axis,
                name=name,
                hoverinfo="skip",
            )
        )
    return traces


def drawable(curve: Curve, scale: Scale) -> NDArray[np.floating]:
    """The curve's values, shape (point,), with NaN for what the axis cannot show: infinities and, if it is log, all up to 0."""
    is_shown = np.isfinite(curve.values)
    if scale == "log":
        is_shown &= curve.values > 0
    return curve.values if is_shown.all() else np.where(is_shown, curve.values, np.nan).astype(curve.values.dtype)


def curves_extent(curves: Sequence[Curve], scale: Scale) -> tuple[float, float] | None:
    """Lowest and highest drawable value of all curves, in their unit; on a log scale only positive ones. None without any."""
    shown = [drawable(curve, scale) for curve in curves]
    finite = [values for values in shown if np.isfinite(values).any()]
    if not finite:
        return None
    return min(float(np.nanmin(values)) for values in finite), max(float(np.nanmax(values)) for values in finite)


def spread_extent(curves: Sequence[Curve], scale: Scale) -> tuple[float, float] | None:
    """Lowest and highest of what is drawn, with the spreads of the curves; None where there is no value."""
    found = curves_extent(curves, scale)
    if found is None:
        return None
    ends = [drawable_end(end, scale) for curve in curves for end in (curve.lower, curve.upper) if end is not None]
    finite = [end[np.isfinite(end)] for end in ends]
    lows, highs = ([float(part(end)) for end in finite if len(end)] for part in (np.min, np.max))
    lowest = found[0] * _LOWEST_SPREAD if scale == "log" else -np.inf
    return max(lowest, min([found[0], *lows])), max([found[1], *highs])


def _is_in_title(curve: Curve, title: str) -> bool:
    return curve.label == title if curve.is_labelled else curve.label.casefold() in title.casefold()


_STATUS_WORDS = {"empty": "no data", "all_fill": "all fill"}
_NOT_POSITIVE = "no positive value"


def _is_bare(curve: Curve, scale: Scale) -> bool:
    return not np.isfinite(drawable(curve, scale)).any()


def why_empty(row: Row) -> str:
    """One note for a panel that shows nothing: no records, fill only, or nothing a log axis can show."""
    states = {curve.status for curve in row.curves}
    if "data" in states:
        return "no positive value for a log axis"
    return "all fill values" if "all_fill" in states else "no data"


def _zero_line(place: Place) -> go.layout.Shape:
    return go.layout.Shape(
        type="line",
        xref="x domain",
        yref=place.axis,
        x0=0,
        x1=1,
        y0=0,
        y1=0,
        line={"color": "#999999", "width": 1, "dash": "dot"},
        layer="below",
    )
