"""Intervals that a request leaves out: `excluding 06:00 to 09:00`, `without the intervals in lists/bad.csv`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from helio_dagster.agent.intent import Exclusions
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.time_range import TimeRange

_LEAD = re.compile(
    r"[,;]?\s*\b(?:but\s+|and\s+|also\s+)*(?:exclud(?:e|ing)|except(?:ing)?(?:\s+for)?|without|leav(?:e|ing)\s+out|omit(?:ting)?|ignor(?:e|ing)|"
    r"skip(?:ping)?|mask(?:ing)?(?:\s+out)?|minus|not\s+(?:counting|including|using))\s+",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:(?:all|any|the|bad|those|these|noisy|invalid|data|samples?|values?|measurements?|times?|periods?|intervals?|ranges?|part|hours?|days?|"
    r"from|between|during|within|inside|in|on|of|for|listed|given)\s+)*",
    re.IGNORECASE,
)
_FILE = re.compile(r"(?P<file>(?:[A-Za-z0-9_][\w.-]*/)*[A-Za-z0-9_][\w-]*\.(?:csv|txt|json|xml|vot))\b")
_CLOCKS = re.compile(
    r"(?P<first>\d{1,2}:\d{2})\s*(?:UTC?\s*)?(?:to|and|until|till|[-–])\s*(?P<last>\d{1,2}:\d{2})(?:\s*UTC?)?\b"
)
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
    Unclear
        It names a time that can be read in two ways.
    """
    for lead in _LEAD.finditer(request):
        first = lead.end() + _length(_BEFORE, request[lead.end() :])
        if listed := _FILE.match(request, first):
            return Excluding(Exclusions(file=listed["file"]), lead.start(), listed.end())
        others = find_span(request[: lead.start()], now)
        day = others.span if others else span
        spans: list[TimeRange] = []
        last = first
        while (found := _interval(request, last, day, now)) is not None:
            spans.append(found[0])
            end = found[1]
            joint = _NEXT.match(request, end)
            if joint is None:
                last = end
                break
            last = joint.end() + _length(_BEFORE, request[joint.end() :])
        if spans:
            return Excluding(Exclusions(tuple(spans)), lead.start(), end)
    return None


def _interval(request: str, at: int, span: TimeRange | None, now: datetime) -> tuple[TimeRange, int] | None:
    """The interval that begins at a place, and where its words end; clock times alone are those of the request's one day."""
    for tail in (request[at:], re.split("[,;]", request[at:])[0]):
        told = find_span(tail, now)
        if told is not None and told.span is not None and told.first == 0:
            return told.span, at + told.last
    clocks = _CLOCKS.match(request, at)
    day = span.start.replace(hour=0, minute=0, second=0, microsecond=0) if span else None
    if clocks is None or span is None or day is None or span.stop > day + timedelta(days=1):
        return None
    start, stop = (day + _of_day(clocks[name]) for name in ("first", "last"))
    return (TimeRange(start, stop), clocks.end()) if start < stop else None


def _of_day(clock: str) -> timedelta:
    hours, minutes = clock.split(":")
    return timedelta(hours=int(hours), minutes=int(minutes))


def _length(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0
