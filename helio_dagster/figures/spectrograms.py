"""A row with a spectrogram: image, bin axis, colour bar, grey behind the gaps."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.domain.table import Scale
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits, chosen_limits, given_ends
from helio_dagster.figures.lines import curve_traces, label_items
from helio_dagster.figures.markup import capitalized, label_to_html, unit_codes_removed, unit_to_html, with_owner
from helio_dagster.figures.panels import Image, Row
from helio_dagster.figures.parts import (
    LABEL_SHIFT_PX,
    ColorKey,
    Parts,
    fit_title,
    panel_note,
    side_labels,
    tick_width_px,
    value_axis,
    value_limits,
)
from helio_dagster.figures.spectrogram_image import FluxImage, fixed_bin_edges, flux_image
from helio_dagster.figures.ticks import log_ticks

COLOR_BAR_PX = 112
INSIDE_LABEL_PX = 200
_BAR_PX = 13
_LOW_PERCENT, _HIGH_PERCENT = 2.0, 99.8
_MOST_DECADES = 7.0
_TICK_PX = 26


def draw_spectrogram(row: Row, image: Image, place: Place, span: TimeRange, points: int) -> Parts:
    """A row whose panel holds a spectrogram, with any curves of the panel on top.

    Raises
    ------
    FigureError
        The panel asks for a log axis or colours that begin at or below zero.
    """
    flux = flux_image(image.table, row.scale, span)
    edges = flux.bin_edges if flux is not None else fixed_bin_edges(image.table, row.scale)
    axis = value_axis(row, place, value_limits(row, _whole_range(edges, row.scale)))
    axis.showgrid = False
    parts = Parts(fit_title(row.title, row.unit or "", place.height_px), axis, tick_width_px(axis))
    z_scale = _z_scale(row, image, flux)
    limits = _z_limits(row, flux, z_scale) if flux is not None else None
    if flux is None or limits is None:
        parts.traces.append(go.Scatter(x=[], y=[], yaxis=place.axis))  # plotly draws no frame around an axis without a trace
        parts.annotations.append(panel_note(_why_empty(image, z_scale), place))
        return parts
    parts.colors = ColorKey(_bar_title(row, image), image.table.meta.unit, z_scale, row.path)
    parts.shapes.append(_gap_backing(place))
    parts.traces.append(_heatmap(row, image, flux, limits, z_scale, place))
    for curve in row.curves:
        parts.traces += curve_traces(curve, place.axis, row.scale, points)
    parts.annotations += side_labels(label_items(row), place, INSIDE_LABEL_PX, inside=True)
    return parts


def _whole_range(edges: NDArray[np.float64] | None, scale: Scale) -> tuple[float, float] | None:
    if edges is None:
        return None
    low, high = float(edges[0]), float(edges[-1])
    return (math.log10(low), math.log10(high)) if scale == "log" else (low, high)


def z_title(row: Row, image: Image) -> str:
    """Plain title of the colour bar: the panel's, else the table's label."""
    if row.panel.z.title is not None:
        return row.panel.z.title
    return capitalized(_plain_title(image))


def _bar_title(row: Row, image: Image) -> str:
    """The same with whose data they are."""
    given = row.panel.z.title
    return given if given is not None else capitalized(with_owner(_plain_title(image), row.owner))


def _plain_title(image: Image) -> str:
    return unit_codes_removed(image.table.meta.label) or image.trace.label or image.trace.data


def _z_scale(row: Row, image: Image, flux: FluxImage | None) -> Scale:
    """Scale of the colours: the panel's, else log unless the data have values below zero and no word of log."""
    if row.panel.z.scale is not None:
        return row.panel.z.scale
    if image.table.meta.scale == "log":
        return "log"
    return "linear" if flux is not None and flux.has_negative else "log"


def _z_limits(row: Row, flux: FluxImage, scale: Scale) -> tuple[float, float] | None:
    """Ends of the colours, as powers of ten for log: the panel's, else robust percentiles of what is shown."""
    given = given_ends(row.panel.z, scale, f"{row.path}.z.range")
    values = flux.flux[np.isfinite(flux.flux)]
    return chosen_limits(given, _robust_limits(values, scale)) if len(values) else None


def _robust_limits(values: NDArray[np.floating], scale: Scale) -> Limits | None:
    """Robust percentiles of finite values, shape (value,); as powers of ten for log, None where none is above zero."""
    if scale == "log":
        values = np.log10(values[values > 0])
    if not len(values):
        return None
    low, high = (float(edge) for edge in np.percentile(values, [_LOW_PERCENT, _HIGH_PERCENT]))
    if scale == "log":
        low, high = math.floor(10 * max(low, high - _MOST_DECADES)) / 10, math.ceil(10 * high) / 10
        return (low, high) if high - low >= 1 else (low - (1 - high + low) / 2, high + (1 - high + low) / 2)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _heatmap(row: Row, image: Image, flux: FluxImage, limits: tuple[float, float], scale: Scale, place: Place) -> go.Heatmap:
    low, high = limits
    unit = unit_to_html(image.table.meta.unit)
    title = label_to_html(z_title(row, image))
    shown = "customdata" if scale == "log" else "z"
    return go.Heatmap(
        x=flux.time_edges_ms,
        y=flux.bin_edges,
        z=_colors_of(flux.flux, low, scale),
        zmin=low,
        zmax=high,
        zsmooth=False,
        colorscale=look.COLORSCALE,
        hoverongaps=False,
        yaxis=place.axis,
        name=title,
        meta={"samples": flux.records, "drawn": flux.columns} if flux.records > flux.columns else None,
        colorbar=color_bar(_bar_title(row, image), image.table.meta.unit, limits, scale, place),
        customdata=flux.flux.astype(np.float32) if scale == "log" else None,  # z are powers of ten
        hovertemplate=f"%{{y:.4g}}: %{{{shown}:.4~g}} {unit}<extra></extra>",
    )


def _colors_of(flux: NDArray[np.float64], low: float, scale: Scale) -> NDArray[np.float32]:
    """Values to colour: powers of ten for log. A measured zero takes the lowest colour, only what is missing stays NaN."""
    if scale == "linear":
        return flux.astype(np.float32)
    positive = np.where(flux > 0, flux, np.nan)
    powers = np.log10(positive)
    return np.where(np.isfinite(flux) & ~(flux > 0), low, powers).astype(np.float32)


def color_bar(title: str, unit: str, limits: tuple[float, float], scale: Scale, place: Place) -> go.heatmap.ColorBar:
    """A colour bar exactly as high as its panel."""
    fitted = fit_title(title, unit, place.height_px)
    bar = go.heatmap.ColorBar(
        x=1,
        xanchor="left",
        xpad=LABEL_SHIFT_PX,
        y=place.middle,
        yanchor="middle",
        ypad=0,
        len=place.high - place.low,
        lenmode="fraction",
        thickness=_BAR_PX,
        outlinewidth=1,
        outlinecolor=look.FRAME,
        ticks="inside",
        ticklen=3,
        tickfont={"size": 11},
        title={"text": fitted.text, "side": "right", "font": {"size": min(fitted.font_px, 12)}},
        exponentformat="power",
    )
    most = max(2, round(place.height_px / _TICK_PX))
    if scale == "log":
        ticks = log_ticks(*limits, most=most)
        bar.tickvals = [math.log10(value) for value in ticks.values]
        bar.ticktext = list(ticks.labels)
    else:
        bar.nticks = most
    return bar


def _gap_backing(place: Place) -> go.layout.Shape:
    return go.layout.Shape(
        type="rect",
        xref="x domain",
        yref=f"{place.axis} domain",
        x0=0,
        x1=1,
        y0=0,
        y1=1,
        fillcolor=look.GAP_GREY,
        line={"width": 0},
        layer="below",
    )


def _why_empty(image: Image, scale: Scale) -> str:
    status = image.table.status
    if status == "empty":
        return "no data"
    if status == "all_fill":
        return "all fill values"
    return "no positive value for log colours" if scale == "log" else "no value in any usable bin"
