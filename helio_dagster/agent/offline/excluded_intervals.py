"""Intervals that a request leaves out, or the question which these are."""

from __future__ import annotations

from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.catalog.times.left_out import LeftOutTimes, find_left_out
from helio_dagster.domain.time_range import TimeRange


def find_exclusions(request: str, now: datetime, span: TimeRange | None = None) -> LeftOutTimes | None:
    """What a request leaves out; raises as `find_left_out`, and OpenQuestion if a time is not clear."""
    found = find_left_out(request, now, span)
    if found is not None and found.question:
        raise OpenQuestion(f"Which time is left out? {found.question}", list(found.choices))
    return found
