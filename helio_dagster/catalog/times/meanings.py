"""What the parts of a time phrase mean together: a range and a note on how it was read, or a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from helio_dagster.catalog.times.clocks import Clock
from helio_dagster.catalog.times.dates import Date
from helio_dagster.catalog.times.tokens import Token
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.time_words import Period, moment_period, parse_recent, part_of_period

_AROUND_CLOCK = timedelta(hours=1)


class Unclear(Exception):
    """The phrase has two meanings; each option may stand instead of it.

    An option is a range, or words with a date in them.
    """

    def __init__(self, question: str, options: Sequence[str]) -> None:
        super().__init__(question)
        self.question = question
        self.options = tuple(options)


@dataclass(frozen=True)
class Moment:
    """A date with a time of day, either of which may be left out in the second part of a range."""

    date: Date | None
    period: Period | None
    clock: Clock | None


class Meaning:
    """What phrases of one sentence mean.

    Parameters
    ----------
    sentence
        The sentence, for words in messages.
    tokens
        Its tokens.
    now
        The present, aware.
    """

    def __init__(self, sentence: str, tokens: Sequence[Token], now: datetime) -> None:
        self._sentence, self._tokens, self._now = sentence, tokens, now

    def words(self, at: int, last: int) -> str:
        """The text of tokens, as written."""
        return self._sentence[self._tokens[at].first : self._tokens[last - 1].last]

    def between_clocks(self, moment: Moment, first: Clock, second: Clock) -> tuple[TimeRange, str]:
        """From one time of a day to another; over midnight where the second is the earlier."""
        if moment.date is not None and not moment.date.is_whole:
            raise self._without_year([moment.date], f"{{0}} {first.text} to {second.text}")
        day = self._period(moment, first.text)
        if day.unit != "day":
            raise Unclear(f"On which day of {format_time(day.start)[:7]}?", [format_time(day.start)])
        begins, ends = (moment_period(f"{day.start:%Y-%m-%d}", clock.text, "", clock.text).start for clock in (first, second))
        if ends <= begins:
            ends += timedelta(days=1)
            return TimeRange(begins, ends), f"{second.text} is taken on the next day."
        return TimeRange(begins, ends), ""

    def between(self, first: Moment, second: Moment, at: int, last: int, *, is_inclusive: bool) -> tuple[TimeRange, str]:
        """From the first to the second, each filled up from the other."""
        words = self.words(at, last)
        one, two = first.date, second.date
        if two is None and second.clock is not None and one is not None and second.period is None:
            two = one
        if one is not None and two is not None:
            if two.year is None and one.year is not None:
                two = two.filled(one)
            elif one.year is None and two.year is not None:
                two = replace(two, month=two.month or one.month, style="spoken")
                one = _before(one.filled(two), two, words)
            elif one.year is None:
                if one.month is None:
                    one = one.filled(two)
                joint = "through" if is_inclusive else "to"
                clocks = [f" {each.clock.text}" if each.clock is not None else "" for each in (first, second)]
                raise self._without_year([one, two.filled(one)], f"{{0}}{clocks[0]} {joint} {{1}}{clocks[1]}")
            self._require_one_reading(one, two, is_inclusive=is_inclusive)
        begins, ends = self._at(first, one, words), self._at(second, two, words)
        is_spoken = two is not None and two.style == "spoken"
        return _span(begins, ends, words, is_inclusive=is_inclusive, is_spoken=is_spoken)

    def single(self, moment: Moment, at: int, after: int, lead: str) -> tuple[TimeRange, str]:
        """All of one date, or an hour on either side of a moment."""
        words, date = self.words(at, after), moment.date
        if date is not None and date.year is None:
            raise self._without_year([date], "{0}" + (f" {moment.clock.text}" if moment.clock is not None else ""))
        if date is not None and date.other is not None:
            periods = [each.period(words) for each in (date, date.other)]
            if date.day is None:
                raise Unclear(f"Which months are {words!r}?", [str(TimeRange(each.start, each.stop)) for each in periods])
            raise Unclear(f"Which day is {words!r}?", [format_time(each.start) for each in periods])
        period = self._at(moment, date, words)
        if period.is_instant:
            hour = _AROUND_CLOCK
            span = TimeRange(period.start - hour, period.start + hour)
            return span, f"{format_time(period.start)} is one moment: {span} is taken, an hour on either side."
        if lead in ("from", "between", "since", "vom", "von", "desde"):
            day = f"on {format_time(period.start)}" if period.unit == "day" else f"for {self.words(at, after)}"
            raise Unclear(f"{f'{lead} {words}'!r} until when?", [day, f"since {words}"])
        return TimeRange(period.start, period.stop), date.note if date is not None else ""

    def part(self, moment: Moment, which: str, share: str, at: int, after: int) -> tuple[TimeRange, str]:
        """A part of a month or year."""
        words = self.words(at, after)
        return part_of_period(self._period(moment, words), which, share.replace("weeks", "week"), words), ""

    def since(self, moment: Moment) -> tuple[TimeRange, str]:
        """From a date up to today."""
        return TimeRange(self._period(moment, "since").start, Grain.DAILY.floor(self._now)), "Up to today 00:00 UTC."

    def around(self, moment: Moment, at: int, after: int) -> tuple[TimeRange, str]:
        """Always a question: how much around the date."""
        words, period = self.words(at, after), self._period(moment, self.words(at, after))
        spans = [TimeRange(period.start, period.stop)]
        if period.unit == "day":
            spans = [TimeRange(period.start - timedelta(days=n), period.stop + timedelta(days=n)) for n in (0, 1, 3)]
        raise Unclear(f"{words!r}: from when to when?", [f"for {span}" for span in spans])

    def week_of(self, moment: Moment, at: int, after: int) -> tuple[TimeRange, str]:
        """The week of a Monday; of other days a question."""
        words, start = self.words(at, after), self._period(moment, self.words(at, after)).start
        monday = start - timedelta(days=start.weekday())
        weeks = [TimeRange(first, first + timedelta(days=7)) for first in (monday, start)]
        if weeks[0] == weeks[1]:
            return weeks[0], ""
        raise Unclear(f"{words!r}: from when to when?", [f"for {week}" for week in weeks])

    def stretch(self, moment: Moment, length: tuple[int, str], at: int, after: int, *, is_after: bool) -> tuple[TimeRange, str]:
        """So many days or weeks that begin with a day, or with the one after it."""
        period, (count, unit) = self._period(moment, self.words(at, after)), length
        start = period.stop if is_after else period.start
        return TimeRange(start, start + timedelta(days=count * (7 if unit == "week" else 1))), ""

    def of_recent(self, words: str) -> tuple[TimeRange, str]:
        """`last 7 days` and the like."""
        span = parse_recent(words, self._now)
        if span is None:
            raise Unclear(f"How long is {words!r}?", ["last 7 days", "last 30 days"])
        return span, ""

    def _at(self, moment: Moment, date: Date | None, words: str) -> Period:
        """What one end of a range names."""
        period = date.period(words) if date is not None else moment.period
        if period is None:
            raise ValueError(f"{words!r} has no date")
        if moment.clock is None:
            return period
        return moment_period(f"{period.start:%Y-%m-%d}", moment.clock.text, "", words)

    def _period(self, moment: Moment, words: str) -> Period:
        if moment.date is not None and moment.date.other is not None:
            self._require_one_reading(moment.date, moment.date, is_inclusive=False)
        return self._at(moment, moment.date, words)

    def _require_one_reading(self, first: Date, second: Date, *, is_inclusive: bool) -> None:
        if first.other is None and second.other is None:
            return
        joint = "through" if is_inclusive else "to"
        pairs = [(first, second), (first.other or first, second.other or second)]
        texts = [[format_time(date.period("").start) for date in pair] for pair in pairs]
        options = [one if one == two else f"{one} {joint} {two}" for one, two in texts]
        raise Unclear("Is the day or the month written first?", options)

    def _without_year(self, dates: Sequence[Date], form: str) -> Unclear:
        options: list[str] = []
        named = " to ".join(_spoken(date) for date in dates)
        for year in range(self._now.year, self._now.year - 12, -1):
            try:
                days = [replace(date, year=year).period("").start for date in dates]
            except InputError:  # 29 February
                continue
            if days[0] <= self._now and len(options) < 3:
                options.append(form.format(*(format_time(day) for day in days)))
        return Unclear(f"{named!r} of which year?", options)


def _span(first: Period, second: Period, words: str, *, is_inclusive: bool, is_spoken: bool) -> tuple[TimeRange, str]:
    """From the first through the second, or up to it; of days said with the name of a month the last is always meant."""
    if first == second and first.start < first.stop:
        return TimeRange(first.start, first.stop), ""
    if is_inclusive:
        return TimeRange(first.start, second.stop), ""
    if is_spoken and second.unit == "day":
        days = f"{format_time(first.start)} to {format_time(second.start)}"
        note = f"Through {format_time(second.start)}, which is included; `{days}` leaves it out."
        return TimeRange(first.start, second.stop), note
    if is_spoken and second.unit == "month":
        return TimeRange(first.start, second.stop), f"Through {second.start:%B %Y}, which is included."
    if second.unit in ("month", "year"):
        last = f"{second.start:%B %Y}" if second.unit == "month" else f"{second.start:%Y}"
        options = [TimeRange(first.start, stop) for stop in (second.stop, second.start)]
        raise Unclear(f"Does {words!r} include {last}?", [f"from {option}" for option in options])
    note = f"{format_time(second.start)} itself is not included; say `through` to include it." if second.unit == "day" else ""
    return TimeRange(first.start, second.start), note


def _before(first: Date, second: Date, words: str) -> Date:
    """The first date in the year of the second, or in the year before: `30 December to 2 January 2024`."""
    if first.year is not None and first.period(words).start > second.period(words).start:
        return replace(first, year=first.year - 1)
    return first


def _spoken(date: Date) -> str:
    month = f"{datetime(2000, date.month, 1):%B}" if date.month else ""
    if date.day_of_year is not None:
        return f"day {date.day_of_year}"
    return f"{month} {date.day}".strip() if date.day else month


def is_day(date: Date) -> bool:
    """Whether a date names a day."""
    return date.day is not None or date.day_of_year is not None
