"""Partitions of which more records may still come: what is kept of a fetch, how it is recorded, and what is made from it.

The records of an open partition are those that will be there when it is closed: what could still change is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.extent import Extents
from helio_dagster.domain.maturity import maturity_of
from helio_dagster.domain.table import MATURITIES, Table, TableMeta, marks_of
from helio_dagster.domain.time_range import TimeRange, datetime_to_ns, format_time, ns_to_datetime

_OPEN, _STAMP = "open-", "%Y%m%dT%H%M%S"
_MICROSECOND = timedelta(microseconds=1)


def fetched_table(table: Table, window: TimeRange, now: datetime, words: Iterable[str]) -> Table:
    """What is kept of what an archive gave for a window: marked with how mature it is, and open if more may come.

    More may come of a window that is not over, and where the archive says so. Records of times that are yet to come, such as
    predictions, wait until then.

    Parameters
    ----------
    table
        As fetched.
    window
        The partition's.
    now
        What time it is.
    words
        The dataset's id and label and the names of its files, which may say that they are preliminary.
    """
    maturity = table.meta.maturity or maturity_of(words)
    until = table.meta.open_until
    if window.stop > now:
        table = table.clip_ns(window.bounds_ns()[0], datetime_to_ns(max(now, window.start)))
        newest = _reach(table) or window.start
        until = newest if until is None else min(until, newest)
    is_open = until is not None and until < window.stop
    meta = table.meta.model_copy(update={"maturity": maturity, "open_until": until if is_open else None})
    return replace(table, meta=meta)


def derived_table(result: Table, inputs: Iterable[TableMeta], window: TimeRange, lookahead: timedelta) -> Table:
    """A result with the marks of what it is made from; without the samples that a complete input could still change.

    Parameters
    ----------
    result
        As computed.
    inputs
        The metadata of what it is computed from.
    window
        The partition's.
    lookahead
        How far after a time the step reads.
    """
    marks = marks_of(list(inputs))
    until = marks["open_until"]
    if until is not None:
        until = None if until - lookahead >= window.stop else max(until - lookahead, window.start)
    marks["open_until"] = until
    own = {name: value for name, value in marks.items() if value}
    if not own:
        return result
    table = result if until is None or result.meta.has_rows_of_intervals else _complete_until(result, until)
    return replace(table, meta=table.meta.model_copy(update=own))


def _reach(table: Table) -> datetime | None:
    """Where the last record of a table ends; None without records."""
    if not len(table):
        return None
    return ns_to_datetime(table.time[-1] + _after(table)[-1])


def _complete_until(table: Table, until: datetime) -> Table:
    """The samples that end by a time."""
    ends = table.time + _after(table)
    late = np.flatnonzero(ends >= datetime_to_ns(until + _MICROSECOND))  # an end is known to the microsecond
    return table.clip_ns(table.time[0], table.time[late[0]]) if len(late) else table


def _after(table: Table) -> NDArray[np.timedelta64]:
    """How far each record reaches after its time, shape (record,); 0 where the table does not say."""
    extents = table.extents or Extents.constant(None, len(table))
    return extents.after_ns.astype("timedelta64[ns]")


def open_inputs(until: datetime, fingerprint: str) -> str:
    """What the record says an open partition was made from: what it was, and up to when; of letters that a tag may have."""
    return f"{_OPEN}{until.strftime(_STAMP)}-{fingerprint}"


def open_end(inputs: str) -> datetime | None:
    """Up to when a recorded partition had data when it was made; None of one that was closed."""
    if not inputs.startswith(_OPEN):
        return None
    return datetime.strptime(inputs.removeprefix(_OPEN).partition("-")[0], _STAMP).replace(tzinfo=UTC)


def still_open(until: datetime) -> str:
    """Why a partition that was open when it was made will be made again."""
    return f"open, with data up to {format_time(until)}"


def replaced_data(before: TableMeta, version: str, after: TableMeta) -> str:
    """What is recorded where more mature data take the place of a partition's, as a tag; empty where they do not."""
    if not before.maturity or _rank(after) <= _rank(before):
        return ""
    return f"{before.maturity}.{after.maturity or 'definitive'}.{version[:12]}"


def replaced_in_words(tag: str) -> str:
    """The same for people: `definitive data replaced real-time data (version 0123456789ab)`."""
    before, after, version = tag.split(".")
    return f"{after} data replaced {before} data (version {version})"


def _rank(meta: TableMeta) -> int:
    return MATURITIES.index(meta.maturity) if meta.maturity else len(MATURITIES)
