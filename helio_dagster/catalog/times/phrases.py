"""Find the time phrase of a sentence: the range that it names, or the question that it raises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

from helio_dagster.catalog.times.dates import is_year
from helio_dagster.catalog.times.moments import AmbiguousName, Around, Unclear
from helio_dagster.catalog.times.named_times import FoundName, find_storm
from helio_dagster.catalog.times.ranges import Phrase, Reader
from helio_dagster.catalog.times.spoken_years import with_years
from helio_dagster.catalog.times.tokens import Token, split
from helio_dagster.catalog.times.vocabulary import LEADS, MONTHS, NEEDS_DAY
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import parse_span

_EVENT_OF = re.compile(
    r"(?<!\w)(?:(?:during|for|in|over|the|a|great|big|large|strong|major|severe|intense|geomagnetic|magnetic|solar) )*"
    r"(?:(?:sub|super)?storm|event) (?:(?:of|on|from) )?$",
    re.IGNORECASE,
)
_LEAD = re.compile(rf"(?:\b(?:{'|'.join(sorted(LEADS))})\s+)?(?:\bthe\s+)?$", re.IGNORECASE)
_LONGEST_EVENT = timedelta(days=7)


@dataclass(frozen=True)
class FoundSpan:
    """A time phrase of a sentence.

    Parameters
    ----------
    first, last
        Its character positions `[first, last)` in the sentence.
    words
        The phrase as written.
    span
        What it names; None where it is ambiguous.
    note
        What a person should know about how it was read.
    question
        What to ask where it is ambiguous.
    choices
        Answers: each may stand in the sentence instead of `words`.
    hull
        A range in which it lies whatever is meant, where it is vague: all of March for `mid-March`.
    moment
        The one moment that it names, around which `span` is taken.
    """

    first: int
    last: int
    words: str
    span: TimeRange | None
    note: str = ""
    question: str = ""
    choices: tuple[str, ...] = ()
    hull: TimeRange | None = None
    moment: datetime | None = None


def find_span(request: str, now: datetime, beside: TimeRange | None = None, *, is_leading: bool = False) -> FoundSpan | None:
    """The time phrase of a sentence, the longest where there are several; None where it has none.

    `2013-03-01 to 2013-03-05` leaves the last day out, as START and STOP do; days said with the name of a month are all meant,
    `1 to 5 March 2013`, and so are those joined by `through` or a dash, and years, `1996 to 2008`. A date without year, a date
    that could be read in two orders and a range `to` a month in numbers are questions, not guesses. A phrase is read whole: its
    words are never a part of a longer one.

    Parameters
    ----------
    request
        The sentence.
    now
        The present, aware.
    beside
        A range named elsewhere: a date without its year is of the year in which it lies there, if that is one.
    is_leading
        Whether only a phrase is wanted that begins with the sentence.

    Raises
    ------
    InputError
        The phrase names a date that does not exist or is out of range, or a time in another zone than UTC.
    """
    return _found(request, now, beside, is_leading)


@lru_cache(maxsize=1024)
def _found(request: str, now: datetime, beside: TimeRange | None, is_leading: bool) -> FoundSpan | None:
    """What `find_span` finds: a planner looks at the same words six times, and reading them takes milliseconds."""
    tokens = with_years(split(request), now)
    reader = Reader(request, tokens, now, beside)
    longest = _longest(reader, tokens[:1] if is_leading else tokens, tokens)
    storm = find_storm(request)
    if storm is not None and is_leading and _of_storm(request, storm).first > 0:
        storm = None
    if storm is not None and (longest is None or len(_of_storm(request, storm).words) > _length(tokens, longest)):
        return _of_storm(request, storm)
    if longest is None:
        return None
    first, last = tokens[longest.first].first, tokens[longest.last - 1].last
    words = request[first:last]
    try:
        span, note = longest.read()
    except AmbiguousName as unclear:
        choices = tuple(f"{request[first : unclear.first]}{name}{request[unclear.last : last]}" for name in unclear.options)
        return FoundSpan(first, last, words, None, question=unclear.question, choices=choices)
    except Unclear as unclear:
        return FoundSpan(first, last, words, None, question=unclear.question, choices=unclear.options, hull=unclear.hull)
    moment = span.moment if isinstance(span, Around) else None
    return _with_event(request, FoundSpan(first, last, words, TimeRange(span.start, span.stop), note, moment=moment))


def read_range(text: str, now: datetime) -> TimeRange | None:
    """The range that a text names and nothing else: `May 10-13 2024`, `8 Sept 2015, 9-12 UT`; None where it names none.

    Raises
    ------
    InputError
        It has several meanings, each of which the hint offers; or as `find_span`.
    """
    found = find_span(text, now)
    if found is None or found.words.strip() != text.strip():
        return None
    if found.span is None:
        raise InputError(found.question.rstrip("?") + "?", hint=f"Write {' or '.join(found.choices)}.")
    return found.span


def read_words(words: Sequence[str], now: datetime) -> TimeRange:
    """The range given as START and STOP, or as one phrase of any number of words.

    Raises
    ------
    InputError
        The words are not a range, or have several meanings.
    """
    try:
        if len(words) == 2 and words[0][:1].isdigit():
            return parse_span(words[0], words[1], now)
        return parse_span(" ".join(words), None, now)
    except InputError:
        span = read_range(" ".join(words), now)
        if span is None:
            raise
        return span


def _longest(reader: Reader, firsts: list[Token], tokens: list[Token]) -> Phrase | None:
    """The phrase of most characters that begins at one of the first tokens; the first of equals."""
    found: Phrase | None = None
    for at in range(len(firsts)):
        if at and tokens[at].first == tokens[at - 1].last and tokens[at - 1].text in "./:-_":
            continue  # in the midst of something
        if at and tokens[at - 1].text in MONTHS.keys() - NEEDS_DAY and is_year(tokens[at]):
            continue  # `October 2003, 5 November`: the year of a month
        for phrase in reader.phrases(at):
            if _is_free(tokens, phrase) and (found is None or _length(tokens, phrase) > _length(tokens, found)):
                found = phrase
    return found


def _is_free(tokens: list[Token], phrase: Phrase) -> bool:
    """Whether a phrase ends where a word ends, not in the midst of an id or a number."""
    last = tokens[phrase.last - 1]
    after = tokens[phrase.last] if phrase.last < len(tokens) else None
    if after is None or after.first > last.last:
        return True
    if after.text not in ("-", "/", ".", ":"):
        return after.kind == "mark"
    beyond = tokens[phrase.last + 1] if phrase.last + 1 < len(tokens) else None
    return beyond is None or beyond.first > after.last or (after.text == "." and beyond.kind == "mark")


def _length(tokens: list[Token], phrase: Phrase) -> int:
    return tokens[phrase.last - 1].last - tokens[phrase.first].first


def _with_event(request: str, found: FoundSpan) -> FoundSpan:
    """The phrase with `the geomagnetic storm of` before it, where it names days: they are meant, and no more is known of it."""
    before = _EVENT_OF.search(request[: found.first])
    is_of = before is not None and re.search(r"\b(?:of|on|from) ", request[before.start() : found.last], re.IGNORECASE)
    if before is None or not is_of or found.span is None or found.span.duration > _LONGEST_EVENT:
        return found
    last = found.last + (request[found.last : found.last + 1] == ":")
    words = request[before.start() : found.last]
    note = found.note or f"{words[0].upper()}{words[1:]} is taken as {found.span}."
    return replace(found, first=before.start(), last=last, words=words, note=note)


def _of_storm(request: str, found: FoundName) -> FoundSpan:
    lead = _LEAD.search(request[: found.first])
    first = lead.start() if lead else found.first
    words = request[first : found.last]
    storms = found.storms
    if len(storms) > 1:
        question = f"Which storm do you mean by {words!r}: " + " or ".join(storm.name for storm in storms) + "?"
        choices = tuple(f"for {storm.span}" for storm in storms)
        return FoundSpan(first, found.last, words, None, question=question, choices=choices)
    storm = storms[0]
    return FoundSpan(first, found.last, words, storm.span, f"The {storm.name} is taken as {storm.span} ({storm.source}).")
