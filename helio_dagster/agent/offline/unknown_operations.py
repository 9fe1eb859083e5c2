"""Names of operations that there are not: asked about with those that come near, and never ignored."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio_dagster.agent.answers import NotUnderstood
from helio_dagster.agent.offline.meanings import Filler, Heading
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.vocabulary import (
    names_of_operations,
    ordinary_words,
    plain_kinds,
    words_of_occasions,
    words_of_operations,
)
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.agent.planner import Operations

_MOST = 3
_OF = re.compile(r"\s+(?:of|for)\b(?:\s+the\b)?")
_PURPOSE = re.compile(r"\b(?:for|as part of) (?:(?:a|an|my|our|the|some|this|any) )?$", re.IGNORECASE)
"""What is told after it is what the data are wanted for: `for further analysis`."""
_ABBREVIATION = re.compile(r"[A-Z]{3,5}")


class NoOperation(NotUnderstood):
    """The request names something to be done or drawn that no operation does: `phrase`."""

    def __init__(self, phrase: Mention, reading: Reading) -> None:
        self.phrase, self.reading = phrase, reading
        text = f"No operation here makes {phrase.words!r}. What do you want instead?"
        super().__init__(text, [_without(phrase, reading)], about=[phrase.words])


def unknown_operation(reading: Reading) -> Mention | None:
    """The words for an operation that there is not: `recurrence plot`, `entropy`, `PCA`; None where all words are others."""
    unknown = [each for each in reading.unknown if not isinstance(each.meaning, Heading)]
    for place, mention in enumerate(unknown):
        if (noun := _noun_of(mention, reading)) is not None:
            first = _first(mention, unknown[:place], reading)
            return Mention(Filler(), first.first, noun.last, reading.request[first.first : noun.last])
    return None


def with_nearest(asked: NoOperation, operations: Operations) -> NoOperation:
    """The question with the operations that come near as further choices, each with what it does."""
    from helio_dagster.compute.operation_search import fitting_operations

    near = [each.operation for each in fitting_operations(operations.all(), asked.phrase.words)[:_MOST]]
    if not near:
        return asked
    is_of = _OF.match(asked.reading.request, asked.phrase.last) is not None
    words = [each.id.replace("_", " ") + ("" if is_of else " of") for each in near]
    choices = [reworded(asked.reading, {asked.phrase: each}) for each in words]
    asked.remarks |= {choice: f"{each.id}: {each.summary}" for choice, each in zip(choices, near, strict=True)}
    asked.question = asked.question.model_copy(update={"choices": [*choices, *asked.question.choices]})
    return asked


def _noun_of(mention: Mention, reading: Reading) -> Mention | None:
    """What ends the name of an operation that a word begins or is; None where the word is of no such name."""
    word = mention.words.casefold()
    is_of = _OF.match(reading.request, mention.last) is not None
    if word in plain_kinds() or word in ordinary_words() or word in words_of_occasions() or not word.isascii():
        return None
    if word in names_of_operations() or (is_of and _ABBREVIATION.fullmatch(mention.words)):
        return mention
    found = next((each for each in _placed(reading) if each.first >= mention.last), None)
    if found is None or reading.request[mention.last : found.first].strip():
        return None
    is_noun = found.words.casefold().split(" ")[0] in words_of_operations() and not re.search(r"\d", mention.words)
    is_purpose = _PURPOSE.search(reading.request[: mention.first]) is not None and not _OF.match(reading.request, found.last)
    return found if is_noun and not is_purpose else None


def _first(mention: Mention, before: Sequence[Mention], reading: Reading) -> Mention:
    """The first of the words that are not understood and stand directly before one: `empirical` of `empirical mode`."""
    for each in reversed(before):
        if reading.request[each.last : mention.first].strip() or each.words.casefold() in ordinary_words():
            break
        mention = each
    return mention


def _placed(reading: Reading) -> list[Mention]:
    fillers = [each for each in reading.of(Filler) if each.words]
    return sorted([*reading.unknown, *fillers], key=lambda each: each.first)


def _without(phrase: Mention, reading: Reading) -> str:
    """The request for the data themselves."""
    of = _OF.match(reading.request, phrase.last)
    last = of.end() if of else phrase.last
    return reworded(reading, {Mention(Filler(), phrase.first, last, reading.request[phrase.first : last]): ""})
