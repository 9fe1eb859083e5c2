"""Time bins: where they begin, which records they hold. The one convention of every operation that bins in time.

Bins of a length begin at its multiples since 1970-01-01T00:00Z, never at the first record or at the edge of a partition. A bin
is labelled by its start, and belongs to the partition of its start, whatever its length: a partition needs `bins_halo` of what
follows, and drops the bins that begin before it. What is computed of a bin's records is up to the operation.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.record_times import binning_ns
from helio_dagster.domain.table import Table


@dataclass(frozen=True)
class TimeBins:
    """The bins that hold records, in order of time.

    Parameters
    ----------
    starts
        `datetime64[ns]`, naive UTC, shape (bin,): where each begins, its label.
    first
        int64, shape (bin,): index of the first record of each; the last is followed by no record of another bin.
    """

    starts: NDArray[np.datetime64]
    first: NDArray[np.int64]


def bins_halo(length: timedelta) -> tuple[timedelta, timedelta]:
    """(lookback, lookahead) of bins: one that begins in the partition may reach one length past its stop."""
    return timedelta(0), length


def bin_records(table: Table, length: timedelta) -> TimeBins:
    """Bins of a table's records by where these lie: one stamped at its stop belongs to the bin that it is of."""
    return bin_times(binning_ns(table).astype("datetime64[ns]"), length)


def bin_times(time: NDArray[np.datetime64], length: timedelta) -> TimeBins:
    """Bins of records.

    Parameters
    ----------
    time
        `datetime64[ns]`, shape (record,), strictly increasing, at least one.
    length
        Of a bin, above zero.
    """
    length_ns = duration_ns(length)
    bin_of_record = time.astype("datetime64[ns]").astype(np.int64) // length_ns
    first = np.flatnonzero(np.append(True, bin_of_record[1:] != bin_of_record[:-1]))
    return TimeBins((bin_of_record[first] * length_ns).astype("datetime64[ns]"), first)
