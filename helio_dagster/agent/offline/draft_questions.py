"""What the drafter asks, in the words of the request."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.draft_titles import listed
from helio_dagster.agent.drafting.questions import DraftQuestion, NothingMeasured
from helio_dagster.agent.offline.meanings import Compare, Heading, Instrument, Mission
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.vocabulary import ordinary_words
from helio_dagster.agent.offline.wording import remedied, reworded, without
from helio_dagster.agent.targets import AnyTarget, Measured, Target
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS

_MOST_LISTED = 8
_JOINS_NEXT = re.compile(r"(?:,|,? and| [+&])(?=\s)")


def spoken_question(reading: Reading, asked: DraftQuestion) -> OpenQuestion:
    """A drafter's question, with the person's own request as each remedy changes it."""
    again = [remedied(reading, remedy) for remedy in asked.remedies]
    question = OpenQuestion(asked.question.text, [each for each in again if each], reason=asked.reason)
    question.is_about_time, question.is_small = asked.is_about_time, asked.is_small
    return question


def with_what_is_unknown(question: OpenQuestion, reading: Reading) -> OpenQuestion:
    """The question, with the words that are not understood: what is asked for may be they."""
    unknown = [each.words for each in reading.unknown if not isinstance(each.meaning, Heading)]
    unusual = [each for each in dict.fromkeys(unknown) if each.casefold() not in ordinary_words()]
    if unusual:
        unread = f"(I do not understand {', '.join(map(repr, unusual[:_MOST_LISTED]))}.)"
        question.reason = f"{question.reason} {unread}"
        question.question = question.question.model_copy(update={"text": f"{question.question.text} {unread}"})
    return question


def without_it(reading: Reading, targets: Sequence[AnyTarget], nothing: NothingMeasured) -> OpenQuestion | None:
    """The question whether the rest is wanted; None if the mission or quantity without data is the only one."""
    whose, words = {target.who for target in targets}, {target.words for target in targets}
    if len(whose) == 1 and len(words) > 1:
        missing = {
            _with_link(each, reading): _others_of(each, reading, nothing)
            for each in reading.mentions
            if isinstance(each.meaning, Measured) and {*nothing.missing} & {*each.meaning.quantities}
        }
        gone_words = {each.words for each in targets if isinstance(each, Target) and each.quantity in nothing.missing}
        if not missing or words <= gone_words:
            return None
        rest = [reworded(reading, missing), *_at_other_times(reading, nothing)]
        are_parts = all(len(each.meaning.quantities) > 1 for each in missing if isinstance(each.meaning, Measured))
        if "temperature" in nothing.missing and are_parts and all(missing.values()):  # which the thermal speed tells, too
            rest.insert(0, reworded(reading, {each: f"{words} and thermal speed" for each, words in missing.items()}))
        text = nothing.question.text
        question = OpenQuestion(f"{text} Do you want the rest without it?", rest, reason=text)
        question.is_small = are_parts and not nothing.is_about_time
        return _about_time(question, nothing)
    named = reading.of(Mission)
    gone = [each for each in named if isinstance(each.meaning, Mission) and each.meaning.name == nothing.mission]
    if len(gone) == len(named) or not gone:
        return None
    alone = len({each.meaning for each in named if each not in gone}) == 1
    compared = reading.of(Compare) if alone else []
    text = f"{nothing.question.text} Do you want it without {nothing.mission}?"
    return _about_time(OpenQuestion(text, [without(reading, [*gone, *compared]), *_at_other_times(reading, nothing)]), nothing)


def _about_time(question: OpenQuestion, nothing: NothingMeasured) -> OpenQuestion:
    """The question, about the time where the other one is."""
    question.is_about_time = nothing.is_about_time
    return question


def _at_other_times(reading: Reading, nothing: NothingMeasured) -> list[str]:
    """The request for times in which there were data, where these are known."""
    return [again for each in nothing.remedies if each.part == "time" and (again := remedied(reading, each))]


def of_parts(reading: Reading, nothing: NothingMeasured) -> str | None:
    """The request in which a ratio that no dataset has is one of two densities; None for anything else."""
    words = [
        each for each in reading.mentions if isinstance(each.meaning, Measured) and "alpha_ratio" in each.meaning.quantities
    ]
    if nothing.quantity != "alpha_ratio" or len(words) != 1 or not reading.all(Mission):
        return None
    return reworded(reading, {words[0]: "alpha density divided by proton density"})


def in_words(nothing: NothingMeasured, reading: Reading) -> NothingMeasured:
    """The drafter's question with choices in the person's words."""
    nothing.question = spoken_question(reading, nothing).question
    return nothing


def _with_link(mention: Mention, reading: Reading) -> Mention:
    """The first of a list, behind its spacecraft or instrument, with what joins the next one: `Voyager 1 speed and`."""
    whose = (Instrument, Mission)
    is_first = any(each.last == mention.first - 1 for each in reading.of(*whose))
    joined = _JOINS_NEXT.match(reading.request, mention.last) if is_first else None
    return replace(mention, last=joined.end()) if joined else mention


def _others_of(mention: Mention, reading: Reading, nothing: NothingMeasured) -> str:
    """The other quantities of a word for several, such as `plasma`, that are not named beside it."""
    beside = [each.meaning for each in reading.mentions if each != mention and isinstance(each.meaning, Measured)]
    gone = {*nothing.missing, *(quantity for each in beside for quantity in each.quantities)}
    own = mention.meaning.quantities if isinstance(mention.meaning, Measured) else ()
    names = [QUANTITY_WORDS[each] for each in own if each not in gone]
    return listed(names)
