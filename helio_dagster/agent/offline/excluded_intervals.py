"""Intervals that a request leaves out: `excluding 06:00 to 09:00`, `without the intervals in lists/bad.csv`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.intent import Exclusions
from helio_dagster.catalog.times.clocks import read_clocks, read_hours
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.catalog.times.tokens import split
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange

_LEAD = re.compile(
    r"[,;]?\s*\b(?:but\s+|and\s+|also\s+)*(?:exclud(?:e|ing)|except(?:ing)?(?:\s+for)?|without|leav(?:e|ing)\s+out|omit(?:ting)?|ignor(?:e|ing)|"
    r"skip(?:ping)?|mask(?:ing)?(?:\s+out)?|minus|not\s+(?:counting|including|using)|(?:apart|aside)\s+from|other\s+than|but\s+not|and\s+not|"
    r"disregard(?:ing)?|discard(?:ing)?|drop(?:ping)?|(?:cut|blank)(?:ting|ing)?\s+out|save\s+for|with\s+the\s+exception\s+of)\s+",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"\s+(?:(?:is|are|was|were|being|to\s+be|should\s+be|must\s+be)\s+)?"
    r"(?:(?:left|taken|masked|cut|blanked)\s+out|excluded|omitted|skipped|masked|ignored|dropped|discarded|not\s+(?:included|used|counted))\b",
    re.IGNORECASE,
)
"""What follows the times that are left out: `29-30 Oct left out`."""
_WITH = re.compile(r"[,;]?\s*\b(?:with|having|but\s+with|and\s+with|but)\s+(?:the\s+)?$", re.IGNORECASE)
_AND = re.compile(r"(?:\s*,)?\s+(?:and|&)\s*$", re.IGNORECASE)
_WORD_START = re.compile(r"(?<![^\s(,;:])[^\s(,;:]")
_DAY = re.compile(r"(?:the\s+)?(?P<day>[1-9]|[12]\d|3[01])(?:st|nd|rd|th)\b(?!\s+of\b)", re.IGNORECASE)
_MOST_WORDS = 14
"""How many words a time before `left out` may have."""
_BEFORE = re.compile(
    r"(?:(?:all|any|the|bad|those|these|noisy|invalid|data|samples?|values?|measurements?|times?|periods?|intervals?|ranges?|part|hours?|days?|"
    r"from|between|during|within|inside|in|on|of|for|listed|given)\s+)*",
    re.IGNORECASE,
)
_FILE = re.compile(r"(?P<file>(?:[A-Za-z0-9_][\w.-]*/)*[A-Za-z0-9_][\w-]*\.(?:csv|txt|json|xml|vot))\b")
_NEXT = re.compile(r"\s*(?:,|and|,\s*and|&)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Excluding:
    """What a request leaves out, and the characters `[first, last)` that say so."""

    excluded: Exclusions
    first: int
    last: int

    def rest(self, request: str) -> str:
        """The request without these words."""
        kept = f"{request[: self.first]} {request[self.last :]}"
        return re.sub(r"\s+(?=[,;])", "", " ".join(kept.split())).strip(" ,;")


def find_exclusions(request: str, now: datetime, span: TimeRange | None = None) -> Excluding | None:
    """The intervals or the list that a request leaves out; None if it leaves out none, or something else than times.

    Parameters
    ----------
    request
        A request, or a change of a plan.
    now
        The present.
    span
        The range on the table, if there is one: clock times alone are those of its day, unless the request names another.

    Raises
    ------
    InputError
        It names a time that cannot be.
    OpenQuestion
        It names a time that can be read in several ways.
    """
    for lead in _LEAD.finditer(request):
        first = lead.end() + _length(_BEFORE, request[lead.end() :])
        if listed := _FILE.match(request, first):
            return Excluding(Exclusions(file=listed["file"]), lead.start(), listed.end())
        before = _main(request[: lead.start()], now)
        spans: list[TimeRange] = []
        first = last = lead.end()
        while (found := _interval(request, first, before or span, now)) is not None:
            if any(found[0].start <= each.start and each.stop <= found[0].stop for each in spans):
                break  # `excluding 29 Oct, October 2003` ends with the range of the request
            spans.append(found[0])
            last = found[1]
            joint = _NEXT.match(request, last)
            if joint is None:
                break
            first = joint.end()
        if spans:
            return Excluding(Exclusions(tuple(spans)), lead.start(), last)
    for trail in _TRAIL.finditer(request):
        if (excluding := _before_trail(request, trail, now, span)) is not None:
            return excluding
    return None


def _before_trail(request: str, trail: re.Match[str], now: datetime, span: TimeRange | None) -> Excluding | None:
    """The intervals that end where `left out` begins, and all words that say so."""
    spans: list[TimeRange] = []
    last = trail.start()
    while last:
        starts = [found.start() for found in _WORD_START.finditer(request[:last])][-_MOST_WORDS:]
        for first in starts:
            around = _main(f"{request[:first]} {request[trail.end() :]}", now) or span
            found = _interval(request[:last], first, around, now)
            if found is not None and found[1] == last and around is not None and around.overlaps(found[0]):
                break
        else:
            break
        spans.insert(0, found[0])
        last = first
        joint = _AND.search(request[:last])
        if joint is None:
            break
        last = joint.start()
    if not spans:
        return None
    lead = _WITH.search(request[:first])
    return Excluding(Exclusions(tuple(spans)), lead.start() if lead else first, trail.end())


def _main(text: str, now: datetime) -> TimeRange | None:
    """The range that other words of a request name."""
    found = find_span(text, now)
    return None if found is None else found.span or found.hull


def _interval(request: str, at: int, span: TimeRange | None, now: datetime) -> tuple[TimeRange, int] | None:
    """The interval that begins at a place, after words such as `the data of`, and where its words end.

    A date without its year is of that of the range beside it; times of day alone are those of its one day.
    """
    lead = _BEFORE.match(request, at)
    places = [at, *(at + word.start() for word in re.finditer(r"(?<=\s)\S", request[at : lead.end() + 1]))] if lead else [at]
    for place in places:
        if (told := find_span(request[place:], now, span, is_leading=True)) is not None:
            last = place + told.last
            beside = span or _main(request[last:], now)
            if told.span is None and beside is not None:
                told = find_span(request[place:], beside.stop, beside, is_leading=True) or told
            return _require_exact(told, request, place), place + told.last
        for read in (_clocks, _day):
            if (found := read(request[place:], span)) is not None:
                return found[0], place + found[1]
    return None


def _require_exact(told: FoundSpan, request: str, at: int) -> TimeRange:
    if told.span is not None:
        return told.span
    question = f"Which time is left out? {told.question}"
    raise OpenQuestion(
        question, [f"{request[:at]}{choice.removeprefix('for ')}{request[at + told.last :]}" for choice in told.choices]
    )


def _clocks(text: str, span: TimeRange | None) -> tuple[TimeRange, int] | None:
    """The times of day that a text begins with, as those of a range of one day, and where they end."""
    tokens = split(text)
    clocks = read_clocks(tokens, 0) or read_hours(tokens, 0)
    day = span.start.replace(hour=0, minute=0, second=0, microsecond=0) if span else None
    if clocks is None or span is None or day is None or span.stop > day + timedelta(days=1):
        return None
    start, stop = (day + _of_day(clock.text) for clock in clocks[1:])
    return (TimeRange(start, stop), tokens[clocks[0] - 1].last) if start < stop else None


def _day(text: str, span: TimeRange | None) -> tuple[TimeRange, int] | None:
    """The day that a text begins with, `the 29th`, of the one month of a range, and where it ends."""
    told = _DAY.match(text)
    day = None if told is None or span is None else span.start.replace(hour=0, minute=0, second=0, microsecond=0)
    if told is None or span is None or day is None or span.stop > Grain.MONTHLY.following(day.replace(day=1)):
        return None
    start = day.replace(day=1) + timedelta(days=int(told["day"]) - 1)
    return (TimeRange(start, start + timedelta(days=1)), told.end()) if start.month == day.month else None


def _of_day(clock: str) -> timedelta:
    hours, minutes, seconds = (float(part) for part in f"{clock}:00".split(":")[:3])
    return timedelta(hours=hours, minutes=minutes, seconds=seconds)


def _length(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0
