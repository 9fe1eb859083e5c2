"""Days of the week beside a date: `Friday 29 October 2003` is the date, and it is said where the day is another one."""

from __future__ import annotations

import re
from datetime import datetime

from helio_dagster.agent.offline.retracted import Retracted
from helio_dagster.catalog.times.phrases import find_span

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAY = r"(?P<day>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sunday)"
_BEFORE = re.compile(rf"\b{_DAY}\b[.,]?\s+(?:the\s+)?(?=\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)
_BEHIND = re.compile(rf"(?<=\d),?\s*(?:\(\s*(?:an?\s+)?{_DAY}\s*\)|an?\s+{_DAY}\b)".replace("?P<day>", ""), re.IGNORECASE)


def without_weekdays(request: str, now: datetime) -> Retracted:
    """The request without the days of the week that stand beside dates, and a note on each that is another day."""
    notes: list[str] = []
    for pattern in (_BEFORE, _BEHIND):
        while (match := pattern.search(request)) is not None:
            words = next((each for each in _DAYS if re.search(rf"\b{each[:3]}", match[0], re.IGNORECASE)), "")
            rest = f"{request[: match.start()]}{request[match.end() :]}"
            near = rest[match.start() :] if pattern is _BEFORE else rest
            found = find_span(near, now)
            if found is None or found.span is None or not words:
                break
            request, day = rest, found.span.start
            if _DAYS[day.weekday()] != words:
                notes.append(f"{day:%Y-%m-%d} is a {_DAYS[day.weekday()]}, not a {words}: the date counts.")
    return Retracted(request, tuple(notes))
