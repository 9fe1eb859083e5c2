"""Where a time series has gaps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.record_times import bounds_ns, middles_ns, stamps_ns
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

GAP_CADENCES = 3.0
"""A step longer than this many cadences is a gap."""

_NEIGHBOURS = 4
_MISSING_STEPS = 1.5
"""A step that is longer than this many usual ones is not an instrument's own pause."""
_WHOLE = 0.99
"""Share of a record's length that counts as room for one: stamps and lengths are rounded."""


@dataclass(frozen=True)
class Reach:
    """How far the records of a series reach.

    Parameters
    ----------
    start_ms, stop_ms
        float64, shape (record,), milliseconds since 1970-01-01 UTC.
    is_known
        bool, shape (record,).
    """

    start_ms: NDArray[np.float64]
    stop_ms: NDArray[np.float64]
    is_known: NDArray[np.bool_]

    @property
    def are_known(self) -> NDArray[np.bool_]:
        """Whether it is known of both neighbours; shape (record - 1,)."""
        known: NDArray[np.bool_] = self.is_known[:-1] & self.is_known[1:]
        return known

    @property
    def between_ms(self) -> NDArray[np.float64]:
        """What no record covers between neighbours, negative where they overlap; shape (record - 1,)."""
        return self.start_ms[1:] - self.stop_ms[:-1]

    @property
    def has_room(self) -> NDArray[np.bool_]:
        """Whether another record has room between neighbours, one like the shorter of them; shape (record - 1,)."""
        length = self.stop_ms - self.start_ms
        room: NDArray[np.bool_] = self.between_ms >= _WHOLE * np.minimum(length[:-1], length[1:])
        return room


def reach_of(table: Table) -> Reach | None:
    """How far a table's records reach; None where it does not say."""
    start, stop, is_known = bounds_ns(table)
    return Reach(start / 1e6, stop / 1e6, is_known) if is_known.any() else None


def longest_reach(tables: Iterable[Table]) -> timedelta:
    """How far a record of some tables reaches at most before or after its time; 0 where nothing is known of any."""
    known = [extents for table in tables if (extents := table.extents) is not None and len(table)]
    longest_ns = max((int(np.maximum(each.before_ns, each.after_ns).max()) for each in known), default=0)
    return timedelta(microseconds=-(-longest_ns // 1000))


def drawn_times_ms(table: Table, span: TimeRange) -> NDArray[np.float64]:
    """Where each record's point stands: at the middle of its extent, milliseconds since 1970-01-01 UTC, shape (record,).

    Where no point would be inside the span, because a record is longer than it, they stand at the middle of what is inside.
    What has no extent stands at its stamp.
    """
    levels = level_ends_ms(table, span)
    return middles_ns(table) / 1e6 if levels is None else (levels[0] + levels[1]) / 2


def level_ends_ms(table: Table, span: TimeRange) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """From where to where each record is seen in a span that holds no middle of any: a line shows levels there, no slope.

    Returns
    -------
    tuple or None
        Milliseconds since 1970-01-01 UTC, shape (record,) each; None where the span holds a middle, or no record reaches into
        it.
    """
    if table.extents is None:
        return None
    middle = middles_ns(table)
    first, last = (int(edge.astype(np.int64)) for edge in span.bounds_ns())
    start, stop, is_known = bounds_ns(table)
    low, high = np.clip(start, first, last), np.clip(stop, first, last)
    is_inside = is_known & (high > low)
    if not is_inside.any() or ((middle >= first) & (middle < last)).any():
        return None
    return np.where(is_inside, low, middle) / 1e6, np.where(is_inside, high, middle) / 1e6


def records_in_span(table: Table, span: TimeRange) -> Table:
    """The records that reach into a span; those of which it is not known how far they reach by their times."""
    start, stop, is_known = bounds_ns(table)
    if not is_known.any():
        return table.clip(span)
    first, last = (int(edge.astype(np.int64)) for edge in span.bounds_ns())
    stamps = stamps_ns(table)
    is_inside = np.where(is_known, (stop > first) & (start < last), (stamps >= first) & (stamps < last))
    return replace(
        table, time=table.time[is_inside], columns={name: values[is_inside] for name, values in table.columns.items()}
    )


def median_cadence_ms(time_ms: NDArray[np.float64]) -> float:
    """The median step between times of shape (record,), in milliseconds; NaN for fewer than two records."""
    return float(np.median(np.diff(time_ms))) if len(time_ms) > 1 else float("nan")


def find_gaps(time_ms: NDArray[np.float64], reach: Reach | None = None) -> NDArray[np.intp]:
    """Where records are missing.

    Where it is known how far two neighbours reach, there is a gap between them when a whole record has room there, and their
    step is longer than 1.5 of the usual ones: an instrument that measures half of the time has no gaps. Else a step is a gap
    when it is longer than three times the cadence. The usual step, or cadence, is the median step of the series, or that of
    the nine steps around it where this is longer, so that an instrument which changes to a slower mode is not torn apart.

    Parameters
    ----------
    time_ms
        float64, shape (record,), increasing, milliseconds.
    reach
        How far the records reach, where known.

    Returns
    -------
    intp, shape (gap,)
        Index of the record after each gap.
    """
    if len(time_ms) < 3:
        return np.empty(0, dtype=np.intp)
    if reach is None or not reach.is_known.any():
        return _long_steps(time_ms, GAP_CADENCES)
    is_gap = np.zeros(len(time_ms), dtype=np.bool_)
    is_gap[_long_steps(time_ms, GAP_CADENCES)] = True
    is_missing = np.zeros(len(time_ms), dtype=np.bool_)
    is_missing[_long_steps(time_ms, _MISSING_STEPS)] = True
    is_missing[1:] &= reach.has_room
    return np.flatnonzero(np.where(np.append(False, reach.are_known), is_missing, is_gap))


def breaks_between(time_ms: NDArray[np.float64], valid: NDArray[np.intp], reach: Reach | None) -> NDArray[np.intp]:
    """Positions in `valid` before which a line is interrupted: by missing records or by records without a value.

    Parameters
    ----------
    time_ms
        Milliseconds since 1970, increasing, shape (record,).
    valid
        Indices of the records that have a value, ascending, shape (valid,).
    reach
        How far records reach, where that is known.

    Returns
    -------
    ndarray
        Ascending, shape (break,).
    """
    gap_starts = np.zeros(len(time_ms) + 1, dtype=np.int32)
    gap_starts[find_gaps(time_ms, reach)] = 1
    gaps_before = np.cumsum(gap_starts, dtype=np.int32)
    is_break = (np.diff(valid) > 1) | (np.diff(gaps_before[valid]) > 0)
    return np.flatnonzero(is_break) + 1


def is_gap_between(
    time_ms: NDArray[np.float64], place: int, cadences_ms: NDArray[np.float64], reach: Reach | None = None
) -> bool:
    """Whether records are missing between two partitions, by the rule of `find_gaps` with what is known of their ends.

    Parameters
    ----------
    time_ms
        The last times of one and the first of the next, float64, shape (record,), milliseconds.
    place
        Index of the first record of the next.
    cadences_ms
        Median steps of both, shape (2,), NaN where one has a single record.
    reach
        Of the two records on both sides, where known.
    """
    steps = np.diff(time_ms)
    around = steps[max(0, place - 1 - _NEIGHBOURS) : place + _NEIGHBOURS]
    usual = max(np.nanmin(cadences_ms), np.median(around)) if np.isfinite(cadences_ms).any() else np.nan
    longest = _MISSING_STEPS if reach is not None else GAP_CADENCES
    return bool(steps[place - 1] > longest * usual) and (reach is None or bool(reach.has_room[0]))


def _long_steps(time_ms: NDArray[np.float64], usual: float) -> NDArray[np.intp]:
    """Index of the record after each step that is longer than so many usual ones."""
    steps = np.diff(time_ms)
    wide = np.flatnonzero(steps > usual * np.median(steps))
    if not len(wide):
        return wide
    around = wide[:, None] + np.arange(-_NEIGHBOURS, _NEIGHBOURS + 1)
    inside = (around >= 0) & (around < len(steps))
    nearby = np.where(inside, steps[np.clip(around, 0, len(steps) - 1)], np.nan)
    is_gap = steps[wide] > usual * np.nanmedian(nearby, axis=1)
    return wide[is_gap] + 1
