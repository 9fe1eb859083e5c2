"""Two ranges of time as the one range of a plan."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.domain.time_range import TimeRange


def both_ranges(one: TimeRange, other: TimeRange) -> TimeRange:
    """Two ranges as one.

    Raises
    ------
    OpenQuestion
        There is time between them.
    """
    whole = TimeRange(min(one.start, other.start), max(one.stop, other.stop))
    if whole.duration > one.duration + other.duration:
        text = f"{one} and {other} are apart, and a plan has one range. Do you want all of {whole}, or {other} alone?"
        raise OpenQuestion(text, [f"{whole}", f"{other}"])
    return whole
