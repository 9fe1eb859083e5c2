"""What is left of a request where one spacecraft, or one quantity, has no data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Compare, Mission
from helio_dagster.agent.offline.nothing_measured import NothingMeasured
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.targets import AnyTarget, DerivedTarget

_JOINED = re.compile(r"[\s,]*(?:and|with|to|against|vs\.?|versus|&)?\s*", re.IGNORECASE)


def nothing_of_one(reading: Reading, nothing: NothingMeasured) -> OpenQuestion:
    """The question whether the others are wanted, where several spacecraft are named; else the one that was raised."""
    named = [mention for mention in reading.mentions if isinstance(mention.meaning, Mission)]
    left = [mention for mention in named if isinstance(mention.meaning, Mission) and mention.meaning.name != nothing.mission]
    if len(left) == len(named) or not left:
        return nothing
    text = f"{nothing.question.text} Is it wanted without {nothing.mission}?"
    return OpenQuestion(text, [_without(reading, named, left)])


def without_the_missing(reading: Reading, targets: Sequence[AnyTarget], nothing: NothingMeasured) -> OpenQuestion:
    """The question whether the other quantities are wanted, or the other spacecraft; else the one that was raised."""
    whose = list(dict.fromkeys(target.who for target in targets))
    left = [target.words for target in targets if target.words != nothing.words]
    if len(whose) != 1 or not left or any(isinstance(target, DerivedTarget) for target in targets):
        return nothing_of_one(reading, nothing)
    when = f" {reading.time.words.strip(' ,')}" if reading.time else ""
    listed = left[0] if len(left) == 1 else f"{', '.join(left[:-1])} and {left[-1]}"
    who = "the Wind spacecraft" if whose[0] == "Wind" else whose[0]
    return OpenQuestion(f"{nothing.question.text} Is the rest wanted without it?", [f"{who} {listed}{when}"])


def _without(reading: Reading, named: Sequence[Mention], left: Sequence[Mention]) -> str:
    """The request with those spacecraft only; a lone one is compared with nothing."""
    request, first, last = reading.request, named[0].first, named[-1].last
    words = [mention.words for mention in left]
    between = [request[one.last : other.first] for one, other in pairwise(named)]
    if all(_JOINED.fullmatch(each) for each in between):
        listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
        text = f"{request[:first]}{listed}{request[last:]}"
    else:
        text = request
        for mention in reversed([each for each in named if each not in left]):
            text = f"{text[: mention.first]}{text[mention.last :]}"
    if len(left) == 1:
        for mention in reading.mentions:
            if isinstance(mention.meaning, Compare):
                text = text.replace(mention.words, "", 1)
    return " ".join(text.split())
