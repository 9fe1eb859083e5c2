"""The range of a plan whose partitions are events: the days from the first of them to the last."""

from __future__ import annotations

from datetime import timedelta

from helio_dagster.domain.event_table import read_events
from helio_dagster.domain.pipeline import EventTable
from helio_dagster.domain.time_range import TimeRange, ns_to_datetime


def range_of_events(table: EventTable) -> TimeRange:
    """The whole days in which the events of a table start.

    Raises
    ------
    EventTableError
        The rows cannot be read.
    """
    times = read_events(table).time
    first, last = (
        ns_to_datetime(moment).replace(hour=0, minute=0, second=0, microsecond=0) for moment in (times[0], times[-1])
    )
    return TimeRange(first, last + timedelta(days=1))
