"""What a figure shows of the data, on a sheet: lines, bands, points with their spread, images and colour bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.figures import look
from helio_dagster.figures.printing.axes import Subplot
from helio_dagster.figures.printing.canvas import Canvas
from helio_dagster.figures.printing.color_bar import draw_color_bar
from helio_dagster.figures.printing.frame import Floats, Frame, Settings
from helio_dagster.figures.printing.inks import color_table, colored

_FARTHEST_PX = 1e6
"""Points farther outside a frame are moved to there: renderers count no farther, and lines leave the frame where they do."""


def draw_trace(canvas: Canvas, frame: Frame, plot: Subplot, trace: Settings) -> None:
    """One trace of plotly's: a heatmap, or a scatter of lines, a filled band or markers."""
    if trace["type"] == "heatmap":
        _draw_heatmap(canvas, frame, plot, trace)
        return
    x, y = (_near(axis.px(trace[name]), axis.start_px, axis.stop_px) for axis, name in ((plot.x, "x"), (plot.y, "y")))
    if not len(x):
        return
    opacity = float(trace.get("opacity", 1.0))
    mode = trace.get("mode", "lines")
    line = trace.get("line", {})
    if trace.get("fill") == "toself":
        canvas.polygons(_pieces(x, y), trace["fillcolor"], opacity, clip=plot.box)
    if "lines" in mode and line.get("width", 2) > 0:
        if line.get("shape") in _STEPS:
            x, y = _STEPS[line["shape"]](x, y)
        color, width, dash = line.get("color", look.INK), line.get("width", 2), line.get("dash") or ""
        canvas.line(x, y, color, width, dash=dash, opacity=opacity, clip=plot.box)
    if "markers" in mode:
        _draw_bars(canvas, plot, trace, x)
        _draw_markers(canvas, frame, plot, trace, np.column_stack([x, y]))


def _held(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """A line that holds each value until the next; the last before a gap ends at its sample."""
    x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
    x[1::2] = np.where(np.isfinite(y[2::2]), x[1::2], np.nan)
    return x, y


def _centred(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """A line that holds each value from halfway before it to halfway behind it; at a gap it ends at the sample."""
    halfway = np.where(np.isfinite(y[:-1] + y[1:]), (x[:-1] + x[1:]) / 2, np.nan)
    before, behind = np.append(np.nan, halfway), np.append(halfway, np.nan)
    ends = [np.where(np.isfinite(each), each, x) for each in (before, behind)]
    return np.column_stack(ends).ravel(), np.repeat(y, 2)


_STEPS = {"hv": _held, "hvh": _centred}
"""Plotly's name of a stepped line to how it is drawn."""


def _near(places: Floats, start: float, stop: float) -> Floats:
    """Places far outside the frame moved closer; NaN stays."""
    return np.clip(places, start - _FARTHEST_PX, stop + _FARTHEST_PX)


def _pieces(x: Floats, y: Floats) -> list[NDArray[Any]]:
    """The stretches between NaN."""
    points = np.column_stack([x, y])
    is_known = np.isfinite(points).all(axis=1)
    parts = np.split(points, np.flatnonzero(~is_known))
    kept = [part[np.isfinite(part).all(axis=1)] for part in parts]
    return [part for part in kept if len(part)]


def _draw_markers(canvas: Canvas, frame: Frame, plot: Subplot, trace: Settings, places: Floats) -> None:
    marker = trace.get("marker", {})
    edge = marker.get("line", {})
    is_known = np.isfinite(places).all(axis=1)
    given = marker.get("color", look.INK)
    colors: Any = given
    if not isinstance(given, str):
        values = np.asarray(given, dtype=np.float64)
        is_known &= np.isfinite(values)
        colors = colored(values, marker["cmin"], marker["cmax"], color_table(marker["colorscale"]))
    symbols = np.broadcast_to(np.asarray(marker.get("symbol") or "circle"), len(places))
    for symbol in dict.fromkeys(symbols.tolist()):
        which = is_known & (symbols == symbol)
        if which.any():
            canvas.markers(
                places[which],
                float(marker.get("size", 6)),
                colors if isinstance(colors, str) else colors[which],
                symbol,
                opacity=float(marker.get("opacity", 1.0)),
                edge=edge.get("color"),
                edge_px=float(edge.get("width", 0)),
                clip=_with_room(plot, float(marker.get("size", 6)) / 2),
            )
    if marker.get("showscale") and marker.get("colorbar"):
        draw_color_bar(canvas, frame, marker["colorbar"], (marker["cmin"], marker["cmax"]), color_table(marker["colorscale"]))


def _with_room(plot: Subplot, room: float) -> tuple[float, float, float, float]:
    """A marker at the very edge is whole."""
    x0, y0, x1, y1 = plot.box
    return (x0 - room, y0 - room, x1 + room, y1 + room)


def _draw_bars(canvas: Canvas, plot: Subplot, trace: Settings, x: Floats) -> None:
    """The spread of points as upright bars with caps."""
    bars = trace.get("error_y")
    if not bars or bars.get("array") is None:
        return
    y = np.asarray(trace["y"], dtype=np.float64)
    up, down = (np.asarray(bars[name], dtype=np.float64) for name in ("array", "arrayminus"))
    above, below = plot.y.px(y + up), plot.y.px(y - down)
    below = np.where(np.isfinite(below), below, plot.y.start_px)
    cap = float(bars.get("width", 3))
    parts: list[NDArray[Any]] = []
    for place, low, high in zip(x, below, above, strict=True):
        if np.isfinite((place, low, high)).all():
            parts.append(np.array([(place, low), (place, high)]))
            parts += [np.array([(place - cap, end), (place + cap, end)]) for end in (low, high)]
    canvas.segments(parts, bars.get("color", look.INK), float(bars.get("thickness", 1)), clip=plot.box)


def _draw_heatmap(canvas: Canvas, frame: Frame, plot: Subplot, trace: Settings) -> None:
    """Cells between edges as one image, each dot of it the cell that it lies in."""
    table = color_table(trace["colorscale"])
    low, high = float(trace["zmin"]), float(trace["zmax"])
    values = np.asarray(trace["z"], dtype=np.float64)
    columns = _cell_at(plot.x.px(trace["x"]), plot.x.start_px, plot.x.stop_px, canvas.dots_per_px)
    rows = _cell_at(plot.y.px(trace["y"]), plot.y.start_px, plot.y.stop_px, canvas.dots_per_px)
    cells = np.zeros((values.shape[0] + 1, values.shape[1] + 1, 4), dtype=np.uint8)
    cells[:-1, :-1, :3] = np.round(255 * colored(values, low, high, table))
    cells[:-1, :-1, 3] = np.where(np.isfinite(values), 255, 0)
    canvas.image(plot.box, cells[np.ix_(rows, columns)])
    if trace.get("showscale") is not False:
        draw_color_bar(canvas, frame, trace["colorbar"], (low, high), table)


def _cell_at(edges: Floats, start: float, stop: float, dots_per_px: float) -> NDArray[np.intp]:
    """For each dot from start to stop the cell that its middle lies in; -1 where there is none."""
    count = max(1, round((stop - start) * dots_per_px))
    middles = start + (np.arange(count) + 0.5) * (stop - start) / count
    known = np.where(np.isfinite(edges), edges, -np.inf)
    cell = np.searchsorted(known, middles, side="right") - 1
    return np.where((cell < 0) | (cell >= len(edges) - 1), -1, cell)


def references(traces: Sequence[Settings]) -> list[tuple[str, str]]:
    """The pairs of axes that traces are on."""
    return [(trace.get("xaxis") or "x", trace.get("yaxis") or "y") for trace in traces]
