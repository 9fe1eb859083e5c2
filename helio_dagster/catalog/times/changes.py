"""Read how a sentence changes a time range that is there: `next day`, `extend by one day`, `start at 05:00`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from helio_dagster.catalog.times.moments import Around
from helio_dagster.catalog.times.phrases import FoundSpan, find_span, read_range
from helio_dagster.catalog.times.range_parts import COUNT, POLITE, UNIT, clock_on, in_full, moved_by, number_of
from helio_dagster.catalog.times.wider_ranges import part_of, read_wider
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import NUMBER_WORDS

_LATER = COUNT.replace("count", "count2") + UNIT.replace("unit", "unit2") + r"\s+(?P<way2>later|earlier|after|before)"
_SHIFT = re.compile(
    rf"{POLITE}(?:(?P<way>next|following|previous|preceding)\s+{COUNT}{UNIT}(?:\s+instead)?"
    rf"|(?:by )?{_LATER}(?:\s+(?:that|it|(?:on|at) both (?:ends|sides)|instead))?)",
    re.IGNORECASE,
)
_WAY = r"back(?:wards?)?|forwards?|earlier|later|on"
_MOVE = re.compile(
    rf"{POLITE}(?:move|shift|slide|push|go)\s+(?:the\s+|it\s+|this\s+|that\s+|everything\s+)?"
    rf"(?:(?:time\s+)?(?:range|window|interval|period|plot|figure)\s+)?"
    rf"(?:(?P<way>{_WAY})\s+(?:by\s+)?{COUNT}{UNIT}|(?:by\s+)?{COUNT.replace('count', 'count2')}"
    rf"{UNIT.replace('unit', 'unit2')}\s+(?P<way2>{_WAY}))",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"(?:also|and|plus|with|add)\s+(?:the\s+)?(?:next|following)\s+{COUNT}{UNIT}(?:\s+(?:too|as well|also))?", re.IGNORECASE
)
_MORE_BEYOND = re.compile(
    rf"{POLITE}(?P<count>\d{{1,9}}|an?|{'|'.join(NUMBER_WORDS)})\s+more\s+{UNIT}\s+(?P<where>before|after(?:wards)?)(?:\s+(?:that|it|this))?",
    re.IGNORECASE,
)
_WHERE = r"on (?:both sides|either side)|at the (?:start|beginning|end)|before|after|to (?:both sides|the range|it)"
_EXTEND = re.compile(
    rf"{POLITE}(?:extend|lengthen|widen|add)\s*(?:(?:it|the range|the time range|this)\s+)?(?:by\s+)?{COUNT}{UNIT}"
    rf"(?:\s+(?P<where>{_WHERE}))?",
    re.IGNORECASE,
)
_LONGER = re.compile(
    rf"{POLITE}(?:make )?(?:it|this|that|the (?:time )?(?:range|interval))\s+{COUNT}{UNIT}\s+(?P<way>longer|shorter)"
    r"(?:\s+(?:at|on|to)\s+(?:the\s+)?(?P<where>end|start|beginning|both ends|both sides))?",
    re.IGNORECASE,
)
_MOVED_EDGE = re.compile(
    rf"{POLITE}(?:let it |make it )?(?P<edge>start|begin|stop|end)s?\s+{COUNT}{UNIT}\s+(?P<way>earlier|later|before|after)",
    re.IGNORECASE,
)
_RANGE = r"(?:the\s+)?(?:time\s+)?(?:range|window|interval|period|plot|figure)"
_LET = rf"{POLITE}(?:let it |make it |have it )?"
_LASTING = re.compile(
    rf"{_LET}(?:(?:extend|lengthen|prolong|stretch|shorten)(?:\s+(?:it|this|that|{_RANGE}))?\s+to"
    r"|(?:run|last|go on|continue|show|plot)(?:\s+(?:it|this|that))?\s+for|last|cover|span)"
    rf"\s+(?P<count>\d{{1,9}}|an?|{'|'.join(NUMBER_WORDS)})\s+{UNIT}(?:\s+(?:in total|altogether|long))?",
    re.IGNORECASE,
)
"""How long a range is to be."""
_STARTING = re.compile(rf"{_LET}(?:start|begin)(?:s|ing|ning)?\s+(?:(?:it|this|that|{_RANGE})\s+)?(?P<when>.+)", re.IGNORECASE)
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+(?:and|then)\s+|\s+(?=(?:start|beginn)ing\b)", re.IGNORECASE)
_CLOCK = r"(?P<clock>\d{1,2}(?:(?::\d{2}){1,2}|(?=\s*(?:utc?|z|h)\b)))(?:\s*(?:utc?|z|h))?"
_EDGE = re.compile(
    rf"{POLITE}(?:let it\s+|make it\s+)?(?P<edge>start|begin|stop|end|go on until|until|cut)s?(?:\s+it)?"
    rf"(?:\s+(?:at|from|on|with))?\s+(?:{_CLOCK}|(?P<when>.+))",
    re.IGNORECASE,
)
_MOMENT = re.compile(r"\d:\d\d(?::\d\d)?\s*(?:UTC?|Z)?$", re.IGNORECASE)
"""A time of day at which a range begins or ends."""
_UNTIL = re.compile(
    rf"{POLITE}(?:(?:extend|lengthen|prolong|continue|stretch)(?:\s+(?:it|this|that|the\s+(?:time\s+)?(?:range|interval|period)))?"
    r"\s+(?:on\s+)?(?:to|until|till|through|up to)|through|up to)\s+(?:the\s+)?(?P<when>.+?)"
    r"(?:,?\s*\(?(?:inclusive(?:ly)?|included)\)?)?",
    re.IGNORECASE,
)
_CLOCKS = re.compile(
    r"(?:(?:zoom(?: in)?(?: on| into| to)?|only|just|show|show me|use|from|between)\s+)*"
    r"(?P<first>\d{1,2}(?P<colon>:\d{2}(?::\d{2})?)?)"
    r"\s*(?:to|until|till?|thru|through|-|–|and)\s*"
    r"(?P<last>\d{1,2}(?:(?::\d{2}){1,2}|(?=\s*(?:utc?|z|h)\b)|(?(colon)(?![\w:]))))(?:\s*(?:utc?|z|h))?(?:\s+only)?",
    re.IGNORECASE,
)
_NARROWED = re.compile(
    rf"^{POLITE}(?:(?:only|just|zoom(?: in)?(?: on| into| to)?|limit it to|restrict it to|cut it to)\s+)*", re.IGNORECASE
)
_NEAR = timedelta(days=31)
"""How far from the present range a date without its year is taken to be of the same year."""


def read_change(text: str, span: TimeRange, now: datetime) -> TimeRange | None:
    """The range that a sentence makes of the present one; None where it is about something else.

    `next day` moves the whole range by a day, `next month` by a calendar month. `start at 05:00` is on the first day, `end at
    05:00` on the last one.

    Raises
    ------
    InputError
        The new range is none, or out of range.
    """
    text = in_full(text)
    if (lasting := _lasting(text, span, now)) is not None:
        return lasting
    if match := _MORE_BEYOND.fullmatch(text):
        count, unit = number_of(match["count"]), match["unit"].lower()
        is_before = match["where"].lower() == "before"
        return TimeRange(moved_by(span, -count, unit).start if is_before else span.start,
                         span.stop if is_before else moved_by(span, count, unit).stop)  # fmt: skip
    if match := _SHIFT.fullmatch(text):
        way = (match["way"] or match["way2"]).lower()
        sign = -1 if way in ("previous", "preceding", "earlier", "before") else 1
        if match["way"] and (count := number_of(match["count"])) > 1:  # `next two days` are two days
            beyond = moved_by(span, sign * count, match["unit"].lower())
            return TimeRange(span.stop, beyond.stop) if sign > 0 else TimeRange(beyond.start, span.start)
        return moved_by(span, sign * number_of(match["count"] or match["count2"]), (match["unit"] or match["unit2"]).lower())
    if match := _MOVE.fullmatch(text):
        sign = -1 if (match["way"] or match["way2"]).lower().startswith(("back", "earlier")) else 1
        return moved_by(span, sign * number_of(match["count"] or match["count2"]), (match["unit"] or match["unit2"]).lower())
    if match := _MORE.fullmatch(text):
        return TimeRange(span.start, moved_by(span, number_of(match["count"]), match["unit"].lower()).stop)
    if match := _EXTEND.fullmatch(text):
        longer, where = number_of(match["count"]), (match["where"] or "").lower()
        moved = moved_by(span, longer, match["unit"].lower())
        back = moved_by(span, -longer, match["unit"].lower())
        if where.endswith(("sides", "side")):
            return TimeRange(back.start, moved.stop)
        if where.endswith(("start", "beginning", "before")):
            return TimeRange(back.start, span.stop)
        return TimeRange(span.start, moved.stop)
    if (wider := read_wider(text, span, lambda words: _named(words, span, now))) is not None:
        return wider
    if match := _LONGER.fullmatch(text):
        count = number_of(match["count"]) * (1 if match["way"].lower() == "longer" else -1)
        where, unit = (match["where"] or "end").lower(), match["unit"].lower()
        start = span.start if where == "end" else moved_by(span, -count, unit).start
        return TimeRange(start, span.stop if where in ("start", "beginning") else moved_by(span, count, unit).stop)
    if match := _MOVED_EDGE.fullmatch(text):
        count = number_of(match["count"]) * (1 if match["way"].lower() in ("later", "after") else -1)
        moved = moved_by(span, count, match["unit"].lower())
        is_start = match["edge"].lower() in ("start", "begin")
        return TimeRange(moved.start, span.stop) if is_start else TimeRange(span.start, moved.stop)
    if match := _CLOCKS.fullmatch(text):
        first = Grain.DAILY.floor(span.start)
        return (
            TimeRange(clock_on(first, match["first"]), clock_on(first, match["last"]))
            if span.duration <= timedelta(days=1)
            else None
        )
    if match := _EDGE.fullmatch(text):
        return _with_edge(match, span, now)
    if match := _UNTIL.fullmatch(text):
        return _until(match["when"], span, now)
    return _within(re.sub(r"\s+(?:only|alone)$", "", _NARROWED.sub("", text), flags=re.IGNORECASE), span, now)


def _lasting(text: str, span: TimeRange, now: datetime) -> TimeRange | None:
    """The range that lasts as long as a sentence says, from where it says; None where it says no length of the whole."""
    if match := _LASTING.fullmatch(text):
        return TimeRange(span.start, moved_by(span, number_of(match["count"]), match["unit"].lower()).start)
    for joint in _AND.finditer(text):
        parts = text[: joint.start()], text[joint.end() :]
        for first, last in (parts, parts[::-1]):
            if _LASTING.fullmatch(last) and (start := _started(first, span, now)) is not None:
                return _lasting(last, TimeRange(start, start + timedelta(seconds=1)), now)
    return None


def _started(text: str, span: TimeRange, now: datetime) -> datetime | None:
    """Where a range starts by the words of a sentence; None where they say nothing of it."""
    match = _STARTING.fullmatch(text)
    if match is None:
        return None
    words = re.sub(r"^the (?=(?:second|minute|hour|day|week|month|year) (?:before|earlier|after|later)$)", "1 ", match["when"])
    moved = read_change(f"start {words}", span.widened(timedelta(0), _NEAR), now)
    return moved.start if moved is not None else None


def _within(text: str, span: TimeRange, now: datetime) -> TimeRange | None:
    """The part of the present range that a text names and nothing else: `from the 7th to the 12th`, `the 8th`."""
    if not re.match(r"(?:from |on |the |between )*\d{1,2}(?:st|nd|rd|th)\b", text, re.IGNORECASE):
        return None
    found = find_span(text, now, span)
    return found.span if found is not None and found.words.strip() == text.strip() else None


def of_this_year(text: str, found: FoundSpan, span: TimeRange) -> TimeRange | None:
    """What a phrase without its year means beside a range: the reading near it, else that of its year.

    None where it is unclear in another way, or the range lies in several years.
    """
    if found.span is not None or not found.question.endswith("of which year?"):
        return None
    again = find_span(text, span.stop + _NEAR)
    for choice in again.choices if again is not None else ():
        target = read_range(f"{choice}", span.stop)
        if target is not None and target.overlaps(span.widened(_NEAR, _NEAR)):
            return target
    if span.start.year != (span.stop - timedelta(microseconds=1)).year:
        return None
    first = datetime(span.start.year, 1, 1, tzinfo=span.start.tzinfo)
    of_the_year = find_span(text, span.stop, TimeRange(first, first.replace(year=first.year + 1)))
    return of_the_year.span if of_the_year is not None else None


def _named(words: str, span: TimeRange, now: datetime) -> TimeRange | None:
    """The time that words name, all of them, beside a range; None where they name none.

    A time of day is a moment, which alone is taken as the hours around it; it is `Around` that one.
    """
    found = find_span(words, now)
    if found is None or found.words.strip() != words.strip():
        return None
    named = found.span or of_this_year(words, found, span)
    if named is None or (found.moment is None and (found.span is not None or _MOMENT.search(words) is None)):
        return named
    return Around(named.start, named.stop, found.moment or named.start + named.duration / 2)


def _edge_of(named: TimeRange, *, is_start: bool) -> datetime:
    """Where a named time begins or ends."""
    if isinstance(named, Around):
        return named.moment
    return named.start if is_start else named.stop


def _with_edge(match: re.Match[str], span: TimeRange, now: datetime) -> TimeRange | None:
    is_start = match["edge"].lower() in ("start", "begin")
    if match["clock"]:
        last = Grain.DAILY.floor(span.stop - timedelta(microseconds=1))
        edge = clock_on(Grain.DAILY.floor(span.start) if is_start else last, match["clock"])
    else:
        part, named = part_of(match["when"], span), _named(match["when"], span, now)
        if part is None and named is None:
            return None
        edge = part or _edge_of(named, is_start=is_start)  # type: ignore[arg-type]
    return TimeRange(edge, span.stop) if is_start else TimeRange(span.start, edge)


def _until(words: str, span: TimeRange, now: datetime) -> TimeRange | None:
    """The present range with all of a later time in it, or of an earlier one before it; None where words name no time."""
    if (edge := part_of(words, span)) is not None:
        return TimeRange(span.start, edge) if edge > span.start else TimeRange(edge, span.stop)
    named = _named(words, span, now)
    if named is None:
        return None
    is_before = named.stop <= span.start
    edge = _edge_of(named, is_start=is_before)
    return TimeRange(edge, span.stop) if is_before else TimeRange(span.start, edge)
