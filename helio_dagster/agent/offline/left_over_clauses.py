"""Clauses of a new request that are not understood: read as changes of the plan of the rest, else asked about as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace

from helio_dagster.agent.answers import Answer, Edits, NotUnderstood, OpenQuestion, Plan
from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.agent.drafting.drawn_figure import AVERAGED
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.slots import is_about_looks
from helio_dagster.agent.offline.meanings import Dataset, Filler, Heading, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.spoken_clauses import SpokenClause, spoken_clauses, without_clauses
from helio_dagster.agent.offline.unknown_operations import NoOperation
from helio_dagster.agent.offline.vocabulary import ordinary_words
from helio_dagster.agent.offline.weight import is_weighty
from helio_dagster.agent.offline.wording import is_named_before, without
from helio_dagster.agent.planner import Current
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.times.phrases import FoundSpan
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline_edit import apply_edits


@dataclass(frozen=True)
class Parted:
    """A request without what is not understood, `left` as it stands; `changes` are clauses that may change the plan of it.

    Whole clauses are left, but of such as name data only words. It `is_asked_about` unless it is only tried without them.
    """

    request: str
    left: tuple[str, ...]
    changes: tuple[SpokenClause, ...]
    is_asked_about: bool = True


def parted(reading: Reading, asked: OpenQuestion, catalog: KnownCatalog) -> Parted | None:
    """The request without what is asked about, else without its last clause for how the figure looks; None without these."""
    left, time = _asked_about(reading, asked, catalog), _time_of(reading, asked)
    clauses = spoken_clauses(reading.request, (time.first, time.last) if time is not None else (0, 0))
    if left:
        clauses = [each for each in clauses if any(each.first < one.last <= each.last for one in left)]
    else:
        looks = [each for each in clauses[1:] if _is_of_the_figure(each.text)]
        clauses = [each for each in looks[-1:] if not _names_more(each, reading)]
    is_all = not clauses or clauses[0].first == 0
    if left and (is_all or any(_names_more(each, reading) for each in clauses)):
        return Parted(without(reading, left), tuple(each.words for each in left), () if is_all else tuple(clauses))
    if not clauses:
        return None
    return Parted(without_clauses(reading.request, clauses), tuple(each.text for each in clauses), tuple(clauses), bool(left))


def _is_of_the_figure(text: str) -> bool:
    """Whether a clause is for looks, without a number that could be of the data, or shades where a limit is met."""
    if matched("shading_where.shade", text) is not None:
        return True
    return is_about_looks(text) and re.search(r"\d", text) is None


def _asked_about(reading: Reading, asked: OpenQuestion, catalog: KnownCatalog) -> list[Mention]:
    """The words that a question is about, in order."""
    unknown = [each for each in reading.unknown if not isinstance(each.meaning, Heading)]
    unknown = unknown if isinstance(asked, NotUnderstood) and not isinstance(asked, NoOperation) else []
    found = [each for each in unknown if is_weighty(each, reading, catalog)] or unknown
    for each in reading.mentions:
        if isinstance(each.meaning, Unclear) and each.meaning.question in asked.question.text:
            found.append(each)
    if reading.time is not None and _time_of(reading, asked) is None:
        found.append(Mention(Filler(), reading.time.first, reading.time.last, reading.time.words))
    return sorted(found, key=lambda each: each.first)


def _time_of(reading: Reading, asked: OpenQuestion) -> FoundSpan | None:
    """The time of a request, which is no part of its clauses; None where the question is about it."""
    time = reading.time
    return None if time is None or (time.question and time.question in asked.question.text) else time


def _names_more(clause: SpokenClause, reading: Reading) -> bool:
    """Whether a clause names data that the rest of the request does not."""
    others = f"{reading.request[: clause.first]} {reading.request[clause.last :]}"
    named = [each for each in reading.mentions if clause.first <= each.first < clause.last]
    data = [each for each in named if isinstance(each.meaning, Measured | Derived | Dataset | Mission)]
    return any(not is_named_before(each.words, others) for each in data)


@dataclass(frozen=True)
class LeftOver:
    """Clauses that are not understood, and the plan of the rest; `lacking` tells what of the rest a plan lacks."""

    parted: Parted
    rest: Plan
    lacking: Callable[[Plan], Collection[str]]

    def dropped(self) -> Plan:
        """The plan of the rest, the clauses shown as ignored."""
        return replace(self.rest, ignored=(*self.parted.left, *self.rest.ignored))

    def with_words(self, words: str) -> str:
        """The request with other words in the place of the clauses."""
        return f"{self.parted.request}, {words}"

    def changed(self, asked: OpenQuestion, change: Callable[[str, Current], Answer | None]) -> Plan | None:
        """The plan of the rest as the clauses change it; None where the question about them says more than that they do not.

        Parameters
        ----------
        asked
            The question about them.
        change
            Understands a clause as a change of a plan.

        Raises
        ------
        OpenQuestion
            A clause is no change, or leaves open of what.
        """
        plan = self.rest
        try:
            for clause in self.parted.changes:
                plan = _with_change(plan, clause, change)
            if _made(self.rest) - _made(plan) or {*self.lacking(plan)} - {*self.lacking(self.rest)}:
                raise NotUnderstood("The clauses take back what the rest says.")
        except NotUnderstood:
            plan = self.rest
        except OpenQuestion as which:
            if len(self.parted.changes) == 1 and self.parted.is_asked_about:
                choices = [f"{self.parted.request}, {each}" for each in which.question.choices]
                raise OpenQuestion(which.question.text, choices) from None
            plan = self.rest
        if plan is not self.rest:
            return plan
        if not isinstance(asked, NotUnderstood) or not self.parted.is_asked_about:
            return None
        own = f"I do not understand {', '.join(map(repr, self.parted.left))}. What do you mean?"
        text = own if asked.is_plain else asked.question.text
        asked.rest = str(self.rest.pipeline.title)
        asked.in_full = f"{text} Say `without it` to plan the rest: {asked.rest}."
        raise asked from None


def _made(plan: Plan) -> set[tuple[str | None, str]]:
    """What is computed, and the lengths of averages, which are never but what a request says."""
    computed = [step.compute for step in plan.pipeline.steps if step.compute]
    return {(each.operation, str(each.options) if each.operation in AVERAGED else "") for each in computed}


def with_unused_clauses(plan: Plan, reading: Reading, again: Callable[[str], Answer], *, is_sampled: bool) -> Plan:
    """The plan, which says of each clause that it is the same without; of such as name data it always says what it lacks.

    Parameters
    ----------
    plan, reading
        What was made of a request, and the request taken apart.
    again
        Plans words without samples.
    is_sampled
        Whether the plan was chosen by samples.
    """
    time, shown = reading.time, " ".join((*plan.notes, *plan.pipeline.assumptions))
    clauses = spoken_clauses(reading.request, (time.first, time.last) if time is not None else (0, 0))
    for clause in clauses if len(clauses) > 1 else ():
        inside = [each for each in reading.mentions if clause.first <= each.first < clause.last]
        if any(isinstance(each.meaning, Measured | Derived | Dataset | Mission) for each in inside) or clause.text in shown:
            continue
        unread = [each for each in plan.ignored if each in clause.text]
        is_known = any(not isinstance(each.meaning, Filler) for each in inside)
        if is_known == bool(unread) and (is_known or _is_link(clause, inside, reading)):
            continue
        with suppress(OpenQuestion, InputError):
            rest = again(without_clauses(reading.request, [clause]))
            if _is_the_same(again(reading.request) if is_sampled else plan, rest):
                others = [each for each in plan.ignored if each not in unread]
                notes = [f"{clause.text!r} changes nothing."] if not unread else []
                ignored = (*others, clause.text) if unread else plan.ignored
                plan = replace(plan, ignored=tuple(ignored), notes=(*plan.notes, *notes))
    return plan


def _is_link(clause: SpokenClause, inside: Collection[Mention], reading: Reading) -> bool:
    """Whether a clause is only of words that link others, or that no plan depends on."""
    unread = any(clause.first <= each.first < clause.last for each in reading.unknown)
    words = {word for each in inside for word in each.words.casefold().split()}
    return not unread and all(isinstance(each.meaning, Filler) for each in inside) and words <= ordinary_words()


def _is_the_same(plan: Answer, rest: Answer) -> bool:
    """Whether two answers are one plan, and the second says all that the first does."""
    if not isinstance(plan, Plan) or not isinstance(rest, Plan):
        return False
    one, other = (each.pipeline.model_copy(update={"name": ""}) for each in (plan, rest))
    return one == other and plan.span == rest.span and {*plan.notes} <= {*rest.notes}


def _with_change(plan: Plan, clause: SpokenClause, change: Callable[[str, Current], Answer | None]) -> Plan:
    """A plan as a clause changes it; raises OpenQuestion where it leaves open of what."""
    if re.search(r"[^\W\d_]", re.sub(r"\b(?:and|to)\b", "", clause.text)) is None:  # numbers alone name nothing to change
        raise NotUnderstood.of([clause.text])
    current = Current(as_file(plan.pipeline), plan.span, is_saved=False, intent=plan.intent, assumed=plan.assumed)
    try:
        answer = change(clause.text, current)
    except NotUnderstood:
        raise
    except OpenQuestion as asked:
        own = [each for each in asked.question.choices if clause.is_of_it(each)]
        if not asked.question.choices:
            raise NotUnderstood(asked.question.text) from None
        if len(own) != 1:
            raise
        answer = change(own[0], current)
    if not isinstance(answer, Edits) or answer.span not in (None, plan.span):
        raise NotUnderstood.of([clause.text])
    return replace(
        plan,
        pipeline=apply_edits(current.file, answer.edits).pipeline,
        intent=answer.intent or plan.intent,
        assumed=plan.assumed if answer.assumed is None else answer.assumed,
        notes=(*plan.notes, *answer.notes),
        ignored=tuple(each for each in plan.ignored if each not in clause.text),
    )
