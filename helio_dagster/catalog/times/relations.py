"""Read lengths that are counted from something: `the 48 hours following …`, `±36 hours around …`, `two days before …`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from helio_dagster.catalog.times.counted import Count, read_count
from helio_dagster.catalog.times.meanings import Anchor, Meaning
from helio_dagster.catalog.times.moments import Moment
from helio_dagster.catalog.times.parts import Part
from helio_dagster.catalog.times.sentence import Sentence
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import Period

Read = Callable[[], tuple[TimeRange, str]]
Edge = Callable[[Period], datetime]
Anchors = Callable[[int], Iterator[tuple[int, Moment]]]
"""Every moment, day, storm or the like that begins at a token, and the place after it."""

_RELATIONS = """
after following, after, since, past, later than, that follow, right after, just after, immediately after, immediately following
from from, starting, beginning, commencing, that start at, that begin at, counted from
from starting at, starting on, starting with, starting from, beginning at, beginning on, beginning with, beginning from
before before, preceding, prior to, leading up to, leading to, running up to, ahead of, up to, until, earlier than, that precede
before ending, ending at, ending on, ending with, just before, immediately before
sides either side of, both sides of, each side of, before and after, after and before
sides on either side of, on both sides of, on each side of, to either side of, to both sides of
around around, about, round, centred on, centered on, centred at, centered at, centred around, centered around
"""
_WORDS: dict[str, tuple[str, ...]] = {}
for _line in _RELATIONS.strip().splitlines():
    _kind, _, _phrases = _line.partition(" ")
    _WORDS[_kind] = (*_WORDS.get(_kind, ()), *_phrases.split(", "))
_SIGNS = ("±", "+ / -", "+ -", "+ / −", "plus or minus", "plus / minus", "plus minus", "+ or -", "+ and -")
_TO = ("to", "until", "till", "til", "through", "and", "-", "–", "—", "up to")
_WINDOWS = frozenset({"window", "interval", "period", "span", "stretch"})
_LATER = ("later", "afterwards", "afterward", "thereafter", "after that", "after it")
_AND_AFTER = ("after", "afterwards", "after it", "after that", "following", "following it", "thereafter")
_AND_BEFORE = ("before", "before it", "before that", "preceding", "preceding it")


@dataclass(frozen=True)
class Relations:
    """Reads the lengths of one sentence that are counted from something named in it.

    Parameters
    ----------
    at
        The sentence.
    anchors
        Finds what they may be counted from.
    meaning
        Its meaning.
    """

    at: Sentence
    anchors: Anchors
    meaning: Meaning

    def read(self, at: int, lead: str) -> Iterator[tuple[int, Read]]:
        """Every phrase of a length and what it is counted from that begins at a place; `lead` is the word before it."""
        yield from self._length_first(at)
        yield from self._either_side(at)
        yield from self._from_before_to_after(at)
        yield from self._anchor_first(at, lead)

    def offsets(self, at: int) -> Iterator[tuple[int, Moment]]:
        """The moment that `two days before A` or `6 hours after A` is, for the start or the end of a range."""
        counted = read_count(self.at.tokens, at)
        for place, kind in self._kinds(counted[0]) if counted is not None else ():
            if counted is not None and kind in ("before", "after"):
                for last, moment in self.anchors(place + (self.at.word(place) == "the")):
                    yield last, replace(moment, parts=(*moment.parts, Part(0, kind, counted[1])))

    def _length_first(self, at: int) -> Iterator[tuple[int, Read]]:
        """`48 hours following A`, `the day before A`, `2 days either side of A`, `48 hours around A`."""
        counted = read_count(self.at.tokens, at)
        if counted is None:
            return
        place, count = counted
        for after, kind in self._kinds(place):
            for last, anchor in self._anchored(after):
                if kind == "around":
                    yield last, partial(self.meaning.one_of_windows, anchor, count, at, last)
                else:
                    yield last, partial(self.meaning.window, anchor, *_edges(kind, count))
        if self.at.word(place) in _WINDOWS:
            halves = Count(count.number / 2, count.unit)
            for centre in self.at.after_any(place + 1, _WORDS["around"]):
                for last, anchor in self._anchored(centre):
                    yield last, partial(self.meaning.window, anchor, *_edges("sides", halves))
            for after, kind in self._kinds(place + 1):
                for last, anchor in self._anchored(after) if kind != "around" else ():
                    yield last, partial(self.meaning.window, anchor, *_edges(kind, count))

    def _either_side(self, at: int) -> Iterator[tuple[int, Read]]:
        """`±36 hours around A`, `within 2 days of A`."""
        signed = [*self.at.after_any(at, _SIGNS), *self.at.after_any(at, ("within",))]
        for place in signed:
            counted = read_count(self.at.tokens, place, needs_number=True)
            if counted is None:
                continue
            for after in self.at.after_any(counted[0], (*_WORDS["around"], *_WORDS["sides"], "of", "from", "at", "on")):
                for last, anchor in self._anchored(after):
                    yield last, partial(self.meaning.window, anchor, *_edges("sides", counted[1]))

    def _from_before_to_after(self, at: int) -> Iterator[tuple[int, Read]]:
        """`6 hours before to 2 days after A`, `two days before A until one day after it`, `from A to 3 days after it`."""
        for middle, first in self._ends(at):
            for place in self.at.after_any(middle, _TO):
                for after, second in self._ends(place + (self.at.word(place) == "the")):
                    for last, anchor in self._anchored(after):
                        yield last, partial(self.meaning.window, anchor, first, second)
            for place, anchor in self._anchored(middle):
                for there in self.at.after_any(place, _TO):
                    for after, second in self._ends(there):
                        last = next(self.at.after_any(after, ("it", "that")), after)
                        if last > after or self.at.is_end(after):
                            yield last, partial(self.meaning.window, anchor, first, second)

    def _ends(self, at: int) -> Iterator[tuple[int, Edge]]:
        """`6 hours before`, `2 days after`: the moment that far from something."""
        counted = read_count(self.at.tokens, at)
        if counted is None:
            return
        place, count = counted
        for after, kind in self._kinds(place):
            if kind == "before":
                yield after, lambda period: count.after(period.start, -1)
            elif kind == "after":
                yield after, lambda period: count.after(period.stop)

    def _anchor_first(self, at: int, lead: str) -> Iterator[tuple[int, Read]]:
        """`A ± 36 h`, `from A for 48 hours`, `A to 6 hours later`, `A and the two days after it`."""
        begin = next(self.at.after_any(at, _WORDS["from"]), None)
        for middle, anchor in self._anchored(at + 1) if self.at.word(at) in ("around", "about") else ():
            for place in self.at.after_any(self.at.skip(middle, {","}, most=1), _SIGNS):
                if (counted := read_count(self.at.tokens, place, needs_number=True)) is not None:
                    yield counted[0], partial(self.meaning.window, anchor, *_edges("sides", counted[1]))
        for middle, anchor in self._anchored(at if begin is None else begin):
            for place in self.at.after_any(self.at.skip(middle, {","}, most=1), _SIGNS):
                if (counted := read_count(self.at.tokens, place, needs_number=True)) is not None:
                    yield counted[0], partial(self.meaning.window, anchor, *_edges("sides", counted[1]))
            aside = read_count(self.at.tokens, self.at.skip(middle, {",", "with", "and"}, most=2))
            for last, kind in self._kinds(aside[0]) if aside is not None else ():
                if aside is not None and kind == "sides" and self.at.is_end(last):
                    yield last, partial(self.meaning.window, anchor, *_edges("sides", aside[1]))
            yield from self._signed(middle, anchor)
            starts = {"from", "starting", "beginning"}
            is_start = begin is not None or lead in starts or any(each.text in starts for each in self.at.tokens[at:middle])
            for place in self.at.after_any(middle, ("for", "lasting", "and for") if is_start else ("lasting",)):
                counted = read_count(self.at.tokens, self._past_next(place), needs_number=True)
                if counted is not None:
                    yield counted[0], partial(self.meaning.window, anchor, *_edges("from", counted[1]))
            for place in self.at.after_any(middle, ("to", "until", "till", "til", "through", "-", "–")):
                if (counted := read_count(self.at.tokens, place, needs_number=True)) is None:
                    continue
                for last in self.at.after_any(counted[0], _LATER):
                    yield last, partial(self.meaning.window, anchor, _start, _edges("after", counted[1])[1])
            if begin is None:
                yield from self._with_more(middle, anchor)

    def _signed(self, middle: int, anchor: Anchor) -> Iterator[tuple[int, Read]]:
        """`A -6h to +12h`, `A -6 h/+12 h`."""
        if self.at.word(middle) not in ("-", "−"):
            return
        back = read_count(self.at.tokens, middle + 1, needs_number=True)
        for place in self.at.after_any(back[0], ("to +", "/ +", ", +", "and +", "+", "/")) if back is not None else ():
            ahead = read_count(self.at.tokens, place, needs_number=True)
            if back is not None and ahead is not None:
                yield ahead[0], partial(self.meaning.window, anchor, _edges("before", back[1])[0], _edges("after", ahead[1])[1])

    def _with_more(self, middle: int, anchor: Anchor) -> Iterator[tuple[int, Read]]:
        """`A and the two days after it`, `A plus the following day`."""
        for place in self.at.after_any(middle, ("and", "plus", "and also", "with", ", and", "and the", "plus the", "with the")):
            for word, kind in (("following", "after"), ("next", "after"), ("preceding", "before"), ("previous", "before")):
                for after in self.at.after_any(place, (word,)):
                    if (counted := read_count(self.at.tokens, after)) is not None:
                        yield counted[0], partial(self.meaning.window, anchor, *_with(kind, counted[1]))
            if (counted := read_count(self.at.tokens, place)) is None:
                continue
            for words, kind in ((_AND_AFTER, "after"), (_AND_BEFORE, "before")):
                for last in self.at.after_any(counted[0], words):
                    if self.at.word(last - 1) not in ("after", "following", "before", "preceding") or self.at.is_end(last):
                        yield last, partial(self.meaning.window, anchor, *_with(kind, counted[1]))

    def _anchored(self, first: int) -> Iterator[tuple[int, Anchor]]:
        """What may be counted from that begins at a token."""
        first += self.at.word(first) in ("the", "on", "at")
        first += self.at.word(first) == "the"
        for last, moment in self.anchors(first):
            yield last, partial(self.meaning.anchor, moment, first, last)

    def _kinds(self, at: int) -> Iterator[tuple[int, str]]:
        for kind, phrases in _WORDS.items():
            for after in self.at.after_any(at, phrases):
                yield after, kind

    def _past_next(self, at: int) -> int:
        at += self.at.word(at) in ("the", "a", "another")
        return at + (self.at.word(at) in ("next", "following", "further", "first"))


def _edges(kind: str, count: Count) -> tuple[Edge, Edge]:
    """The start and the stop of a length before, after, from or on either side of something."""
    return {
        "before": (lambda period: count.after(period.start, -1), _start),
        "after": (_stop, lambda period: count.after(period.stop)),
        "from": (_start, lambda period: count.after(period.start)),
        "sides": (lambda period: count.after(period.start, -1), lambda period: count.after(period.stop)),
    }[kind]


def _with(kind: str, count: Count) -> tuple[Edge, Edge]:
    """Something together with a length before or after it."""
    first, last = _edges(kind, count)
    return (first, _stop) if kind == "before" else (_start, last)


def _start(period: Period) -> datetime:
    return period.start


def _stop(period: Period) -> datetime:
    return period.stop
