"""Holes in the demo's data: missing records and fill records, by absolute time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.demo.noise import Floats, uniform
from helio_dagster.archives.demo.storms import DAY_S, HOUR_S

_SINGLE_FILL = 0.0004


def missing_records(stream: int, seconds: Floats) -> NDArray[np.bool_]:
    """Records that the file lacks: on some days one stretch of ten minutes to an hour and a half.

    Parameters
    ----------
    stream
        Which random numbers; each dataset has its own.
    seconds
        Time of each record since 1970, s, shape (record,).

    Returns
    -------
    bool, shape (record,)
    """
    return _runs(8 * stream, seconds, block_s=DAY_S, chance=0.16, shortest_s=600.0, longest_s=5400.0)


def fill_records(stream: int, seconds: Floats) -> NDArray[np.bool_]:
    """Records that hold fill values: now and then some minutes, and single ones; arguments and shape as `missing_records`."""
    several = _runs(8 * stream + 4, seconds, block_s=6 * HOUR_S, chance=0.15, shortest_s=90.0, longest_s=900.0)
    return several | (uniform(8 * stream + 1_000_000, np.floor(seconds).astype(np.int64)) < _SINGLE_FILL)


def _runs(
    stream: int, seconds: Floats, *, block_s: float, chance: float, shortest_s: float, longest_s: float
) -> NDArray[np.bool_]:
    """At most one run in each block of absolute time, never across its edges."""
    block = np.floor(seconds / block_s).astype(np.int64)
    length_s = shortest_s + (longest_s - shortest_s) * uniform(stream + 1, block) ** 2
    start_s = block * block_s + (block_s - length_s) * uniform(stream + 2, block)
    is_inside = (seconds >= start_s) & (seconds < start_s + length_s)
    return np.asarray((uniform(stream, block) < chance) & is_inside)
