"""Read one date among tokens: a day, month, year, quarter or season, written in full or in part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Literal

from helio_dagster.catalog.times.named_times import rows
from helio_dagster.catalog.times.tokens import Token, split
from helio_dagster.catalog.times.vocabulary import MONTHS, NEEDS_DAY, OF, SEASONS
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_words import Period, day_of_year_period, day_period, month_period, year_period

Style = Literal["numbers", "spoken"]
_WINTER = SEASONS["winter"]
_DAYS_AGO = dict.fromkeys(("today", "heute", "aujourd'hui", "hoy"), 0) | dict.fromkeys(("yesterday", "gestern", "ayer"), 1)


@dataclass(frozen=True)
class Date:
    """A date as it is written; what it leaves out is None.

    `other` is the second reading of a date such as 03/04/2023. `style` says whether the month is a name: then the last day of a
    range is meant too. `note` says how it was taken.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    day_of_year: int | None = None
    months: int = 1
    style: Style = "spoken"
    other: Date | None = None
    note: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether it names its year."""
        return self.year is not None

    def filled(self, like: Date) -> Date:
        """The date with what it leaves out taken from another one of the same range."""
        month = like.month if self.month is None and self.day is not None and self.day_of_year is None else self.month
        year = like.year if self.year is None else self.year
        return replace(self, year=year, month=month, style=like.style if self.month is None else self.style)

    def period(self, words: str) -> Period:
        """What a whole date names.

        Raises
        ------
        InputError
            There is no such date.
        """
        if self.year is None:
            raise ValueError(f"{words!r} names no year")
        if self.day_of_year is not None:
            return day_of_year_period(self.year, self.day_of_year, words)
        if self.month is None:
            return year_period(self.year, words)
        if self.day is not None:
            return day_period(self.year, self.month, self.day, words)
        first = month_period(self.year, self.month, words)
        stop = first.stop
        for _ in range(self.months - 1):
            stop = Grain.MONTHLY.following(stop)
        return replace(first, stop=stop)


Found = Iterator[tuple[int, Date]]
"""Place after the date, and the date."""


def read_dates(tokens: Sequence[Token], at: int, *, needs_year: bool = True) -> list[tuple[int, Date]]:
    """Every date that begins at a place, the longest first; a season without its year only where no year is needed."""
    readers = (_numbered, _day_first, _month_first, _year_first, _day_of_year, _quarter, _season, _named_day)
    found = [each for reader in readers for each in reader(tokens, at)]
    if needs_year:
        found = [each for each in found if each[1].year is not None or each[1].months == 1]
    return sorted(found, key=lambda each: -each[0])


def read_month_and_day(tokens: Sequence[Token], at: int) -> tuple[int, Date] | None:
    """`05-13`, the end of a range whose first date gives the year, and the place after it; None where none stands there."""
    three = tokens[at : at + 3]
    is_glued = len(three) == 3 and three[1].text == "-" and three[0].last == three[1].first and three[1].last == three[2].first
    if not is_glued or not all(each.text.isdecimal() and len(each.text) == 2 for each in (three[0], three[2])):
        return None
    if not (1 <= three[0].number <= 12 and 1 <= three[2].number <= 31):
        return None
    return at + 3, Date(None, three[0].number, three[2].number, style="numbers")


def relative_day(tokens: Sequence[Token], at: int, now: datetime) -> Period | None:
    """Today or yesterday; None where the token is neither."""
    if at >= len(tokens) or tokens[at].text not in _DAYS_AGO:
        return None
    today = Grain.DAILY.floor(now)
    start = today - timedelta(days=_DAYS_AGO[tokens[at].text])
    return Period(start, start + timedelta(days=1), "day")


def in_that_order(date: Date, words: str) -> Date:
    """A date that can be read in two ways, as another one beside it has its day and month: `10/29/2003 - 11/1/2003`."""
    written = [(int(one), int(two)) for one, two in re.findall(r"(?<!\d)(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}", words)]
    month_first, day_first = any(two > 12 for _, two in written), any(one > 12 for one, _ in written)
    if date.other is None or month_first == day_first:
        return date
    return replace(date, other=None) if month_first else date.other


def _numbered(tokens: Sequence[Token], at: int) -> Found:
    token = tokens[at]
    if token.kind not in ("ymd", "year_day", "year_month", "dmy", "spoken", "number"):
        return
    numbers = [int(part) for part in token.text.replace("/", "-").replace(".", "-").split("-") if part.isdecimal()]
    if token.kind == "ymd" and len(numbers) == 1:
        numbers = [int(token.text[:4]), int(token.text[4:6]), int(token.text[6:])]
    if token.kind == "ymd":
        yield at + 1, Date(numbers[0], numbers[1], numbers[2], style="numbers")
    elif token.kind == "spoken":
        yield at + 1, Date(numbers[0], numbers[1], numbers[2])
    elif token.kind == "year_day":
        yield at + 1, Date(numbers[0], day_of_year=numbers[1], style="numbers")
    elif token.kind == "year_month":
        yield at + 1, Date(numbers[0], numbers[1], style="numbers")
    elif token.kind == "dmy":
        first, second, year = numbers
        day_first = Date(year, second, first)
        month_first = Date(year, first, second)
        if first > 12 or first == second or "." in token.text:  # with dots, the day is first everywhere
            yield at + 1, day_first
        elif second > 12:
            yield at + 1, month_first
        else:
            yield at + 1, replace(month_first, other=day_first)
    elif is_year(token):
        yield at + 1, Date(token.number, style="numbers")


def _day_first(tokens: Sequence[Token], at: int) -> Found:
    """`29 October 2003`, `2nd of January 2023`, `29. Oktober 2003`, `29 Oct`, `day 15 of May 1997`."""
    at = _skip(tokens, at, {"day"}, most=1)
    if at >= len(tokens):
        return
    if not is_day_number(tokens[at]):
        return
    place = _skip(tokens, at + 1, OF | {"."}, most=2)
    if place >= len(tokens) or tokens[place].text not in MONTHS:
        return
    date = Date(None, MONTHS[tokens[place].text], tokens[at].number)
    yield from with_year(tokens, place + 1, date)


def _month_first(tokens: Sequence[Token], at: int) -> Found:
    """`October 29, 2003`, `October 2003`, `Oct. 29`, and `October` beside another date."""
    name = tokens[at].text
    if name not in MONTHS or name in NEEDS_DAY:
        return
    month = Date(None, MONTHS[name])
    place = _skip(tokens, at + 1, {".", "the"}, most=2)
    if place < len(tokens) and is_day_number(tokens[place]):
        yield from with_year(tokens, place + 1, replace(month, day=tokens[place].number))
    yield from with_year(tokens, at + 1, month)


def _year_first(tokens: Sequence[Token], at: int) -> Found:
    """`2003 October 29`, `2003 29 October`, `2003 October`."""
    if not is_year(tokens[at]) or at + 1 >= len(tokens):
        return
    year, place = tokens[at].number, _skip(tokens, at + 1, {","}, most=1)
    for reader in (_day_first, _month_first):
        if place < len(tokens):
            yield from ((after, replace(date, year=year)) for after, date in reader(tokens, place) if date.year is None)


def _day_of_year(tokens: Sequence[Token], at: int) -> Found:
    """`2024 DOY 131`, `DOY 131 2024`, `day 10 of 1996`, `2024, day 131`."""
    place, year = at, None
    if is_year(tokens[at]):
        year, place = tokens[at].number, _skip(tokens, at + 1, {","}, most=1)
    spelt = _after_words(tokens, place, ("day", "of", "year"), ("days", "of", "year"), ("doy",), ("day",), ("days",), ("doys",))
    if spelt is None or spelt >= len(tokens) or tokens[spelt].kind != "number" or not 1 <= tokens[spelt].number <= 366:
        return
    if tokens[spelt - 1].text in ("day", "days") and _are_days_of_a_month(tokens, spelt):
        return
    date = Date(year, day_of_year=tokens[spelt].number, style="spoken")
    if year is not None:
        yield spelt + 1, date
        return
    yield from with_year(tokens, spelt + 1, date)


def _are_days_of_a_month(tokens: Sequence[Token], at: int) -> bool:
    """Whether a number is the first of two days of a month named behind them: `days 12-15 Sep`, `day 12 to 15 of May`."""
    last = _skip(tokens, at + 1, {"-", "–", "—", "to", "through", "thru", "and", "/", ".."}, most=1)
    if last == at + 1 or last >= len(tokens) or not (is_day_number(tokens[at]) and is_day_number(tokens[last])):
        return False
    month = _skip(tokens, last + 1, OF | {"."}, most=2)
    return month < len(tokens) and tokens[month].text in MONTHS


def _quarter(tokens: Sequence[Token], at: int) -> Found:
    """`Q1 2012`, `2012 Q1`, `2012, Q1`."""
    place, year = at, None
    if is_year(tokens[at]):
        year, place = tokens[at].number, _skip(tokens, at + 1, {",", "-"}, most=1)
    if place + 1 >= len(tokens) or tokens[place].text != "q" or tokens[place + 1].text not in "1234":
        return
    date = Date(year, 1 + 3 * (tokens[place + 1].number - 1), months=3)
    yield from [(place + 2, date)] if year is not None else with_year(tokens, place + 2, date)


def _season(tokens: Sequence[Token], at: int) -> Found:
    """`summer 2015`, `the winter of 2014`, taken by whole months of the northern hemisphere."""
    if tokens[at].text not in SEASONS:
        return
    name = tokens[at].text
    date = Date(None, SEASONS[name], months=3, note=f"{name.capitalize()} is taken by whole months of the northern hemisphere.")
    if date.month == _WINTER and (both := _two_years(tokens, at + 1)) is not None:
        yield both[1], replace(date, year=both[0])
    for after, each in with_year(tokens, at + 1, date):
        yield after, replace(each, other=replace(each, year=each.year - 1)) if date.month == _WINTER and each.year else each


def _two_years(tokens: Sequence[Token], at: int) -> tuple[int, int] | None:
    """The first of two years that follow each other, and the place after them: `2009-2010`, `of 2009/10`."""
    at = _skip(tokens, at, {"of", "the"}, most=2)
    if at + 2 >= len(tokens) or tokens[at + 1].text not in ("-", "–", "—", "/", "to"):
        return None
    first, second = tokens[at].number, tokens[at + 2].number
    if first is None or second is None or len(tokens[at].text) != 4:
        return None
    return (first, at + 3) if second in (first + 1, (first + 1) % 100) else None


def _named_day(tokens: Sequence[Token], at: int) -> Found:
    """`Christmas Day 2017`, `New Year's Eve`; `Halloween 2021`, but not that of 2003 or of no year, which is a storm."""
    found = _day_with_name(tokens, at)
    if found is not None:
        after, day = found
        for last, date in with_year(tokens, after, Date(None, day.month, day.day)):
            if not day.storms or (date.year is not None and date.year not in day.storms):
                yield last, date


def read_name_of_day(tokens: Sequence[Token], at: int) -> tuple[int, Date] | None:
    """The day of a name without its year, and the place after it: `Halloween`."""
    found = _day_with_name(tokens, at)
    return (found[0], Date(None, found[1].month, found[1].day)) if found is not None else None


@dataclass(frozen=True)
class _NamedDay:
    """A day of every year, and the years in which its name is that of a storm."""

    month: int
    day: int
    storms: frozenset[int]


def _day_with_name(tokens: Sequence[Token], at: int) -> tuple[int, _NamedDay] | None:
    """The day that is called by the tokens at a place, and the place after them."""
    after = _after_words(tokens, at, *_named_days())
    return (after, _named_days()[tuple(token.text for token in tokens[at:after])]) if after is not None else None


@cache
def _named_days() -> Mapping[tuple[str, ...], _NamedDay]:
    """Words of days that are the same every year, the longest first; from `days.txt`."""
    days = {
        tuple(token.text for token in split(words)): _NamedDay(
            int(day[:2]), int(day[3:]), frozenset(map(int, " ".join(storms).split()))
        )
        for phrases, day, *storms in rows("days.txt")
        for words in phrases.split(", ")
    }
    return dict(sorted(days.items(), key=lambda each: -len(each[0])))


def with_year(tokens: Sequence[Token], place: int, date: Date) -> Found:
    """The date with the year that follows it, and without."""
    after = _skip(tokens, place, OF | {"."}, most=2)
    if after < len(tokens) and is_year(tokens[after]):
        yield after + 1, replace(date, year=tokens[after].number)
    yield place, date


def is_year(token: Token) -> bool:
    """Whether a number can be a year."""
    return token.kind == "number" and len(token.text) == 4 and 1800 <= token.number < 2200


def is_day_number(token: Token) -> bool:
    """Whether a number can be the day of a month; 32 to 39 are read as days, to be refused by name."""
    return token.kind == "number" and len(token.text) <= 4 and 0 < token.number <= 39


def _skip(tokens: Sequence[Token], place: int, words: frozenset[str] | set[str], *, most: int) -> int:
    for _ in range(most):
        if place < len(tokens) and tokens[place].text in words:
            place += 1
    return place


def _after_words(tokens: Sequence[Token], place: int, *phrases: tuple[str, ...]) -> int | None:
    """The place after the first of the phrases that stands at a place; None where none does."""
    first = tokens[place].text if place < len(tokens) else ""
    for phrase in phrases:
        if phrase[0] == first and tuple(token.text for token in tokens[place : place + len(phrase)]) == phrase:
            return place + len(phrase)
    return None
