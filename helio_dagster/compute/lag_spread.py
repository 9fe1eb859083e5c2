"""How far the place of a correlation's peak scatters, from what both series share and from their noise.

The covariance of a correlation at two lags is that of Bartlett (1946), doi:10.2307/2983611, without the terms of what both
share, which is one course and no chance. Both are taken to have noise of the same strength, which for a given correlation is
the worst case.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.lagged_sums import autocovariances

Floats = NDArray[np.float64]
MOST_NOISE = 1_000
"""Lags over which noise is looked for; only that of the first few correlation lengths counts."""
_MOST_BESIDE = 50


def shared_and_noise(a: Floats, b: Floats, most: int) -> tuple[Floats, Floats]:
    """Autocovariances of what two series share and of the noise of either, as shares of the variance of one.

    Parameters
    ----------
    a, b
        float64, shape (column, slot), brought to each other's times; a slot has a value in all columns, or NaN in all.
    most
        Largest lag in slots; at most a quarter of the pairs.

    Returns
    -------
    tuple
        float64, shape (column, lag) each, from lag 0. The noise ends where its sum over columns first is not above 0.
    """
    both = np.isfinite(a[0]) & np.isfinite(b[0])
    most = min(most, int(both.sum()) // 4)
    one, two = (_standardized(each, both) for each in (a, b))
    noise = np.stack([autocovariances(each, both, most) for each in (one - two) / math.sqrt(2)])
    whole = np.stack(
        [autocovariances(left, both, most) + autocovariances(right, both, most) for left, right in zip(one, two, strict=True)]
    )
    ends = np.flatnonzero(~(np.sum(noise, axis=0) > 0))
    shared = whole / 2 - noise
    if len(ends):
        noise[:, max(int(ends[0]), 1) :] = 0.0
    return shared, noise


def top_half_width(correlation: Floats, place: int) -> int:
    """How many lags on either side of the greatest correlation belong to its round top, at least 1, at most 50.

    The top reaches down to 0.95 of the greatest where that is near 1, and to 0.7 where noise makes it rough: of a narrower one
    noise would decide the place. `correlation` has shape (lag,), its greatest value at `place`.
    """
    greatest = float(correlation[place])
    least = greatest * min(max(1.0 - 1.5 * (1.0 - greatest), 0.7), 0.95)
    half, widest = 1, min(place, len(correlation) - 1 - place, _MOST_BESIDE)
    while half < widest and (correlation[[place - half - 1, place + half + 1]] >= least).all():
        half += 1
    return half


def independent_pairs(a: Floats, b: Floats, correlation: Floats, pairs: Floats) -> Floats:
    """How many pairs count for the place of the best lag, as noise is correlated from slot to slot.

    Parameters
    ----------
    a, b
        float64, shape (slot,), NaN where there is no value.
    correlation, pairs
        Of `a[i]` and `b[i + lag]`, lag from `-most` to `most`, shape (2 most + 1,); the best is the one farthest from 0.

    Returns
    -------
    NDArray
        Whole numbers as float64, shape (2 most + 1,), the same share of the pairs at all lags: the variance of the slope across
        the top if the noise were independent, over that with noise as it is.
    """
    if not np.isfinite(correlation).any():
        return pairs.copy()
    size = np.abs(correlation)
    place = int(np.nanargmax(size))
    lag, sign = place - len(correlation) // 2, math.copysign(1.0, float(correlation[place]))
    first, last = max(0, -lag), min(len(a), len(b) - lag)
    shared, noise = shared_and_noise(a[None, first:last], sign * b[None, first + lag : last + lag], MOST_NOISE)
    half = top_half_width(size, place)
    along = np.arange(-half, half + 1.0)
    alone = np.where(np.arange(noise.shape[1]) == 0, noise, 0.0)
    apart, whole = (spread_of_place(along, shared, each, 1.0) for each in (alone, noise))
    return np.rint(pairs * min(1.0, (apart / whole) ** 2)) if apart > 0 and whole > 0 else pairs.copy()


def spread_of_place(gradient: Floats, shared: Floats, noise: Floats, pairs: float) -> float:
    """One standard deviation of a number that is linear in the correlations at neighbouring lags.

    Parameters
    ----------
    gradient
        Derivative of the number by the correlation at each lag, shape (lag,).
    shared, noise
        As `shared_and_noise` gives them, at least to the lag that the gradient spans; beyond what is given they are 0.
    pairs
        Pairs that the correlation is made of.
    """
    weights = np.correlate(gradient, gradient, "full")
    reach = len(gradient) - 1
    total = 0.0
    for own, either in zip(np.atleast_2d(noise), np.atleast_2d(shared), strict=True):
        last = int(np.flatnonzero(own)[-1]) if own.any() else 0
        offsets = np.arange(-last, last + 1)
        places = np.abs(offsets[:, None] + np.arange(-reach, reach + 1)[None, :])
        padded = [np.append(each, np.zeros(max(int(places.max()) + 1 - len(each), 0))) for each in (either, own)]
        total += float(np.sum(own[np.abs(offsets)][:, None] * weights[None, :] * (2 * padded[0][places] + padded[1][places])))
    return math.sqrt(max(total, 0.0) / pairs) if pairs > 0 else math.nan


def _standardized(columns: Floats, is_used: NDArray[np.bool_]) -> Floats:
    """Columns about their means, over the root of the sum of their variances; 0 where a slot is not used."""
    apart = np.where(is_used, columns - np.mean(columns[:, is_used], axis=1)[:, None], 0.0)
    size = math.sqrt(float(np.sum(apart * apart)) / max(int(is_used.sum()), 1))
    return apart / size if size > 0 else apart
