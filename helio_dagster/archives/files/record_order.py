"""Which records of a file make a table: in order of time, each time once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.large_arrays import taken
from helio_dagster.domain.table import Table, Times
from helio_dagster.domain.time_range import EARLIEST, LATEST, datetime_to_ns


def sorted_unique(times: Times) -> NDArray[np.intp] | slice:
    """Which records to take, in which order, for strictly increasing times.

    Records without a time, or with one outside 1900 to 2200, are dropped; of several records at one time (a leap second, a
    repeated packet) the first in the file stays.

    Parameters
    ----------
    times
        `datetime64[ns]`, shape (record,), in any order; NaT where there is none.

    Returns
    -------
    ndarray or slice
        Indices of the records to take, shape (taken,); a slice over all of them where they are in order already.
    """
    first, last = datetime_to_ns(EARLIEST), datetime_to_ns(LATEST)
    is_valid = (times >= first) & (times < last)
    if is_valid.all():
        if (times[1:] > times[:-1]).all():
            return slice(None)
        chosen = np.arange(len(times))
    else:
        chosen = np.flatnonzero(is_valid)
    chosen = chosen[np.argsort(times[chosen], kind="stable")]
    ordered = times[chosen]
    is_first = np.ones(len(chosen), dtype=bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return chosen[is_first]


def in_order_of_time(table: Table) -> Table:
    """The records of a table in order of time, of several at one time the first; itself where they are."""
    if (table.time[1:] > table.time[:-1]).all():
        return table
    order = np.argsort(table.time, kind="stable")
    time = table.time[order]
    keep = order[np.concatenate([[True], time[1:] > time[:-1]])]
    columns = {name: taken(values, keep) for name, values in table.columns.items()}
    kept = replace(table, time=table.time[keep], columns=columns)
    return kept.with_extents(kept.extents)
