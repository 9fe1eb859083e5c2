"""The times that the words of a request name: one, or one inside a longer one."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.forms import form
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.time_range import TimeRange

_A_DAY = timedelta(days=1)


def time_and_wider(text: str, now: datetime) -> tuple[FoundSpan | None, FoundSpan | None]:
    """The time that a text names, and a wider one that it lies in: `the July 2012 storm, 14 through 16 July`.

    A date without its year is of that of the other time.
    """
    time = named_time(text, now)
    other = None if time is None else named_time(blanked(text, time), now)
    if time is None or other is None or form("times.joined").search(text[: max(time.first, other.first)]) is not None:
        return time, None
    one = named_time(blanked(text, other), now, other.span or other.hull)
    two = named_time(blanked(text, time), now, time.span or time.hull)
    is_one, is_two = one is not None and _is_within(one, other), two is not None and _is_within(two, time)
    if is_one and not is_two and _is_a_year(other):
        return one, other
    if is_two and not is_one and _is_a_year(time):
        return two, time
    if (is_one or is_two) and time.span is not None and other.span is not None:
        return (other, time) if _digits(other) > _digits(time) else (time, other)
    if is_one:
        return one, other
    if is_two:
        return two, time
    exact = [each for each in ((one, other), (two, time)) if each[0] is not None and _is_of_event(each[0], each[1], now)]
    return exact[0] if exact else (time, None)


def _is_of_event(time: FoundSpan, event: FoundSpan, now: datetime) -> bool:
    """Whether a range is that of an event that is named, too, or of one of those called so: it overlaps it."""
    choices = [found.span for each in event.choices if (found := find_span(each, now)) is not None]
    overlaps = [time.span.overlaps(each) for each in (event.span, *choices) if each is not None and time.span is not None]
    return form("vague.events").search(event.words) is not None and any(overlaps)


def named_time(text: str, now: datetime, beside: TimeRange | None = None) -> FoundSpan | None:
    """The time that a text names, if it names one; the numbers of spacecraft are no part of it."""
    time = find_span(_without_member_numbers(text), now, beside)
    return replace(time, words=text[time.first : time.last]) if time is not None else None


def _is_within(time: FoundSpan, wider: FoundSpan) -> bool:
    """Whether a range lies in a wider one, in whatever a vague one may mean, or begins or ends by the clock on that day."""
    hull = wider.span or wider.hull
    if time.span is not None and hull is not None and hull.duration == _A_DAY and time.span.start.hour + time.span.stop.hour:
        return hull.start <= time.span.start < hull.stop or hull.start < time.span.stop <= hull.stop
    return time.span is not None and hull is not None and hull.start <= time.span.start and time.span.stop <= hull.stop


def _is_a_year(time: FoundSpan) -> bool:
    """Whether a time is a year or more: what is named in it is meant, as `the first perihelion 2018`."""
    return time.span is not None and time.span.duration >= timedelta(days=365)


def _digits(time: FoundSpan) -> int:
    """Of two times of a request the one with more digits is the exact one."""
    return sum(letter.isdigit() for letter in time.words)


def _without_member_numbers(text: str) -> str:
    """The text with numbers that are no days replaced by letters: `Voyager 1, July 2012`, `above 20, July 2004`."""

    def lettered(match: re.Match[str]) -> str:
        number = match["number"] or match["limit"]
        return match[0].removesuffix(number) + "x" * len(number)

    return form("times.numbered").sub(lettered, text)


def without_time(text: str, time: FoundSpan | None) -> str:
    """A text without a time, and without the word that leads to it."""
    if time is None:
        return text
    return f"{form('times.link').sub('', text[: time.first])} {text[time.last :].strip(' ,')}".strip()


def range_of(text: str, time: FoundSpan | None, *choices: str) -> TimeRange:
    """The range that a text is for.

    Raises
    ------
    OpenQuestion
        It names none, where `choices` are texts that do; or its time can be read in several ways.
    """
    if time is None:
        raise OpenQuestion("For which time?", [*choices])
    if time.span is None:
        raise OpenQuestion(time.question, [f"{text[: time.first]}{each}{text[time.last :]}" for each in time.choices])
    return time.span


def blanked(text: str, time: FoundSpan) -> str:
    """A text without the words for a time; all else keeps its place."""
    return blank(text, time.first, time.last)


def blank(text: str, first: int, last: int) -> str:
    """A text with spaces at character positions `[first, last)`."""
    return text[:first] + " " * (last - first) + text[last:]
