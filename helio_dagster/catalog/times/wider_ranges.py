"""A range made of the present one: wider, the whole month around it, centred on a moment, or the same days of another year."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from helio_dagster.catalog.times.range_parts import COUNT, POLITE, UNIT, clock_on, moved_by, number_of
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange

_SIDES = r"(?:(?:on|at|to|of)\s+)?(?:either|each|both)\s+(?:sides?|ends?)"
_WIDER = re.compile(
    rf"{POLITE}(?:add |with |use |take )?{COUNT}{UNIT}\s+(?:(?:more|extra|longer|wider)\s+)?"
    rf"(?:{_SIDES}|before and after(?:wards)?)",
    re.IGNORECASE,
)
_AROUND = re.compile(
    rf"{POLITE}(?:add |with |use |take )?{COUNT}{UNIT}\s+(?:more\s+|extra\s+)?before,?\s*(?:and|,)\s*"
    rf"{COUNT.replace('count', 'count2')}(?:{UNIT.replace('unit', 'unit2')}\s+)?(?:more\s+|extra\s+)?after(?:wards)?",
    re.IGNORECASE,
)
_BEYOND = re.compile(
    rf"{POLITE}(?:add |with |use |take )?{COUNT}{UNIT}\s+(?:more|extra)\s+"
    r"(?P<where>before(?:hand)?|after(?:wards)?|at the (?:start|beginning|end))",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    rf"{POLITE}(?:all of |rest of )?(?:the |that |this )?(?:whole|entire|full|all of the) (?P<unit>day|week|month|year)", re.I
)
_CENTRED = re.compile(
    r"(?:(?:please )?keep (?:the )?(?:same )?(?:length|duration|width)(?: the same)?,?\s+(?:but |and )?)?"
    r"(?:re-?)?cent(?:er|re)(?:d)?(?:\s+(?:it|this|that|the (?:time )?(?:range|window|plot|figure)))?\s+(?:on|at|around)\s+"
    r"(?:(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)(?:\s*(?:utc?|z))?|(?P<when>.+))",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"(?:(?:and|but|now|oops|sorry|no|wait|ah|oh|i)[,\s]+)*(?:(?:mean(?:t)?|should (?:be|have been)|it'?s)\s+"
    r"|(?:the )?same (?:dates?|days?|times?|period|range|interval|window|months?),?\s*"
    r"(?:(?:but|just|only|in|of|for|from|a|the|year)\s+)*)"
    r"(?P<year>(?:19|20)\d\d)(?:\s*,?\s*(?:not|instead of|rather than) (?P<old>\d{4}))?"
    r"|(?P<year2>(?:19|20)\d\d)[,\s]+(?:and )?(?:not|instead of|rather than)\s+(?P<old2>\d{4})",
    re.IGNORECASE,
)
_PART = re.compile(
    r"(?:the )?(?:very )?(?P<edge>start|beginning|end) of (?:the|that|this) (?P<unit>day|week|month|year)", re.IGNORECASE
)
_FIRST = re.compile(
    rf"{POLITE}(?:(?:only|just|keep|zoom(?: in)?(?: on| to| into)?)\s+)*(?:the )?(?P<way>first|last)\s+{COUNT}{UNIT}"
    r"(?:\s+(?:only|alone|of (?:it|this|that|the (?:range|interval|plot))))?",
    re.IGNORECASE,
)
_GRAINS = {"day": Grain.DAILY, "week": Grain.WEEKLY, "month": Grain.MONTHLY}


def read_wider(text: str, span: TimeRange, named: Callable[[str], TimeRange | None]) -> TimeRange | None:
    """The range that a sentence makes of the present one; None where it is about something else.

    `named` is the time that words name, all of them, beside the present range.
    """
    if match := _WIDER.fullmatch(text) or _AROUND.fullmatch(text) or _BEYOND.fullmatch(text):
        return _widened(match.groupdict(), span)
    if match := _WHOLE.fullmatch(text):
        return TimeRange(_floor(span.start, match["unit"]), _next(span.stop - timedelta(microseconds=1), match["unit"]))
    if match := _CENTRED.fullmatch(text):
        return _centred(match, span, named)
    if (match := _FIRST.fullmatch(text)) and re.match(r"(?:only|just|keep|zoom)\b", text, re.IGNORECASE):
        return _end_of(match, span)
    if match := _YEAR.fullmatch(text):
        year, old = int(match["year"] or match["year2"]), match["old"] or match["old2"]
        return moved_by(span, year - span.start.year, "year") if not old or int(old) == span.start.year else None
    return None


def _widened(words: dict[str, str | None], span: TimeRange) -> TimeRange:
    """A range longer by a length on both sides, by one on each, or on one."""
    unit = str(words["unit"]).lower()
    before, after = number_of(words["count"]), number_of(words["count2"] if "count2" in words else words["count"])
    where = str(words.get("where") or "").lower()
    start = span.start if where and not re.search("before|start|beginning", where) else moved_by(span, -before, unit).start
    stop = span.stop if where.startswith("before") or where.endswith(("start", "beginning")) else None
    return TimeRange(start, stop or moved_by(span, after, str(words.get("unit2") or unit).lower()).stop)


def _end_of(match: re.Match[str], span: TimeRange) -> TimeRange | None:
    """The first or last hours or days of a range; None where it is no longer than those."""
    first = match["way"].lower() == "first"
    ends = moved_by(span, number_of(match["count"]) * (1 if first else -1), match["unit"].lower())
    if (ends.start >= span.stop) if first else (ends.stop <= span.start):
        return None
    return TimeRange(span.start, ends.start) if first else TimeRange(ends.stop, span.stop)


def _centred(match: re.Match[str], span: TimeRange, named: Callable[[str], TimeRange | None]) -> TimeRange | None:
    """A range of the same length around a moment; None where it is of several days and the moment names none."""
    day, half = Grain.DAILY.floor(span.start), span.duration / 2
    if match["clock"]:
        moment = clock_on(day, match["clock"]) if span.stop <= day + timedelta(days=1) else None
    else:
        found = named(match["when"])
        moment = found.start + found.duration / 2 if found is not None else None
    return TimeRange(moment - half, moment + half) if moment is not None else None


def _floor(moment: datetime, unit: str) -> datetime:
    grain = _GRAINS.get(unit.lower())
    return grain.floor(moment) if grain else moment.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0)


def _next(moment: datetime, unit: str) -> datetime:
    """The first moment after the day, week, month or year that a moment is in."""
    start = _floor(moment, unit)
    return moved_by(TimeRange(start, start + timedelta(days=1)), 1, unit.lower()).start


def part_of(words: str, span: TimeRange) -> datetime | None:
    """`the end of the month` beside a range: of the month in which it ends; None for other words."""
    part = _PART.fullmatch(words.strip())
    if part is None:
        return None
    last = span.stop - timedelta(microseconds=1)
    return _next(last, part["unit"]) if part["edge"].lower() == "end" else _floor(span.start, part["unit"])
