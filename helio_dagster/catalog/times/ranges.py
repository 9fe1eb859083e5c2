"""Read the time range that begins at a token: dates, clocks, and what joins them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from helio_dagster.catalog.times.clocks import Clock, read_clock, read_clocks, read_hours
from helio_dagster.catalog.times.dates import Date, is_day_number, is_year, read_dates, relative_day
from helio_dagster.catalog.times.encounters import ENCOUNTERS, beside_encounter, encounter, encounter_mission
from helio_dagster.catalog.times.meanings import AmbiguousName, Meaning, Moment, is_day
from helio_dagster.catalog.times.named_times import NamedStorm, carrington_rotation, solar_cycle, storms_at
from helio_dagster.catalog.times.parts import read_part
from helio_dagster.catalog.times.relations import Relations
from helio_dagster.catalog.times.spoken_years import last_or_this
from helio_dagster.catalog.times.tokens import Token
from helio_dagster.catalog.times.vocabulary import (
    ARTICLES,
    BETWEEN,
    COUNTED,
    INCLUSIVE,
    LEADS,
    LEADS_ELSEWHERE,
    THROUGH,
    TO,
)
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import Period

_RECENT_UNITS = frozenset(
    ["minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "month", "months", "year", "years"]
)
_UNIT_WORDS = """
s sec secs second seconds min mins minute minutes h hr hrs hour hours d day days week weeks month months year years ms hz khz
nt km kev ev mev cm re au k ut utc z % : . point points sample samples
"""
_UNITS_AFTER_NUMBERS = frozenset(_UNIT_WORDS.split())
Read = Callable[[], tuple[TimeRange, str]]
"""Gives the range that a phrase names and a note on how it was read; raises `Unclear` or InputError."""
_AND = frozenset({"and", "und", "et", "y", "&"})


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
        A range named elsewhere, in whose year a date is that has none.
    """

    def __init__(self, sentence: str, tokens: Sequence[Token], now: datetime, beside: TimeRange | None = None) -> None:
        self._sentence, self._tokens, self._now = sentence, tokens, now
        self._meaning = Meaning(sentence, tokens, now, beside)
        self._relations = Relations(tokens, self._anchors, self._meaning)

    def phrases(self, at: int) -> Iterator[Phrase]:
        """Every phrase that begins at a token, with the words that lead to it."""
        place, lead = self._after_lead(at)
        readers = (self._ranges(place, lead), self._wholes(place), self._recent(place), self._named(place))
        for last, read in (found for reader in readers for found in reader):
            yield Phrase(at, self._with_inclusive(last), read)
        if self._text(at - 1) in ("every", "each", "per"):
            return
        for start in {place, self._past_article(at)}:
            for last, read in self._relations.read(start, lead):
                yield Phrase(at, last, read)

    def _anchors(self, at: int) -> Iterator[tuple[int, Moment]]:
        """What a length may be counted from: a moment, a day, a month, a part of one, or a time with a name."""
        for after, moment in (*self._clock_first(at), *self._moments(at)):
            if not moment.is_vague and (moment.date is None or moment.date.is_whole or is_day(moment.date)):
                yield after, moment
        yield from self._names(at)

    def _names(self, at: int) -> Iterator[tuple[int, Moment]]:
        """Storms, rotations, cycles and encounters."""
        if at >= len(self._tokens):
            return
        ends = {token.last: place + 1 for place, token in enumerate(self._tokens)}
        for found in storms_at(self._sentence, self._tokens[at].first):
            if found.last in ends:
                storm = partial(_one_storm, found.storms, self._sentence[found.first : found.last], found.first, found.last)
                yield ends[found.last], Moment(None, None, None, named=storm)
        for after, read in self._named(at):
            yield after, Moment(None, None, None, named=read)

    def _ranges(self, at: int, lead: str) -> Iterator[tuple[int, Read]]:
        if at >= len(self._tokens):
            return
        if clocks := read_clocks(self._tokens, at) or read_hours(self._tokens, at):
            place = self._skip(clocks[0], {"on", "of", "am", ",", "the"}, most=2)
            for after, moment in self._moments(place, has_clock=False):
                yield after, partial(self._meaning.between_clocks, moment, clocks[1], clocks[2])
        for after, moment in self._clock_first(at):
            if moment.clock is not None and (lead in ("at", "um") or not moment.clock.may_be_length):
                yield after, partial(self._meaning.single, moment, at, after, lead)
                yield from self._joined(at, after, moment, lead)
        for after, first in self._moments(at):
            if first.clock is None and (first.is_plain or (first.parts and first.parts[-1].is_day)):
                place = self._skip(after, {",", "from", "between", "at", "de", "von", "um"}, most=2)
                if clocks := read_clocks(self._tokens, place) or read_hours(self._tokens, place):
                    yield clocks[0], partial(self._meaning.between_clocks, first, clocks[1], clocks[2])
            yield from self._joined(at, after, first, lead)
            if first.date is None or first.date.is_whole or is_day(first.date) or first.parts:
                yield after, partial(self._meaning.single, first, at, after, lead)
        for after, first in (*self._names(at), *self._bare_part(at), *self._relations.offsets(at)):
            yield from self._joined(at, after, first, lead)

    def _bare_part(self, at: int) -> Iterator[tuple[int, Moment]]:
        """`early` in `early to late May 2015`, and `the second quarter` in `the second quarter to the end of 2002`."""
        found = read_part(self._tokens, at)
        if found is not None and found[1].unit in ("third", "half", "quarter"):
            yield found[0], Moment(Date(), None, None, (found[1],))

    def _joined(self, at: int, after: int, first: Moment, lead: str) -> Iterator[tuple[int, Read]]:
        """The range from the first date to a second one."""
        place, joint = self._joint(self._skip(after, {"."}, most=1), at)
        if not joint:
            yield from self._side_by_side(at, after, first)
            return
        if first.named is not None and self._is_year(place):
            return  # `CR 2106-2110`
        seconds = [*self._moments(place), *self._clock_first(place), *self._names(place), *self._end_of_it(place, first)]
        seconds += self._relations.offsets(place)
        if first.clock is not None and (clock := read_clock(self._tokens, place)) is not None:
            is_back = joint in THROUGH and clock[1].may_be_length and not first.clock.may_be_length  # `06:11 - 6 h`
            seconds += [] if is_back else [(clock[0], Moment(None, None, clock[1]))]
            seconds += self._on_next_day(clock[0], first, clock[1])
        if first.clock is None and first.date is not None:
            seconds += self._bare_seconds(place, first.date)
        seconds += [
            (year + 1, replace(each, date=replace(each.date, year=self._tokens[year].number)))
            for last, each in seconds
            if each.clock is not None and each.date is not None and each.date.year is None
            for year in [self._skip(last, {",", "of"}, most=2)]
            if self._is_year(year)
        ]
        for last, second in seconds:
            is_series = first.is_plain and second.is_plain and _follows(first.date, second.date)
            if joint in _AND and not (lead in BETWEEN or is_series):
                continue
            is_inclusive = joint in THROUGH or (joint in _AND - {"&"} and lead not in BETWEEN) or self._has_inclusive(last)
            yield last, partial(self._meaning.between, first, second, at, last, is_inclusive=is_inclusive)

    def _end_of_it(self, at: int, first: Moment) -> Iterator[tuple[int, Moment]]:
        """`the end of the month`, as the second part of a range that begins in it."""
        date, part = first.date, read_part(self._tokens, at)
        if date is None or not date.is_whole or part is None or part[1].unit != "edge":
            return
        place = self._skip(part[0], {"of", "the", "that", "same"}, most=3)
        wider = {"day": date, "month": Date(date.year, date.month), "year": Date(date.year)}.get(self._text(place))
        if wider is not None and place > part[0] and (date.month is not None or self._text(place) == "year"):
            yield place + 1, Moment(wider, None, None, (part[1],))

    def _side_by_side(self, at: int, after: int, first: Moment) -> Iterator[tuple[int, Read]]:
        """`2022-03-26 2022-03-28`: START STOP, as commands take them."""
        if first.date is None or first.date.style != "numbers" or not is_day(first.date):
            return
        for last, second in self._moments(after):
            if second.date is not None and second.date.style == "numbers" and is_day(second.date):
                yield last, partial(self._meaning.between, first, second, at, last, is_inclusive=False)

    def _clock_first(self, at: int) -> Iterator[tuple[int, Moment]]:
        """`15:00 on 10 Oct 2024`, each date that may follow the time of day."""
        clock = read_clock(self._tokens, at)
        if clock is not None and clock[1].is_sure:
            place = self._skip(clock[0], {"on", "of", "am", "le", "del", "el", ",", "the"}, most=2)
            for after, moment in self._moments(place, has_clock=False):
                yield after, replace(moment, clock=clock[1])

    def _on_next_day(self, at: int, first: Moment, clock: Clock) -> Iterator[tuple[int, Moment]]:
        """`06:00 on the next day`, as the second part of a range."""
        place = self._skip(at, {"on", "of", "the"}, most=2)
        if self._text(place) not in ("next", "following") or self._text(place + 1) != "day":
            return
        if first.date is not None and first.date.is_whole and is_day(first.date):
            start = first.date.period("").stop
            yield place + 2, Moment(Date(start.year, start.month, start.day, style="numbers"), None, clock)

    def _bare_seconds(self, at: int, first: Date) -> Iterator[tuple[int, Moment]]:
        """The second day of `May 10-13 2024` or `DOY 131-133 2024`, a number alone, and with the year after it."""
        if at >= len(self._tokens) or self._tokens[at].kind != "number":
            return
        number = self._tokens[at].number
        if first.day_of_year is not None and 0 < number <= 366:
            date = Date(day_of_year=number)
        elif self._is_bare_day(at):
            date = Date(day=number)
        else:
            return
        yield at + 1, Moment(date, None, None)
        year = self._skip(at + 1, {",", "of"}, most=2)
        if self._is_year(year):
            yield year + 1, Moment(replace(date, year=self._tokens[year].number), None, None)

    def _is_year(self, at: int) -> bool:
        return at < len(self._tokens) and is_year(self._tokens[at])

    def _moments(self, at: int, *, has_clock: bool = True) -> Iterator[tuple[int, Moment]]:
        """Dates that begin at a place, each alone and with the time of day that follows."""
        if at >= len(self._tokens):
            return
        found: list[tuple[int, Date | None, Period | None]] = []
        if (day := relative_day(self._tokens, at, self._now)) is not None:
            found.append((at + 1, None, day))
        dates = [*read_dates(self._tokens, at), *last_or_this(self._tokens, at, self._sentence, self._now)]
        found += [(after, date, None) for after, date in dates]
        if is_day_number(self._tokens[at]) and self._is_start_of_days(at):
            found.append((at + 1, Date(day=self._tokens[at].number), None))
        for after, date, period in found:
            yield after, Moment(date, period, None)
            place = self._skip(after, {"t", "at", ",", "um", "a", "à"}, most=2)
            clock = read_clock(self._tokens, place) if has_clock else None
            if clock is not None and (clock[1].is_sure or self._text(place - 1) == "t") and (date is None or is_day(date)):
                yield clock[0], Moment(date, period, clock[1])
        yield from self._parts(at)

    def _parts(self, at: int) -> Iterator[tuple[int, Moment]]:
        """`first week of May 2024`, `last quarter of 2012`, `the end of 2002`, `mid-March`."""
        found = read_part(self._tokens, at)
        if found is None:
            return
        after, part = found
        place = self._skip(after, {"of", "in", "the", "year", "month"}, most=4)
        is_of = place > after or part.unit == "third"
        for last, moment in (*self._moments(place, has_clock=False), *self._names(place)):
            if moment.date is None or (moment.date.is_whole and (is_of or part.unit != "edge")) or is_of:
                yield last, replace(moment, parts=(*moment.parts, part))

    def _wholes(self, at: int) -> Iterator[tuple[int, Read]]:
        """`since March 2020`, `around 2003-10-29`, `the week of 17 March 2015`."""
        word = self._text(at)
        if word in ("since", "seit", "depuis", "desde"):
            place = self._skip(at + 1, ARTICLES, most=1)
            for after, moment in (*self._moments(place, has_clock=False), *self._relations.offsets(place)):
                if not moment.is_vague and (moment.date is None or moment.date.is_whole):
                    yield after, partial(self._meaning.since, moment)
        if word in ("around", "about", "near"):
            for after, moment in self._moments(at + 1, has_clock=False):
                if moment.date is not None and moment.date.is_whole:
                    yield after, partial(self._meaning.around, moment, at, after)
        if word == "week" and self._text(at + 1) in ("of", "around"):
            for after, moment in self._moments(self._skip(at + 2, {"the"}, most=1), has_clock=False):
                if moment.date is not None and moment.date.is_whole and is_day(moment.date):
                    yield after, partial(self._meaning.week_of, moment, at, after)

    def _recent(self, at: int) -> Iterator[tuple[int, Read]]:
        if self._text(at) not in ("last", "past"):
            return
        for length in (2, 3):
            if self._text(at + length - 1) in _RECENT_UNITS:
                words = " ".join(token.text for token in self._tokens[at : at + length])
                yield at + length, partial(self._meaning.of_recent, words)
                return

    def _named(self, at: int) -> Iterator[tuple[int, Read]]:
        """`Carrington rotation 2200`, `CR2200-2203`, `solar cycle 24`, `encounter 4`, `the fifth perihelion`."""
        words = tuple(token.text for token in self._tokens[at : at + 2])
        for phrase, read in (
            (("carrington", "rotation"), carrington_rotation),
            (("carrington", "rotations"), carrington_rotation),
            (("cr",), carrington_rotation),
            (("solar", "cycle"), lambda number: solar_cycle(number, self._now)),
            (("solar", "cycles"), lambda number: solar_cycle(number, self._now)),
        ):
            place = at + len(phrase)
            if words[: len(phrase)] == phrase and self._number(place):
                number = self._tokens[place].number
                yield place + 1, partial(read, number)
                second, joint = self._joint(place + 1, at)
                if joint and self._number(second) and (joint not in _AND or self._tokens[second].number == number + 1):
                    yield second + 1, partial(_through, read, number, self._tokens[second].number)
        yield from self._encounters(at)

    def _encounters(self, at: int) -> Iterator[tuple[int, Read]]:
        """An encounter with the Sun, of the mission that is named beside it or else alone; every mission counts its own."""
        texts = [token.text for token in self._tokens]
        place = at
        if (mission := encounter_mission(texts[at : at + 3])) is not None:
            place += len(mission[1])
        if self._text(place) in ENCOUNTERS and self._number(place + 1):
            after, number = place + 2, self._tokens[place + 1].number
        elif self._text(place + 1) in ENCOUNTERS and (number := self._ordinal(place)):
            after = place + 2
        else:
            return
        if mission is not None:
            if at == 0 and after == len(texts):  # elsewhere the mission is to be read by itself
                yield after, partial(encounter, mission[0], number)
            return
        beside = beside_encounter(texts, place, after)
        if beside is not None:
            yield after, partial(encounter, beside, number)

    def _number(self, at: int) -> bool:
        return at < len(self._tokens) and self._tokens[at].kind == "number"

    def _ordinal(self, at: int) -> int:
        """The number that `fifth` or `5th` is; 0 for anything else."""
        if self._number(at) and not self._text(at).isdecimal():
            return self._tokens[at].number
        return COUNTED.index(self._text(at)) + 1 if self._text(at) in COUNTED else 0

    def _text(self, at: int) -> str:
        return self._tokens[at].text if 0 <= at < len(self._tokens) else ""

    def _skip(self, place: int, words: set[str] | frozenset[str], *, most: int) -> int:
        for _ in range(most):
            place += self._text(place) in words
        return place

    def _past_article(self, at: int) -> int:
        """The place after one leading word and an article."""
        return self._skip(self._skip(at, LEADS | LEADS_ELSEWHERE, most=1), ARTICLES, most=1)

    def _after_lead(self, at: int) -> tuple[int, str]:
        """The place after words such as `during the month of`, and the first of them."""
        place, lead = at, ""
        if self._text(place) in LEADS or self._text(place) in LEADS_ELSEWHERE:
            place, lead = place + 1, self._text(place)
        if self._text(place) in ARTICLES | {"whole"}:
            place += 1
        place = self._skip(place, {"whole", "entire"}, most=1)
        if self._text(place) in ("day", "days", "month", "months", "year", "years") and self._text(place + 1) == "of":
            place += 2
        elif self._text(place) in ("month", "months", "year", "years"):
            place += 1
        return place, lead

    def _joint(self, place: int, first: int) -> tuple[int, str]:
        """The place after `to`, a dash and the like, and that word; an empty word where there is none.

        `5 au` is a distance; only `du 5 au` begins a range, whose first date is at the token `first`.
        """
        word = self._text(place)
        if word in ("au", "al") and self._text(first - 1) not in ("du", "del"):
            return place, ""
        if word == "up" and self._text(place + 1) == "to":
            place, word = place + 1, "to"
        if word in TO | THROUGH | _AND | {"/"}:
            return self._skip(place + 1, ARTICLES, most=1), word
        return place, ""

    def _is_bare_day(self, at: int) -> bool:
        """Whether a number alone may be a day: nothing that it would be a number of follows."""
        if not (0 <= at < len(self._tokens)) or not is_day_number(self._tokens[at]):
            return False
        return self._text(at + 1) not in _UNITS_AFTER_NUMBERS

    def _is_start_of_days(self, at: int) -> bool:
        """Whether a number is the first day of `10-13 May 2024` or of `May 10-13`."""
        place, joint = self._joint(self._skip(at + 1, {"."}, most=1), at)
        return bool(joint) and any(date.day is not None and date.month is not None for _, date in self._dates(place))

    def _dates(self, at: int) -> list[tuple[int, Date]]:
        return read_dates(self._tokens, at) if at < len(self._tokens) else []

    def _has_inclusive(self, last: int) -> bool:
        return self._text(self._skip(last, {","}, most=1)) in INCLUSIVE

    def _with_inclusive(self, last: int) -> int:
        return self._skip(last, {","}, most=1) + 1 if self._has_inclusive(last) else last


def _through(read: Callable[[int], tuple[TimeRange, str]], first: int, second: int) -> tuple[TimeRange, str]:
    """From one numbered time through another one."""
    (one, _), (two, _) = read(first), read(second)
    return (span := TimeRange(one.start, two.stop)), f"Numbers {first} to {second} are taken as {span}."


def _one_storm(storms: Sequence[NamedStorm], words: str, first: int, last: int) -> tuple[TimeRange, str]:
    """The days of a storm; `AmbiguousName` where several are called so."""
    if len(storms) > 1:
        names = [storm.name for storm in storms]
        raise AmbiguousName(f"Which storm is meant by {words!r}: {' or '.join(names)}?", names, first, last)
    storm = storms[0]
    return storm.span, f"The {storm.name} is taken as {storm.span} ({storm.source})."


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
