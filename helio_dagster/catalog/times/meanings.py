"""What the parts of a time phrase mean together: a range and a note on how it was read, or a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from helio_dagster.catalog.times.clocks import Clock
from helio_dagster.catalog.times.counted import Count
from helio_dagster.catalog.times.date_order import in_year, in_year_before, is_turned
from helio_dagster.catalog.times.dates import Date, in_that_order
from helio_dagster.catalog.times.parts import Part
from helio_dagster.catalog.times.tokens import Token
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.time_words import Period, moment_period, parse_recent

_AROUND_CLOCK = timedelta(hours=1)


Anchor = Callable[[], tuple[Period, str]]
"""Gives what a length is counted from, and what to say of it."""


class Unclear(Exception):
    """The phrase has two meanings; each option may stand instead of it.

    An option is a range, or words with a date in them. `hull` is a range in which all meanings lie, where there is one.
    """

    def __init__(self, question: str, options: Sequence[str], hull: TimeRange | None = None) -> None:
        super().__init__(question)
        self.hull = hull
        self.question = question
        self.options = tuple(options)


@dataclass(frozen=True)
class Moment:
    """A date with a time of day, either of which may be left out in the second part of a range.

    `named` gives a time with a name, such as a storm, and what to say of it. `parts` are what is meant of it, each a part of
    the one before.
    """

    date: Date | None
    period: Period | None
    clock: Clock | None
    parts: tuple[Part, ...] = ()
    named: Callable[[], tuple[TimeRange, str]] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is a date, with or without a time of day."""
        return not self.parts and self.named is None

    @property
    def is_vague(self) -> bool:
        """Whether people mean different days by it: `mid-March`."""
        return any(part.is_vague for part in self.parts)


class AmbiguousName(Unclear):
    """A name at the characters `[first, last)` of the sentence may mean several; each option may stand instead of the name."""

    def __init__(self, question: str, options: Sequence[str], first: int, last: int) -> None:
        super().__init__(question, options)
        self.first, self.last = first, last


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
        A range named elsewhere: what has no year is of the year in which it lies there.
    """

    def __init__(self, sentence: str, tokens: Sequence[Token], now: datetime, beside: TimeRange | None = None) -> None:
        self._sentence, self._tokens, self._now, self._beside = sentence, tokens, now, beside

    def words(self, at: int, last: int) -> str:
        """The text of tokens, as written."""
        return self._sentence[self._tokens[at].first : self._tokens[last - 1].last]

    def between_clocks(self, moment: Moment, first: Clock, second: Clock) -> tuple[TimeRange, str]:
        """From one time of a day to another; over midnight where the second is the earlier."""
        if moment.date is not None and not moment.date.is_whole:
            moment = replace(moment, date=self._dated([moment.date], partial(self._clocked, moment, first, second))[0])
        day = self._period(moment, first.text)
        if day.unit != "day":
            raise Unclear(f"On which day of {format_time(day.start)[:7]}?", [format_time(day.start)])
        begins, ends = (moment_period(f"{day.start:%Y-%m-%d}", clock.text, "", clock.text).start for clock in (first, second))
        if ends <= begins:
            ends += timedelta(days=1)
            return TimeRange(begins, ends), f"{second.text} is taken on the next day."
        return TimeRange(begins, ends), ""

    def _clocked(self, moment: Moment, first: Clock, second: Clock, dates: Sequence[Date]) -> str:
        return str(self.between_clocks(replace(moment, date=dates[0]), first, second)[0])

    def between(self, first: Moment, second: Moment, at: int, last: int, *, is_inclusive: bool) -> tuple[TimeRange, str]:
        """From the first to the second, each filled up from the other."""
        words = self.words(at, last)
        one, two = first.date, second.date
        if two is None and second.clock is not None and one is not None and second.period is None:
            two = one
        if one is not None and two is not None and bool(one.other) != bool(two.other):
            one, two = (in_that_order(each, words) for each in (one, two))
        if one == Date() and two is not None:  # `from early to late May`
            one = two if first.is_vague else Date(two.year)
        if one is not None and two is not None:
            if two.year is None and one.year is not None:
                two = two.filled(one)
            elif one.year is None and two.year is not None:
                two = replace(two, month=two.month or one.month, style="spoken")
                one = one.filled(two)
                if two.other is None and is_turned(one, two, words):
                    raise self._turned(first, second, (one, two), words, is_inclusive=is_inclusive)
                one = in_year_before(one, two, words)
            elif one.year is None:
                if one.month is None:
                    one = one.filled(two)
                if is_turned(one, two.filled(one), words):
                    raise self._turned(first, second, (one, two.filled(one)), words, is_inclusive=is_inclusive)
                one, two = self._dated(
                    [one, two.filled(one)], partial(self._joined, first, second, words, is_inclusive=is_inclusive)
                )
            if not (first.is_plain and second.is_plain) and (one.other or two.other):
                pairs = [(one, two), (one.other or one, two.other or two)]
                joined = partial(self._joined, first, second, words, is_inclusive=is_inclusive)
                raise Unclear("Is the day or the month written first?", [joined(pair) for pair in pairs])
            self._require_one_reading(one, two, is_inclusive=is_inclusive)
        one, two = (self._dated_by(each, other, words) for each, other in ((one, second), (two, first)))
        return self._through(replace(first, date=one), replace(second, date=two), words, is_inclusive=is_inclusive)

    def part_of(self, whole: TimeRange, limit: Moment, at: int, last: int, *, is_before: bool) -> tuple[TimeRange, str]:
        """The part of a range before or after a moment of it; a day after which it is, does not belong to it."""
        words = self.words(at, last)
        date = self._dated([limit.date], "{0}")[0] if limit.date is not None else None
        period = self._period(replace(limit, date=date), words)
        start, stop = (whole.start, period.start) if is_before else (period.stop, whole.stop)
        if not whole.start <= start < stop <= whole.stop:
            raise InputError(f"{words!r} leaves nothing of {whole}", hint="Give a time inside that range.")
        return TimeRange(start, stop), ""

    def single(self, moment: Moment, at: int, after: int, lead: str) -> tuple[TimeRange, str]:
        """All of one date, or an hour on either side of a moment."""
        words, date = self.words(at, after), moment.date
        if date is not None and date.year is None:
            form = "{0}" + (f" {moment.clock.text}" if moment.clock is not None else "")
            date = self._dated([date], f"{words} {{year}}" if moment.parts else form)[0]
        if date is not None and date.other is not None:
            periods = [self._at(moment, each, words) for each in (date, date.other)]
            if date.day is None or moment.parts:
                raise Unclear(f"Which months are {words!r}?", [str(TimeRange(each.start, each.stop)) for each in periods])
            raise Unclear(f"Which day is {words!r}?", [format_time(each.start) for each in periods])
        period = self._at(moment, date, words)
        self._require_exact([(moment, date)], period, period, words)
        if period.is_instant:
            hour = _AROUND_CLOCK
            span = TimeRange(period.start - hour, period.start + hour)
            return span, f"{format_time(period.start)} is one moment: {span} is taken, an hour on either side."
        if lead in ("from", "between", "since", "vom", "von", "desde"):
            day = f"on {format_time(period.start)}" if period.unit == "day" else f"for {self.words(at, after)}"
            raise Unclear(f"{f'{lead} {words}'!r} until when?", [day, f"since {words}"])
        span = TimeRange(period.start, period.stop)
        choice = f"Through {words} is taken as {span}." if lead == "through" else ""
        return span, choice or self._note(moment) or (date.note if date is not None else "")

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

    def anchor(self, moment: Moment, first: int, last: int) -> tuple[Period, str]:
        """What a length is counted from, whose words are the tokens `[first, last)` of a phrase, and what to say of it."""
        words, date = self.words(first, last), moment.date
        try:
            if date is not None and date.year is None:
                clock = f" {moment.clock.text}" if moment.clock is not None else ""
                date = self._dated([date], f"{{0}}{clock}" if moment.is_plain else f"{words} {{year}}")[0]
            if date is not None and date.other is not None:
                moments = [replace(moment, date=replace(each, other=None)) for each in (date, date.other)]
                starts = [self._period(each, words).start for each in moments]
                raise Unclear(f"Which day is {words!r}?", [format_time(each) for each in starts])
        except Unclear as unclear:
            place = self._tokens[first].first, self._tokens[last - 1].last
            raise AmbiguousName(unclear.question, unclear.options, *place) from None
        moment = replace(moment, date=date)
        return self._period(moment, words), self._note(moment)

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

    def _through(self, first: Moment, second: Moment, words: str, *, is_inclusive: bool) -> tuple[TimeRange, str]:
        """From the first to the second, both with their years."""
        begins, ends = self._at(first, first.date, words), self._at(second, second.date, words)
        self._require_exact([(first, first.date), (second, second.date)], begins, ends, words)
        is_spoken = second.date is not None and second.date.style == "spoken"
        span, note = _span(begins, ends, words, is_inclusive=is_inclusive, is_spoken=is_spoken)
        return span, " ".join(each for each in (self._note(first), self._note(second), note) if each)

    def _turned(self, first: Moment, second: Moment, dates: tuple[Date, Date], words: str, *, is_inclusive: bool) -> Unclear:
        """The question whether two days are meant the other way round, or over the turn of a year, where that is known."""
        one, two = dates
        turned = partial(self._joined, second, first, words, is_inclusive=is_inclusive)
        try:
            options = [turned(self._dated([two, one], turned))]
        except Unclear as unclear:
            options = list(unclear.options)
        if one.year is not None:
            with suppress(InputError):  # the year before may have no such day, as 29 February
                before = in_year_before(one, two, words)
                options.append(self._joined(first, second, words, (before, two), is_inclusive=is_inclusive))
        return Unclear(f"{words!r} ends before it begins: from when to when?", options)

    def _joined(self, first: Moment, second: Moment, words: str, dates: Sequence[Date], *, is_inclusive: bool) -> str:
        """The answer that two dates with their years are."""
        one, two = (replace(moment, date=date) for moment, date in zip((first, second), dates, strict=True))
        return str(self._through(one, two, words, is_inclusive=is_inclusive)[0])

    def _at(self, moment: Moment, date: Date | None, words: str) -> Period:
        """What one end of a range names."""
        period = date.period(words) if date is not None else moment.period
        if moment.named is not None:
            span, _ = moment.named()
            period = Period(span.start, span.stop, "event")
        if period is None:
            raise ValueError(f"{words!r} has no date")
        if moment.clock is not None:
            period = moment_period(f"{period.start:%Y-%m-%d}", moment.clock.text, "", words)
        for part in moment.parts:
            period = part.of(period, words)
        return period

    def _dated_by(self, date: Date | None, other: Moment, words: str) -> Date | None:
        """A date; without its year it is of that of what stands beside it, as is `28 October` before `the Halloween storm`."""
        if date is None or date.year is not None:
            return date
        return replace(date, year=self._at(replace(other, parts=()), other.date, words).start.year)

    def _note(self, moment: Moment) -> str:
        return moment.named()[1] if moment.named is not None else ""

    def _require_exact(self, ends: Sequence[tuple[Moment, Date | None]], begins: Period, stops: Period, words: str) -> None:
        """Ask where an end of a range is vague, or is an edge by itself; the whole period it is a part of is offered too."""
        (first, _), (last, _) = ends[0], ends[-1]
        is_open = begins.unit == "edge" and (len(ends) == 1 or first.parts[-1].place != 0)
        if not is_open and not first.is_vague and not last.is_vague:
            return
        whole = [self._at(replace(moment, parts=()), date, words) for moment, date in ends]
        hull = TimeRange(whole[0].start, whole[-1].stop) if whole[0].start < whole[-1].stop else None
        options = [TimeRange(begins.start, stops.stop)] if begins.start < stops.stop else []
        options += [hull] if hull is not None else []
        raise Unclear(f"{words!r}: from when to when?", [f"for {each}" for each in dict.fromkeys(options)], hull)

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

    def in_its_year(self, date: Date, told: Callable[[Date], str]) -> Date:
        """A date with its year; `Unclear` where none is known, with an answer for each year as `told` makes it."""
        return self._dated([date], lambda dates: told(dates[0]))[0]

    def _dated(self, dates: Sequence[Date], form: str | Callable[[Sequence[Date]], str]) -> list[Date]:
        """Dates in the year in which they lie in the range beside them; `Unclear` where there is none, or several.

        `form` is that of the answers, with `{0}` for the first date or `{year}` for its year, or makes them of the dates.
        """
        if all(date.year is not None for date in dates):
            return list(dates)
        beside = self._beside
        found: list[list[Date]] = []
        for year in range(beside.start.year - 1, beside.stop.year + 1) if beside is not None else ():
            try:
                dated = in_year(dates, year)
                edges = [date.period("") for date in dated]
            except InputError:  # 29 February
                continue
            if beside is not None and beside.start < edges[-1].stop and edges[0].start < beside.stop:
                found.append(dated)
        if len(found) == 1:
            return found[0]
        raise self._without_year(dates, form)

    def _without_year(self, dates: Sequence[Date], form: str | Callable[[Sequence[Date]], str]) -> Unclear:
        options: list[str] = []
        named = " to ".join(_spoken(date) for date in dates)
        for year in range(self._now.year, self._now.year - 12, -1):
            try:
                dated = in_year(dates, year)
                days = [date.period("").start for date in dated]
                if days[0] <= self._now and len(options) < 3:
                    choice = form.format(format_time(days[0]), year=year) if isinstance(form, str) else form(dated)
                    options.append(choice)
            except InputError:  # 29 February
                continue
            except Unclear as unclear:
                options.append(unclear.options[0])
        return Unclear(f"{named!r} of which year?", options)


def _span(first: Period, second: Period, words: str, *, is_inclusive: bool, is_spoken: bool) -> tuple[TimeRange, str]:
    """From the first through the second, or up to it; of days said with the name of a month the last is always meant."""
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
    if is_spoken and second.unit == "month":
        return TimeRange(first.start, second.stop), f"Through {second.start:%B %Y}, which is included."
    if second.unit == "year" and first.unit == "year":
        without = TimeRange(first.start, second.start)
        return TimeRange(first.start, second.stop), f"Through {second.start:%Y}, which is included; `{without}` leaves it out."
    if second.unit in ("month", "year"):
        last = f"{second.start:%B %Y}" if second.unit == "month" else f"{second.start:%Y}"
        options = [TimeRange(first.start, stop) for stop in (second.stop, second.start)]
        raise Unclear(f"Does {words!r} include {last}?", [f"from {option}" for option in options])
    note = f"{format_time(second.start)} itself is not included; say `through` to include it." if second.unit == "day" else ""
    return TimeRange(first.start, second.start), note


def _spoken(date: Date) -> str:
    month = f"{datetime(2000, date.month, 1):%B}" if date.month else ""
    if date.day_of_year is not None:
        return f"day {date.day_of_year}"
    return f"{month} {date.day}".strip() if date.day else month


def is_one_day(span: TimeRange) -> bool:
    """Whether a range lies within one day."""
    return span.stop <= Grain.DAILY.floor(span.start) + timedelta(days=1)


def is_in_one_month(span: TimeRange) -> bool:
    """Whether a range lies within one month."""
    return span.stop <= Grain.MONTHLY.following(Grain.MONTHLY.floor(span.start))
