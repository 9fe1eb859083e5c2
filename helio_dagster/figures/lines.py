"""A row of lines: traces, value axis, labels at its right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.basedatatypes import BaseTraceType

from helio_dagster.domain.table import Scale
from helio_dagster.figures import look
from helio_dagster.figures.curves import Curve
from helio_dagster.figures.downsample import thin_line
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.panels import Row
from helio_dagster.figures.parts import Parts, fit_title, given_limits, panel_note, side_labels, tick_width_px, value_axis
from helio_dagster.figures.ticks import padded_range

_POINT_PX = 3.0


def draw_lines(row: Row, place: Place, label_room_px: float) -> Parts:
    """A row that shows curves only; a panel without a value says why."""
    extent = curves_extent(row.curves, row.scale)
    limits = given_limits(row) or (padded_range(*extent, row.scale) if extent else None)
    axis = value_axis(row, place, limits)
    parts = Parts(fit_title(row.title, row.unit or "", place.height_px), axis, tick_width_px(axis))
    for curve in row.curves:
        parts.traces += curve_traces(curve, place, row.scale)
    if extent is None:
        parts.annotations.append(panel_note(why_empty(row), place))
    elif row.scale == "linear" and limits and limits[0] < 0 < limits[1]:
        parts.shapes.append(_zero_line(place))
    parts.annotations += side_labels(label_items(row), place, label_room_px)
    return parts


def label_items(row: Row) -> list[tuple[str, str]]:
    """Text and colour of each label of the row's curves; none where the title already says it.

    A curve without a value says so, and units are named here where they differ.
    """
    items: list[tuple[str, str]] = []
    if len(row.curves) == 1 and row.image is None and row.curves[0].label in row.title:
        return items
    is_empty = all(_is_bare(curve, row.scale) for curve in row.curves)
    for curve in row.curves:
        text = curve.label if row.unit is not None or not curve.unit else f"{curve.label} ({curve.unit})"
        if _is_bare(curve, row.scale) and not is_empty:
            items.append((f"{text}: {_STATUS_WORDS.get(curve.status, _NOT_POSITIVE)}", look.QUIET))
        else:
            items.append((text, curve.color or look.INK))
    return items


def curve_traces(curve: Curve, place: Place, scale: Scale) -> list[BaseTraceType]:
    """The line or points of a curve, and dots for the isolated samples between gaps."""
    line = thin_line(curve.time_ms, drawable(curve, scale))
    name = label_to_html(curve.label) or curve.reference
    color = curve.color or look.INK
    marker = {"size": max(_POINT_PX, curve.width), "color": color}
    meta = {"samples": line.samples} if line.samples is not None else None
    if curve.style == "points":
        return [
            go.Scatter(x=line.time_ms, y=line.values, mode="markers", marker=marker, yaxis=place.axis, name=name, meta=meta)
        ]
    stroke = {"color": color, "width": curve.width, "dash": curve.dash}
    traces: list[BaseTraceType] = [
        go.Scatter(
            x=line.time_ms,
            y=line.values,
            mode="lines",
            line=stroke,
            yaxis=place.axis,
            name=name,
            connectgaps=False,
            meta=meta,
        )
    ]
    if len(line.lone):
        traces.append(
            go.Scatter(
                x=line.time_ms[line.lone],
                y=line.values[line.lone],
                mode="markers",
                marker=marker,
                yaxis=place.axis,
                name=name,
                hoverinfo="skip",
            )
        )
    return traces


def drawable(curve: Curve, scale: Scale) -> NDArray[np.floating]:
    """The curve's values with NaN for what the axis cannot show: infinities and, on a log axis, what is not positive."""
    is_shown = np.isfinite(curve.values)
    if scale == "log":
        is_shown &= curve.values > 0
    return curve.values if is_shown.all() else np.where(is_shown, curve.values, np.nan).astype(curve.values.dtype)


def curves_extent(curves: Sequence[Curve], scale: Scale) -> tuple[float, float] | None:
    """Lowest and highest drawable value of all curves; None where there is none."""
    shown = [drawable(curve, scale) for curve in curves]
    finite = [values for values in shown if np.isfinite(values).any()]
    if not finite:
        return None
    return min(float(np.nanmin(values)) for values in finite), max(float(np.nanmax(values)) for values in finite)


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
