"""How much of a time range a table covers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.records import has_value
from helio_dagster.domain.table import Table, Times
from helio_dagster.domain.time_range import TimeRange

GAP_CADENCES = 3.0
"""Two samples further apart than this many cadences have a gap between them."""


def cadence_s(table: Table) -> float | None:
    """Median distance of neighbouring records in seconds; None below two records."""
    return _median(_steps_ns(table.time)) / 1e9 if len(table) > 1 else None


_NO_TIMES: Times = np.empty(0, dtype="datetime64[ns]")


def coverage(
    table: Table, window: TimeRange, cadence: float | None, *, lost: Times = _NO_TIMES, excluded_s: float = 0.0
) -> float:
    """Share of `window` with valid data, from 0 to 1, of a table with this cadence in seconds (see `cadence_s`).

    A record with any valid value counts for one cadence; the time between records at most `GAP_CADENCES` cadences apart
    counts as covered, unless one of the `lost` times is in between, where there are known to be no data.
    Of `excluded_s` seconds of the window no data are expected; where that is all of it, the share is 1.
    """
    expected_s = window.duration.total_seconds() - excluded_s
    if expected_s <= 0:
        return 1.0
    time = valid_times(table)
    if not len(time):
        return 0.0
    cadence_ns = 1e9 * (cadence or 0.0)
    steps_ns = _steps_ns(time)
    is_covered = steps_ns <= GAP_CADENCES * cadence_ns
    is_covered[steps_over(time, lost)] = False
    gaps = len(steps_ns) - int(np.count_nonzero(is_covered))
    covered_ns = int(steps_ns.sum(where=is_covered)) + cadence_ns * (1 + gaps)
    return min(1.0, covered_ns / 1e9 / expected_s)


def steps_over(time: Times, lost: Times) -> NDArray[np.int64]:
    """Which steps from one time to the next hold one of the `lost` times: the index of the earlier time of each.

    Parameters
    ----------
    time, lost
        `datetime64[ns]`, shapes (record,) and (lost,); `time` ascending.

    Returns
    -------
    ndarray
        int64, one for each lost time that is inside a step, shape (found,).
    """
    places = np.searchsorted(time, lost, side="right") - 1
    return places[(places >= 0) & (places < len(time) - 1)]


def valid_times(table: Table) -> Times:
    """Times of the records that have any valid value, `datetime64[ns]`, shape (valid record,)."""
    floats = [values for name in table.meta.data_names if (values := table.columns[name]).dtype.kind == "f"]
    is_fill = ~np.logical_or.reduce([has_value(values) for values in floats]) if floats else np.zeros(len(table), dtype=bool)
    return table.time[~is_fill] if is_fill.any() else table.time


def _steps_ns(time: Times) -> NDArray[np.int64]:
    return np.diff(time.view("int64"))


def _median(steps: NDArray[np.int64]) -> float:
    """The median, at once where all steps are alike."""
    first = steps[0]
    return float(first) if (steps == first).all() else float(np.median(steps))
