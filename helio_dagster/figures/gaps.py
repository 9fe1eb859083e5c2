"""Where a time series has gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GAP_CADENCES = 3.0
"""A step longer than this many cadences is a gap."""

_NEIGHBOURS = 4


def median_cadence_ms(time_ms: NDArray[np.float64]) -> float:
    """The median step between records, in milliseconds; NaN for fewer than two records."""
    return float(np.median(np.diff(time_ms))) if len(time_ms) > 1 else float("nan")


def find_gaps(time_ms: NDArray[np.float64]) -> NDArray[np.intp]:
    """Where records are missing.

    A step is a gap when it is longer than three times the cadence: the median step of the series, or that of the nine steps
    around it where this is longer, so that an instrument which changes to a slower mode is not torn apart.

    Parameters
    ----------
    time_ms
        float64, shape (record,), increasing, milliseconds.

    Returns
    -------
    intp, shape (gap,)
        Index of the record after each gap.
    """
    if len(time_ms) < 3:
        return np.empty(0, dtype=np.intp)
    steps = np.diff(time_ms)
    wide = np.flatnonzero(steps > GAP_CADENCES * np.median(steps))
    if not len(wide):
        return wide
    around = wide[:, None] + np.arange(-_NEIGHBOURS, _NEIGHBOURS + 1)
    inside = (around >= 0) & (around < len(steps))
    nearby = np.where(inside, steps[np.clip(around, 0, len(steps) - 1)], np.nan)
    is_gap = steps[wide] > GAP_CADENCES * np.nanmedian(nearby, axis=1)
    return wide[is_gap] + 1
