"""Two straight lines that meet: least squares with the place where they meet as a fourth unknown.

Source: Hinkley 1969, doi:10.1093/biomet/56.3.495; Muggeo 2003, doi:10.1002/sim.1545 (uncertainties to first order).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FEWEST_BESIDE = 3
"""Points on either side of the break."""
_TRIED, _ROUNDS = 40, 6
_ROUNDING = 1e-9
"""Distances from one line that are no more than this, of logarithms, are rounding."""


@dataclass(frozen=True)
class BrokenLine:
    """y = at_break + slope (x - break_x), with one slope below and one above; one standard deviation of each."""

    break_x: float
    break_x_uncertainty: float
    slope_below: float
    slope_below_uncertainty: float
    slope_above: float
    slope_above_uncertainty: float
    at_break: float
    chance: float
    """How often noise about one line would be fitted so much better by two, by the F test with two more unknowns."""


def broken_line(x: Floats, y: Floats) -> BrokenLine | None:
    """The two lines of least squares; None with fewer than eight points, or where the break is at an end.

    Parameters
    ----------
    x, y
        float64, shape (point,), finite, x ascending. The break is looked for between the third and the third last point.
    """
    count = len(x)
    if count < 2 * FEWEST_BESIDE + 2 or not np.ptp(x) > 0:
        return None
    first, last = float(x[FEWEST_BESIDE - 1]), float(x[-FEWEST_BESIDE])
    low, high = first, last
    for _ in range(_ROUNDS):
        tried = np.linspace(low, high, _TRIED + 1)
        place = int(np.argmin([_solved(x, y, each)[1] for each in tried]))
        low, high = float(tried[max(place - 1, 0)]), float(tried[min(place + 1, _TRIED)])
    middle = float(tried[place])
    if not first < middle < last:
        return None
    (at_break, below, above), left = _solved(x, y, middle)
    rises = np.column_stack(
        [np.ones(count), np.minimum(x - middle, 0), np.maximum(x - middle, 0), np.where(x < middle, -below, -above)]
    )
    spread = left / (count - 4)
    with np.errstate(all="ignore"):
        covariance = np.linalg.pinv(rises.T @ rises) * spread
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    alone = float(np.sum((y - np.polyval(np.polyfit(x, y, 1), x)) ** 2))
    return BrokenLine(
        break_x=middle,
        break_x_uncertainty=float(deviations[3]),
        slope_below=below,
        slope_below_uncertainty=float(deviations[1]),
        slope_above=above,
        slope_above_uncertainty=float(deviations[2]),
        at_break=at_break,
        chance=_chance(alone, left, count - 4),
    )


def _solved(x: Floats, y: Floats, middle: float) -> tuple[tuple[float, float, float], float]:
    """Value at the break and slopes below and above it, and the sum of squares that is left."""
    rises = np.column_stack([np.ones(len(x)), np.minimum(x - middle, 0), np.maximum(x - middle, 0)])
    found, *_ = np.linalg.lstsq(rises, y, rcond=None)
    left = float(np.sum((y - rises @ found) ** 2))
    return (float(found[0]), float(found[1]), float(found[2])), left


def _chance(alone: float, left: float, freedom: int) -> float:
    """Survival of the F distribution with 2 and `freedom` degrees: (1 + 2 F / freedom)^(-freedom / 2), F of the two sums."""
    if alone <= freedom * _ROUNDING**2:
        return 1.0
    if not left > 0:
        return 0.0
    return math.exp(-0.5 * freedom * math.log(max(alone / left, 1.0)))
