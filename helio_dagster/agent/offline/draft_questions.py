"""What the drafter asks, in the words of the request."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.questions import DraftQuestion, NothingMeasured
from helio_dagster.agent.intent import AnyTarget, Measured
from helio_dagster.agent.offline.meanings import (
    Compare,
    Mission,
)
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.wording import remedied, reworded, without
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS


def spoken_question(reading: Reading, asked: DraftQuestion) -> OpenQuestion:
    """A drafter's question, with the person's own request as each remedy changes it."""
    again = [remedied(reading, remedy) for remedy in asked.remedies]
    question = OpenQuestion(asked.question.text, [each for each in again if each])
    question.is_about_time = asked.is_about_time
    return question


def without_it(reading: Reading, targets: Sequence[AnyTarget], nothing: NothingMeasured) -> OpenQuestion | None:
    """The question whether the rest is wanted; None if the mission or quantity without data is the only one."""
    whose, words = {target.who for target in targets}, {target.words for target in targets}
    if len(whose) == 1 and len(words) > 1:
        missing = {
            each: _others_of(each.meaning, nothing)
            for each in reading.mentions
            if isinstance(each.meaning, Measured) and nothing.quantity in each.meaning.quantities
        }
        if not missing:
            return None
        return OpenQuestion(f"{nothing.question.text} Do you want the rest without it?", [reworded(reading, missing)])
    named = [each for each in reading.mentions if isinstance(each.meaning, Mission)]
    gone = [each for each in named if isinstance(each.meaning, Mission) and each.meaning.name == nothing.mission]
    if len(gone) == len(named) or not gone:
        return None
    alone = len({each.meaning for each in named if each not in gone}) == 1
    compared = [each for each in reading.mentions if isinstance(each.meaning, Compare)] if alone else []
    text = f"{nothing.question.text} Do you want it without {nothing.mission}?"
    return OpenQuestion(text, [without(reading, [*gone, *compared])])


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


def _others_of(measured: Measured, nothing: NothingMeasured) -> str:
    """The other quantities of a word for several, such as `plasma`."""
    names = [QUANTITY_WORDS[each] for each in measured.quantities if each != nothing.quantity]
    return " and ".join(names)
