"""Read lengths that are counted from something: `the 48 hours following …`, `±36 hours around …`, `two days before …`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from helio_dagster.catalog.times.counted import Count, read_count
from helio_dagster.catalog.times.meanings import Meaning, Moment
from helio_dagster.catalog.times.parts import Part
from helio_dagster.catalog.times.tokens import Token
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import Period

Read = Callable[[], tuple[TimeRange, str]]
Anchors = Callable[[int], Iterator[tuple[int, Moment]]]
"""Every moment, day, storm or the like that begins at a token, and the place after it."""

_AFTER = ("following", "after", "since")
_FROM = ("from", "starting", "beginning", "commencing", "starting at", "starting on", "starting from", "starting with")
_FROM_TOO = (
    "beginning at",
    "beginning on",
    "beginning with",
    "beginning from",
    "counted from",
    "that start at",
    "that begin at",
)
_BEFORE = (
    "before",
    "preceding",
    "prior to",
    "leading up to",
    "leading to",
    "ahead of",
    "up to",
    "until",
    "ending",
    "ending at",
)
_BEFORE_TOO = ("ending on", "ending with", "running up to", "earlier than", "that precede", "immediately before", "just before")
_AFTER_TOO = ("later than", "that follow", "immediately after", "right after", "just after", "immediately following", "past")
_SIDES = ("on either side of", "either side of", "on both sides of", "both sides of", "on each side of", "each side of")
_SIDES_TOO = ("before and after", "to either side of", "to both sides of", "either way of", "after and before")
_AROUND = (
    "around",
    "about",
    "round",
    "centred on",
    "centered on",
    "centred at",
    "centered at",
    "centred around",
    "centered around",
)
_SIGNS = ("±", "+ / -", "+ -", "+ / −", "plus or minus", "plus / minus", "plus minus", "+ or -", "+ and -")
_TO = ("to", "until", "till", "through", "and", "-", "–", "—", "up to")
_WINDOWS = frozenset({"window", "interval", "period", "span", "stretch"})
_LATER = ("later", "afterwards", "afterward", "thereafter", "after that", "after it")
_AND_AFTER = ("after", "afterwards", "after it", "after that", "following", "following it", "thereafter")
_AND_BEFORE = ("before", "before it", "before that", "preceding", "preceding it")
_WORDS = {
    "after": (*_AFTER, *_AFTER_TOO),
    "from": (*_FROM, *_FROM_TOO),
    "before": (*_BEFORE, *_BEFORE_TOO),
    "sides": (*_SIDES, *_SIDES_TOO),
    "around": _AROUND,
}


@dataclass(frozen=True)
class Relations:
    """Reads the lengths of one sentence that are counted from something named in it.

    Parameters
    ----------
    tokens
        The tokens of the sentence.
    anchors
        Finds what they may be counted from.
    meaning
        Its meaning.
    """

    tokens: Sequence[Token]
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
        counted = read_count(self.tokens, at)
        for place, kind in self._kinds(counted[0]) if counted is not None else ():
            if counted is not None and kind in ("before", "after"):
                for last, moment in self.anchors(place + (self._text(place) == "the")):
                    yield last, replace(moment, parts=(*moment.parts, Part(0, kind, counted[1])))

    def _length_first(self, at: int) -> Iterator[tuple[int, Read]]:
        """`48 hours following A`, `the day before A`, `2 days either side of A`, `48 hours around A`."""
        counted = read_count(self.tokens, at)
        if counted is None:
            return
        place, count = counted
        for place, kind in self._kinds(place):
            for last, anchor in self._anchored(at, place):
                if kind == "around":
                    yield last, partial(self.meaning.one_of_windows, anchor, count, at, last)
                else:
                    yield last, partial(self.meaning.window, anchor, *_edges(kind, count))
        if self._text(place := counted[0]) in _WINDOWS:
            halves = Count(count.number / 2, count.unit)
            for after in self._after_any(place + 1, _AROUND):
                for last, anchor in self._anchored(at, after):
                    yield last, partial(self.meaning.window, anchor, *_edges("sides", halves))
            for after, kind in self._kinds(place + 1):
                for last, anchor in self._anchored(at, after) if kind != "around" else ():
                    yield last, partial(self.meaning.window, anchor, *_edges(kind, count))

    def _either_side(self, at: int) -> Iterator[tuple[int, Read]]:
        """`±36 hours around A`, `within 2 days of A`."""
        signed = [*self._after_any(at, _SIGNS), *self._after_any(at, ("within",))]
        for place in signed:
            counted = read_count(self.tokens, place, needs_number=True)
            if counted is None:
                continue
            for after in self._after_any(counted[0], (*_AROUND, *_SIDES, *_SIDES_TOO, "of", "from", "at", "on")):
                for last, anchor in self._anchored(at, after):
                    yield last, partial(self.meaning.window, anchor, *_edges("sides", counted[1]))

    def _from_before_to_after(self, at: int) -> Iterator[tuple[int, Read]]:
        """`6 hours before to 2 days after A`, `two days before A until one day after it`, `from A to 3 days after it`."""
        for middle, first in self._ends(at):
            for place in self._after_any(middle, _TO):
                for after, second in self._ends(place):
                    for last, anchor in self._anchored(at, after):
                        yield last, partial(self.meaning.window, anchor, first, second)
            for place, anchor in self._anchored(at, middle):
                for there in self._after_any(place, _TO):
                    for after, second in self._ends(there):
                        last = next(self._after_any(after, ("it", "that")), after)
                        yield last, partial(self.meaning.window, anchor, first, second)

    def _ends(self, at: int) -> Iterator[tuple[int, Callable[[Period], datetime]]]:
        """`6 hours before`, `2 days after`: the moment that far from something."""
        counted = read_count(self.tokens, at)
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
        begin = next(self._after_any(at, _WORDS["from"]), None)
        for middle, anchor in self._anchored(at, at if begin is None else begin):
            for place in self._after_any(middle, _SIGNS):
                if (counted := read_count(self.tokens, place, needs_number=True)) is not None:
                    yield counted[0], partial(self.meaning.window, anchor, *_edges("sides", counted[1]))
            yield from self._signed(middle, anchor)
            is_start = begin is not None or lead in ("from", "starting", "beginning")
            for place in self._after_any(middle, ("for", "lasting", "and for") if is_start else ("lasting",)):
                counted = read_count(self.tokens, self._past_next(place), needs_number=True)
                if counted is not None:
                    yield counted[0], partial(self.meaning.window, anchor, *_edges("from", counted[1]))
            for place in self._after_any(middle, ("to", "until", "till", "through", "-", "–")):
                counted = read_count(self.tokens, place, needs_number=True)
                for last in self._after_any(counted[0], (*_LATER, "after")) if counted is not None else ():
                    yield last, partial(self.meaning.window, anchor, _start, _edges("after", counted[1])[1])
            if begin is None:
                yield from self._with_more(middle, anchor)

    def _signed(self, middle: int, anchor: Callable[[], tuple[Period, str]]) -> Iterator[tuple[int, Read]]:
        """`A -6h to +12h`, `A -6 h/+12 h`."""
        if self._text(middle) not in ("-", "−"):
            return
        back = read_count(self.tokens, middle + 1, needs_number=True)
        for place in self._after_any(back[0], ("to +", "/ +", ", +", "and +", "+", "/")) if back is not None else ():
            ahead = read_count(self.tokens, place, needs_number=True)
            if back is not None and ahead is not None:
                yield ahead[0], partial(self.meaning.window, anchor, _edges("before", back[1])[0], _edges("after", ahead[1])[1])

    def _with_more(self, middle: int, anchor: Callable[[], tuple[Period, str]]) -> Iterator[tuple[int, Read]]:
        """`A and the two days after it`, `A plus the following day`."""
        for place in self._after_any(middle, ("and", "plus", "and also", "with", ", and", "and the", "plus the", "with the")):
            for word, kind in (("following", "after"), ("next", "after"), ("preceding", "before"), ("previous", "before")):
                for after in self._after_any(place, (word,)):
                    if (counted := read_count(self.tokens, after)) is not None:
                        yield counted[0], partial(self.meaning.window, anchor, *_with(kind, counted[1]))
            if (counted := read_count(self.tokens, place)) is None:
                continue
            for words, kind in ((_AND_AFTER, "after"), (_AND_BEFORE, "before")):
                for last in self._after_any(counted[0], words):
                    yield last, partial(self.meaning.window, anchor, *_with(kind, counted[1]))

    def _anchored(self, at: int, first: int) -> Iterator[tuple[int, Callable[[], tuple[Period, str]]]]:
        """What may be counted from that begins at a token, for a phrase that begins at `at`."""
        first += self._text(first) in ("the", "on", "at")
        first += self._text(first) == "the"
        for last, moment in self.anchors(first):
            yield last, partial(self.meaning.anchor, moment, at, first, last)

    def _kinds(self, at: int) -> Iterator[tuple[int, str]]:
        for kind, phrases in _WORDS.items():
            for after in self._after_any(at, phrases):
                yield after, kind

    def _after_any(self, at: int, phrases: Sequence[str]) -> Iterator[int]:
        """The places after those of the phrases that stand at a place."""
        for phrase in phrases:
            words = phrase.split()
            if [token.text for token in self.tokens[at : at + len(words)]] == words:
                yield at + len(words)

    def _past_next(self, at: int) -> int:
        at += self._text(at) in ("the", "a", "another")
        return at + (self._text(at) in ("next", "following", "further", "first"))

    def _text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""


def _edges(kind: str, count: Count) -> tuple[Callable[[Period], datetime], Callable[[Period], datetime]]:
    """The start and the stop of a length before, after, from or on either side of something."""
    return {
        "before": (lambda period: count.after(period.start, -1), _start),
        "after": (_stop, lambda period: count.after(period.stop)),
        "from": (_start, lambda period: count.after(period.start)),
        "sides": (lambda period: count.after(period.start, -1), lambda period: count.after(period.stop)),
    }[kind]


def _with(kind: str, count: Count) -> tuple[Callable[[Period], datetime], Callable[[Period], datetime]]:
    """Something together with a length before or after it."""
    first, last = _edges(kind, count)
    return (first, _stop) if kind == "before" else (_start, last)


def _start(period: Period) -> datetime:
    return period.start


def _stop(period: Period) -> datetime:
    return period.stop
