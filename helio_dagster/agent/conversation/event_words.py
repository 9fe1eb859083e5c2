"""The events that are a pipeline's partitions, for the card of a plan."""

from __future__ import annotations

from datetime import timedelta

from helio_dagster.domain.amounts import counted, readable_duration
from helio_dagster.domain.event_table import EventTableError, read_events
from helio_dagster.domain.pipeline import EventWindows, Pipeline
from helio_dagster.domain.time_range import TimeRange, ns_to_datetime


def events_inside(pipeline: Pipeline, span: TimeRange | None) -> int:
    """How many events of the pipeline's own table start in a range; 0 where they stand in a file or cannot be read."""
    windows = pipeline.partitions
    if span is None or not isinstance(windows, EventWindows):
        return 0
    table = next((step.table for step in pipeline.steps if step.id == windows.events), None)
    if table is None:
        return 0
    try:
        times = read_events(table).time
    except EventTableError:
        return 0
    return sum(span.start <= ns_to_datetime(moment) < span.stop for moment in times)


def tell_window(windows: EventWindows) -> str:
    """`from 1 day before to 3 days after`."""
    before, after = (_length(each) for each in (windows.before, windows.after))
    if not windows.before:
        return f"until {after} after" if windows.after else "from its start to its stop"
    return f"from {before} before to {after} after" if windows.after > timedelta(0) else f"from {before} before"


def _length(length: timedelta) -> str:
    days, rest = divmod(length, timedelta(days=1))
    return counted(days, "day") if days and not rest else readable_duration(length.total_seconds())
