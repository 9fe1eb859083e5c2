"""Fewer points for a curve that looks the same: along any axis, linear or logarithmic, never over a hole."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MAX_POINTS = 4000
"""Points of a curve beyond which it is thinned."""

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def stretches(places: Floats, values: NDArray[np.floating], *, limit: int = MAX_POINTS) -> list[Indices]:
    """The unbroken stretches of a curve as positions of the points to draw.

    Beyond `limit` points, each of `limit / 2` equal steps along the axis keeps its first, last, lowest and highest point, so
    that a logarithmic axis keeps the few points of its first decades.

    Parameters
    ----------
    places
        Where the points are along the drawn axis, increasing, shape (point,): logarithms for a logarithmic one.
    values
        Shape (point,); NaN breaks the curve.
    """
    is_shown = np.isfinite(values)
    shown = np.flatnonzero(is_shown)
    if not len(shown):
        return []
    stretch_of = np.cumsum(~is_shown)[shown]
    if len(shown) > limit:
        kept = _kept(places[shown], values[shown], stretch_of, steps=max(1, limit // 2))
        shown, stretch_of = shown[kept], stretch_of[kept]
    return list(np.split(shown, np.flatnonzero(np.diff(stretch_of)) + 1))


def _kept(places: Floats, values: NDArray[np.floating], stretch_of: Indices, *, steps: int) -> Indices:
    length = places[-1] - places[0]
    step_of = np.minimum(((places - places[0]) / (length or 1.0) * steps).astype(np.intp), steps - 1)
    group = stretch_of * steps + step_of
    first = np.concatenate([[0], np.flatnonzero(np.diff(group)) + 1])
    last = np.concatenate([first[1:], [len(group)]]) - 1
    by_value = np.lexsort((values, group))  # groups stay where they are, their points are in order of value
    kept: Indices = np.unique(np.concatenate([first, last, by_value[first], by_value[last]]))
    return kept


def joined(parts: list[Floats]) -> Floats:
    """Stretches one after the other, a NaN between them; shape (point,)."""
    if not parts:
        return np.empty(0)
    return np.concatenate([piece for part in parts for piece in (part, [np.nan])][:-1])
