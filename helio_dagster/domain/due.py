"""Which partitions a scheduled run covers at a tick."""

from __future__ import annotations

from datetime import datetime, timedelta

from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange

CATCH_UP = timedelta(days=31)
"""How far back a schedule makes up for partitions that came due while nothing ran; more is for a backfill."""
_INSTANT = timedelta(microseconds=1)


def due_span(
    grain: Grain, now: datetime, *, start: datetime, lag: timedelta, recheck_days: int = 0, newest_made: str | None = None
) -> TimeRange | None:
    """The partitions that a schedule asks for, as one range of whole partitions; None where there are none.

    It is the latest complete partition, all after the newest one made if the first of them came due within `CATCH_UP`, and
    those of the last days that are asked about once more.

    Parameters
    ----------
    grain
        Of the partitions.
    now
        The time of the tick.
    start
        Where the grain's partitions begin.
    lag
        How long after its stop a partition's data are complete.
    recheck_days
        The last days, before the lag, that are always covered.
    newest_made
        Key of the newest partition that was made before.
    """
    complete = grain.floor(now - lag)
    first = grain.floor(complete - _INSTANT)
    if newest_made is not None:
        following = grain.window(newest_made).stop
        came_due = grain.following(following) + lag
        if following >= complete or now - came_due <= CATCH_UP:
            first = following
    if recheck_days:
        first = min(first, grain.floor(complete - timedelta(days=recheck_days)))
    first = max(first, start)
    return TimeRange(first, complete) if first < complete else None


def open_span(grain: Grain, now: datetime, *, start: datetime, newest_made: str | None = None) -> TimeRange | None:
    """The partitions that a schedule of an open pipeline asks for: the one that has begun, and those that may not be final yet.

    These are the partition before it and, if the newest partition made ended within `CATCH_UP`, all from that one on. The
    parameters are those of `due_span`.
    """
    stop = grain.ceil(now)
    first = grain.floor(grain.floor(now) - _INSTANT)
    if newest_made is not None:
        newest = grain.window(newest_made)
        if now - newest.stop <= CATCH_UP:
            first = min(first, newest.start)
    first = max(first, start)
    return TimeRange(first, stop) if first < stop else None
