"""Choices of a question, each planned to its end before it is offered."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest

from helio_dagster.agent.answers import Answer, NotUnderstood, OpenQuestion, Plan
from helio_dagster.agent.offline.kept_words import Wording, adds_only_names, is_kept, is_planned
from helio_dagster.agent.offline.vocabulary import ordinary_words
from helio_dagster.domain.errors import InputError

_DEEPEST = 2
"""Questions one behind the other that are asked as one."""
_WORD = re.compile(r"[A-Za-z0-9|.:+-]+")
_STEM = 5


@dataclass(frozen=True)
class Offered:
    """What is asked, with choices that each have a plan, and the remark on each; `settled` says so where the first is meant."""

    text: str
    choices: tuple[str, ...]
    remarks: dict[str, str]
    settled: str = ""


def offered(
    asked: OpenQuestion, request: str, now: datetime, answered: Callable[[str], Answer], *, is_change: bool = False
) -> Offered:
    """The question with the choices that keep what was said and lead to a plan of it.

    A choice that leads to another question stands for the choices of that one, where none has a plan. Both questions are asked
    as one; where nothing can be had, the text says what stands in the way of the first choice. Of a change of what is on the
    table, a choice may lead on to another question.
    """
    found = _followed(asked, request, asked.question.text, now, answered, 0 if is_change else 1)
    choices = asked.question.choices
    is_one = len(found.choices) == 1 and found.choices[0] in choices and _says_all_of(found.choices[0], request, now)
    is_settled = is_one or (asked.is_small and bool(found.choices))
    reason = f"{asked.reason} " if asked.is_small else ""
    remarked = f"{reason}It is taken as {found.choices[0]!r}." if is_settled and not asked.is_about_time else ""
    return replace(found, settled=remarked)


def _followed(
    asked: OpenQuestion, request: str, about: str, now: datetime, answered: Callable[[str], Answer], depth: int
) -> Offered:
    phrase = Wording(request, about, now, asked.is_about_time)
    remarked = asked.remarks
    sound: list[str] = []
    behind: dict[str, OpenQuestion] = {}
    for choice in dict.fromkeys(asked.question.choices):
        if not is_kept(choice, phrase, remarked.get(choice, "")):
            continue
        try:
            answer = answered(choice)
        except NotUnderstood:
            continue
        except OpenQuestion as question:
            behind[choice] = question
            continue
        except InputError:
            continue
        if not isinstance(answer, Plan) or is_planned(answer, phrase):
            sound.append(choice)
    if sound or not behind:
        return Offered(asked.question.text, tuple(sound), remarked)
    others = {choice: question for choice, question in behind.items() if question.question.text != asked.question.text}
    if not depth or not others or depth >= _DEEPEST:
        return Offered(asked.question.text, () if depth else tuple(others), remarked)
    text = f"{asked.question.text} {next(iter(others.values())).question.text}"
    further = [_followed(question, request, text, now, answered, depth + 1) for question in others.values()]
    in_turn = zip_longest(*(each.choices for each in further), fillvalue="")
    choices = tuple(dict.fromkeys(choice for each in in_turn for choice in each if choice))
    return Offered(text, choices, {**remarked, **{choice: words for each in further for choice, words in each.remarks.items()}})


def _says_all_of(choice: str, request: str, now: datetime) -> bool:
    """Whether a choice has every word of the request that counts, and only names more closely what it asks for."""
    kept = [each.casefold() for each in _WORD.findall(choice)]
    stems = {each[:_STEM] for each in kept}
    words = {each.casefold().strip(".:-") for each in _WORD.findall(request)} - ordinary_words() - {""}
    has_all = all(each in kept or each[:_STEM] in stems for each in words)
    return has_all and is_kept(choice, Wording(request, "", now)) and adds_only_names(choice, Wording(request, "", now))
