"""Onset of an increase above a background by a cumulative sum of Poisson counts.

Sources: Huttunen-Heikinmaa et al. 2005, doi:10.1051/0004-6361:20042620 (for particle events); Lucas 1985,
doi:10.1080/00401706.1985.10488030 (cumulative sums of counts).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CusumLimits:
    """By how many standard deviations the mean shifts, the sum that alarms, and how many samples must alarm in a row."""

    shift: float
    threshold: float
    consecutive: int


@dataclass(frozen=True)
class CusumOnset:
    """Index of the first sample of the alarm, -1 without one; mean and standard deviation of the background; reference k."""

    place: int
    mean: float
    deviation: float
    reference: float


def cusum_onset(background: Floats, values: Floats, limits: CusumLimits) -> CusumOnset | None:
    """Where values go above a background for good; None where the background has no scatter, or its mean is not above 0.

    Parameters
    ----------
    background, values
        float64, shape (sample,) each, all finite.
    limits
        As it says.

    Notes
    -----
    In standard deviations z of the background, which stand for Poisson counts of mean lambda = (mean / deviation)^2: S_i =
    max(0, S_(i - 1) + z_i - k), k = (lambda_d - lambda) / ln(lambda_d / lambda) / sqrt(lambda) - sqrt(lambda), lambda_d =
    lambda + shift sqrt(lambda). S > threshold alarms.
    """
    if len(background) < 3:
        return None
    mean, deviation = float(np.mean(background)), float(np.std(background, ddof=1))
    if not (mean > 0 and deviation > 1e-12 * mean and np.isfinite(deviation)):
        return None
    root = mean / deviation
    reference = limits.shift / math.log1p(limits.shift / root) - root
    total, run, place = 0.0, 0, -1
    for index, value in enumerate(((values - mean) / deviation - reference).tolist()):
        total = max(0.0, total + value)
        run = run + 1 if total > limits.threshold else 0
        if run == limits.consecutive:
            place = index - run + 1
            break
    return CusumOnset(place, mean, deviation, reference)
