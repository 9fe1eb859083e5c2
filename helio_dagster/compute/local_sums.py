"""Sums over moving time windows, every bit of which depends on the samples inside the window alone.

A running sum (add the new, drop the old) or a difference of cumulative sums carries the rounding of everything before it,
so its last bits depend on where the data were cut. Here time is divided into blocks at multiples of a fixed length since
1970; a window is the tail of its first block, whole blocks, and the head of its last block. Heads, tails and blocks are
summed by doubling within the block, in an order that depends only on the position in the block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCKS_PER_WINDOW = 16


@dataclass(frozen=True)
class Windows:
    """The samples inside each of many windows, one around each sample or around each of other times.

    Parameters
    ----------
    first, last
        int64, shape (window,): index of the first sample in the window, and one past that of the last.
    tail, head
        int64, shape (window,): index of the block where the window begins, and of the block where it stops.
    block
        int64, shape (record,), ascending: block of each sample, counted from 1970.
    block_ns
        Length of a block.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    tail: NDArray[np.int64]
    head: NDArray[np.int64]
    block: NDArray[np.int64]
    block_ns: int


def find_windows(
    time: NDArray[np.datetime64],
    before_ns: int,
    after_ns: int,
    *,
    with_lower_edge: bool,
    around: NDArray[np.datetime64] | None = None,
) -> Windows:
    """Windows from `before_ns` before each sample to `after_ns` after it, the upper edge included.

    Parameters
    ----------
    time
        `datetime64[ns]`, shape (record,), strictly increasing.
    before_ns, after_ns
        Reach of the window, together at least 2 ns.
    with_lower_edge
        Whether a sample exactly `before_ns` before belongs to the window.
    around
        Other times around which the windows are, `datetime64[ns]`, shape (window,).
    """
    at = time.astype("datetime64[ns]").astype(np.int64)
    block_ns = max(1, (before_ns + after_ns) // BLOCKS_PER_WINDOW)
    middle = at if around is None else around.astype("datetime64[ns]").astype(np.int64)
    lower, upper = middle - before_ns, middle + after_ns
    first = np.searchsorted(at, lower, side="left" if with_lower_edge else "right")
    last = np.searchsorted(at, upper, side="right")
    return Windows(first, last, lower // block_ns, upper // block_ns, at // block_ns, block_ns)


def count_in_windows(windows: Windows, is_counted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many marked samples each window holds, shape (window,)."""
    running = np.concatenate(([0], np.cumsum(is_counted, dtype=np.int64)))
    return running[windows.last] - running[windows.first]


def sum_in_windows(windows: Windows, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the samples in each window, shape (window,).

    Parameters
    ----------
    windows
        From `find_windows`.
    values
        float64, shape (record,), without NaN.
    """
    if not len(values):
        return np.zeros(len(windows.first))
    position = position_in_run(windows.block)
    heads = _sums_by_doubling(values, position)
    tails = _sums_by_doubling(values[::-1], position_in_run(windows.block[::-1]))[::-1]
    final = np.flatnonzero(np.append(position[1:] == 0, True))
    blocks, totals = windows.block[final], np.append(heads[final], 0.0)

    first, before_last = windows.first, np.maximum(windows.last - 1, 0)
    has_samples = windows.last > first
    safe_first = np.minimum(first, len(values) - 1)
    tail = np.where(has_samples & (windows.block[safe_first] == windows.tail), tails[safe_first], 0.0)
    head = np.where(has_samples & (windows.block[before_last] == windows.head), heads[before_last], 0.0)
    begin = np.searchsorted(blocks, windows.tail, side="right")
    stop = np.searchsorted(blocks, windows.head, side="left")
    middle = np.zeros(len(first))
    for offset in range(int((stop - begin).max(initial=0))):
        index = begin + offset
        middle += np.where(index < stop, totals[np.minimum(index, len(blocks))], 0.0)
    return np.asarray(tail + middle + head)


def position_in_run(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many equal labels come directly before each of them; int64, shape (record,) as `labels`."""
    index = np.arange(len(labels))
    is_new = np.append(True, labels[1:] != labels[:-1])
    return index - np.maximum.accumulate(np.where(is_new, index, 0))


def _sums_by_doubling(values: NDArray[np.float64], position: NDArray[np.int64]) -> NDArray[np.float64]:
    """Cumulative sums that start again where `position` is 0; the order of additions depends on the position alone."""
    sums = values + 0.0
    step = 1
    while step <= int(position.max(initial=0)):
        sums[step:] += np.where(position[step:] >= step, sums[:-step], 0.0)
        step *= 2
    return sums
