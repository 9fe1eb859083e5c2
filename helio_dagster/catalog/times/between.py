"""Ranges that are said by their two ends: each end is filled up from the other, and the last day counts or does not."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from helio_dagster.catalog.times.clocks import Clock
from helio_dagster.catalog.times.date_order import in_year_before, is_turned
from helio_dagster.catalog.times.dates import Date, in_that_order
from helio_dagster.catalog.times.missing_years import Years
from helio_dagster.catalog.times.moments import Moment, Unclear, require_exact, require_one_reading
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.time_words import Period, moment_period


@dataclass(frozen=True)
class _Ends:
    """Both ends as said, the words of the phrase, and whether a word such as `through` makes the last day count."""

    first: Moment
    second: Moment
    words: str
    is_inclusive: bool

    def through(self, dates: Sequence[Date | None]) -> tuple[TimeRange, str]:
        """From the first to the second on dates with their years, and a note."""
        first, second = (replace(each, date=date) for each, date in zip((self.first, self.second), dates, strict=True))
        begins, ends = (each.on(each.date, self.words) for each in (first, second))
        require_exact([(each, each.date) for each in (first, second)], begins, ends, self.words)
        is_spoken = second.date is not None and second.date.style == "spoken"
        span, note = _span(begins, ends, self.words, is_inclusive=self.is_inclusive, is_spoken=is_spoken)
        return span, " ".join(each for each in (first.note, second.note, note) if each)

    def answer(self, dates: Sequence[Date]) -> str:
        """The range that they are on dates, as an option of a question."""
        return str(self.through(dates)[0])

    def turned(self, dates: tuple[Date, Date], years: Years) -> Unclear:
        """The question whether two days are meant the other way round, or over the turn of a year, where that is known."""
        one, two = dates
        swapped = replace(self, first=self.second, second=self.first)
        try:
            options = [swapped.answer(years.dated([two, one], swapped.answer))]
        except Unclear as unclear:
            options = list(unclear.options)
        if one.year is not None:
            with suppress(InputError):  # the year before may have no such day, as 29 February
                options.append(self.answer((in_year_before(one, two, self.words), two)))
        return Unclear(f"{self.words!r} ends before it begins: from when to when?", options)


def between(first: Moment, second: Moment, words: str, years: Years, *, is_inclusive: bool) -> tuple[TimeRange, str]:
    """From the first to the second, each filled up from the other, and a note.

    Raises
    ------
    Unclear
        There are two meanings, or a year is missing.
    """
    ends = _Ends(first, second, words, is_inclusive)
    one, two = first.date, second.date
    if two is None and second.clock is not None and one is not None and second.period is None:
        two = one
    if one is not None and two is not None and bool(one.other) != bool(two.other):
        one, two = (in_that_order(each, words) for each in (one, two))
    if one == Date() and two is not None:  # `from early to late May`
        one = two if first.is_vague else Date(two.year)
    if one is not None and two is not None:
        one, two = _filled(one, two, ends, years)
        if not (first.is_plain and second.is_plain) and (one.other or two.other):
            pairs = [(one, two), (one.other or one, two.other or two)]
            raise Unclear("Is the day or the month written first?", [ends.answer(pair) for pair in pairs])
        require_one_reading(one, two, is_inclusive=is_inclusive)
    return ends.through([_dated_by(each, other, words) for each, other in ((one, second), (two, first))])


def _filled(one: Date, two: Date, ends: _Ends, years: Years) -> tuple[Date, Date]:
    """Both dates with their years and months, each taken from the other where it has none."""
    if two.year is None and one.year is not None:
        return one, two.filled(one)
    if one.year is None and two.year is not None:
        two = replace(two, month=two.month or one.month, style="spoken")
        one = one.filled(two)
        if two.other is None and is_turned(one, two, ends.words):
            raise ends.turned((one, two), years)
        return in_year_before(one, two, ends.words), two
    if one.year is None:
        one = one.filled(two) if one.month is None else one
        if is_turned(one, two.filled(one), ends.words):
            raise ends.turned((one, two.filled(one)), years)
        one, two = years.dated([one, two.filled(one)], ends.answer)
    return one, two


def between_clocks(moment: Moment, first: Clock, second: Clock, years: Years) -> tuple[TimeRange, str]:
    """From one time of a day to another; over midnight where the second is the earlier."""
    if moment.date is not None and not moment.date.is_whole:
        answer = partial(_clocked, moment, first, second, years)
        moment = replace(moment, date=years.dated([moment.date], answer)[0])
    day = moment.on_its_date(first.text)
    if day.unit != "day":
        raise Unclear(f"On which day of {format_time(day.start)[:7]}?", [format_time(day.start)])
    begins, ends = (moment_period(f"{day.start:%Y-%m-%d}", clock.text, "", clock.text).start for clock in (first, second))
    if ends <= begins:
        ends += timedelta(days=1)
        return TimeRange(begins, ends), f"{second.text} is taken on the next day."
    return TimeRange(begins, ends), ""


def _clocked(moment: Moment, first: Clock, second: Clock, years: Years, dates: Sequence[Date]) -> str:
    return str(between_clocks(replace(moment, date=dates[0]), first, second, years)[0])


def _dated_by(date: Date | None, other: Moment, words: str) -> Date | None:
    """A date; without its year it is of that of what is said beside it, as is `28 October` before `the Halloween storm`."""
    if date is None or date.year is not None:
        return date
    return replace(date, year=replace(other, parts=()).on(other.date, words).start.year)


def _span(first: Period, second: Period, words: str, *, is_inclusive: bool, is_spoken: bool) -> tuple[TimeRange, str]:
    """From the first through the second, or up to it, which a note says.

    Where no word tells, the last day counts if it is said with the name of a month, months and years count in full, and days
    in numbers do not count.
    """
    if first == second and first.start < first.stop:
        return TimeRange(first.start, first.stop), ""
    if is_inclusive or second.unit == "edge":
        return TimeRange(first.start, second.stop), ""
    if second.unit in ("part", "event"):
        return TimeRange(first.start, second.stop), f"Up to {format_time(second.stop)}, the end of what is named last."
    if is_spoken and second.unit == "day":
        days = f"{format_time(first.start)} to {format_time(second.start)}"
        note = f"Through {format_time(second.start)}, which is included; `{days}` leaves it out."
        return TimeRange(first.start, second.stop), note
    if second.unit == "month":
        return TimeRange(first.start, second.stop), f"Through {second.stop - timedelta(days=1):%B %Y}, which is included."
    if second.unit == "year" and first.unit == "year":
        without = TimeRange(first.start, second.start)
        return TimeRange(first.start, second.stop), f"Through {second.start:%Y}, which is included; `{without}` leaves it out."
    if second.unit == "year":
        options = [TimeRange(first.start, stop) for stop in (second.stop, second.start)]
        raise Unclear(f"Does {words!r} include {second.start:%Y}?", [f"from {option}" for option in options])
    note = f"{format_time(second.start)} itself is not included; say `through` to include it." if second.unit == "day" else ""
    return TimeRange(first.start, second.start), note
