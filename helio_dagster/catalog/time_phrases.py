"""The time phrase of a sentence: found, and read to the range it names or the question it raises."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from helio_dagster.catalog.named_storms import NamedStorm, find_storm
from helio_dagster.catalog.time_patterns import CLOCK, INCLUSIVE, LEAD, MONTH, MONTH_NAMES, OPEN_DATE, PATTERNS, YEAR
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.time_words import (
    Period,
    day_period,
    moment_period,
    month_period,
    parse_period,
    parse_recent,
    part_of_period,
)

_EVENT_OF = re.compile(
    r"(?:(?:during|for|in|over|the|great|big|large|strong|major|severe|intense|geomagnetic|magnetic|solar) )*"
    r"(?:storm|event) (?:(?:of|on|from) )?$",
    re.IGNORECASE,
)
_LONGEST_EVENT = timedelta(days=7)


@dataclass(frozen=True)
class FoundSpan:
    """A time phrase of a sentence.

    Parameters
    ----------
    first, last
        Its character positions `[first, last)` in the sentence.
    words
        The phrase as written.
    span
        What it names; None where it is ambiguous.
    note
        What a person should know about how it was read.
    question
        What to ask where it is ambiguous.
    choices
        Answers: each may be put into the sentence instead of `words`.
    """

    first: int
    last: int
    words: str
    span: TimeRange | None
    note: str = ""
    question: str = ""
    choices: tuple[str, ...] = ()


class _Unclear(Exception):
    """A part of the phrase has two meanings; each option may replace it."""

    def __init__(self, question: str, part: str, options: list[str]) -> None:
        super().__init__(question)
        self.question = question
        self.part = part
        self.options = options


def find_span(request: str, now: datetime) -> FoundSpan | None:
    """The time phrase of a sentence, the longest where there are several; None where it has none.

    `2013-03-01 to 2013-03-05` leaves the last day out, as START and STOP do; days said with the name of a month are all meant,
    `1 to 5 March 2013`, and so are those joined by `through` or a dash. A date without year, a date that could be read in two
    orders and a range `to` a month or year are questions, not guesses.

    Parameters
    ----------
    request
        The sentence.
    now
        The present, aware.

    Raises
    ------
    InputError
        The phrase names a date that does not exist or is before the space age.
    """
    matches = [match for pattern in PATTERNS for match in pattern.finditer(request) if _is_phrase(match)]
    longest = max(matches, key=lambda match: (len(match[0]), -match.start()), default=None)
    storm = find_storm(request)
    if storm is not None and (longest is None or storm[1] - storm[0] > len(longest[0])):
        return _of_storm(request, *storm)
    if longest is None:
        return None
    words = longest[0]
    try:
        span, note = _read(longest, now)
    except _Unclear as unclear:
        choices = tuple(words.replace(unclear.part, option) for option in unclear.options)
        return FoundSpan(longest.start(), longest.end(), words, None, question=unclear.question, choices=choices)
    return _with_event(request, FoundSpan(longest.start(), longest.end(), words, span, note))


def _with_event(request: str, found: FoundSpan) -> FoundSpan:
    """The phrase with `the geomagnetic storm of` before it, where it names days: they are meant, and no more is known of it."""
    before = _EVENT_OF.search(request[: found.first])
    is_of = before is not None and re.search(r"\b(?:of|on|from) ", request[before.start() : found.last], re.IGNORECASE)
    if before is None or not is_of or found.span is None or found.span.duration > _LONGEST_EVENT:
        return found
    last = found.last + (request[found.last : found.last + 1] == ":")
    words = request[before.start() : found.last]
    note = found.note or f"{words[0].upper()}{words[1:]} is taken as {found.span}."
    return replace(found, first=before.start(), last=last, words=words, note=note)


def _is_phrase(match: re.Match[str]) -> bool:
    """Whether an `and` comes after `between`, or joins two days that follow each other; elsewhere it joins other things."""
    part = match.groupdict()
    if (part.get("sep") or "").lower() != "and":
        return True
    first = part.get("day") or (part["a"][-2:] if part.get("next") else None)
    second = part.get("day2") or part.get("next")
    follows = bool(first and second) and _number(str(second)) == _number(str(first)) + 1
    return follows or ("between" in match[0].lower() and not part.get("next"))


def _of_storm(request: str, first: int, last: int, storms: list[NamedStorm]) -> FoundSpan:
    lead = re.search(rf"{LEAD}$", request[:first], re.IGNORECASE)
    first = lead.start() if lead else first
    words = request[first:last]
    if len(storms) > 1:
        question = f"Which storm is meant by {words!r}: " + " or ".join(storm.name for storm in storms) + "?"
        choices = tuple(f"for {storm.span.start:%Y-%m-%d} to {storm.span.stop:%Y-%m-%d}" for storm in storms)
        return FoundSpan(first, last, words, None, question=question, choices=choices)
    storm = storms[0]
    return FoundSpan(first, last, words, storm.span, f"The {storm.name} is taken as {storm.span}.")


def _read(match: re.Match[str], now: datetime) -> tuple[TimeRange, str]:
    """The range a match names, and a note on how it was read."""
    part = match.groupdict()
    if part.get("recent"):
        return _recent(part["recent"], now)
    if part.get("since"):
        return TimeRange(_date(part["since"], now).start, Grain.DAILY.floor(now)), "Up to today 00:00 UTC."
    if part.get("share"):
        return part_of_period(_date(part["a"], now), part["which"], part["share"], match[0].strip()), ""
    if part.get("around"):
        raise _around(_date(part["around"], now), match[0].strip())
    if part.get("open"):
        raise _without_year(part["open"], part["open"], now, "{0}")
    if part.get("next"):
        first, second = (parse_period(date, now) for date in (part["a"], f"{part['a'][:8]}{int(part['next']):02d}"))
        return TimeRange(first.start, second.stop), ""
    is_inclusive = part.get("sep", "").strip().lower() in INCLUSIVE or bool(part.get("inclusive"))
    if part.get("clock"):
        return _between_clocks(part["date"], part["clock"], part["clock2"], now)
    if part.get("day2"):
        return _between_days(match, part, now, is_inclusive=is_inclusive)
    if "b" not in part:
        return _single(match[0], part["a"], now)
    if part.get("year"):
        year = _number(part["year"])
        second = _of_year(part["b"], year)
        first = _of_year(part["a"], year)
        first = first if first.start <= second.start else _of_year(part["a"], year - 1)
    elif re.fullmatch(OPEN_DATE, part["a"], re.IGNORECASE):
        joined = match[0][match.start("a") - match.start() : match.end("b") - match.start()]
        raise _without_year(joined, part["a"], now, "{0} through {1}" if is_inclusive else "{0} to {1}", part["b"])
    else:
        first, second = _date(part["a"], now), _date(part["b"], now)
    return _joined(first, second, match[0], is_inclusive=is_inclusive, is_spoken=re.search(MONTH, part["b"], re.I) is not None)


def _joined(first: Period, second: Period, words: str, *, is_inclusive: bool, is_spoken: bool = True) -> tuple[TimeRange, str]:
    """From the first through the second, or up to it; of days said with the name of a month the last is always meant."""
    if first == second and first.start < first.stop:
        return TimeRange(first.start, first.stop), ""
    if is_inclusive:
        return TimeRange(first.start, second.stop), ""
    if is_spoken and second.unit == "day":
        days = f"{format_time(first.start)} to {format_time(second.start)}"
        note = f"Through {format_time(second.start)}, which is included; `{days}` leaves it out."
        return TimeRange(first.start, second.stop), note
    if second.unit in ("month", "year"):
        last = f"{second.start:%B %Y}" if second.unit == "month" else f"{second.start:%Y}"
        options = [TimeRange(first.start, stop) for stop in (second.stop, second.start)]
        question = f"Does {words.strip()!r} include {last}?"
        raise _Unclear(question, words.strip(), [f"from {option}" for option in options])
    note = f"{format_time(second.start)} itself is not included; say `through` to include it." if second.unit == "day" else ""
    return TimeRange(first.start, second.start), note


def _single(words: str, text: str, now: datetime) -> tuple[TimeRange, str]:
    period = _date(text, now)
    if words.lower().startswith(("from ", "between ")):
        options = [f"on {format_time(period.start)}" if period.unit == "day" else f"for {text}", f"since {text}"]
        raise _Unclear(f"{words!r} until when?", words, options)
    if period.is_instant:
        hour = TimeRange(period.start, period.start + timedelta(hours=1))
        raise _Unclear(f"{text!r} is one moment. Which range around it?", text, [f"{period.start:%Y-%m-%d}", str(hour)])
    return TimeRange(period.start, period.stop), ""


def _around(period: Period, words: str) -> _Unclear:
    day = Grain.DAILY.floor(period.start)
    if period.unit in ("month", "year"):
        return _Unclear(f"{words!r}: from when to when?", words, [f"for {TimeRange(period.start, period.stop)}"])
    spans = [TimeRange(day - timedelta(days=more), day + timedelta(days=1 + more)) for more in (0, 1, 3)]
    return _Unclear(f"{words!r}: from when to when?", words, [f"for {span}" for span in spans])


def _recent(words: str, now: datetime) -> tuple[TimeRange, str]:
    span = parse_recent(words, now)
    if span is None:
        raise _Unclear(f"How long is {words!r}?", words, ["last 7 days", "last 30 days"])
    return span, ""


def _between_clocks(date: str, clock: str, clock2: str, now: datetime) -> tuple[TimeRange, str]:
    day = _date(date, now)
    if day.unit != "day":
        raise _Unclear(f"On which day of {date!r}?", date, [f"{day.start:%Y-%m-%d}"])
    first, second = (_moment(f"{day.start:%Y-%m-%d}", text) for text in (clock, clock2))
    return TimeRange(first.start, second.start), ""


def _between_days(match: re.Match[str], part: dict[str, str], now: datetime, *, is_inclusive: bool) -> tuple[TimeRange, str]:
    first, second = f"{part['month']} {part['day']}", f"{part['month']} {part['day2']}"
    if not part.get("year"):
        joined = match[0][match.start("month") - match.start() : match.end("day2") - match.start()]
        raise _without_year(joined, first, now, "{0} through {1}" if is_inclusive else "{0} to {1}", second)
    year = _number(part["year"])
    return _joined(_of_year(first, year), _of_year(second, year), match[0], is_inclusive=is_inclusive)


def _without_year(part: str, date: str, now: datetime, form: str, second: str = "") -> _Unclear:
    options: list[str] = []
    for year in range(now.year, now.year - 12, -1):
        try:
            days = [_of_year(text, year).start for text in (date, second) if text]
        except InputError:  # 29 February
            continue
        if days[0] <= now and len(options) < 3:
            options.append(form.format(*(f"{day:%Y-%m-%d}" for day in days)))
    return _Unclear(f"{part!r} of which year?", part, options)


def _of_year(text: str, year: int) -> Period:
    """A day or month written without its year."""
    name = re.search(r"[a-z]+", re.sub(r"\d+(st|nd|rd|th)|\bof\b", "", text.lower()))
    month = MONTH_NAMES.index(name[0][:3]) + 1 if name else 0
    day = re.search(r"\d+", text)
    words = f"{text.strip(' ,')} {year}"
    return day_period(year, month, int(day[0]), words) if day else month_period(year, month, words)


def _date(text: str, now: datetime) -> Period:
    """A date, month, year or moment as a sentence writes it."""
    if match := re.fullmatch(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})", text):
        return _day_in_some_order(text, int(match[1]), int(match[2]), int(match[3]))
    if match := re.fullmatch(r"(\d{4})/(\d{1,2})/(\d{1,2})", text):
        return day_period(int(match[1]), int(match[2]), int(match[3]), text)
    if match := re.fullmatch(rf"(\d{{4}}-\d{{2}}-\d{{2}})(?:[T ]|,?\s+(?:at\s+)?)({CLOCK})", text, re.IGNORECASE):
        return _moment(match[1], match[2])
    if not re.search(r"[a-z]", text, re.IGNORECASE) or text.lower() in ("today", "yesterday"):
        return parse_period(text, now)
    first_year = re.match(rf"{YEAR}\s", text)
    if first_year is not None:
        return _of_year(text[first_year.end() :], int(first_year[0]))
    year = re.search(rf"{YEAR}$", text)
    if year is None:
        return parse_period(text, now)
    return _of_year(text[: year.start()], int(year[0]))


def _day_in_some_order(text: str, first: int, second: int, year: int) -> Period:
    if first > 12 or first == second:
        return day_period(year, second, first, text)
    if second > 12:
        return day_period(year, first, second, text)
    options = [f"{year}-{first:02d}-{second:02d}", f"{year}-{second:02d}-{first:02d}"]
    raise _Unclear(f"Which day is {text!r}?", text, options)


def _moment(date: str, clock: str) -> Period:
    digits = re.match(r"[\d:.]+", clock)
    text = digits[0] if digits else clock
    return moment_period(date, text if text.index(":") == 2 else f"0{text}", "", f"{date} {clock}")


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))
