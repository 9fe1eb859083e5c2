"""Least, greatest and middle value of moving time windows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.indexers import BaseIndexer

from helio_dagster.compute.local_sums import Windows, find_windows

Floats = NDArray[np.float64]


class _Bounds(BaseIndexer):
    """Windows that are known, in pandas' form."""

    def __init__(self, windows: Windows) -> None:
        super().__init__()
        self._windows = windows

    def get_window_bounds(
        self,
        num_values: int = 0,
        min_periods: int | None = None,
        center: bool | None = None,
        closed: str | None = None,
        step: int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First, and one past the last sample of each window."""
        del num_values, min_periods, center, closed, step  # pandas insists on their names
        return self._windows.first.astype(np.int64), self._windows.last.astype(np.int64)


def least_in_windows(windows: Windows, values: Floats) -> Floats:
    """Least valid value of each window, NaN where there is none; float64, shape (record,)."""
    return _extreme_in_windows(windows, values, np.fmin)


def greatest_in_windows(windows: Windows, values: Floats) -> Floats:
    """Greatest valid value of each window, NaN where there is none; float64, shape (record,)."""
    return _extreme_in_windows(windows, values, np.fmax)


def is_greatest_around(time: NDArray[np.datetime64], values: Floats, reach_ns: int) -> NDArray[np.bool_]:
    """Whether each value is the greatest up to `reach_ns` before and after it, of equal ones the first; shape (record,)."""
    before = greatest_in_windows(find_windows(time, reach_ns, -1, with_lower_edge=True), values)
    after = greatest_in_windows(find_windows(time, 0, reach_ns, with_lower_edge=True), values)
    return ~(before >= values) & (after <= values)


def median_in_windows(windows: Windows, values: Floats) -> Floats:
    """Median of the valid values of each window, NaN where there is none; float64, shape (record,).

    pandas looks for the middle ranks, not values: so infinities count, and no value is rounded.
    """
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values))
    ranks[order] = np.arange(len(values))
    ranks[np.isnan(values)] = np.nan
    rolling = pd.Series(ranks).rolling(_Bounds(windows), min_periods=1)
    sides = []
    for side in ("lower", "higher"):
        middle = rolling.quantile(0.5, interpolation=side).to_numpy()
        index = np.where(np.isnan(middle), 0.0, middle).astype(np.int64)
        sides.append(np.where(np.isnan(middle), np.nan, values[order][index]))
    lower, higher = sides
    with np.errstate(invalid="ignore"):  # there is no middle between the infinities
        return np.asarray(np.where(lower == higher, lower, 0.5 * lower + 0.5 * higher) + 0.0)


def _extreme_in_windows(windows: Windows, values: Floats, pick: Callable[[Floats, Floats], Floats]) -> Floats:
    """From tables of the extremes over 1, 2, 4… samples, two of which cover a window. No zero is negative in the result."""
    lengths = windows.last - windows.first
    found = np.full(len(values), np.nan)
    table, span = values + 0.0, 1
    while span <= int(lengths.max(initial=0)):
        index = np.flatnonzero((lengths >= span) & (lengths < 2 * span))
        found[index] = pick(table[windows.first[index]], table[windows.last[index] - span])
        table = pick(table[:-span], table[span:])
        span *= 2
    return found + 0.0
