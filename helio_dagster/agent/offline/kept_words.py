"""Whether a choice keeps what a request said: one that drops or reverses a part of it unasked is not offered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.drafting.results_over_time import INCLUDING
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import (
    Asks,
    Cadence,
    Compare,
    Condition,
    Dataset,
    Filler,
    Frame,
    Heading,
    InMode,
    Instrument,
    LeftOut,
    Length,
    Level,
    Meaning,
    Mission,
    Per,
    Statistic,
    Unclear,
    Unit,
)
from helio_dagster.agent.offline.request_reading import Mention, Reading, read_request
from helio_dagster.agent.offline.vocabulary import counting_words, shared_senses, weighty_senses
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Pairing, Smoothing, Transform
from helio_dagster.catalog.choice.levels import spoken_level
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.errors import InputError

_OF_ENERGY = re.compile(r"\d ?[kMG]?eV\b")
_ANY = re.compile(r"\d+(?:\.\d+)?")
_MOST_TIMES = 12
_QUOTED = re.compile(r"'([^']+)'")
_TOKEN = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)|[<>≤≥]")
_STEM = 5
_SMALL = 3
"""A word this short does not tell what a question is about."""
_NAMING = frozenset(("quantity", "species", "axis", "Dataset", "Instrument", "level", "result"))
"""Kinds of facts that only name more closely what is asked for."""
Fact = tuple[str, str]
"""A kind of thing that was said, and its name: `("quantity", "density")`."""


@dataclass(frozen=True)
class Wording:
    """What a request says; `about` is the text of the question that it led to, which may name what a choice changes."""

    request: str
    about: str
    now: datetime
    is_about_time: bool = False

    @cached_property
    def reading(self) -> Reading | None:
        """The request taken apart; None where it cannot be."""
        return _reading(self.request, self.now)

    @cached_property
    def wanted(self) -> str:
        """The request without what cannot be had at all."""
        text = self.request
        for each in self.reading.mentions if self.reading else ():
            if isinstance(each.meaning, Unclear) and each.meaning.kind:
                text = f"{text[: each.first]}{' ' * len(each.words)}{text[each.last :]}"
        return text

    @cached_property
    def facts(self) -> dict[Fact, str]:
        """What it says, each with the words that say so."""
        return dict(_facts(self.reading.mentions)) if self.reading else {}


def is_kept(choice: str, words: Wording, remark: str = "") -> bool:
    """Whether a choice says all that was said, but for what the question is about; `told` is the remark on the choice."""
    about = f"{words.about} {remark}"
    if form("kept.loose_end").search(choice) and not form("kept.loose_end").search(words.request):
        return False
    if not words.is_about_time and not (keeps_times(choice, words.request, words.now) or _names_times(about, words)):
        return False
    numbers = keeps_numbers(choice, words.wanted, words.now, is_about_time=words.is_about_time)
    return numbers and _keeps_turning_words(choice, words, about) and _keeps_facts(choice, words, about)


def adds_only_names(choice: str, words: Wording) -> bool:
    """Whether all that a choice says more is which data or which kind of result: no time, number, statistic or frame."""
    read = _reading(choice, words.now)
    added = {fact[0] for fact, _ in _facts(read.mentions) if fact not in words.facts} if read else {"nothing"}
    asked = (Measured, Derived, Unclear)
    if "quantity" in added and not (words.reading and any(isinstance(each.meaning, asked) for each in words.reading.mentions)):
        return False
    (times, rest), (others, text) = _times(words.request, words.now), _times(choice, words.now)
    is_when_given = [each.words for each in times] == [each.words for each in others]
    more = {*_numbers(text)} - {*_numbers(rest)}
    return is_when_given and not more and added <= _NAMING


def is_planned(plan: Plan, words: Wording) -> bool:
    """Whether the plan of a choice has each limit on the side that was said, and ignores no word that turns it."""
    ignored = {word for each in plan.ignored for word in _senses(each)}
    mentions = words.reading.mentions if words.reading else ()
    limits = [each.meaning for each in mentions if not _OF_ENERGY.search(each.words)]  # that picks a channel
    return not ignored and all(_has_limit(plan, each) for each in limits if isinstance(each, Condition))


def keeps_numbers(choice: str, request: str, now: datetime, *, is_about_time: bool = False) -> bool:
    """Whether a choice has the numbers of a request, and a time that is, or lies in, the one that was said.

    Numbers in names of spacecraft do not count, since another one may be offered; a time may be written in another way.
    """
    words, rest = _times(request, now)
    kept, _ = _times(choice, now)
    wholes, parts = ([each.span or each.hull for each in times] for times in (words, kept))
    overlap = any(whole is None or part is None or whole.overlaps(part) for whole in wholes for part in parts)
    if words and not is_about_time and not overlap:
        return False
    return {*_numbers(rest)} <= set(_ANY.findall(choice))


def numbers_of(request: str, now: datetime) -> list[str]:
    """The numbers of a request that are no part of its times and of the names of spacecraft."""
    return _numbers(_times(request, now)[1])


def keeps_times(choice: str, request: str, now: datetime) -> bool:
    """Whether a choice has the words that limit the time of a request, or names the range that they are taken for."""
    words = {each.casefold() for each in form("kept.of_time").findall(request)}
    missing = words - {each.casefold() for each in form("kept.of_time").findall(choice)}
    asked, kept = _times(request, now)[0], _times(choice, now)[0]
    inside = {each.casefold() for time in asked for each in form("kept.of_time").findall(time.words)}
    return not missing - (inside if kept else set())


def _names_times(about: str, words: Wording) -> bool:
    """Whether a question names every word that limits the time: it is about them."""
    return {each.casefold() for each in form("kept.of_time").findall(words.request)} <= {
        each.casefold() for each in form("kept.of_time").findall(about)
    }


def _keeps_turning_words(choice: str, words: Wording, about: str) -> bool:
    """Whether a choice has each word that turns what is beside it and is not a part of something understood.

    A question may be about such a word, as `month`, but never about a negation, a comparison or `only` without saying so.
    """
    if words.reading is None:
        return True
    text = words.request
    understood = [each for each in words.reading.mentions if not isinstance(each.meaning, Unclear)]
    for first, last in ((each.first, each.last) for each in (*understood, *_time_of(words.reading))):
        text = text[:first] + " " * (last - first) + text[last:]
    for time in _times(text, words.now)[0]:
        text = text.replace(time.words, " ")
    missing = _senses(text) - _senses(choice)
    unknown = {each.words.casefold() for each in words.reading.unknown if not isinstance(each.meaning, Heading)}
    quoted = " ".join(_QUOTED.findall(about))
    if unknown & counting_words() - set(_TOKEN.findall(f"{choice} {quoted}".casefold())):
        return False
    return not missing & shared_senses() and all(_stands_in(each, about) for each in missing)


def _senses(text: str) -> set[str]:
    """The senses of the words of a text that turn what is beside them."""
    known = weighty_senses()
    return {known[word] for each in _TOKEN.findall(text) if (word := each.casefold()) in known}


def _keeps_facts(choice: str, phrase: Wording, about: str) -> bool:
    """Whether a choice says each thing that was said, but for those that the question names; a dataset says whose it is."""
    kept = {fact for fact, _ in _facts(read.mentions)} if (read := _reading(choice, phrase.now)) else set()
    by_dataset = ("mission", "Instrument") if any(kind == "Dataset" for kind, _ in kept) else ()
    return all(
        _is_named(fact, words, about) for fact, words in phrase.facts.items() if fact not in kept and fact[0] not in by_dataset
    )


def _is_named(fact: Fact, words: str, about: str) -> bool:
    """Whether a question is about something: it has a word of it, or its name."""
    named = [fact[1], *(each for each in re.findall(r"[\w|]+", words) if len(each) > _SMALL or not each.islower())]
    return any(_stands_in(each, about) for each in named if each)


def _stands_in(word: str, about: str) -> bool:
    """Whether a text has a word, in whatever form."""
    return re.search(rf"(?<!\w){re.escape(word[:_STEM])}", about, re.IGNORECASE) is not None


def _facts(mentions: Sequence[Mention]) -> Iterator[tuple[Fact, str]]:
    """What mentions say, each with its words."""
    for each in mentions:
        for fact in _facts_of(each.meaning):
            yield fact, each.words


def _facts_of(meaning: Meaning) -> Iterator[Fact]:
    match meaning:
        case Mission():
            yield "mission", meaning.name
        case Measured():
            yield from (("quantity", QUANTITY_WORDS.get(each, str(each))) for each in meaning.quantities)
            yield from [("axis", meaning.axis)] if meaning.axis else []
            yield from [("species", meaning.species)] if meaning.species else []
        case Derived() | Transform():
            yield "made", meaning.words if isinstance(meaning, Derived) else meaning.operation
        case Dataset() | Instrument() | Frame() | InMode():
            yield type(meaning).__name__, meaning.name
        case Level():
            yield "level", spoken_level(meaning.name)
        case Unit():
            yield "unit", meaning.unit
        case Pairing():
            yield "made", meaning.operation
        case Averaging():
            yield "statistic", meaning.method
            yield _length(meaning.length)
        case Statistic():
            yield "statistic", meaning.method
        case Smoothing() | Per() | Length() | Cadence():
            yield from [_length(meaning.length)] if meaning.length else []
        case Condition():
            yield meaning.side, f"{meaning.value:g}"
        case Asks():
            yield "result", meaning.kind
        case Compare():
            yield "made", "compared"
        case LeftOut():
            yield from (("left out", str(each)) for each in meaning.excluded.spans)
            yield from [("left out", meaning.excluded.condition)] if meaning.excluded.condition else []
        case _:
            return


def _length(length: timedelta) -> Fact:
    return "length", f"{length.total_seconds():g}"


def _has_limit(plan: Plan, limit: Condition) -> bool:
    """Whether a step has a limit, in its own unit or that of the values, and none has it on the other side."""
    given = [step.compute.options for step in plan.pipeline.steps if step.compute]
    other = "below" if limit.side == "above" else "above"
    values = [(name, value) for options in given for name, value in options.items() if isinstance(value, int | float)]
    tenfold = round(10 * limit.value, 9)  # as Kp is stored, moved where the Kp that is named counts too
    same = (limit.value, tenfold, *([tenfold + INCLUDING[limit.side]] if limit.is_inclusive else []))
    return any(value in same for _, value in values) and not any(
        name == other and value in same and (limit.side, value) not in values for name, value in values
    )


def _reading(text: str, now: datetime) -> Reading | None:
    try:
        return read_request(text, now)
    except (InputError, OpenQuestion):
        return None


def _time_of(reading: Reading) -> Iterator[Mention]:
    if reading.time is not None:
        yield Mention(Filler(), reading.time.first, reading.time.last, reading.time.words)


def _times(text: str, now: datetime) -> tuple[list[FoundSpan], str]:
    """The times that a text names, and the text without them."""
    found: list[FoundSpan] = []
    while len(found) < _MOST_TIMES and (time := _time(text, now)) is not None:
        found.append(time)
        text = f"{text[: time.first]} {text[time.last :]}"
    return found, text


def _numbers(text: str) -> list[str]:
    return form("kept.number").findall(form("kept.name").sub(" ", text))


def _time(text: str, now: datetime) -> FoundSpan | None:
    try:
        return find_span(text, now)
    except InputError:
        return None
