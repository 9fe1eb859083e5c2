"""Read times that are said by a day: `the evening of 16 March 2015`, `Halloween weekend 2021`, `March 2022 (10 to 14)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial

from helio_dagster.catalog.times.clocks import Clock
from helio_dagster.catalog.times.date_order import is_day
from helio_dagster.catalog.times.dates import Date, is_day_number, read_dates, read_name_of_day, with_year
from helio_dagster.catalog.times.meanings import Meaning
from helio_dagster.catalog.times.moments import Moment
from helio_dagster.catalog.times.named_phrases import Read
from helio_dagster.catalog.times.sentence import Sentence
from helio_dagster.domain.time_range import TimeRange

_HOURS = {
    "morning": ("06:00", "12:00"),
    "afternoon": ("12:00", "18:00"),
    "evening": ("18:00", "24:00"),
    "night": ("18:00", "06:00"),
}
"""Part of a day to its hours in UT; a night lasts into the next day."""
_WEEKENDS = frozenset({"weekend", "week-end"})
_SATURDAY = 5


class PartsOfDays:
    """Reads the parts of days, and the weekends about days, in one sentence."""

    def __init__(self, sentence: Sentence, meaning: Meaning) -> None:
        self._at, self._meaning = sentence, meaning

    def read(self, at: int) -> Iterator[tuple[int, Read]]:
        """Those that begin at a token, each with the place after it."""
        yield from self._in_brackets(at)
        for after, date in self._weekends(at):
            yield after, partial(self._weekend, date)
        if self._at.word(at) in _HOURS:
            place = self._at.skip(at + 1, {"hours"}, most=1)
            place = self._at.skip(place, {"of", "on", "the", ","}, most=2)
            yield from ((after, partial(self._part, date, self._at.word(at))) for after, date in self._days(place))
        for after, date in self._days(at):
            place = self._at.skip(after, {",", "in", "at", "the"}, most=3)
            if self._at.word(place) in _HOURS:
                yield place + 1, partial(self._part, date, self._at.word(place))

    def _in_brackets(self, at: int) -> Iterator[tuple[int, Read]]:
        """`March 2022 (10 to 14)`: the days of a month that are said behind it."""
        for after, date in read_dates(self._at.tokens, at) if at < len(self._at.tokens) else []:
            place, joint = self._at.joint(after + 2, after + 1)
            is_month = date.is_whole and date.month is not None and date.day is None and date.months == 1
            if not (is_month and joint and (self._at.word(after), self._at.word(place + 1)) == ("(", ")")):
                continue
            days = [self._at.tokens[each] for each in (after + 1, place)]
            if all(map(is_day_number, days)):
                first, second = (Moment(replace(date, day=each.number, style="spoken"), None, None) for each in days)
                yield place + 2, partial(self._meaning.between, first, second, at, place + 2, is_inclusive=False)

    def _weekends(self, at: int) -> Iterator[tuple[int, Date]]:
        """The days about whose weekend a phrase is: `Halloween weekend 2021`, `the weekend of 16 March 2015`."""
        named = read_name_of_day(self._at.tokens, at)
        if named is not None and self._at.word(named[0]) in _WEEKENDS:
            yield from with_year(self._at.tokens, named[0] + 1, named[1])
        if self._at.word(at) in _WEEKENDS:
            place = self._at.skip(at + 1, {"of", "around", "the"}, most=2)
            yield from self._days(place)
            if (named := read_name_of_day(self._at.tokens, place)) is not None:
                yield from with_year(self._at.tokens, *named)

    def _days(self, at: int) -> Iterator[tuple[int, Date]]:
        found = read_dates(self._at.tokens, at) if at < len(self._at.tokens) else []
        return ((after, date) for after, date in found if is_day(date) and date.other is None)

    def _part(self, date: Date, name: str) -> tuple[TimeRange, str]:
        first, second = _HOURS[name]
        clocks = Clock(first, is_sure=True), Clock(second, is_sure=True)
        span, _ = self._meaning.between_clocks(Moment(date, None, None), *clocks)
        next_day = " of the next day" if second < first else ""
        return span, f"The {name} is taken as {first} to {second} UT{next_day}."

    def _weekend(self, date: Date) -> tuple[TimeRange, str]:
        dated = self._meaning.in_its_year(date, lambda each: str(_weekend_about(each)))
        span = _weekend_about(dated)
        return span, f"The weekend is taken as {span}, Friday through Sunday."


def _weekend_about(date: Date) -> TimeRange:
    """Friday through Sunday of the weekend that a day is nearest to."""
    day = date.period("").start
    saturday = day + timedelta(days=(_SATURDAY - day.weekday() + 3) % 7 - 3)
    return TimeRange(saturday - timedelta(days=1), saturday + timedelta(days=2))
