"""The axes of a figure on a sheet: grid, frame, ticks and their labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from helio_dagster.figures import look
from helio_dagster.figures.printing.canvas import Anchor, Canvas
from helio_dagster.figures.printing.frame import AxisFrame, Box, Frame
from helio_dagster.figures.printing.time_ticks import fitting_time_ticks, have_room
from helio_dagster.figures.ticks import Ticks, linear_ticks

_NUMBER_PX = 48.0
"""Room for a number along a horizontal axis."""
_GAP_PX = 4.0
_DEFAULT_LABELS = 6
_FEW = 4
"""Numbers along a horizontal axis below which they may be close together."""


@dataclass(frozen=True)
class Subplot:
    """A pair of axes that hold traces."""

    x: AxisFrame
    y: AxisFrame

    @property
    def box(self) -> Box:
        """Its frame on the sheet."""
        return (self.x.start_px, self.y.start_px, self.x.stop_px, self.y.stop_px)


def subplots_of(frame: Frame, pairs: Iterable[tuple[str, str]]) -> list[Subplot]:
    """The subplots that traces are in, each once; those of right-hand axes after what they lie over."""
    found = [Subplot(frame.axis(x), frame.axis(y)) for x, y in dict.fromkeys(pairs)]
    return sorted(found, key=lambda each: "overlaying" in each.y.settings)


def ticks_of(axis: AxisFrame) -> Ticks:
    """The ticks of an axis: those that it gives, else round numbers or times; places in the axis' data."""
    settings = axis.settings
    if settings.get("ticks", "") == "" and settings.get("showticklabels") is False:
        return Ticks((), ())
    if settings.get("tickvals") is not None:
        minor = settings.get("minor", {}).get("tickvals")
        given = () if minor is None else minor
        texts = settings["ticktext"]
        return Ticks(tuple(map(float, settings["tickvals"])), tuple(map(str, texts)), tuple(map(float, given)))
    low, high = sorted(axis.limits)
    if axis.is_time:
        return fitting_time_ticks(low, high, length_px=axis.length_px)
    most = settings.get("nticks") or _DEFAULT_LABELS
    return _horizontal_ticks(axis, most) if axis.name.startswith("x") else linear_ticks(low, high, most=most)


def _horizontal_ticks(axis: AxisFrame, most: int) -> Ticks:
    """Round numbers with easy room; closer together where that leaves few and they do not touch."""
    low, high = sorted(axis.limits)
    easy = min(most, max(2, round(axis.length_px / _NUMBER_PX)))
    ticks = linear_ticks(low, high, most=easy)
    for count in range(easy + 1, most + 1):
        closer = linear_ticks(low, high, most=count)
        if len(ticks.values) >= _FEW or not have_room(closer, axis.length_px / (high - low)):
            break
        ticks = closer
    return ticks


def draw_grid(canvas: Canvas, plot: Subplot) -> None:
    """Grid lines and the line through zero, below the data."""
    for axis, is_across in ((plot.x, True), (plot.y, False)):
        if axis.settings.get("visible") is False:
            continue
        settings = axis.settings
        places = _inside(axis, ticks_of(axis).values)
        if settings.get("showgrid") is not False:
            lines = [_across(plot, place) if is_across else _along(plot, place) for place in places]
            canvas.segments(lines, settings.get("gridcolor", look.GRID), 1)
        low, high = sorted(axis.limits)
        if settings.get("zeroline") and not axis.is_log and low < 0 < high:
            zero = float(axis.px(0))
            line = _across(plot, zero) if is_across else _along(plot, zero)
            canvas.segments([line], settings.get("zerolinecolor", look.FRAME), settings.get("zerolinewidth", 1))


def draw_frame(canvas: Canvas, plot: Subplot) -> None:
    """Frame, ticks and tick labels, over the data."""
    if plot.y.settings.get("visible") is False:
        return
    is_right = plot.y.settings.get("side") == "right"
    if not is_right:
        _draw_box(canvas, plot)
        _draw_x(canvas, plot)
    _draw_y(canvas, plot, is_right=is_right)


def _draw_box(canvas: Canvas, plot: Subplot) -> None:
    color = plot.y.settings.get("linecolor", look.FRAME)
    canvas.rectangle(plot.box, None, edge=color, edge_px=plot.y.settings.get("linewidth", 1))


def _draw_x(canvas: Canvas, plot: Subplot) -> None:
    """Ticks at the lower and the upper edge; labels where the axis is anchored."""
    axis, ticks = plot.x, ticks_of(plot.x)
    low, high = plot.y.start_px, plot.y.stop_px
    for places, length, color in _tick_lengths(axis, ticks):
        lines = [np.array([(place, low), (place, low + length)]) for place in places]
        if axis.settings.get("mirror") in ("allticks", "ticks"):
            lines += [np.array([(place, high), (place, high - length)]) for place in places]
        canvas.segments(lines, color, 1)
    if axis.settings.get("showticklabels") is False or (axis.settings.get("anchor") or "y") != plot.y.name:
        return
    size = axis.settings.get("tickfont", {}).get("size", look.FONT_PX)
    for place, label in _labelled(axis, ticks):
        canvas.text(place, low - _GAP_PX, label, size, look.INK, x_anchor="center", y_anchor="top")


def _draw_y(canvas: Canvas, plot: Subplot, *, is_right: bool) -> None:
    axis, ticks = plot.y, ticks_of(plot.y)
    edge, inward = (plot.x.stop_px, -1) if is_right else (plot.x.start_px, 1)
    for places, length, color in _tick_lengths(axis, ticks):
        canvas.segments([np.array([(edge, place), (edge + inward * length, place)]) for place in places], color, 1)
    if axis.settings.get("showticklabels") is False:
        return
    size = axis.settings.get("tickfont", {}).get("size", look.FONT_PX)
    for place, label in _labelled(axis, ticks):
        x_anchor: Anchor = "left" if is_right else "right"
        canvas.text(edge - inward * _GAP_PX, place, label, size, look.INK, x_anchor=x_anchor, y_anchor="middle")


def _tick_lengths(axis: AxisFrame, ticks: Ticks) -> list[tuple[list[float], float, str]]:
    """Places, length and colour of the ticks with and without labels."""
    settings, found = axis.settings, []
    if settings.get("ticks", "") != "":
        color = settings.get("tickcolor", look.FRAME)
        found.append((_inside(axis, ticks.values), float(settings.get("ticklen", 5)), color))
    minor = settings.get("minor", {})
    if minor.get("ticks", "") != "":
        found.append((_inside(axis, ticks.minor), float(minor.get("ticklen", 3)), minor.get("tickcolor", look.QUIET)))
    return found


def _labelled(axis: AxisFrame, ticks: Ticks) -> list[tuple[float, str]]:
    places = axis.px(ticks.values) if ticks.values else np.empty(0)
    return [(float(place), label) for place, label in zip(places, ticks.labels, strict=True) if _is_inside(axis, float(place))]


def _inside(axis: AxisFrame, values: Sequence[float]) -> list[float]:
    places = axis.px(values) if len(values) else np.empty(0)
    return [float(place) for place in places if _is_inside(axis, float(place))]


def _is_inside(axis: AxisFrame, place: float) -> bool:
    return axis.start_px - 0.5 <= place <= axis.stop_px + 0.5


def _across(plot: Subplot, place: float) -> np.ndarray:
    return np.array([(place, plot.y.start_px), (place, plot.y.stop_px)])


def _along(plot: Subplot, place: float) -> np.ndarray:
    return np.array([(plot.x.start_px, place), (plot.x.stop_px, place)])
