"""Words of a request that are not understood, or can mean two things: the question, and what can be said instead."""

from __future__ import annotations

import re

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.offline.meanings import Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading, replaced
from helio_dagster.agent.offline.spoken_request import say, understood, with_time
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.errors import InputError

MOST_SHOWN = 8
"""Words not understood that a question names."""


def ask_about_words(reading: Reading) -> None:
    """Ask where a word, or the time, is not understood; first where nobody has the data."""
    for mention in reading.mentions:
        if isinstance(mention.meaning, Unclear) and mention.meaning.is_first:
            raise OpenQuestion(mention.meaning.question)
    if reading.unknown:
        shown = list(dict.fromkeys(repr(mention.words[:40]) for mention in reading.unknown))
        words = ", ".join(shown[:MOST_SHOWN]) + (" …" if len(shown) > MOST_SHOWN else "")
        _ask_about_times(reading)
        raise NotUnderstood(f"I do not understand {words}. What do you mean?", understood(reading))
    for mention in reading.mentions:
        if isinstance(mention.meaning, Unclear):
            options = [_with_option(reading, mention, option) for option in mention.meaning.options]
            raise OpenQuestion(mention.meaning.question, [each for each in options if each])
    if reading.time is not None and reading.time.question:
        choices = [reading.request.replace(reading.time.words, choice, 1) for choice in reading.time.choices]
        raise OpenQuestion(reading.time.question, choices)


def _ask_about_times(reading: Reading) -> None:
    """Ask which of several times is meant, where what is left over is a time."""
    if reading.time is None:
        return
    times = [words for mention in reading.unknown if (words := _as_time(mention, reading))]
    if len(times) < len(reading.unknown):
        return
    found = [reading.time.words.strip(" ,"), *times]
    named = f"{', '.join(repr(each) for each in found[:-1])} and {found[-1]!r}"
    text = f"A plan has one time range, and there are {named}. Which one first? It can be run again for another afterwards."
    raise OpenQuestion(text, [each for words in found if (each := with_time(reading, words))])


def _as_time(mention: Mention, reading: Reading) -> str:
    """The words of a mention if they name a time; empty where they do not."""
    try:
        time = find_span(mention.words, reading.now)
    except InputError:
        return ""
    is_whole = time is not None and time.words == mention.words and re.search(r"\d{4}", time.words) is not None
    return mention.words if is_whole else ""


def _with_option(reading: Reading, mention: Mention, option: str) -> str | None:
    """The request with an option in the place of unclear words, or without them."""
    return replaced(reading.request, mention, option) if option else say(reading, [mention])
