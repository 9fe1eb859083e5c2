"""`perihelion` or `encounter` beside a time in figures: where it lies in the time, or which one is meant."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Filler, Heading, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.catalog.times.encounters import ENCOUNTERS, encounters_near, perihelion
from helio_dagster.domain.time_range import TimeRange

_LONG = timedelta(days=31)
"""A range longer than this is not meant as the days around a perihelion."""
_AROUND = re.compile(r"(?:near|close|around|pass|passage|first|second|the|its)", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:\s|,|to\b|the\b|its\b)*", re.IGNORECASE)


def with_encounter(reading: Reading) -> Reading:
    """The reading in which such a word is understood, with a note that says when the perihelion was.

    Raises
    ------
    OpenQuestion
        None lies near the time, or the time is long; those that may be meant are offered.
    """
    named = {each.name for each in reading.all(Mission)}
    phrase = [each for each in reading.unknown if each.words.casefold() in ENCOUNTERS]
    span = reading.span
    if len(named) != 1 or len(phrase) != 1 or span is None:
        return reading
    (mission,) = named
    near = encounters_near(mission, span)
    if near is None:
        return reading
    inside = [number for number, of_it in near if of_it.overlaps(span)]
    words = _with_words_around(phrase[0], reading)
    if len(inside) != 1 or span.duration > _LONG:
        raise _which(reading, mission, span, words, inside or [number for number, _ in near])
    note = _note(mission, inside[0], span)
    read = reading.with_meanings([Mention(Filler(note), words.first, words.last, words.words)])
    return replace(read, unknown=tuple(each for each in read.unknown if not words.first <= each.first < words.last))


def without_dated_occasions(reading: Reading) -> Reading:
    """The reading in which `its first perihelion` or `storms` only tell the occasion, where its days are said otherwise."""
    span = reading.span
    words = [each for each in reading.mentions if isinstance(each.meaning, Unclear) and each.meaning.sort == "occasion"]
    if span is None or span.duration > _LONG or not words:
        return reading
    stated = [replace(each, meaning=Heading()) for each in words]
    mentions = tuple(each for each in reading.mentions if each not in words)
    unknown = sorted([*reading.unknown, *stated], key=lambda each: each.first)
    return replace(reading, mentions=mentions, unknown=tuple(unknown))


def _with_words_around(words: Mention, reading: Reading) -> Mention:
    """The word, and `near` or `passage` beside it."""
    whole = words
    for each in sorted(reading.unknown, key=lambda one: abs(one.first - words.first)):
        between = reading.request[min(each.last, whole.last) : max(each.first, whole.first)]
        if each is not words and _AROUND.fullmatch(each.words) and _BETWEEN.fullmatch(between):
            first, last = min(each.first, whole.first), max(each.last, whole.last)
            whole = Mention(whole.meaning, first, last, reading.request[first:last])
    return whole


def _note(mission: str, number: int, span: TimeRange) -> str:
    day = perihelion(mission, number)
    is_inside = span.start < day + timedelta(days=1) and day < span.stop
    return f"Perihelion {number} of {mission} was on {day:%Y-%m-%d}" + (", in the range." if is_inside else ", near the range.")


def _which(reading: Reading, mission: str, span: TimeRange, words: Mention, numbers: list[int]) -> OpenQuestion:
    stated = " and ".join(f"perihelion {number} was on {perihelion(mission, number):%Y-%m-%d}" for number in numbers)
    text = f"Of {mission}, {stated}. Which time around the perihelion do you mean, or all of {span}?"
    time = reading.time
    assert time is not None  # noqa: S101 - its span is known
    at = Mention(Filler(), time.first, time.last, time.words)
    choices = [reworded(reading, {words: "", at: f"encounter {number}"}) for number in numbers]
    question = OpenQuestion(text, [*choices, reworded(reading, {words: ""})])
    question.is_about_time = True
    return question
