"""Where records lie in time by their extents: middles, starts and stops. What has no extent lies at its stamp."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import Table

Nanoseconds = NDArray[np.int64]


def stamps_ns(table: Table) -> Nanoseconds:
    """The times of the records in ns since 1970, shape (record,)."""
    return table.time.astype("datetime64[ns]").astype(np.int64)


def middles_ns(table: Table) -> Nanoseconds:
    """The middle of each record's extent, ns since 1970, shape (record,); its stamp where the extent is unknown.

    Records whose middles would not be in order of time, as of windows inside one another, keep their stamps, all of them.
    """
    stamps, extents = stamps_ns(table), table.extents
    if extents is None:
        return stamps
    middles = stamps + (extents.after_ns - extents.before_ns) // 2
    return stamps if (np.diff(middles) <= 0).any() else middles


def bounds_ns(table: Table) -> tuple[Nanoseconds, Nanoseconds, NDArray[np.bool_]]:
    """Start and stop of each record, ns since 1970, and whether its extent is known; shape (record,) each.

    What has no extent, or one of length 0, starts and stops at its stamp and counts as unknown.
    """
    stamps, extents = stamps_ns(table), table.extents
    if extents is None:
        return stamps, stamps, np.zeros(len(stamps), dtype=np.bool_)
    start, stop = stamps - extents.before_ns, stamps + extents.after_ns
    return start, stop, extents.is_known & (stop > start)


def binning_ns(table: Table) -> Nanoseconds:
    """The moment by which a record belongs to a bin of time, ns since 1970, shape (record,).

    The stamp, or the middle where that is earlier: an hour stamped at its stop, 24:00, belongs to the day that it is of. It is
    never later than the stamp, so that a bin needs no record stamped before it begins.
    """
    return np.minimum(stamps_ns(table), middles_ns(table))
