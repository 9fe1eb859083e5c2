"""Numbers about the valid samples of a stretch of time: mean, extremes with their times, integral, coverage, hours."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Statistic = Literal["mean", "median", "std", "minimum", "maximum", "integral", "coverage", "samples"]
EXTREMES = ("minimum", "maximum")
"""Statistics that go with the time at which they are reached: `minimum_time`."""
_GAP_CADENCES = 3
_HOUR_NS = 3_600_000_000_000


def numbers_of(
    at: NDArray[np.int64],
    values: NDArray[np.float64],
    span: tuple[int, int],
    *,
    gap_ns: int | None = None,
    above: float | None = None,
    below: float | None = None,
    hour: float = 1.0,
) -> dict[str, float | np.datetime64]:
    """Every number that may be asked for.

    Parameters
    ----------
    at, values
        The valid samples in `span`, at least one: ns since 1970, ascending, and their values, shape (sample,) each.
    span
        Start and stop in ns since 1970, the stop excluded.
    gap_ns
        Neighbours farther apart leave a gap; by default three times the median distance.
    above, below
        Also `hours_above` and `hours_below`, for how long the samples lie beyond each, and `share_above` and `share_below`,
        which part of the time with samples that is.
    hour
        How many of the unit of time in which the integral is taken an hour has.

    Returns
    -------
    dict
        Statistic, or `<extreme>_time`, to its number; integral in the unit of the values times that of time, coverage in % of
        the span, shares in %.
    """
    start, stop = span
    distance = np.diff(at)
    cadence = float(np.median(distance)) if len(distance) else 0.0
    is_near = distance <= (_GAP_CADENCES * cadence if gap_ns is None else gap_ns)
    stands = np.minimum(np.append(np.where(is_near, distance, cadence), cadence), stop - at)
    areas = np.where(is_near, (values[1:] + values[:-1]) / 2 * (distance / _HOUR_NS) * hour, 0.0)
    least, greatest = int(np.argmin(values)), int(np.argmax(values))
    found: dict[str, float | np.datetime64] = {
        "mean": float(np.mean(values)),
        "median": float(np.median(values)),
        "std": float(np.std(values, ddof=1)) if len(values) > 1 else math.nan,
        "minimum": float(values[least]),
        "minimum_time": np.datetime64(int(at[least]), "ns"),
        "maximum": float(values[greatest]),
        "maximum_time": np.datetime64(int(at[greatest]), "ns"),
        "integral": float(np.sum(areas)) if len(values) > 1 else math.nan,
        "coverage": 100.0 * float(np.sum(stands)) / (stop - start),
        "samples": float(len(values)),
    }
    for side, limit in (("above", above), ("below", below)):
        if limit is not None:
            is_beyond = values > limit if side == "above" else values < limit
            beyond = float(np.sum(stands[is_beyond]))
            found[f"hours_{side}"] = beyond / _HOUR_NS
            found[f"share_{side}"] = 100.0 * beyond / float(np.sum(stands)) if np.any(stands) else math.nan
    return found
