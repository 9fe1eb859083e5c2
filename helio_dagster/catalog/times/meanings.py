"""What the parts of a time phrase mean together: a range and a note on how it was read, or a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from helio_dagster.catalog.times import between
from helio_dagster.catalog.times.clocks import Clock
from helio_dagster.catalog.times.counted import Count
from helio_dagster.catalog.times.dates import Date
from helio_dagster.catalog.times.missing_years import Years
from helio_dagster.catalog.times.moments import AmbiguousName, Around, Moment, Unclear, require_exact
from helio_dagster.catalog.times.tokens import Token
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.time_words import Period, parse_recent

_AROUND_CLOCK = timedelta(hours=1)

Anchor = Callable[[], tuple[Period, str]]
"""Gives what a length is counted from, and what to say of it."""


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
    beside
        A range named elsewhere: what has no year is of the year in which it falls into this range.
    """

    def __init__(self, sentence: str, tokens: Sequence[Token], now: datetime, beside: TimeRange | None = None) -> None:
        self._sentence, self._tokens, self._now, self._years = sentence, tokens, now, Years(now, beside)

    def words(self, at: int, last: int) -> str:
        """The text of tokens, as written."""
        return self._sentence[self._tokens[at].first : self._tokens[last - 1].last]

    def between_clocks(self, moment: Moment, first: Clock, second: Clock) -> tuple[TimeRange, str]:
        """From one time of a day to another; over midnight where the second is the earlier."""
        return between.between_clocks(moment, first, second, self._years)

    def between(self, first: Moment, second: Moment, at: int, last: int, *, is_inclusive: bool) -> tuple[TimeRange, str]:
        """From the first to the second, each filled up from the other."""
        return between.between(first, second, self.words(at, last), self._years, is_inclusive=is_inclusive)

    def part_of(self, whole: TimeRange, limit: Moment, at: int, last: int, *, is_before: bool) -> tuple[TimeRange, str]:
        """The part of a range before or after a moment of it; a day after which it is, does not belong to it."""
        words = self.words(at, last)
        date = self._years.dated([limit.date], "{0}")[0] if limit.date is not None else None
        period = replace(limit, date=date).on_its_date(words)
        start, stop = (whole.start, period.start) if is_before else (period.stop, whole.stop)
        if not whole.start <= start < stop <= whole.stop:
            raise InputError(f"{words!r} leaves nothing of {whole}", hint="Give a time inside that range.")
        return TimeRange(start, stop), ""

    def single(self, moment: Moment, at: int, after: int, lead: str) -> tuple[TimeRange, str]:
        """All of one date, or an hour on either side of a moment."""
        words, date = self.words(at, after), moment.date
        if date is not None and date.year is None:
            form = "{0}" + (f" {moment.clock.text}" if moment.clock is not None else "")
            date = self._years.dated([date], f"{words} {{year}}" if moment.parts else form)[0]
        if date is not None and date.other is not None:
            periods = [moment.on(each, words) for each in (date, date.other)]
            if date.day is None or moment.parts:
                raise Unclear(f"Which months are {words!r}?", [str(TimeRange(each.start, each.stop)) for each in periods])
            raise Unclear(f"Which day is {words!r}?", [format_time(each.start) for each in periods])
        period = moment.on(date, words)
        require_exact([(moment, date)], period, period, words)
        if period.is_instant:
            hour = _AROUND_CLOCK
            near = Around(period.start - hour, period.start + hour, period.start)
            return near, f"{format_time(period.start)} is one moment: {near} is taken, an hour on either side."
        if lead in ("from", "between", "since", "vom", "von", "desde"):
            day = f"on {format_time(period.start)}" if period.unit == "day" else f"for {self.words(at, after)}"
            raise Unclear(f"{f'{lead} {words}'!r} until when?", [day, f"since {words}"])
        span = TimeRange(period.start, period.stop)
        choice = f"Through {words} is taken as {span}." if lead == "through" else ""
        return span, choice or moment.note or (date.note if date is not None else "")

    def since(self, moment: Moment) -> tuple[TimeRange, str]:
        """From a date up to today."""
        return TimeRange(moment.on_its_date("since").start, Grain.DAILY.floor(self._now)), "Up to today 00:00 UTC."

    def around(self, moment: Moment, at: int, after: int) -> tuple[TimeRange, str]:
        """Always a question: how much around the date."""
        words, period = self.words(at, after), moment.on_its_date(self.words(at, after))
        spans = [TimeRange(period.start, period.stop)]
        if period.unit == "day":
            spans = [TimeRange(period.start - timedelta(days=n), period.stop + timedelta(days=n)) for n in (0, 1, 3)]
        raise Unclear(f"{words!r}: from when to when?", [f"for {span}" for span in spans])

    def week_of(self, moment: Moment, at: int, after: int) -> tuple[TimeRange, str]:
        """The week of a Monday; of other days a question."""
        words, start = self.words(at, after), moment.on_its_date(self.words(at, after)).start
        monday = start - timedelta(days=start.weekday())
        weeks = [TimeRange(first, first + timedelta(days=7)) for first in (monday, start)]
        if weeks[0] == weeks[1]:
            return weeks[0], ""
        raise Unclear(f"{words!r}: from when to when?", [f"for {week}" for week in weeks])

    def anchor(self, moment: Moment, first: int, last: int) -> tuple[Period, str]:
        """What a length is counted from, whose words are the tokens `[first, last)` of a phrase, and what to say of it."""
        words, date = self.words(first, last), moment.date
        try:
            if date is not None and date.year is None:
                clock = f" {moment.clock.text}" if moment.clock is not None else ""
                date = self._years.dated([date], f"{{0}}{clock}" if moment.is_plain else f"{words} {{year}}")[0]
            if date is not None and date.other is not None:
                moments = [replace(moment, date=replace(each, other=None)) for each in (date, date.other)]
                starts = [each.on_its_date(words).start for each in moments]
                raise Unclear(f"Which day is {words!r}?", [format_time(each) for each in starts])
        except Unclear as unclear:
            place = self._tokens[first].first, self._tokens[last - 1].last
            raise AmbiguousName(unclear.question, unclear.options, *place) from None
        return replace(moment, date=date).on_its_date(words), moment.note

    def window(
        self, anchor: Anchor, start: Callable[[Period], datetime], stop: Callable[[Period], datetime]
    ) -> tuple[TimeRange, str]:
        """From a moment before or after something to another one."""
        period, note = anchor()
        return TimeRange(start(period), stop(period)), note

    def one_of_windows(self, anchor: Anchor, count: Count, at: int, last: int) -> tuple[TimeRange, str]:
        """Always a question: whether `36 hours around …` is on either side or altogether."""
        period, _ = anchor()
        either = TimeRange(count.after(period.start, -1), count.after(period.stop))
        options = [f"for {either}"]
        if not count.unit.startswith(("month", "year")):
            half = Count(count.number / 2, count.unit)
            options.append(f"for {TimeRange(half.after(period.start, -1), half.after(period.stop))}")
        raise Unclear(f"{self.words(at, last)!r}: that much on either side, or altogether?", options)

    def of_recent(self, words: str) -> tuple[TimeRange, str]:
        """`last 7 days` and the like."""
        span = parse_recent(words, self._now)
        if span is None:
            raise Unclear(f"How long is {words!r}?", ["last 7 days", "last 30 days"])
        return span, ""

    def so_far(self, unit: str) -> tuple[TimeRange, str]:
        """The range of `this week`, `this month` or `this year`, up to today; InputError on its first day."""
        today = Grain.DAILY.floor(self._now)
        day = {"week": today - timedelta(days=today.weekday()), "month": today.replace(day=1)}
        start = day.get(unit, today.replace(month=1, day=1))
        if start == today:
            raise InputError(f"this {unit} begins today, and no day of it is over", hint="Give dates, or say: last week.")
        return TimeRange(start, today), "Up to today 00:00 UTC."

    def in_its_year(self, date: Date, option: Callable[[Date], str]) -> Date:
        """A date with its year; `Unclear` where none is known, with an answer for each year as `option` makes it."""
        return self._years.dated([date], lambda dates: option(dates[0]))[0]
