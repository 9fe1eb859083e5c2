"""Read times with a name that begin at a token: storms, Carrington rotations, solar cycles, encounters with the Sun."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial

from helio_dagster.catalog.times.encounters import (
    ENCOUNTERS,
    PERIJOVES,
    beside_encounter,
    encounter,
    encounter_mission,
    has_encounters,
)
from helio_dagster.catalog.times.moments import AmbiguousName, Moment, Unclear
from helio_dagster.catalog.times.named_times import NamedStorm, carrington_rotation, solar_cycle, storms_at
from helio_dagster.catalog.times.sentence import Sentence
from helio_dagster.catalog.times.vocabulary import AND, MONTHS, THROUGH, TO
from helio_dagster.domain.time_range import TimeRange

_JOINTS = AND | TO | THROUGH
Read = Callable[[], tuple[TimeRange, str]]
"""Gives the range that a phrase names and a note on how it was read; raises `Unclear` or InputError."""
_Numbered = Callable[[int], tuple[TimeRange, str]]
_EXTREMES = frozenset({"maximum", "minimum", "max", "min", "peak"})
_FIRST_YEAR = 1900
"""A number from here on is a year: `perihelion 2018`."""


class NamedPhrases:
    """Reads the names of times in one sentence; `now` is the present, where the last solar cycle ends."""

    def __init__(self, sentence: Sentence, now: datetime) -> None:
        self._at, self._now = sentence, now

    def names(self, at: int) -> Iterator[tuple[int, Moment]]:
        """Storms, rotations, cycles and encounters."""
        if at >= len(self._at.tokens):
            return
        ends = {token.last: place + 1 for place, token in enumerate(self._at.tokens)}
        for found in storms_at(self._at.text, self._at.tokens[at].first):
            if found.last in ends:
                storm = partial(_one_storm, found.storms, self._at.text[found.first : found.last], found.first, found.last)
                yield ends[found.last], Moment(None, None, None, named=storm)
        for after, read in self.read(at):
            yield after, Moment(None, None, None, named=read)

    def read(self, at: int) -> Iterator[tuple[int, Read]]:
        """`Carrington rotation 2200`, `CR2200-2203`, `solar cycle 24`, `encounter 4`, `the fifth perihelion`."""
        words = tuple(token.text for token in self._at.tokens[at : at + 2])
        for phrase, read in (
            (("carrington", "rotation"), carrington_rotation),
            (("carrington", "rotations"), carrington_rotation),
            (("cr",), carrington_rotation),
            (("solar", "cycle"), lambda number: solar_cycle(number, self._now)),
            (("solar", "cycles"), lambda number: solar_cycle(number, self._now)),
        ):
            place = at + len(phrase)
            if words[: len(phrase)] == phrase and self._at.is_number(place):
                number = self._at.tokens[place].number
                yield place + 1, partial(read, number)
                yield from self._through(read, number, place + 1, at)
        yield from self._encounters(at)
        yield from self._extreme_of_cycle(at)

    def _extreme_of_cycle(self, at: int) -> Iterator[tuple[int, Read]]:
        """`the maximum of solar cycle 24`, which is always a question: people mean different months by it."""
        if self._at.word(at) not in _EXTREMES:
            return
        place = self._at.skip(at + 1, {"of", "in", "during", "the", "solar"}, most=3)
        if place > at + 1 and self._at.word(place) == "cycle" and self._at.is_number(place + 1):
            words = self._at.text[self._at.tokens[at].first : self._at.tokens[place + 1].last]
            yield place + 2, partial(_vague, words, self._at.tokens[place + 1].number, self._now)

    def _encounters(self, at: int) -> Iterator[tuple[int, Read]]:
        """An encounter with the Sun, of the mission that is named beside it or else alone; every mission counts its own."""
        texts = [token.text for token in self._at.tokens]
        place = at
        if (mission := encounter_mission(texts[at : at + 3])) is not None:
            place += len(mission[1])
        words = ENCOUNTERS | PERIJOVES
        if self._at.word(place) in words and self._at.is_number(place + 1):
            after, number = place + 2, self._at.tokens[place + 1].number
            if number >= _FIRST_YEAR or self._is_day_of_month(texts, after):
                return
        elif self._at.word(place + 1) in words and (number := self._at.ordinal(place)):
            after = place + 2
        else:
            return
        word = next(each for each in texts[place:after] if each in words)
        whose = beside_encounter(texts, place, after)
        if mission is not None:  # elsewhere the mission is to be read by itself
            whose = mission[0] if at == 0 and after == len(texts) else None
        if whose is None or not has_encounters(whose, word):
            return
        yield after, partial(encounter, whose, number)
        yield from self._through(partial(encounter, whose), number, after, at)

    def _through(self, read: _Numbered, number: int, after: int, at: int) -> Iterator[tuple[int, Read]]:
        """The times from one number to another one behind it, the next one after `and`: `cycles 23 and 24`, `CR 2100-2102`."""
        second, joint = self._at.joint(after, at)
        if joint and self._at.is_number(second) and (joint not in AND or self._at.tokens[second].number == number + 1):
            yield second + 1, partial(_through, read, number, self._at.tokens[second].number)

    def _is_day_of_month(self, texts: Sequence[str], after: int) -> bool:
        """Whether the number before is a day: `perihelion 5 Nov`, `perihelion 5-7 Nov`."""
        if self._at.word(after) in _JOINTS and self._at.is_number(after + 1):
            after += 2
        return after < len(texts) and texts[after] in MONTHS


def _vague(words: str, number: int, now: datetime) -> tuple[TimeRange, str]:
    """Always a question, which says from when to when the cycle was."""
    span, _ = solar_cycle(number, now)
    raise Unclear(f"{words!r}: from when to when? Solar cycle {number} was {span}.", [], span)


def _through(read: _Numbered, first: int, second: int) -> tuple[TimeRange, str]:
    """From one numbered time through another one."""
    (one, _), (two, _) = read(first), read(second)
    return (span := TimeRange(one.start, two.stop)), f"Numbers {first} to {second} are taken as {span}."


def _one_storm(storms: Sequence[NamedStorm], words: str, first: int, last: int) -> tuple[TimeRange, str]:
    """The days of a storm; `AmbiguousName` where several are called so."""
    if len(storms) > 1:
        names = [storm.name for storm in storms]
        raise AmbiguousName(f"Which storm do you mean by {words!r}: {' or '.join(names)}?", names, first, last)
    storm = storms[0]
    return storm.span, f"The {storm.name} is taken as {storm.span} ({storm.source})."
