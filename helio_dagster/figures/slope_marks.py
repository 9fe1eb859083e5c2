"""A line of a given slope beside curves or points, such as -5/3: where it lies, and how it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure_marks import Mark
from helio_dagster.domain.table import Scale
from helio_dagster.figures.forms import Form
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.parts import Parts

_SPOKEN: dict[Scale, str] = {"log": "logarithmic", "linear": "linear"}
_FORMS: tuple[Form, ...] = ("curve", "points")
_FROM, _TO = 0.3, 0.7
"""Where it begins and stops along the axis, where the mark does not say."""
_ABOVE = 0.06
"""How far above what it is compared with, in parts of the upright axis."""
_FONT_PX = 12

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SlopeLine:
    """Both ends on the axes, as powers of ten on logarithmic ones."""

    x: tuple[float, float]
    y: tuple[float, float]


def check_slope(mark: Mark, form: Form, where: str) -> None:
    """Refuse a slope in a panel that is neither of curves nor of points; raises FigureError."""
    if mark.slope is not None and form not in _FORMS:
        raise FigureError(
            "a slope is drawn in a panel of curves or points",
            where=f"{where}.slope",
            hint="Remove it, or move it to the spectrum.",
        )


def check_slope_scales(scales: tuple[Scale | None, Scale | None], where: str) -> None:
    """Refuse one logarithmic axis beside a linear one, where both are known; raises FigureError."""
    x, y = scales
    if x is not None and y is not None and x != y:
        raise FigureError(
            f"a slope needs two logarithmic axes or two linear ones, and x is {_SPOKEN[x]}, y {_SPOKEN[y]}",
            where=where,
            hint="Give both axes the same `scale`, such as `x: {scale: log}` and `y: {scale: log}`.",
        )


def add_slope(parts: Parts, mark: Mark, color: str, place: Place, where: str) -> None:
    """Draw the line, whole where it is inside the panel, and say its slope.

    Raises
    ------
    FigureError
        One axis is logarithmic and the other is not.
    """
    x_axis, y_axis = parts.own_x, parts.axis
    if x_axis is None or y_axis is None or y_axis.showticklabels is False:  # nothing to lie beside
        return
    check_slope_scales((x_axis.type, y_axis.type), where)
    line = _line(mark, parts, (x_axis.range, y_axis.range), is_log=x_axis.type == "log")
    x, y = (tuple(10.0**end for end in ends) if x_axis.type == "log" else ends for ends in (line.x, line.y))
    parts.shapes.append(
        go.layout.Shape(
            type="line",
            xref=place.own_x,
            yref=place.axis,
            x0=x[0],
            x1=x[1],
            y0=y[0],
            y1=y[1],
            line={"color": color, "width": 1.4, "dash": mark.dash or "dash"},
            layer="above",
        )
    )
    parts.annotations.append(
        go.layout.Annotation(
            xref=place.own_x,
            yref=place.axis,
            x=sum(line.x) / 2,
            y=sum(line.y) / 2,
            xshift=3,
            yshift=2,
            xanchor="left",
            yanchor="bottom",
            text=label_to_html(mark.text or str(mark.slope).replace("-", "−")),
            showarrow=False,
            font={"size": _FONT_PX, "color": color},
            bgcolor="rgba(255, 255, 255, 0.7)",
            borderpad=1,
        )
    )


def _line(mark: Mark, parts: Parts, ranges: tuple[Sequence[float], Sequence[float]], *, is_log: bool) -> SlopeLine:
    """Where the line lies: from and to the mark's `x`, from its `y` on, else just above what it is compared with."""
    limits, heights = (tuple(map(float, each)) for each in ranges)
    slope = mark.slope_number
    if isinstance(mark.x, tuple):
        start, stop = (_on_axis(float(end), is_log=is_log) for end in mark.x)  # type: ignore[arg-type]
    else:
        start, stop = (limits[0] + part * (limits[1] - limits[0]) for part in (_FROM, _TO))
    if mark.y is not None and not isinstance(mark.y, tuple):
        low = _on_axis(mark.y, is_log=is_log)
    else:
        low = _beside(parts, slope, (start, stop), heights, is_log=is_log)
    if not isinstance(mark.x, tuple):
        start, stop, low = _inside(start, stop, low, slope, heights)
    return SlopeLine((start, stop), (low, low + slope * (stop - start)))


def _beside(parts: Parts, slope: float, ends: tuple[float, float], heights: Sequence[float], *, is_log: bool) -> float:
    """The height at which a line begins that lies just above the first curve between both ends."""
    room = _ABOVE * (heights[1] - heights[0])
    for trace in parts.traces:
        if not isinstance(trace, go.Scatter) or trace.fill is not None or not len(trace.x):
            continue
        x, y = (np.asarray(each, dtype=np.float64) for each in (trace.x, trace.y))
        with np.errstate(divide="ignore", invalid="ignore"):
            x, y = (np.log10(x), np.log10(y)) if is_log else (x, y)
        near = np.isfinite(x) & np.isfinite(y) & (x >= ends[0]) & (x <= ends[1])
        if near.any():
            return float((y - slope * (x - ends[0]))[near].max()) + room
    return (heights[0] + heights[1] - slope * (ends[1] - ends[0])) / 2


def _inside(start: float, stop: float, low: float, slope: float, heights: Sequence[float]) -> tuple[float, float, float]:
    """The part of the line between the lower and the upper end of the axis."""
    if slope == 0:
        return start, stop, low
    at = sorted(start + (height - low) / slope for height in heights)
    first, last = max(start, at[0]), min(stop, at[1])
    return (first, last, low + slope * (first - start)) if last > first else (start, stop, low)


def _on_axis(value: float, *, is_log: bool) -> float:
    return float(np.log10(value)) if is_log and value > 0 else value
