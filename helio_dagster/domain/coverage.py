"""How much of a time range a table covers. What is drawn as a gap is decided in `figures`."""

from __future__ import annotations

import numpy as np

from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

GAP_CADENCES = 3.0
"""Two samples further apart than this many cadences have a gap between them."""


def cadence_s(table: Table) -> float | None:
    """Median distance of neighbouring records in seconds; None below two records."""
    if len(table) < 2:
        return None
    return float(np.median(np.diff(table.time).astype("int64"))) / 1e9


def coverage(table: Table, window: TimeRange) -> float:
    """Share of `window` with valid data, from 0 to 1.

    A record with any valid value stands for one cadence; the time between records at most `GAP_CADENCES` cadences apart
    counts as covered.
    """
    cadence = cadence_s(table)
    floats = [values for name, values in table.columns.items() if name in table.meta.data_names and values.dtype.kind == "f"]
    is_valid = np.logical_or.reduce([~np.isnan(values) for values in floats]) if floats else np.ones(len(table), dtype=bool)
    time = table.time[is_valid]
    if not len(time):
        return 0.0
    step = cadence if cadence else 0.0
    distances = np.diff(time).astype("int64") / 1e9
    covered = float(distances[distances <= GAP_CADENCES * step].sum()) + step * (
        1 + int((distances > GAP_CADENCES * step).sum())
    )
    return min(1.0, covered / window.duration.total_seconds())
