"""Lines of the magnetic field, followed from many places at once down to an altitude.

Steps are those of Dormand and Prince (1980), doi:10.1016/0771-050X(80)90013-3, of a length of its own for each line.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Direction = Callable[[Floats, Places], Floats]
"""From positions, shape (axis, line), and which lines they are on, to unit vectors along the way, NaN where there is none."""

TOLERANCE = 1e-6
"""Greatest error of a step, in the unit of length."""
_MOST_STEPS, _LONGEST_STEP, _SHORTEST_STEP = 4_000, 0.1, 1e-5
"""Steps are at most this share of the distance from the centre; a line that needs shorter ones is given up."""
_STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERRORS = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


def feet_of_lines(start: Floats, direction: Direction, radius: float) -> Floats:
    """Where lines come down to a sphere.

    Parameters
    ----------
    start
        Places, float64, shape (axis, line), in units of the length that `radius` has.
    direction
        Along the way, as `Direction`.
    radius
        Of the sphere about the origin.

    Returns
    -------
    NDArray
        shape (axis, line); NaN where a line begins below the sphere, where the direction is not known somewhere on the way, and
        where it does not come down within 4,000 steps.
    """
    feet = np.full(start.shape, np.nan)
    lines = np.flatnonzero(_size(start) >= radius)
    place, step = start[:, lines], 0.05 * _size(start[:, lines])
    slope = direction(place, lines)
    for _ in range(_MOST_STEPS):
        is_known = np.isfinite(slope).all(axis=0) & (step >= _SHORTEST_STEP)
        lines, place, slope, step = lines[is_known], place[:, is_known], slope[:, is_known], step[is_known]
        if not len(lines):
            break
        later, after, error = _stepped(place, slope, step, lines, direction)
        is_good = np.isfinite(after).all(axis=0) & (error <= TOLERANCE)
        is_down = is_good & (_size(later) < radius)
        feet[:, lines[is_down]] = _crossing(
            (place[:, is_down], slope[:, is_down]), (later[:, is_down], after[:, is_down]), step[is_down], radius
        )
        with np.errstate(all="ignore"):
            factor = np.clip(0.9 * (TOLERANCE / np.maximum(error, 1e-300)) ** 0.2, 0.2, 4.0)
        factor = np.where(np.isfinite(error), factor, 0.2)
        place, slope = np.where(is_good, later, place), np.where(is_good, after, slope)
        step = np.minimum(step * np.where(is_good, factor, np.minimum(factor, 0.5)), _LONGEST_STEP * _size(place))
        rest = ~is_down
        lines, place, slope, step = lines[rest], place[:, rest], slope[:, rest], step[rest]
    return feet


def _stepped(place: Floats, slope: Floats, step: Floats, lines: Places, direction: Direction) -> tuple[Floats, Floats, Floats]:
    """Place and direction after a step, and its error."""
    slopes = [slope]
    later = place
    for weights in _STAGES:
        moved = sum(weight * each for weight, each in zip(weights, slopes, strict=True) if weight)
        later = place + step * moved
        slopes.append(direction(later, lines))
    error = sum(weight * each for weight, each in zip(_ERRORS, slopes, strict=True) if weight)
    return later, slopes[-1], _size(step * error)


def _crossing(first: tuple[Floats, Floats], last: tuple[Floats, Floats], step: Floats, radius: float) -> Floats:
    """Where the cubic through both ends of a step, with their directions, meets the sphere, by bisection."""
    (place, slope), (later, after) = first, last
    low, high = np.zeros(len(step)), np.ones(len(step))
    found = place
    for _ in range(50):
        share = 0.5 * (low + high)
        rest = 1 - share
        found = (
            (1 + 2 * share) * rest**2 * place
            + share * rest**2 * step * slope
            + share**2 * (3 - 2 * share) * later
            - share**2 * rest * step * after
        )
        is_above = _size(found) >= radius
        low, high = np.where(is_above, share, low), np.where(is_above, high, share)
    return found


def _size(vector: Floats) -> Floats:
    return np.asarray(np.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]))
