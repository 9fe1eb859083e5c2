"""Read which times a sentence leaves out: `excluding 06:00 to 09:00`, `29-30 Oct left out`, `skip those in lists/bad.csv`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from helio_dagster.catalog.times.named_times import rows
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.catalog.times.sentence import Sentence
from helio_dagster.catalog.times.tokens import split
from helio_dagster.domain.time_range import TimeRange

_IS = ("is", "are", "was", "were", "being", "to be", "should be", "must be")
_LINKS = frozenset({"but", "and", "also", ",", ";"})
_SIGNED = frozenset({"or", "plus", "/", "+"})
_WITH = frozenset({"with", "having", "but", "and", "the", ",", ";"})
LIST_FILE = r"(?P<file>(?:[A-Za-z0-9_][\w.-]*/)*[A-Za-z0-9_][\w-]*\.(?:csv|txt|json|xml|vot))\b"
"""A list of events, by its file."""
_FILE = re.compile(LIST_FILE)
_NEXT = re.compile(r"\s*(?:,|and|,\s*and|&)\s*", re.IGNORECASE)
_DAY = re.compile(r"(?:[12]?\d|3[01])(?=\s*(?:$|[;.]|,(?!\s*\d)))")
_ORDINALS = {"1": "st", "2": "nd", "3": "rd"}
"""`but not 4` of a range of days."""
_MOST = 20
"""How many words and signs a time before `left out` may have."""


@cache
def _words(kind: str) -> tuple[str, ...]:
    """The words of one kind, from `left_out.txt`."""
    return next(tuple(words.split(", ")) for name, words in rows("left_out.txt") if name == kind)


@dataclass(frozen=True)
class LeftOutTimes:
    """What a sentence leaves out: ranges, or a list by its file; the characters `[first, last)` say so.

    `question` is what to ask where a time can be read in several ways; each of `choices` is the sentence with one of them.
    """

    first: int
    last: int
    spans: tuple[TimeRange, ...] = ()
    file: str = ""
    question: str = ""
    choices: tuple[str, ...] = ()

    def rest(self, sentence: str) -> str:
        """The sentence without these words."""
        kept = f"{sentence[: self.first]} {sentence[self.last :]}"
        return re.sub(r"\s+(?=[,;])", "", " ".join(kept.split())).strip(" ,;")


def find_left_out(sentence: str, now: datetime, span: TimeRange | None = None) -> LeftOutTimes | None:
    """The times or the list that a sentence leaves out; None if it leaves out none, or something else than times.

    Parameters
    ----------
    sentence
        A request, or a change of a plan.
    now
        The present.
    span
        The range on the table, if there is one: what has no date is of it, unless the sentence names another.

    Raises
    ------
    InputError
        It names a time that cannot be.
    """
    at = Sentence(sentence, split(sentence))
    for place in range(len(at.tokens)):
        if at.word(place) == "minus" and at.word(place - 1) in _SIGNED:
            continue  # `plus or minus 6 hours`
        for after in at.after_any(place, _words("before")):
            if found := _behind(at, place, after, now, span):
                return found
    for place in range(1, len(at.tokens)):
        for after in at.after_any(place, _words("behind")):
            if found := _in_front(at, place, after, now, span):
                return found
    return None


def _behind(at: Sentence, place: int, after: int, now: datetime, span: TimeRange | None) -> LeftOutTimes | None:
    """What follows `excluding`, whose tokens are `[place, after)`."""
    sentence, first = at.text, at.tokens[_back(at, place, _LINKS)].first
    before = list(_starts(at, after))
    listed = next(filter(None, (_FILE.match(sentence, each) for each in reversed(before))), None)
    if listed is not None:
        return LeftOutTimes(first, listed.end(), file=listed["file"])
    around = _main(sentence[:first], now) or span
    spans: list[TimeRange] = []
    last, starts = first, before
    while (found := next(filter(None, (_time_at(sentence, each, around, now) for each in starts)), None)) is not None:
        start, time = found
        if time.span is None:
            last = start + time.last
            choices = tuple(f"{sentence[:start]}{each.removeprefix('for ')}{sentence[last:]}" for each in time.choices)
            return LeftOutTimes(first, last, question=time.question, choices=choices)
        if any(time.span.start <= each.start and each.stop <= time.span.stop for each in spans):
            break  # `excluding 29 Oct, October 2003` ends with the range of the sentence
        spans.append(time.span)
        last = start + time.last
        joint = _NEXT.match(sentence, last)
        if joint is None:
            break
        starts = [joint.end()]
    return LeftOutTimes(first, last, tuple(spans)) if spans else None


def _in_front(at: Sentence, place: int, after: int, now: datetime, span: TimeRange | None) -> LeftOutTimes | None:
    """What stands before `left out`, whose tokens are `[place, after)`."""
    sentence, end = at.text, at.tokens[after - 1].last
    place -= next((len(words.split()) for words in _IS if place in at.after_any(place - len(words.split()), [words])), 0)
    spans: list[TimeRange] = []
    while place > 0:
        last = at.tokens[place - 1].last
        for first in range(max(0, place - _MOST), place):
            start = at.tokens[first].first
            around = _main(f"{sentence[:start]} {sentence[end:]}", now) or span
            time = _time_at(sentence[:last], start, around, now)
            if time and time[1].span and start + time[1].last == last and around and around.overlaps(time[1].span):
                spans.insert(0, time[1].span)
                place = first
                break
        else:
            break
        if at.word(place - 1) not in ("and", "&"):
            break
        place -= 1
    return LeftOutTimes(at.tokens[_back(at, place, _WITH)].first, end, tuple(spans)) if spans else None


def _starts(at: Sentence, after: int) -> Iterator[int]:
    """The characters at which the times may begin: behind the lead, and behind each word such as `the data of`."""
    place = min(after, len(at.tokens))
    while place < len(at.tokens):
        yield at.tokens[place].first
        if at.word(place) not in _words("what"):
            return
        place += 1
    yield len(at.text)


def _back(at: Sentence, place: int, words: frozenset[str]) -> int:
    """The first of the words that stand right before a place."""
    while at.word(place - 1) in words:
        place -= 1
    return place


def _main(text: str, now: datetime) -> TimeRange | None:
    """The range that other words of a sentence name."""
    found = find_span(text, now)
    return None if found is None else found.span or found.hull


def _time_at(sentence: str, start: int, around: TimeRange | None, now: datetime) -> tuple[int, FoundSpan] | None:
    """The time that begins at a character; what has no date is of the range that is named before it, else after it."""
    rest = sentence[start:]
    found = find_span(rest, now, around or _main(rest, now), is_leading=True)
    if found is not None and found.span is None and (beside := around or _main(rest[found.last :], now)) is not None:
        found = find_span(rest, now, beside, is_leading=True) or found
    if found is None and around is not None and (day := _DAY.match(rest)) is not None:
        found = find_span(f"the {day[0]}{_ORDINALS.get(day[0][-1:], 'th')}", now, around, is_leading=True)
        found = found and replace(found, last=day.end(), words=day[0])
    return None if found is None else (start, found)
