"""Find the part of a requested range that can be run: whole partitions that are over."""

from __future__ import annotations

from datetime import datetime

from helio_dagster.agent.events import Event
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange, format_time


def complete_part(pipeline: Pipeline, span: TimeRange, now: datetime, *, is_open: bool = False) -> tuple[TimeRange, str]:
    """The part of a range that is over, and a note if it is shorter than the range; where it `is_open`, to the last that began.

    Raises
    ------
    InputError
        None of it is over.
    """
    grain = pipeline.grain
    last = grain.ceil(now) if is_open or pipeline.open else grain.floor(now)
    if grain.cover(span).stop <= last:
        return span, ""
    if grain.floor(span.start) >= last:
        hint = (
            f"Pipelines run over whole partitions: give a time before {format_time(last)}. With `open: true` in its file, the "
            "one that has begun is made up to its newest record."
        )
        raise InputError(f"{span} is not over yet", hint=hint)
    return TimeRange(span.start, last), f"{span} is not over yet: data are used up to {format_time(last)}"


def time_event(span: TimeRange) -> Event:
    """The event that a range was resolved."""
    facts = {"start": format_time(span.start), "stop": format_time(span.stop)}
    return Event(stage="time", text=f"{span} (end exclusive)", facts=facts)
