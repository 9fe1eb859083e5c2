"""Events given by their times in a request for a superposed epoch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from helio_dagster.catalog.times.named_times import storms
from helio_dagster.catalog.times.phrases import FoundSpan
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.time_words import parse_period

SUPERPOSED = re.compile(
    r"superposed[- ]epoch|superpos(?:e|ition)\b|epoch analysis|(?:stack|average)d? (?:of .+ )?around", re.IGNORECASE
)
_MOMENT = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?|T\d{2})?(?![\d:T-])"
_LIST = re.compile(
    rf"(?:(?:around|at|for|on|with|about|over|of)\s+)?(?:(?:these|the)\s+)?(?:(?:times?|events?|epochs?|storms?|onsets?)[: ]+)?"
    rf"(?:(?:at|on|of|around|starting|beginning|from)\s+)*(?P<times>{_MOMENT}(?:(?:\s*[,;]\s*(?:and\s+)?|\s+and\s+|\s+){_MOMENT})*)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SpokenEvents:
    """Events of a request: their times, and the words for them as the time of the request, the days of all of them."""

    times: tuple[datetime, ...]
    time: FoundSpan


def find_events(request: str) -> SpokenEvents | None:
    """The events that a request for a superposed epoch tells; None where it tells none, or asks for something else.

    Raises
    ------
    InputError
        One of the times cannot be.
    """
    match = _LIST.search(request) if SUPERPOSED.search(request) else None
    if match is None or re.match(r"\s*(?:to|until|through|[-–])\s*\d", request[match.end() :]):
        return None
    moments = [found[0] for found in re.finditer(_MOMENT, match["times"])]
    times = tuple(sorted({parse_period(words, datetime(2000, 1, 1, tzinfo=UTC)).start for words in moments}))
    span = TimeRange(Grain.DAILY.floor(times[0]), Grain.DAILY.floor(times[-1]) + timedelta(days=1))
    note = "The range is that of the days of the events."
    return SpokenEvents(times, FoundSpan(match.start(), match.end(), match[0], span, note))


def events_csv(times: Sequence[datetime]) -> str:
    """The rows of a table of events."""
    return "\n".join(["onset", *(format_time(time) for time in times)])


def named_storms_in(span: TimeRange | None) -> list[str]:
    """The first days of the storms that have a name and lie in a range."""
    inside = [storm.span.start for storm in storms() if span is not None and span.start <= storm.span.start < span.stop]
    return [f"{start:%Y-%m-%d}" for start in sorted(inside)]
