"""Which sample of one time base is nearest to each sample of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.record_times import bounds_ns, middles_ns, stamps_ns
from helio_dagster.domain.table import Table


def nearest(
    wanted: NDArray[np.datetime64], offered: NDArray[np.datetime64], *, tolerance_ns: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Nearest offered sample of each wanted time; of two equally near ones the earlier.

    Parameters
    ----------
    wanted, offered
        `datetime64[ns]`, shapes (wanted,) and (offered,), strictly increasing; `offered` holds at least one.
    tolerance_ns
        Largest distance that counts as near, included.

    Returns
    -------
    tuple
        Index into `offered`, and whether that sample is within the tolerance; both of shape (wanted,).
    """
    if len(wanted) == len(offered) and np.array_equal(wanted, offered):
        return np.arange(len(wanted)), np.ones(len(wanted), dtype=np.bool_)
    at = wanted.astype("datetime64[ns]").astype(np.int64)
    known = offered.astype("datetime64[ns]").astype(np.int64)
    after = np.minimum(np.searchsorted(known, at), len(known) - 1)
    before = np.maximum(after - 1, 0)
    index = np.where(np.abs(known[after] - at) < np.abs(at - known[before]), after, before)
    return index, np.abs(known[index] - at) <= tolerance_ns


def nearest_records(wanted: Table, offered: Table, *, tolerance_ns: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Nearest offered record of each wanted one, by where records lie.

    A wanted record is looked for at the middle of its extent, and where nothing is near that, at its stamp. An offered record
    is at distance 0 of every moment of its extent. What has no extent lies at its stamp, and records of one extent are matched
    by their stamps: see `nearest`.

    Parameters
    ----------
    wanted, offered
        Tables in order of time; `offered` holds at least one record.
    tolerance_ns
        Largest distance that counts as near, included.

    Returns
    -------
    tuple
        Index into `offered`, and whether that record is within the tolerance; both of shape (wanted,).
    """
    if have_same_extent(wanted, offered):
        return nearest(wanted.time, offered.time, tolerance_ns=tolerance_ns)
    index, distance = nearest_extents(middles_ns(wanted), offered)
    is_near = distance <= tolerance_ns
    if not is_near.all():
        other, distance = nearest_extents(stamps_ns(wanted), offered)
        index = np.where(is_near, index, other)
        is_near |= distance <= tolerance_ns
    return index, is_near


def have_same_extent(one: Table, other: Table) -> bool:
    """Whether the records of two tables reach equally far, or nothing is known of either."""
    if one.meta.extent is not None or other.meta.extent is not None:
        return one.meta.extent == other.meta.extent
    return one.extents is None and other.extents is None


def nearest_extents(at: NDArray[np.int64], offered: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The record that holds each moment, else that of the nearest middle, of two equally near ones the earlier.

    Parameters
    ----------
    at
        int64, shape (moment,), ns since 1970.
    offered
        At least one record.

    Returns
    -------
    tuple
        Index into `offered` and the distance of the moment from the record's extent in ns; both of shape (moment,).
    """
    known, (start, stop, _) = middles_ns(offered), bounds_ns(offered)
    after = np.minimum(np.searchsorted(known, at), len(known) - 1)
    before = np.maximum(after - 1, 0)
    index = np.where(np.abs(known[after] - at) < np.abs(at - known[before]), after, before)
    holds_after, holds_before = ((start[each] <= at) & (at < stop[each]) for each in (after, before))
    index = np.where(holds_after & ~holds_before, after, np.where(holds_before & ~holds_after, before, index))
    return index, np.maximum(np.maximum(start[index] - at, at - stop[index]), 0)
