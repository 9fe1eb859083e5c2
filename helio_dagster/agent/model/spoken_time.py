"""Resolve the person's words for a time range, after checking that the person really said them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime

from pydantic_ai import ModelRetry

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.model.turn import Turn
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.catalog.times.vocabulary import PARTS_OF_YEARS
from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange

_HARMLESS = frozenset(
    {"a", "all", "and", "at", "data", "day", "date", "during", "event", "for", "from", "in", "just", "of", "on", "only"}
    | {"over", "period", "range", "the", "time", "ut", "utc", "whole", "z"}
)
"""Words next to a time that do not change its meaning."""
_MOST_TIMES = 6


def resolve_time(turn: Turn, words: str | None) -> tuple[TimeRange | None, tuple[str, ...]]:
    """The range that the words mean, and notes on their interpretation; None if the person named no time.

    Parameters
    ----------
    turn
        What the person said, and when.
    words
        The words that the model copied from it.

    Raises
    ------
    ModelRetry
        The words are not the person's or do not name a time, or a time that the person named was left out, or a part of it.
    OpenQuestion
        They are only partly understood, are ambiguous, name a date that does not exist, or are in the future.
    """
    if words is None or not words.strip():
        return _unnamed(turn)
    text = _sentence_with(turn, words)
    try:
        found = find_span(words, turn.situation.now) or find_span(f"for {words}", turn.situation.now)
    except InputError as error:
        raise OpenQuestion(f"{error.problem}. {error.hint} Which time do you mean?") from None
    if found is None:
        raise ModelRetry(
            f"{words!r} is not a time range. Copy the person's words for the time, or give null if they named none."
        )
    left = _left_over(words, found)
    if left:
        read = f"{found.words.strip()!r} as {found.span}" if found.span else repr(found.words.strip())
        raise OpenQuestion(f"I understand {read}, but not {left!r} next to it. Which time range do you mean?")
    named, rest = _times_of(text, turn.situation.now)
    found, others = _whole_phrase(turn, text, words, found, named)
    if found.span is None:
        raise OpenQuestion(found.question, [_whole(turn, text, found, choice) for choice in found.choices])
    if turn.archive != DEMO_ARCHIVE and found.span.start >= turn.situation.now:
        raise OpenQuestion(f"{found.span} is in the future. Which time do you mean?")
    return found.span, (*([found.note] if found.note else []), *_left_out(found.span, others, rest))


def time_text(turn: Turn) -> str:
    """The time range in the person's words as it will be read, or why it cannot be."""
    for text in turn.spoken[: 2 if turn.situation.open else 1]:
        try:
            found = find_span(text, turn.situation.now)
        except InputError as error:
            return f"Time asked for: not understood ({error.problem})."
        if found is not None and found.span is not None:
            return f"Time asked for: {found.words.strip()!r} is {found.span}."
        if found is not None:
            return f"Time asked for: {found.words.strip()!r} is ambiguous ({found.question})"
    return "Time asked for: none that was understood."


def _unnamed(turn: Turn) -> tuple[None, tuple[str, ...]]:
    """No range; the model is informed once about a time phrase that it seems to have left out."""
    left_out = turn.named_time
    if left_out is None:
        return None, ()
    if not turn.asked_about_time:
        turn.asked_about_time = True
        raise ModelRetry(f"The person said {left_out.words.strip()!r}. If that is the time range, give it as time_words.")
    return None, (f"{left_out.words.strip()!r} was not taken as a time range.",)


def _sentence_with(turn: Turn, words: str) -> str:
    """The person's sentence that contains the words."""
    wanted = _plain(words)
    for text in turn.spoken:
        if wanted in _plain(text):
            return text
    raise ModelRetry(f"The person did not say {words!r}. Copy their own words for the time verbatim; do not compute dates.")


def _left_over(words: str, found: FoundSpan) -> str:
    """The words that the range does not come from, if they could change its meaning."""
    place = words.casefold().find(found.words.strip().casefold())
    if place < 0:
        return ""
    outside = f"{words[:place]} {words[place + len(found.words.strip()) :]}"
    left = [word for word in re.findall(r"[^\s,.;:()\"']+", outside) if word.casefold() not in _HARMLESS]
    return " ".join(left)


def _times_of(text: str, now: datetime) -> tuple[list[FoundSpan], str]:
    """The times that a sentence names, the longest first, and the rest of it; none of those that cannot be."""
    found: list[FoundSpan] = []
    with suppress(InputError):
        while len(found) < _MOST_TIMES and (time := find_span(text, now)) is not None:
            found.append(time)
            text = f"{text[: time.first]}{' ' * (time.last - time.first)}{text[time.last :]}"
    return found, text


def _whole_phrase(
    turn: Turn, text: str, words: str, found: FoundSpan, named: Sequence[FoundSpan]
) -> tuple[FoundSpan, list[FoundSpan]]:
    """The phrase of the sentence that the words are all of, and the other times of it.

    Raises
    ------
    ModelRetry
        They are a part of a longer phrase that means another range.
    OpenQuestion
        They are so again.
    """
    place = re.search(_pattern(words), text, re.IGNORECASE)
    holding = [each for each in named if place is not None and each.first < place.end() and place.start() < each.last]
    others = [each for each in named if each not in holding]
    whole = next((each for each in holding if each.span != found.span and len(each.words) > len(found.words)), None)
    if whole is None:
        return found, others
    said = whole.words.strip()
    if not turn.asked_about_time:
        turn.asked_about_time = True
        raise ModelRetry(f"{words!r} is only a part of what the person said: {said!r}. Give all of it as time_words.")
    if whole.span is None:
        return whole, others
    choices = [_whole(turn, text, whole, str(span)) for span in (whole.span, found.span) if span is not None]
    raise OpenQuestion(f"Is all of {said!r} meant, or {words!r} alone?", choices)


def _left_out(span: TimeRange, others: Sequence[FoundSpan], rest: str) -> Iterator[str]:
    """That other times of the sentence are not in the range, nor the months and seasons that its rest names."""
    inside = [
        each for each in others if each.span is not None and span.start <= each.span.start and each.span.stop <= span.stop
    ]
    words = [each.words for each in others if each not in inside]
    words += [each for each in re.findall(r"[^\W\d_]+", rest) if each.casefold() in PARTS_OF_YEARS]
    yield from (f"{each.strip()!r} is not in the time range." for each in words)


def _whole(turn: Turn, text: str, found: FoundSpan, choice: str) -> str:
    """The whole request, with a choice in place of the ambiguous words."""
    replaced, count = re.subn(_pattern(found.words), lambda _: choice.strip(), text, count=1, flags=re.IGNORECASE)
    opened = turn.situation.open
    if opened is not None and text == turn.situation.request:
        return f"{opened.request} {replaced if count else choice}"
    return replaced if count and text in turn.spoken[:2] else f"{turn.situation.request} {choice}"


def _pattern(words: str) -> str:
    """A pattern of words, whatever white space is between them."""
    return r"\s+".join(re.escape(word) for word in words.split())


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
