"""Timing of a plane boundary that passes several spacecraft: when it passes each, where they are then, its normal and speed.

Sources: Schwartz 1998 and Harvey 1998 (planes by timing), ISSI SR-001, chapters 10 and 12.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.lag_spread import MOST_NOISE, shared_and_noise, spread_of_place, top_half_width
from helio_dagster.compute.lagged_sums import joint_correlations_by_lag
from helio_dagster.compute.tetrahedron import reciprocal_vectors

Floats = NDArray[np.float64]
Stamps = NDArray[np.int64]
_GAP_STEPS = 3


def columns_on_grid(at: Stamps, columns: Sequence[Floats], start: int, cadence_ns: int, count: int) -> Floats:
    """Columns on the straight line between samples, shape (column, slot).

    Parameters
    ----------
    at
        Times in ns since 1970, ascending, shape (sample,).
    columns
        float64, shape (sample,) each; a sample counts where all of them are finite.
    start, cadence_ns, count
        The grid. NaN where the samples around are more than three cadences apart, and outside them.
    """
    is_valid = np.isfinite(np.stack(columns)).all(axis=0)
    known, wanted = at[is_valid] - start, np.arange(count, dtype=np.int64) * cadence_ns
    if len(known) < 2:
        return np.full((len(columns), count), np.nan)
    later = np.clip(np.searchsorted(known, wanted), 1, len(known) - 1)
    is_inside = (wanted >= known[0]) & (wanted <= known[-1]) & (known[later] - known[later - 1] <= _GAP_STEPS * cadence_ns)
    return np.stack([np.where(is_inside, np.interp(wanted, known, each[is_valid]), np.nan) for each in columns])


def best_lag(a: Floats, b: Floats, most: int) -> tuple[float, float, float]:
    """How many slots b is behind a, one standard deviation of it, and the correlation there.

    Parameters
    ----------
    a, b
        On one even grid, shape (column, slot), NaN where there is no value.
    most
        Lags from minus this to plus this are tried.

    Returns
    -------
    tuple
        All NaN where the greatest correlation is at an edge, beside a NaN, or not above 0. The lag is the vertex of the
        parabola through the round top of the correlation; noise may be correlated from slot to slot.
    """
    nothing = (math.nan, math.nan, math.nan)
    pairs, found = joint_correlations_by_lag(a, b, most)
    found = np.where(pairs >= 0.5 * np.max(pairs), found, np.nan)
    if not np.isfinite(found).any():
        return nothing
    top = int(np.nanargmax(found))
    half = top_half_width(found, top)
    is_inside = half <= top <= 2 * most - half and np.isfinite(found[max(top - half, 0) : top + half + 1]).all()
    if not (is_inside and found[top] > 0):
        return nothing
    near, still, moved = _around(a, b, top - most, half)
    fit = np.linalg.pinv(np.vander(np.arange(-half, half + 1.0), 3))
    square, slope, _ = fit @ near
    if not (square < 0 and near[half] > 0 and abs(slope) <= 2 * half * abs(square)):
        return nothing
    gradient = (slope * fit[0] / square - fit[1]) / (2 * square)
    count = float((np.isfinite(still[0]) & np.isfinite(moved[0])).sum())
    shared, noise = shared_and_noise(still, moved, MOST_NOISE)
    return top - most - slope / (2 * square), spread_of_place(gradient, shared, noise, count), float(near[half])


def _around(a: Floats, b: Floats, lag: int, half: int) -> tuple[Floats, Floats, Floats]:
    """Correlation of one stretch of a with stretches of b around a lag, shape (2 half + 1,), that stretch, and b at the lag.

    With one stretch for all lags the round top is as symmetric as the structure; with all pairs of each lag it is not.
    """
    first, last = max(0, half - lag), min(a.shape[1], b.shape[1] - lag - half)
    still, found = a[:, first:last], []
    for step in range(lag - half, lag + half + 1):
        other = b[:, first + step : last + step]
        both = np.isfinite(still[0]) & np.isfinite(other[0])
        one, two = (each[:, both] - np.mean(each[:, both], axis=1)[:, None] for each in (still, other))
        with np.errstate(all="ignore"):
            found.append(float(np.sum(one * two) / np.sqrt(np.sum(one * one) * np.sum(two * two))))
    return np.nan_to_num(np.minimum(np.array(found), 1.0)), still, b[:, first + lag : last + lag]


def passing_times(grids: Sequence[Floats], most: int) -> tuple[Floats, float, float, float]:
    """When each of several records of one structure has it, from the lags of all pairs, by least squares.

    Parameters
    ----------
    grids
        One for each spacecraft, on one grid of time, shape (column, slot) each.
    most
        As in `best_lag`.

    Returns
    -------
    tuple
        Times after the first in slots, shape (spacecraft,); one standard deviation of each; the least correlation of a pair;
        the greatest difference between the lag of a pair and that of these times.
    """
    lags, variances, correlations = np.zeros((len(grids), len(grids))), [], []
    for one, other in combinations(range(len(grids)), 2):
        lag, spread, correlation = best_lag(grids[one], grids[other], most)
        lags[one, other], lags[other, one] = lag, -lag
        variances.append(spread**2)
        correlations.append(correlation)
    after = np.mean(lags, axis=0)
    apart = np.abs(lags - (after[None, :] - after[:, None]))
    return after - after[0], math.sqrt(float(np.mean(variances)) / 2), float(np.min(correlations)), float(np.max(apart))


def place_at(moment: int, at: Stamps, places: Sequence[Floats], gap_ns: int) -> Floats:
    """Where a spacecraft is at a moment: on the line between, or through, its two nearest positions; shape (3,).

    Parameters
    ----------
    moment
        In ns since 1970.
    at, places
        Times in ns since 1970, ascending, and x, y and z, shape (record,) each. One position alone stands for all times.
    gap_ns
        NaN where no position is so near.
    """
    is_valid = np.isfinite(np.stack(places)).all(axis=0)
    known, rows = at[is_valid], np.stack(places)[:, is_valid]
    if not len(known) or np.min(np.abs(known - moment)) > gap_ns:
        return np.full(3, np.nan)
    if len(known) == 1:
        return np.asarray(rows[:, 0])
    later = int(np.clip(np.searchsorted(known, moment), 1, len(known) - 1))
    share = float(moment - known[later - 1]) / float(known[later] - known[later - 1])
    return np.asarray(rows[:, later - 1] + share * (rows[:, later] - rows[:, later - 1]))


def plane_of_four(places: Floats, after_s: Floats, spread_s: float) -> dict[str, float]:
    """Normal and speed of the plane that passes four places at four times.

    Parameters
    ----------
    places
        In km, shape (spacecraft, axis): each where it is when the plane passes.
    after_s
        When it passes, in s, shape (spacecraft,).
    spread_s
        One standard deviation of each time in s, all independent; NaN where it is not known.

    Returns
    -------
    dict
        `normal_x`, `normal_y`, `normal_z`, the way the plane moves, `normal_uncertainty` in deg, `speed` and
        `speed_uncertainty` in km/s. Empty where the times do not differ by more than their uncertainty along the normal.

    Notes
    -----
    m = n / V = sum k_a t_a with the reciprocal vectors k_a, so that cov(m) = sigma_t^2 sum k_a k_a^T.
    """
    points = [(each[:1], each[1:2], each[2:]) for each in places]
    k = np.array([np.concatenate(each) for each in reciprocal_vectors(points)])
    slowness = (after_s - np.mean(after_s)) @ k
    size = float(np.linalg.norm(slowness))
    if not (size > 0 and np.isfinite(size)):
        return {}
    normal, covariance = slowness / size, spread_s**2 * (k.T @ k)
    along = float(normal @ covariance @ normal)
    if math.sqrt(along) >= size:
        return {}
    across = max(float(np.trace(covariance)) - along, 0.0)
    return {
        **{f"normal_{axis}": float(each) + 0.0 for axis, each in zip("xyz", normal, strict=True)},
        "normal_uncertainty": math.degrees(math.sqrt(across) / size),
        "speed": 1 / size,
        "speed_uncertainty": math.sqrt(along) / size**2,
    }


def speed_between(places: Floats, after_s: Floats, normal: Floats, spread_s: float) -> dict[str, float]:
    """Speed along a normal of the plane that passes two places at two times.

    Parameters
    ----------
    places, after_s, spread_s
        As in `plane_of_four`, of two spacecraft.
    normal
        Unit vector, shape (3,).

    Returns
    -------
    dict
        `speed`, negative against the normal, `speed_uncertainty` in km/s, `separation` in km, `separation_angle` of the line
        between the spacecraft and the normal in deg. No speed where the times do not differ by more than their uncertainty.
    """
    apart, lag = places[1] - places[0], float(after_s[1] - after_s[0])
    along, length = float(apart @ normal), float(np.linalg.norm(apart))
    found = {"separation": length}
    if length > 0:
        found["separation_angle"] = math.degrees(math.acos(min(abs(along) / length, 1.0)))
    spread = math.sqrt(2.0) * spread_s
    if lag != 0 and not abs(lag) <= spread:
        found |= {"speed": along / lag, "speed_uncertainty": abs(along) / lag**2 * spread}
    return found
