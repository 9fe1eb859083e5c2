"""Where in a panel a letter covers no data: how much of its lines and points each corner holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.figures.geometry import Place
from helio_dagster.figures.parts import Parts

Corner = tuple[Literal["left", "right"], Literal["top", "bottom"]]
CORNERS: tuple[Corner, ...] = (("left", "top"), ("right", "top"), ("left", "bottom"), ("right", "bottom"))
"""The best first."""
_LETTER_PX = (31.0, 26.0)
"""Width and height of a letter with its distance from the corner."""

Floats = NDArray[np.float64]


def freest_corner(parts: Parts, place: Place, panel_px: float, span_ms: tuple[float, float]) -> Corner:
    """The first corner that holds nothing of the panel's lines, points and notes, else the one that holds least.

    Parameters
    ----------
    panel_px
        Width of the panel.
    span_ms
        Ends of the time axis, in milliseconds since 1970, for a panel without a horizontal axis of its own.
    """
    if parts.more_axes or any(not isinstance(trace, go.Scatter) for trace in parts.traces):
        return CORNERS[0]  # several subplots; or an image, which has no free corner
    is_square = parts.own_x is not None and parts.own_x.scaleanchor is not None
    corners = [corner for corner in CORNERS if not (is_square and corner[0] == "right")]
    wide, high = _LETTER_PX[0] / panel_px, _LETTER_PX[1] / place.height_px
    lines = [line for trace in parts.traces if (line := _as_shares(trace, parts, place, span_ms)) is not None]

    def held(corner: Corner) -> int:
        x0, y0 = 0.0 if corner[0] == "left" else 1 - wide, 0.0 if corner[1] == "bottom" else 1 - high
        inside = sum(_count_inside(x, y, (x0, x0 + wide), (y0, y0 + high)) for x, y in lines)
        return inside + 1000 * sum(_is_in(note, place, corner) for note in parts.annotations)

    return min(corners, key=held)


def _as_shares(trace: go.Scatter, parts: Parts, place: Place, span_ms: tuple[float, float]) -> tuple[Floats, Floats] | None:
    """The places of a trace as shares of the panel's width and height, NaN where it is broken; None where it shows nothing."""
    if trace.x is None or trace.y is None or not len(trace.x):
        return None
    is_right = trace.yaxis == place.right_axis
    along, up = parts.own_x, parts.right if is_right else parts.axis
    x, x_range = np.asarray(trace.x), span_ms if along is None else along.range
    if x.dtype.kind not in "fiu" or x_range is None or up is None or up.range is None:
        return None
    return _shares(x, x_range, is_log=along is not None and along.type == "log"), _shares(
        np.asarray(trace.y), up.range, is_log=up.type == "log"
    )


def _shares(values: NDArray[np.generic], ends: Sequence[float], *, is_log: bool) -> Floats:
    given = values.astype(np.float64)
    if is_log:
        given = np.log10(np.where(given > 0, given, np.nan))
    return (given - float(ends[0])) / (float(ends[1]) - float(ends[0]))


def _count_inside(x: Floats, y: Floats, across: tuple[float, float], up: tuple[float, float]) -> int:
    """How many points are in a box, or how many segments between neighbours cross it, whichever is more."""
    points = int(((x >= across[0]) & (x <= across[1]) & (y >= up[0]) & (y <= up[1])).sum())
    if len(x) == 1:
        return points
    turned = x[1:] < x[:-1]
    x0, x1 = np.where(turned, x[1:], x[:-1]), np.where(turned, x[:-1], x[1:])
    y0, y1 = np.where(turned, y[1:], y[:-1]), np.where(turned, y[:-1], y[1:])
    length = np.where(x1 > x0, x1 - x0, np.inf)
    begin, finish = (np.clip(edge, x0, x1) for edge in across)
    at_begin = y0 + (y1 - y0) * (begin - x0) / length
    at_finish = np.where(x1 > x0, y0 + (y1 - y0) * (finish - x0) / length, y1)
    crosses = (x1 >= across[0]) & (x0 <= across[1])
    crosses &= (np.minimum(at_begin, at_finish) <= up[1]) & (np.maximum(at_begin, at_finish) >= up[0])
    return max(points, int(crosses.sum()))


def _is_in(note: go.layout.Annotation, place: Place, corner: Corner) -> bool:
    """Whether a text stands in a corner of the panel."""
    if note.yref != f"{place.axis} domain" or note.x not in (0, 1) or note.y not in (0, 1):
        return False
    return (note.xanchor, note.yanchor) == corner and (note.x, note.y) == (corner[0] == "right", corner[1] == "top")
