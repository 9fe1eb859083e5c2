"""START and STOP as people write them, read against a given now."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange, format_time

EXAMPLES = "Write 2023-01-02, 2003-10-29T06:11, 2003-10, 2024, or words such as: last 7 days."

_DAY = timedelta(days=1)
UNIT_LENGTH = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": _DAY,
    "week": 7 * _DAY,
    "month": 30 * _DAY,
    "year": 365 * _DAY,
}
"""How long the units of `last 3 months` are taken to be."""
_YEAR = re.compile(r"\d{4}")
_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DAY_OF_YEAR = re.compile(r"(\d{4})-(\d{3})")
_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ](\d{2}(?::?\d{2}(?::?\d{2}(?:\.\d{1,6})?)?)?)\s*(Z|UTC|UT|[+-]\d{2}:?\d{2})?", re.IGNORECASE
)
_LAST = re.compile(r"(?:the\s+)?(?:last|past)\s+(?:(\d+|[a-z]+)\s+)?(minute|hour|day|week|month|year)(s?)", re.IGNORECASE)
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
}


@dataclass(frozen=True)
class Period:
    """What one time expression names: `[start, stop)`, equal to each other for an instant; `unit` is how coarse it is."""

    start: datetime
    stop: datetime
    unit: str

    @property
    def is_instant(self) -> bool:
        """Whether it is a moment and not a stretch."""
        return self.start == self.stop


def parse_span(start: str, stop: str | None, now: datetime) -> TimeRange:
    """The half-open range that START and STOP name.

    One date, month or year alone is all of it; a pair of equal ones too; else the range goes from the start of the first to the
    start of the second. `last N days` are whole days before today 00:00 UTC.

    Parameters
    ----------
    start, stop
        As on the command line.
    now
        The present, aware.

    Raises
    ------
    InputError
        No time can be read, or the range is none.
    """
    words = " ".join(start.split())
    recent = parse_recent(words, now)
    if recent is not None:
        if stop is not None:
            raise InputError(f"{words!r} is a whole range; {stop!r} cannot follow", hint="Give two dates, or the words alone.")
        return recent
    if stop is None and words.count("/") == 1:
        words, stop = words.split("/")  # ISO 8601 interval
    first = parse_period(words, now)
    if stop is None:
        if first.is_instant:
            raise InputError(f"{words!r} is one moment, not a range", hint=f"Give a STOP too, such as {_an_hour_later(first)}.")
        return TimeRange(first.start, first.stop)
    second = parse_period(" ".join(stop.split()), now)
    if first == second and not first.is_instant:
        return TimeRange(first.start, first.stop)
    return TimeRange(first.start, second.start)


def parse_recent(words: str, now: datetime) -> TimeRange | None:
    """The range of `last 7 days`, `last week`, `past 12 hours`; None where the words are no such phrase.

    Raises
    ------
    InputError
        The phrase reaches too far back or names no number.
    """
    match = _LAST.fullmatch(words)
    if match is None:
        return None
    number, unit = match[1], match[2].lower()
    count = 1 if number is None else int(number) if number.isdecimal() else NUMBER_WORDS.get(number.lower())
    if count is None:
        return None
    midnight = Grain.DAILY.floor(now)
    stop = midnight if unit not in ("minute", "hour") else now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    stop = now.astimezone(UTC).replace(second=0, microsecond=0) if unit == "minute" else stop
    if not 0 < count <= 1_000_000 or count * UNIT_LENGTH[unit] > stop - EARLIEST:
        raise InputError(f"{words!r} is not a range", hint=f"Nothing reaches before {EARLIEST:%Y}; give at least 1.")
    return TimeRange(stop - count * UNIT_LENGTH[unit], stop)


def parse_period(words: str, now: datetime) -> Period:
    """What one date, time, month, year, `today` or `yesterday` names.

    Raises
    ------
    InputError
        It is none of these, or does not exist.
    """
    today = Grain.DAILY.floor(now)
    if words.lower() in ("today", "yesterday"):
        start = today if words.lower() == "today" else today - _DAY
        return Period(start, start + _DAY, "day")
    if words.lower() == "now":
        moment = now.astimezone(UTC)
        return Period(moment, moment, "instant")
    if _YEAR.fullmatch(words):
        return year_period(int(words), words)
    if match := _MONTH.fullmatch(words):
        return month_period(int(match[1]), int(match[2]), words)
    if match := _DATE.fullmatch(words):
        return day_period(int(match[1]), int(match[2]), int(match[3]), words)
    if match := _DAY_OF_YEAR.fullmatch(words):
        return day_of_year_period(int(match[1]), int(match[2]), words)
    if match := _TIME.fullmatch(words):
        return moment_period(match[1], match[2], match[3] or "", words)
    raise InputError(f"{words!r} is not a time", hint=EXAMPLES)


def year_period(year: int, words: str) -> Period:
    """All of a year; `words` are what was written, for the message."""
    _check_year(year, words)
    return Period(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC), "year")


def month_period(year: int, month: int, words: str) -> Period:
    """All of a month."""
    _check_year(year, words)
    if not 1 <= month <= 12:
        raise InputError(f"{words!r} is not a month", hint="Months go from 01 to 12: 2003-10.")
    start = datetime(year, month, 1, tzinfo=UTC)
    return Period(start, Grain.MONTHLY.following(start), "month")


def day_period(year: int, month: int, day: int, words: str) -> Period:
    """All of a day."""
    _check_year(year, words)
    try:
        start = datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        raise InputError(f"{words!r} is not a date: {_why_no_date(year, month)}", hint=EXAMPLES) from None
    return Period(start, start + _DAY, "day")


def moment_period(date: str, clock: str, offset: str, words: str) -> Period:
    """A moment: date as `2003-10-29`, clock as `06:11`, offset empty for UTC."""
    day = parse_period(date, EARLIEST)  # the date's own messages
    zone = "+00:00" if offset.upper() in ("", "Z", "UT", "UTC") else offset
    if clock.replace(":", "") in ("24", "2400", "240000"):
        return Period(day.stop, day.stop, "instant")
    try:
        moment = datetime.fromisoformat(f"{day.start:%Y-%m-%d}T{clock}{zone}").astimezone(UTC)
    except ValueError:
        raise InputError(f"{words!r} is not a time: hours go to 23, minutes and seconds to 59", hint=EXAMPLES) from None
    return Period(moment, moment, "instant")


def day_of_year_period(year: int, day: int, words: str) -> Period:
    """A day by its number in the year, from 1."""
    _check_year(year, words)
    start = datetime(year, 1, 1, tzinfo=UTC) + (day - 1) * _DAY
    if day < 1 or start.year != year:
        raise InputError(f"{words!r} is not a day of the year", hint="Days go from 001 to 365, or 366 in a leap year.")
    return Period(start, start + _DAY, "day")


def _check_year(year: int, words: str) -> None:
    if not EARLIEST.year <= year < LATEST.year:
        raise InputError(f"the year of {words!r} is outside {EARLIEST:%Y} to {LATEST:%Y}", hint="Check the year.")


def _why_no_date(year: int, month: int) -> str:
    if not 1 <= month <= 12:
        return "months go from 01 to 12"
    days = (Grain.MONTHLY.following(datetime(year, month, 1, tzinfo=UTC)) - _DAY).day
    return f"{datetime(year, month, 1, tzinfo=UTC):%B %Y} has {days} days"


def _an_hour_later(period: Period) -> str:
    return format_time(period.start + timedelta(hours=1))
