"""A spread over time as it is drawn: a band around a line, bars of points."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.domain.table import Scale
from helio_dagster.figures import look
from helio_dagster.figures.curves import Curve
from helio_dagster.figures.gaps import find_gaps
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.thinning import joined

_OPACITY = 0.2
_MOST_STEPS = 2000
_BELOW = 1e-3
"""Of the lowest value: where a spread that reaches down to zero ends on a log axis, far below what it shows."""

Floats = NDArray[np.float64]


def drawable_end(values: NDArray[np.floating], scale: Scale) -> Floats:
    """One end of a spread, shape (record,), with NaN for what an axis cannot show."""
    known = values.astype(np.float64)
    return np.where(known > 0, known, np.nan) if scale == "log" else known


def band_trace(curve: Curve, axis: str, scale: Scale) -> go.Scatter | None:
    """The spread as closed shapes, one for each stretch without a gap; None where there is none.

    Beyond 2,000 records, each of as many steps reaches from its lowest to its highest end.
    """
    assert curve.lower is not None  # noqa: S101 - asked only of such curves
    assert curve.upper is not None  # noqa: S101
    lower, upper = curve.lower.astype(np.float64), curve.upper.astype(np.float64)
    if scale == "log":
        positive = curve.values[curve.values > 0]
        floor = float(positive.min()) * _BELOW if len(positive) else 1.0
        lower = np.where(np.isfinite(lower), np.maximum(lower, floor), np.nan)
    is_known = np.isfinite(lower) & np.isfinite(upper) & (upper >= lower) & np.isfinite(curve.values)
    is_known &= (upper > 0) | (scale == "linear")
    gap = np.zeros(len(curve.time_ms) + 1, dtype=np.intp)
    gap[find_gaps(curve.time_ms, curve.reach)] = 1
    shown = np.flatnonzero(is_known)
    if not len(shown):
        return None
    piece = np.cumsum(gap[:-1] + ~is_known)[shown]
    every = -(-len(shown) // _MOST_STEPS)
    x, y = [], []
    for part in np.split(shown, np.flatnonzero(np.diff(piece)) + 1):
        starts = np.arange(0, len(part), every)
        time = curve.time_ms[part][starts] if every > 1 else curve.time_ms[part]
        time = np.append(time, curve.time_ms[part][-1]) if every > 1 else time
        low, high = np.minimum.reduceat(lower[part], starts), np.maximum.reduceat(upper[part], starts)
        low, high = (np.append(each, each[-1]) if every > 1 else each for each in (low, high))
        if len(time) > 1:
            x.append(np.concatenate([time, time[::-1]]))
            y.append(np.concatenate([high, low[::-1]]))
    if not x:
        return None
    return go.Scatter(
        x=joined(x),
        y=joined(y),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=curve.color or look.INK,
        opacity=_OPACITY,
        hoverinfo="skip",
        yaxis=axis,
        name=f"{label_to_html(curve.label) or curve.reference}, spread",
    )


def error_bars(curve: Curve, time_ms: Floats, values: NDArray[np.floating], color: str) -> dict[str, object] | None:
    """The spread of the points that are drawn, with times in ms and values of shape (point,), as plotly's bars; or None."""
    if curve.lower is None or curve.upper is None or not len(time_ms):
        return None
    place = np.clip(np.searchsorted(curve.time_ms, time_ms), 0, len(curve.time_ms) - 1)
    up, down = curve.upper[place] - values, values - curve.lower[place]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "color": color, "thickness": 1, "width": 2}
