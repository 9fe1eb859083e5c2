"""Read the time range that begins at a token: dates, clocks, and what joins them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from helio_dagster.catalog.times.clocks import Clock, read_clock, read_clocks, read_hours
from helio_dagster.catalog.times.date_order import is_day
from helio_dagster.catalog.times.dated_moments import DatedMoments
from helio_dagster.catalog.times.dates import Date, read_dates, read_month_and_day
from helio_dagster.catalog.times.meanings import Meaning
from helio_dagster.catalog.times.moments import Moment
from helio_dagster.catalog.times.named_phrases import NamedPhrases, Read
from helio_dagster.catalog.times.parts import read_part
from helio_dagster.catalog.times.parts_of_days import PartsOfDays
from helio_dagster.catalog.times.relations import Relations
from helio_dagster.catalog.times.sentence import Sentence
from helio_dagster.catalog.times.tokens import Token
from helio_dagster.catalog.times.vocabulary import AND, ARTICLES, BETWEEN, INCLUSIVE, LAST_ONE, LEADS, LEADS_ELSEWHERE, THROUGH
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import UNIT_LENGTH, Period

_RECENT_UNITS = frozenset(each for unit in UNIT_LENGTH for each in (unit, f"{unit}s"))
_ON_A_DAY = frozenset({"on", "of", "the", "am", "le", "del", "el", "de", "du", ","})
"""What may stand between a time of day and its date."""
_TO_A_CLOCK = frozenset({",", "from", "between", "at", "de", "von", "um", "zwischen", "entre", "desde", "las", "la"})
"""What may stand between a date and two times of day."""


@dataclass(frozen=True)
class Phrase:
    """A phrase of the tokens `[first, last)`, and how to read it; `read` gives the range and a note, or raises `Unclear`."""

    first: int
    last: int
    read: Read


class Reader:
    """Reads the phrases of one sentence.

    Parameters
    ----------
    sentence
        The sentence, for words in messages.
    tokens
        Its tokens.
    now
        The present, aware.
    beside
        A range named elsewhere, in whose year a date is that has none, and times of day in its one day.
    """

    def __init__(self, sentence: str, tokens: Sequence[Token], now: datetime, beside: TimeRange | None = None) -> None:
        self._at, self._now, self._beside = Sentence(sentence, tokens), now, beside
        self._meaning = Meaning(sentence, tokens, now, beside)
        self._named = NamedPhrases(self._at, now)
        self._dated = DatedMoments(self._at, self._named, now, beside)
        self._of_days = PartsOfDays(self._at, self._meaning)
        self._relations = Relations(self._at, self._anchors, self._meaning)

    def phrases(self, at: int) -> Iterator[Phrase]:
        """Every phrase that begins at a token, with the words that lead to it."""
        place, lead = self._after_lead(at)
        readers = [self._ranges(place, lead), self._wholes(place), self._recent(place), self._named.read(place)]
        readers += [self._of_days.read(place), self._within(place)]
        for last, read in (found for reader in readers for found in reader):
            yield Phrase(at, self._with_inclusive(last), read)
        if self._at.word(at - 1) in ("every", "each", "per"):
            return
        for start in {place, self._past_article(at)}:
            for last, read in self._relations.read(start, lead):
                yield Phrase(at, last, read)

    def _anchors(self, at: int) -> Iterator[tuple[int, Moment]]:
        """What a length may be counted from: a moment, a day, a month, a part of one, or a time with a name."""
        for after, moment in (*self._clock_first(at), *self._dated.moments(at)):
            if not moment.is_vague and (moment.date is None or moment.date.is_whole or is_day(moment.date)):
                yield after, moment
        yield from self._named.names(at)

    def _ranges(self, at: int, lead: str) -> Iterator[tuple[int, Read]]:
        if at >= len(self._at.tokens):
            return
        if clocks := read_clocks(self._at.tokens, at) or read_hours(self._at.tokens, at):
            place = self._at.skip(clocks[0], _ON_A_DAY, most=2)
            for after, moment in self._dated.moments(place, has_clock=False):
                yield after, partial(self._meaning.between_clocks, moment, clocks[1], clocks[2])
        for after, moment in self._clock_first(at):
            if moment.clock is not None and (lead in ("at", "um") or not moment.clock.may_be_length):
                yield after, partial(self._meaning.single, moment, at, after, lead)
                yield from self._joined(at, after, moment, lead)
        for after, first in self._dated.moments(at):
            if first.clock is None and (first.is_plain or (first.parts and first.parts[-1].is_day)):
                place = self._at.skip(after, _TO_A_CLOCK, most=3)
                if clocks := read_clocks(self._at.tokens, place, follows_day=True) or read_hours(self._at.tokens, place):
                    for last, day in self._with_its_year(clocks[0], first):
                        yield last, partial(self._meaning.between_clocks, day, clocks[1], clocks[2])
            yield from self._joined(at, after, first, lead)
            if first.date is None or first.date.is_whole or is_day(first.date) or first.parts:
                yield after, partial(self._meaning.single, first, at, after, lead)
        for after, first in (*self._named.names(at), *self._bare_part(at), *self._relations.offsets(at)):
            yield from self._joined(at, after, first, lead)

    def _with_its_year(self, at: int, moment: Moment) -> Iterator[tuple[int, Moment]]:
        """A day as it is, and with the year that is said only behind what follows it: `29 Oct 5:00 to 9:00 2003`."""
        yield at, moment
        year, date = self._at.skip(at, {",", "of"}, most=2), moment.date
        if date is not None and not date.is_whole and self._at.is_year(year):
            yield year + 1, replace(moment, date=replace(date, year=self._at.tokens[year].number))

    def _bare_part(self, at: int) -> Iterator[tuple[int, Moment]]:
        """A part whose year is said behind it: `early` in `early to late May 2015`, `Q1` in `Q1 to Q3 2012`, `summer`."""
        found = read_part(self._at.tokens, at)
        if found is not None and found[1].unit in ("third", "half", "quarter"):
            yield found[0], Moment(Date(), None, None, (found[1],))
        for after, date in read_dates(self._at.tokens, at, needs_year=False):
            if date.year is None and date.months > 1:
                yield after, Moment(date, None, None)

    def _joined(self, at: int, after: int, first: Moment, lead: str) -> Iterator[tuple[int, Read]]:
        """The range from the first date to a second one."""
        place, joint = self._at.joint(self._at.skip(after, {"."}, most=1), at)
        if not joint:
            yield from self._side_by_side(at, after, first)
            return
        if self._at.word(place) in ("now", "present") and not first.is_vague and (first.date is None or first.date.is_whole):
            yield place + 1, partial(self._meaning.since, first)
        if first.named is not None and self._at.is_year(place):
            return  # `CR 2106-2110`
        seconds = [*self._dated.moments(place), *self._clock_first(place), *self._named.names(place)]
        seconds += [*self._end_of_it(place, first), *self._relations.offsets(place)]
        if first.clock is not None and (clock := read_clock(self._at.tokens, place)) is not None:
            is_back = joint in THROUGH and clock[1].may_be_length and not first.clock.may_be_length  # `06:11 - 6 h`
            seconds += [] if is_back else [(clock[0], Moment(None, None, clock[1]))]
            seconds += self._on_next_day(clock[0], first, clock[1])
        seconds += self._on_a_day(place, first)
        seconds += self._in_same_year(place, first) if self._at.is_apart(after) or joint not in THROUGH else []
        if first.clock is None and first.date is not None:
            seconds += self._bare_seconds(place, first.date)
        seconds = [
            found
            for last, each in seconds
            for found in (self._with_its_year(last, each) if each.clock is not None else [(last, each)])
        ]
        for last, second in seconds:
            is_series = first.is_plain and second.is_plain and _follows(first.date, second.date)
            if joint in AND and not (lead in BETWEEN or is_series):
                continue
            is_inclusive = joint in ("through", "thru") or (joint in AND and lead not in BETWEEN) or self._has_inclusive(last)
            yield last, partial(self._meaning.between, first, second, at, last, is_inclusive=is_inclusive)

    def _end_of_it(self, at: int, first: Moment) -> Iterator[tuple[int, Moment]]:
        """`the end of the month`, as the second part of a range that begins in it."""
        date, part = first.date, read_part(self._at.tokens, at)
        if date is None or not date.is_whole or part is None or part[1].unit != "edge":
            return
        place = self._at.skip(part[0], {"of", "the", "that", "same"}, most=3)
        wider = {"day": date, "month": Date(date.year, date.month), "year": Date(date.year)}.get(self._at.word(place))
        if wider is not None and place > part[0] and (date.month is not None or self._at.word(place) == "year"):
            yield place + 1, Moment(wider, None, None, (part[1],))

    def _in_same_year(self, at: int, first: Moment) -> Iterator[tuple[int, Moment]]:
        """`05-13`, as the second part of a range that begins with a day in numbers."""
        date, found = first.date, read_month_and_day(self._at.tokens, at)
        if found is not None and date is not None and date.is_whole and date.style == "numbers" and date.day is not None:
            yield from self._dated.with_clock(*found)

    def _side_by_side(self, at: int, after: int, first: Moment) -> Iterator[tuple[int, Read]]:
        """`2022-03-26 2022-03-28`: START STOP, as commands take them."""
        if first.date is None or first.date.style != "numbers" or not is_day(first.date):
            return
        for last, second in self._dated.moments(after):
            if second.date is not None and second.date.style == "numbers" and is_day(second.date):
                yield last, partial(self._meaning.between, first, second, at, last, is_inclusive=False)

    def _clock_first(self, at: int) -> Iterator[tuple[int, Moment]]:
        """`15:00 on 10 Oct 2024`, each date that may follow the time of day."""
        clock = read_clock(self._at.tokens, at)
        if clock is not None and clock[1].is_sure:
            place = self._at.skip(clock[0], _ON_A_DAY, most=2)
            for after, moment in self._dated.moments(place, has_clock=False):
                if moment.date is None or is_day(moment.date) or (moment.parts and moment.parts[-1].is_day):
                    yield after, replace(moment, clock=clock[1])

    def _on_next_day(self, at: int, first: Moment, clock: Clock) -> Iterator[tuple[int, Moment]]:
        """`06:00 on the next day`, as the second part of a range."""
        place = self._at.skip(at, {"on", "of", "the"}, most=2)
        if self._at.word(place) not in ("next", "following") or self._at.word(place + 1) != "day":
            return
        if first.date is not None and first.date.is_whole and is_day(first.date):
            start = first.date.period("").stop
            yield place + 2, Moment(Date(start.year, start.month, start.day, style="numbers"), None, clock)

    def _on_a_day(self, at: int, first: Moment) -> Iterator[tuple[int, Moment]]:
        """`noon on the 25th`, as the second part of a range that begins in the same month."""
        clock = read_clock(self._at.tokens, at)
        if clock is None or not clock[1].is_sure or first.date is None or not first.date.is_whole or not is_day(first.date):
            return
        place = self._at.skip(clock[0], {"on", "of", "the"}, most=2)
        if self._at.ordinal(place) and self._dated.is_bare_day(place):
            start, number = first.date.period("").start, self._at.tokens[place].number
            if number >= start.day:
                yield place + 1, Moment(Date(start.year, start.month, number, style="numbers"), None, clock[1])

    def _bare_seconds(self, at: int, first: Date) -> Iterator[tuple[int, Moment]]:
        """The second day of `May 10-13 2024` or `DOY 131-133 2024`: the number alone, then with the year that follows it."""
        if at >= len(self._at.tokens) or self._at.tokens[at].kind != "number":
            return
        number = self._at.tokens[at].number
        if first.day_of_year is not None and 0 < number <= 366:
            date = Date(day_of_year=number)
        elif self._dated.is_bare_day(at):
            date = Date(day=number)
        else:
            return
        yield at + 1, Moment(date, None, None)
        year = self._at.skip(at + 1, {",", "of"}, most=2)
        if self._at.is_year(year):
            yield year + 1, Moment(replace(date, year=self._at.tokens[year].number), None, None)

    def _wholes(self, at: int) -> Iterator[tuple[int, Read]]:
        """`since March 2020`, `around 2003-10-29`, `the week of 17 March 2015`."""
        word = self._at.word(at)
        if word in ("since", "seit", "depuis", "desde"):
            place = self._at.skip(at + 1, ARTICLES, most=1)
            for after, moment in (*self._dated.moments(place, has_clock=False), *self._relations.offsets(place)):
                if not moment.is_vague and (moment.date is None or moment.date.is_whole):
                    yield after, partial(self._meaning.since, moment)
        if word in ("through", "throughout"):  # `through 2021`, where nothing begins that it could be the end of
            for after, moment in self._dated.moments(self._at.skip(at + 1, ARTICLES, most=1), has_clock=False):
                if moment.date is not None and moment.date.is_whole and not is_day(moment.date) and not moment.parts:
                    yield after, partial(self._meaning.single, moment, at + 1, after, word)
        if word in ("around", "about", "near"):
            for after, moment in self._dated.moments(at + 1):
                if moment.clock is not None:  # `around 2015-10-16 13:07`
                    yield after, partial(self._meaning.single, moment, at + 1, after, "at")
            for after, moment in self._dated.moments(at + 1, has_clock=False):
                if moment.date is not None and moment.date.is_whole:
                    yield after, partial(self._meaning.around, moment, at, after)
        if word == "week" and self._at.word(at + 1) in ("of", "around"):
            for after, moment in self._dated.moments(self._at.skip(at + 2, {"the"}, most=1), has_clock=False):
                if moment.date is not None and moment.date.is_whole and is_day(moment.date):
                    yield after, partial(self._meaning.week_of, moment, at, after)

    def _within(self, at: int) -> Iterator[tuple[int, Read]]:
        """What lies in the range named elsewhere: `06:00 to 09:00` and `after 18:00` of its one day, `before 29 Oct`."""
        beside = self._beside
        if beside is None or at >= len(self._at.tokens):
            return
        day = Moment(None, Period(beside.start, beside.stop, "day"), None) if Grain.DAILY.has_within(beside) else None
        if day is not None and (clocks := read_clocks(self._at.tokens, at) or read_hours(self._at.tokens, at)):
            yield clocks[0], partial(self._meaning.between_clocks, day, clocks[1], clocks[2])
        side = {"before": "before", "until": "before", "after": "after", "since": "after"}.get(self._at.word(at))
        if side is None:
            return
        place = self._at.skip(at + 1, ARTICLES, most=1)
        limits = list(self._dated.moments(place))
        if day is not None and (clock := read_clock(self._at.tokens, place)) is not None and clock[1].is_sure:
            limits.append((clock[0], replace(day, clock=clock[1])))
        for last, limit in limits:
            if not limit.is_vague and (limit.date is None or is_day(limit.date)):
                yield last, partial(self._meaning.part_of, beside, limit, at, last, is_before=side == "before")

    def _recent(self, at: int) -> Iterator[tuple[int, Read]]:
        if self._at.word(at) == "this" and self._at.word(at + 1) in ("week", "month", "year"):
            yield at + 2, partial(self._meaning.so_far, self._at.word(at + 1))
        if (words := LAST_ONE.get((self._at.word(at), self._at.word(at + 1)))) is not None:
            yield at + 2, partial(self._meaning.of_recent, words)
        if self._at.word(at) not in ("last", "past"):
            return
        for length in (2, 3):
            if self._at.word(at + length - 1) in _RECENT_UNITS:
                words = " ".join(token.text for token in self._at.tokens[at : at + length])
                yield at + length, partial(self._meaning.of_recent, words)
                return

    def _past_article(self, at: int) -> int:
        """The place after one leading word and an article."""
        return self._at.skip(self._at.skip(at, LEADS | LEADS_ELSEWHERE, most=1), ARTICLES, most=1)

    def _after_lead(self, at: int) -> tuple[int, str]:
        """The place after words such as `during the month of`, and the first of them."""
        place, lead = at, ""
        if self._at.word(place) in LEADS or self._at.word(place) in LEADS_ELSEWHERE:
            place, lead = place + 1, self._at.word(place)
        if self._at.word(place) in ARTICLES | {"whole"}:
            place += 1
        place = self._at.skip(place, {"whole", "entire"}, most=1)
        if self._at.word(place) in ("day", "days", "month", "months", "year", "years") and self._at.word(place + 1) == "of":
            place += 2
        elif self._at.word(place) in ("month", "months", "year", "years"):
            place += 1
        return place, lead

    def _has_inclusive(self, last: int) -> bool:
        return self._at.word(self._at.skip(last, {","}, most=1)) in INCLUSIVE

    def _with_inclusive(self, last: int) -> int:
        return self._at.skip(last, {","}, most=1) + 1 if self._has_inclusive(last) else last


def _follows(first: Date | None, second: Date | None) -> bool:
    """Whether the second date is the day, month, quarter or year after the first."""
    if first is None or second is None:
        return False
    one = first if first.year is not None or second.year is None else first.filled(second)
    two = second if second.year is not None or first.year is None else second.filled(first)
    if one.year is None:
        one, two = replace(one, year=2000), replace(two, year=2000)
    if one.month is None and one.day is not None:
        one = one.filled(two)
    try:
        return one.period("").stop == two.period("").start
    except InputError:
        return False
