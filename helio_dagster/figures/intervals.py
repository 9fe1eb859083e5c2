"""Which rows of curves and facts belong to a figure's span, and how their intervals are called."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from helio_dagster.domain.table import Table, Times
from helio_dagster.domain.time_range import TimeRange


def rows_in_span(table: Table, span: TimeRange) -> Table:
    """The rows whose interval touches the span.

    An interval lasts until the row's `stop`. Where the table has none, it lasts until the next one begins: the last interval
    that begins before the span reaches into it, unless one begins with the span.
    """
    if not table.meta.has_rows_of_intervals:
        return table.clip(span)
    start, stop = span.bounds_ns()
    stop_name = table.meta.role_name("stop")
    if stop_name is not None:
        stops = table.columns[stop_name].astype("datetime64[ns]")
        is_inside = (table.time < stop) & ((table.time >= start) | (stops > start))  # NaT compares false
    else:
        earlier = table.time[table.time <= start]
        first = earlier[-1] if len(earlier) else start
        is_inside = (table.time >= first) & (table.time < stop)
    columns = {name: values[is_inside] for name, values in table.columns.items()}
    return replace(table, time=table.time[is_inside], columns=columns)


def windows(table: Table) -> list[Table]:
    """One table for each interval of a table of curves, in order; an empty table is one without rows."""
    starts = np.flatnonzero(np.diff(table.time) != np.timedelta64(0, "ns")) + 1
    edges = [0, *starts.tolist(), len(table)]
    parts = [slice(first, last) for first, last in pairwise(edges)]
    return [
        replace(table, time=table.time[part], columns={name: values[part] for name, values in table.columns.items()})
        for part in parts
    ]


def time_words(times: Times) -> list[str]:
    """Times of shape (row,) as short texts that tell them apart: the day alone if all are at midnight, else to what differs."""
    if not (times.astype("datetime64[D]") != times).any():
        unit = "D"
    elif not (times.astype("datetime64[m]") != times).any():
        unit = "m"
    else:
        unit = "s" if not (times.astype("datetime64[s]") != times).any() else "ms"
    return [str(text).replace("T", " ") for text in np.datetime_as_string(times.astype(f"datetime64[{unit}]"))]
