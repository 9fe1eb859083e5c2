"""Means, variances, lines and correlations of moving time windows, every bit of which depends on the samples inside alone.

Moments about the mean are combined in pairs (Chan, Golub and LeVeque 1983, doi:10.1080/00031305.1983.10483115), which loses no
digits where the values are large and vary little. The order of the pairs is that of `local_sums`: by doubling within blocks of
time that are fixed since 1970, then tail, whole blocks and head of the window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.local_sums import Windows, position_in_run

Floats = NDArray[np.float64]
_COUNT, _TIME, _VALUE, _TIME_TIME, _TIME_VALUE, _VALUE_VALUE = range(6)


@dataclass(frozen=True)
class Moments:
    """What the valid samples of each window have in common; float64, shape (record,) each, NaN where a window holds none.

    Parameters
    ----------
    count
        How many there are, as a float, 0 where none.
    mean
        Of the values.
    squares
        Sum of the squared differences from the mean.
    fitted
        Where the straight line of least squares passes at the window's own sample; NaN with fewer than two samples.
    """

    count: Floats
    mean: Floats
    squares: Floats
    fitted: Floats


@dataclass(frozen=True)
class Correlations:
    """How two columns go together in each window; float64, shape (record,) each.

    Parameters
    ----------
    count
        How many pairs of valid samples there are, as a float.
    correlation
        Pearson's coefficient; NaN where either does not vary.
    """

    count: Floats
    correlation: Floats


def moments_in_windows(
    windows: Windows, time: NDArray[np.datetime64], values: Floats, *, records_at_once: int = 65_536
) -> Moments:
    """Moments of each window.

    Parameters
    ----------
    windows
        From `find_windows`, for the same times.
    time
        `datetime64[ns]`, shape (record,), strictly increasing, at least one.
    values
        float64, shape (record,); NaN does not count.
    records_at_once
        How many are worked on together, or twice the longest window; no bit depends on it.
    """
    at = time.astype("datetime64[ns]").astype(np.int64)
    parts = [_moments_of(windows, at, values, wanted) for wanted in _pieces(windows, records_at_once)]
    return Moments(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def correlation_in_windows(windows: Windows, a: Floats, b: Floats, *, records_at_once: int = 65_536) -> Correlations:
    """Correlation of two columns in each window.

    Parameters
    ----------
    windows
        From `find_windows`.
    a, b
        float64, shape (record,), at least one; where either is NaN neither counts.
    records_at_once
        As of `moments_in_windows`.
    """
    parts = [_correlations_of(windows, a, b, wanted) for wanted in _pieces(windows, records_at_once)]
    return Correlations(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _pieces(windows: Windows, records_at_once: int) -> list[slice]:
    """The records in runs, each at least twice as long as the longest window."""
    count = len(windows.first)
    size = max(records_at_once, 2 * int((windows.last - windows.first).max(initial=0)))
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def _moments_of(
    windows: Windows, at: NDArray[np.int64], values: Floats, wanted: slice
) -> tuple[Floats, Floats, Floats, Floats]:
    """The fields of `Moments` for some records, from the samples in their windows alone: memory stays small."""
    near, reach, own = _near(windows, wanted)
    with np.errstate(all="ignore"):  # infinities make the windows that hold them NaN
        state = _combine_windows(near, _single_samples(near, at[reach], values[reach]), is_time=True)[:, own]
        place = (at[wanted] - windows.tail[wanted] * windows.block_ns) / windows.block_ns
        slope = state[_TIME_VALUE] / state[_TIME_TIME]
        fitted = state[_VALUE] + slope * (place - state[_TIME])
    nan = np.where(state[_COUNT] == 0, np.nan, 0.0)
    is_line = state[_TIME_TIME] > 0
    return state[_COUNT], state[_VALUE] + nan, state[_VALUE_VALUE] + nan, np.where(is_line, fitted, np.nan)


def _correlations_of(windows: Windows, a: Floats, b: Floats, wanted: slice) -> tuple[Floats, Floats]:
    """The fields of `Correlations` for some records; the first column takes the place that the time has in moments."""
    near, reach, own = _near(windows, wanted)
    is_valid = ~(np.isnan(a[reach]) | np.isnan(b[reach]))
    single = np.zeros((6, len(is_valid)))
    single[_COUNT] = is_valid
    single[_TIME], single[_VALUE] = np.where(is_valid, a[reach], 0.0), np.where(is_valid, b[reach], 0.0)
    with np.errstate(all="ignore"):  # infinities make the windows that hold them NaN
        state = _combine_windows(near, single, is_time=False)[:, own]
        spread = np.sqrt(state[_TIME_TIME]) * np.sqrt(state[_VALUE_VALUE])
        found = np.clip(state[_TIME_VALUE] / spread, -1.0, 1.0)
    return state[_COUNT], np.where(np.isfinite(spread) & (spread > 0), found, np.nan)


def _near(windows: Windows, wanted: slice) -> tuple[Windows, slice, slice]:
    """The windows of the samples that some records reach, those samples, and the records among them."""
    start, stop = int(windows.first[wanted].min()), int(windows.last[wanted].max())
    reach = slice(start, stop)
    near = Windows(
        np.clip(windows.first[reach] - start, 0, stop - start),
        np.clip(windows.last[reach] - start, 0, stop - start),
        windows.tail[reach],
        windows.head[reach],
        windows.block[reach],
        windows.block_ns,
    )
    return near, reach, slice(wanted.start - start, wanted.stop - start)


def _single_samples(windows: Windows, at: NDArray[np.int64], values: Floats) -> Floats:
    """The state of each sample by itself, its time as a share of its block; shape (6, record)."""
    is_valid = ~np.isnan(values)
    state = np.zeros((6, len(values)))
    state[_COUNT] = is_valid
    state[_TIME] = np.where(is_valid, (at - windows.block * windows.block_ns) / windows.block_ns, 0.0)
    state[_VALUE] = np.where(is_valid, values, 0.0)
    return state


def _combine_windows(windows: Windows, single: Floats, *, is_time: bool) -> Floats:
    """The state of each window, shape (6, record); a time, being a share of its block, is counted from the window's first."""
    position = position_in_run(windows.block)
    heads = _scan(single, position, is_forward=True)
    tails = _scan(single[:, ::-1], position_in_run(windows.block[::-1]), is_forward=False)[:, ::-1]
    final = np.flatnonzero(np.append(position[1:] == 0, True))
    blocks = windows.block[final]
    totals = np.concatenate([heads[:, final], np.zeros((6, 1))], axis=1)

    count = single.shape[1]
    first, before_last = np.minimum(windows.first, count - 1), np.maximum(windows.last - 1, 0)
    has_samples = windows.last > windows.first
    state = np.where(has_samples & (windows.block[first] == windows.tail), tails[:, first], 0.0)
    begin = np.searchsorted(blocks, windows.tail, side="right")
    stop = np.searchsorted(blocks, windows.head, side="left")
    for offset in range(int((stop - begin).max(initial=0))):
        index = np.where(begin + offset < stop, begin + offset, len(blocks))
        whole = totals[:, index]
        whole[_TIME] += np.where(is_time, np.append(blocks, 0)[index] - windows.tail, 0)
        state = _combine(state, whole)
    head = np.where(has_samples & (windows.block[before_last] == windows.head), heads[:, before_last], 0.0)
    head[_TIME] += np.where(is_time, windows.head - windows.tail, 0)
    return _combine(state, head)


def _scan(single: Floats, position: NDArray[np.int64], *, is_forward: bool) -> Floats:
    """Moments from the begin of each run to each sample, by doubling: the order of pairs depends on the position alone."""
    state = single + 0.0
    step = 1
    while step <= int(position.max(initial=0)):
        before = np.where(position[step:] >= step, state[:, :-step], 0.0)
        later = state[:, step:]
        state[:, step:] = _combine(before, later) if is_forward else _combine(later, before)
        step *= 2
    return state


def _combine(left: Floats, right: Floats) -> Floats:
    """Moments of two sets of samples together; a set without samples changes no bit of the other."""
    count = left[_COUNT] + right[_COUNT]
    share = right[_COUNT] / np.maximum(count, 1.0)
    weight = left[_COUNT] * share
    apart_time, apart_value = right[_TIME] - left[_TIME], right[_VALUE] - left[_VALUE]
    both = np.stack(
        [
            count,
            left[_TIME] + apart_time * share,
            left[_VALUE] + apart_value * share,
            left[_TIME_TIME] + right[_TIME_TIME] + apart_time * apart_time * weight,
            left[_TIME_VALUE] + right[_TIME_VALUE] + apart_time * apart_value * weight,
            left[_VALUE_VALUE] + right[_VALUE_VALUE] + apart_value * apart_value * weight,
        ]
    )
    return np.asarray(np.where(left[_COUNT] == 0, right, np.where(right[_COUNT] == 0, left, both)))
