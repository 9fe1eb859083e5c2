"""Exclusions: intervals of time whose samples do not count, given as a list of events with starts and stops."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.event_table import read_events, stop_name
from helio_dagster.domain.large_arrays import copied, record_blocks
from helio_dagster.domain.pipeline import EventTable
from helio_dagster.domain.record_times import bounds_ns
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

Intervals = NDArray[np.int64]
"""Start and stop in ns since 1970, shape (interval, 2), apart from each other and in order."""
NO_INTERVALS: Intervals = np.empty((0, 2), dtype=np.int64)
KINDS_WITHOUT_SAMPLES = ("curve", "map", "facts", "events")
_FILLS: dict[str, Any] = {"f": np.nan, "M": np.datetime64("NaT"), "U": "", "O": ""}


@dataclass(frozen=True)
class Masked:
    """A table without its excluded samples, how many records were inside, and the intervals inside its window."""

    table: Table
    samples: int
    intervals: Intervals

    @property
    def seconds(self) -> float:
        """How much of the window is excluded."""
        return length_s(self.intervals)

    def summary(self, lists: list[str], window: TimeRange) -> dict[str, Any]:
        """What a partition's provenance says of it; `intervals` are start and stop in ns since 1970."""
        share = round(self.seconds / window.duration.total_seconds(), 6)
        counts = {"records": self.samples, "of": len(self.table), "share_of_time": share}
        return {"lists": lists, **counts, "intervals": self.intervals.tolist()}


@lru_cache(maxsize=16)
def exclusion_of_list(given: EventTable, name: str) -> Exclusion:
    """The intervals of a list as it is written in a pipeline or in a file beside it; remembered.

    Raises
    ------
    EventTableError
        The list cannot be read.
    InputError
        A row has no stop.
    """
    return Exclusion(intervals_of(read_events(given), name).tobytes())


def intervals_of(rows: Table, name: str) -> Intervals:
    """The intervals of a table of events, those that touch or overlap joined.

    Raises
    ------
    InputError
        The table is not one of events, or a row has no stop.
    """
    if rows.meta.columns and rows.meta.kind != "events":
        raise InputError(f"{name} does not list events, so it excludes nothing", hint="Name a step whose rows start and stop.")
    if fault := open_interval(rows, name):
        raise fault
    if not len(rows):
        return NO_INTERVALS
    stops = rows.columns[stop_name(rows.meta) or ""]
    start, stop = (values.astype("datetime64[ns]").astype(np.int64) for values in (rows.time, stops))
    return union_of([np.stack([start, stop], axis=1)])


def open_interval(rows: Table, name: str) -> InputError | None:
    """The fault of the first row that has no stop, as an exclusion needs one; None without such a row."""
    column = stop_name(rows.meta)
    is_open = np.isnat(rows.columns[column]) if column else np.ones(len(rows), dtype=np.bool_)
    if not is_open.any():
        return None
    moment = str(rows.time[np.argmax(is_open)])[:19]
    problem = f"{name} excludes intervals, but its row at {moment} has no stop"
    return InputError(problem, hint="Give the list a column `stop`, filled in every row.")


def union_of(lists: Sequence[Intervals]) -> Intervals:
    """All intervals of some lists, those that touch or overlap joined."""
    rows = np.concatenate([NO_INTERVALS, *lists])
    if not len(rows):
        return rows
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    start, stop = rows[:, 0], rows[:, 1]
    begins = np.flatnonzero(np.append(True, start[1:] > np.maximum.accumulate(stop)[:-1]))
    return np.stack([start[begins], np.maximum.reduceat(stop, begins)], axis=1)


@dataclass(frozen=True)
class Exclusion:
    """The intervals that one list excludes.

    `packed` are the bytes of its `Intervals`; None if a step computes them, over partitions. Of such a list, intervals reach
    up to `reach` beyond the partition in which they start.
    """

    packed: bytes | None
    reach: timedelta = timedelta(0)

    @property
    def intervals(self) -> Intervals:
        """Start and stop in ns since 1970, shape (interval, 2), of a list that is given.

        Raises
        ------
        TypeError
            A step computes them.
        """
        if self.packed is None:
            raise TypeError("the intervals are computed")
        return np.frombuffer(self.packed, dtype=np.int64).reshape(-1, 2)

    def version(self, window: TimeRange) -> str:
        """Hash of what a window loses: it changes only where a row inside the window changes."""
        return hashlib.sha256(inside(self.intervals, window).tobytes()).hexdigest()[:32]


def inside(intervals: Intervals, window: TimeRange) -> Intervals:
    """The parts of intervals that are inside a window."""
    start, stop = (int(bound.astype(np.int64)) for bound in window.bounds_ns())
    touching = intervals[(intervals[:, 1] > start) & (intervals[:, 0] < stop)]
    return np.clip(touching, start, stop)


def excluded_share(intervals: Intervals, window: TimeRange) -> float:
    """Share of a window's time that is excluded, from 0 to 1."""
    return length_s(inside(intervals, window)) / window.duration.total_seconds()


def length_s(intervals: Intervals) -> float:
    """How long intervals are together, in seconds."""
    return float((intervals[:, 1] - intervals[:, 0]).sum()) / 1e9


def without(start: int, stop: int, intervals: Intervals) -> list[tuple[int, int]]:
    """The parts of `[start, stop)`, in ns since 1970, that are in none of the intervals."""
    touching = intervals[(intervals[:, 1] > start) & (intervals[:, 0] < stop)].tolist()
    begins = [start, *(interval[1] for interval in touching)]
    ends = [*(interval[0] for interval in touching), stop]
    return [(begin, end) for begin, end in zip(begins, ends, strict=True) if begin < end]


def mask(table: Table, intervals: Intervals, window: TimeRange) -> Masked:
    """The table with fill values in the data columns of the records that lie in `[start, stop)` of an interval, or partly.

    A record lies where it reaches, as far as its table says, else at its time. What of an interval is outside the window does
    not count.

    Whole numbers become float64, whether or not a record is excluded, so that all partitions have the same columns.

    Raises
    ------
    ComputeError
        Its rows are not samples in time.
    """
    if table.meta.kind in KINDS_WITHOUT_SAMPLES:
        problem = f"a step that gives {table.meta.kind} has no samples to exclude"
        raise ComputeError(problem, hint="Write `exclude` on the steps that it is computed from.")
    lost = inside(intervals, window)
    is_lost = lies_in(table, lost)
    kept = {column.name for column in table.meta.columns if column.role in ("bin", "width", "axis", "before", "after")}
    columns = {name: values if name in kept else _filled(values, is_lost) for name, values in table.columns.items()}
    return Masked(replace(table, columns=columns), int(is_lost.sum()), lost)


def lies_in(table: Table, intervals: Intervals) -> NDArray[np.bool_]:
    """Which records lie in `[start, stop)` of an interval, or partly, shape (record,); see `mask`."""
    start, stop, _ = bounds_ns(table)
    if not len(intervals):
        return np.zeros(len(start), dtype=np.bool_)
    place = (
        np.searchsorted(intervals[:, 0], np.maximum(stop, start + 1), side="left") - 1
    )  # the last that starts before its stop
    return np.asarray((place >= 0) & (start < intervals[place, 1]))


def _filled(values: NDArray[np.generic], is_lost: NDArray[np.bool_]) -> NDArray[np.generic]:
    plain = values.astype(np.float64) if values.dtype.kind in "iub" else copied(values)
    for block in record_blocks(plain):
        plain[block][is_lost[block]] = _FILLS[plain.dtype.kind]
    return plain
