"""A planner without a language model: known words to a pipeline, or one question. It never leaves a word out silently."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial

from helio_dagster.agent.answers import Answer, Asked, NotUnderstood, OpenQuestion, Plan, Question, Refusal, saying_again
from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.agent.offline.advice import advice
from helio_dagster.agent.offline.completed_requests import completions, with_its_time
from helio_dagster.agent.offline.distribution_words import Distributions
from helio_dagster.agent.offline.each_event import each_event_plan
from helio_dagster.agent.offline.edits.forms import matched
from helio_dagster.agent.offline.edits.nothing_lost import with_ignored
from helio_dagster.agent.offline.edits.one_change import OneChange
from helio_dagster.agent.offline.edits.reader import EXAMPLES, Refinements
from helio_dagster.agent.offline.edits.restating import ask_about_change
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.ephemerides import Ephemerides
from helio_dagster.agent.offline.figure_words.taken_out import planned_apart
from helio_dagster.agent.offline.inquiries import Inquiries
from helio_dagster.agent.offline.languages import is_english
from helio_dagster.agent.offline.left_over_clauses import LeftOver, parted, with_unused_clauses
from helio_dagster.agent.offline.nothing_dropped import dropped
from helio_dagster.agent.offline.offered_choices import offered
from helio_dagster.agent.offline.own_file_plans import SavedFiles
from helio_dagster.agent.offline.own_file_words import own_file_answer
from helio_dagster.agent.offline.own_request import is_request_of_its_own
from helio_dagster.agent.offline.real_time_words import real_time_plan
from helio_dagster.agent.offline.recipes.boundary_normal import boundary_normal_plan
from helio_dagster.agent.offline.recipes.recipe_plans import recipe_plan
from helio_dagster.agent.offline.recipes.rows_below import with_rows_below
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.saved_pipelines import SavedPipelines
from helio_dagster.agent.offline.schedule_words import find_schedule
from helio_dagster.agent.offline.server_data import ask_about_adding
from helio_dagster.agent.offline.short_forms import written_out
from helio_dagster.agent.offline.targets import NoQuantity, examples
from helio_dagster.agent.offline.title_words import find_title
from helio_dagster.agent.offline.unknown_operations import NoOperation
from helio_dagster.agent.planner import Current, Knowledge, OpenRequest, Situation
from helio_dagster.agent.run_side import RunSide
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.errors import InputError

NAME = "offline"
LONGEST_REQUEST = 2000
MOST_CHOICES = 5  # that a question offers
_NO_MENDING = "I cannot fix code by myself: change the pipeline in words or in an editor, skip the step, or abort."


class OfflinePlanner:
    """Plans requests by a grammar over the catalog and the operations.

    Parameters
    ----------
    knowledge
        The catalog and the operations.
    archive
        The archive its pipelines fetch from.
    side
        Takes samples of candidates and knows the saved pipelines; without one neither is done.
    files
        The saved pipelines, of which some read files of one's own; by default those of `side`.
    """

    def __init__(
        self, knowledge: Knowledge, archive: str = "cdaweb", side: RunSide | None = None, files: SavedFiles | None = None
    ) -> None:
        self._knowledge = knowledge
        self._archive, self._side, self._files = archive, side, files or side
        self._offers = Offers(knowledge.catalog, knowledge.search, archive)
        self._inquiries = Inquiries(knowledge, self._offers)
        self._saved = SavedPipelines(side)
        self._ephemerides = Ephemerides()
        self._distributions = Distributions(knowledge.catalog, archive)
        self._requests = RequestPlanner(self._offers, side, knowledge.operations)
        self._refinements = Refinements(self._offers, OneChange(self._offers, self._requests, self._alone))

    @property
    def name(self) -> str:
        """How it is called in records."""
        return NAME

    def answer(self, situation: Situation) -> Answer:
        """A pipeline where every word is understood, one question where one is not, a refusal where no answer would help."""
        request = written_out(situation.request)
        if not request.strip():
            return Refusal(("The request is empty.", "Try: " + examples(self._archive)[0]))
        if len(request) > LONGEST_REQUEST:
            return Refusal((f"The request is longer than {LONGEST_REQUEST} characters.", "Say it in one sentence."))
        if situation.open is not None:
            return self._completed(situation.open, situation)
        answer = self._answer(request, situation.current, situation.now, situation.tell)
        if situation.failure and isinstance(answer, Asked):
            return replace(answer, notes=(*answer.notes, _NO_MENDING))
        return answer

    def _alone(self, request: str, now: datetime) -> Answer:
        """The answer to a request of its own, which a change of a plan makes; none of its clauses is such a change."""
        return self._understood(request, None, now, say_nothing, samples=False, is_part=True)

    def _completed(self, open_request: OpenRequest, situation: Situation) -> Answer:
        """The answer to a question: a request by itself, or words that complete the one asked about."""
        phrase, current, now = written_out(situation.request).strip(), situation.current, situation.now
        choices = open_request.question.choices
        timed = with_its_time(phrase, open_request.request, now)
        if phrase not in choices and is_request_of_its_own(timed, open_request.request, now):
            return _anew(self._answer(timed, current, now, situation.tell), open_request.request)
        if open_request.question.rest and phrase not in choices:
            instead = self._instead_of_clauses(open_request.request, phrase, now, situation.tell)
            if instead is not None:
                return instead
        asked: Answer | None = None
        for words in [phrase] if phrase in choices else dict.fromkeys(completions(open_request, phrase, now)):
            answer = self._answer(words, current, now, say_nothing)
            if not isinstance(answer, Asked | Refusal):
                return answer if situation.tell is say_nothing else self._answer(words, current, now, situation.tell)
            asked = asked or answer
        return asked or Refusal(("The answer is not understood.",))

    def _answer(self, request: str, current: Current | None, now: datetime, tell: Tell) -> Answer:
        names = self._requests.server_data
        try:
            words, request = request, self._named(request, now)
            if current is not None:
                ask_about_adding(words, request)
            answer = self._understood(request, current, now, tell, samples=True)
            read = partial(self._requests.read, request, now)
            shown = with_ignored(answer, current, read, self._knowledge.catalog)
            if isinstance(shown, Plan) and current is None:
                alone = partial(self._understood, current=None, now=now, tell=say_nothing, samples=False, is_part=True)
                shown = with_unused_clauses(shown, read(), alone, is_sampled=self._side is not None)
            return names.restored(shown)
        except OpenQuestion as open_question:
            return names.restored(self._asked(open_question, request, current, now, tell))
        except InputError as error:
            return Refusal((f"{error.problem}.", *([error.hint] if error.hint else [])))

    def _named(self, request: str, now: datetime) -> str:
        """The request with one name for the data of each HAPI server that it names."""
        return self._requests.server_data.with_names(request, now) if self._archive == "cdaweb" else request

    def _understood(
        self, request: str, current: Current | None, now: datetime, tell: Tell, *, samples: bool, is_part: bool = False
    ) -> Answer:
        """What a request is, tried in order: information, a saved pipeline, a change of what is on the table, a new plan."""
        if current is not None:
            request = self._refinements.as_request(request, current, now)
        elif (words := find_title(request) or find_schedule(request)) is not None:
            with saying_again(words.words):
                answer = self._understood(words.request, None, now, tell, samples=samples, is_part=is_part)
            return words.of(answer) if isinstance(answer, Plan) else answer
        try:
            answer = self._answered_or_planned(request, current, now, tell, samples=samples)
        except OpenQuestion as asked:
            again: Answer | None = self._recipe_within(
                request, now, tell, is_understood=not isinstance(asked, NotUnderstood | NoQuantity)
            )
            if again is None and current is None and not is_part:
                again = self._changed_by_clauses(request, asked, now, say_nothing, samples=False)
                if again is not None and samples and self._side is not None:
                    again = self._changed_by_clauses(request, asked, now, tell, samples=True)
            if again is None and current is not None and not isinstance(asked, NotUnderstood):
                with suppress(OpenQuestion, InputError):  # a recipe of what is drawn: `add a structure function`
                    again = self._refinements.added(request, current, now)
            if again is None:
                raise
            return again
        if isinstance(answer, Plan) and answer.ignored and current is None:  # words that may name a recipe
            return self._recipe_within(request, now, tell, is_understood=False) or answer
        return answer

    def _answered_or_planned(
        self, request: str, current: Current | None, now: datetime, tell: Tell, *, samples: bool
    ) -> Answer:
        found: Answer | None = (
            own_file_answer(request, now, self._files, self._refinements.answer)
            or self._inquiries.answer(request, now)
            or self._saved.answer(request, now)
            or (real_time_plan(request, now) if current is None and self._archive == "cdaweb" else None)
            or self._ephemerides.answer(request, now)
            or self._distributions.answer(request, now)
            or each_event_plan(request, now, lambda words: self._planned(words, now, tell, samples=samples))
            or recipe_plan(request, now, lambda words: self._planned(words, now, tell, samples=samples))
            or boundary_normal_plan(request, now, lambda words: self._planned(words, now, tell, samples=samples))
            or with_rows_below(request, now, lambda words: self._planned(words, now, tell, samples=samples))
        )
        if found is None and current is not None:
            found = self._refinements.answer(request, current, now)
        if found is not None:
            return found
        try:
            plan = self._planned(request, now, tell, samples=samples)
            if current is None or plan.span is not None:
                return plan
            ask_about_change(plan)
            return self._at_the_same_time(request, plan, current, now, tell, samples=samples)
        except OpenQuestion as asked:
            again = self._refinements.restated(request, asked, current, now) if current is not None else ""
            if not again:
                raise
            plan = self._planned(again, now, tell, samples=samples)
            ask_about_change(plan)
            return replace(plan, notes=(*plan.notes, f"It is taken as {again!r}, a new plan."))

    def _at_the_same_time(
        self, request: str, plan: Plan, current: Current, now: datetime, tell: Tell, *, samples: bool
    ) -> Plan:
        """A new plan that names no time for that of the plan on the table."""
        if current.span is None:
            return plan
        with suppress(OpenQuestion, InputError):
            when = f"{current.span.start:%Y-%m-%dT%H:%MZ} to {current.span.stop:%Y-%m-%dT%H:%MZ}"
            plan = self._planned(f"{request.strip(' .!?')}, {when}", now, tell, samples=samples)
            return replace(plan, notes=(*plan.notes, f"It is a new plan, for {current.span} as before."))
        return plan

    def _changed_by_clauses(
        self, request: str, asked: OpenQuestion, now: datetime, tell: Tell, *, samples: bool
    ) -> Plan | None:
        """The plan of a request without the clauses that a question is about, as these change it; raises OpenQuestion."""
        left = self._left(request, asked, now, tell, samples=samples)
        return left.changed(asked, partial(self._refinements.answer, now=now)) if left is not None else None

    def _left(self, request: str, asked: OpenQuestion, now: datetime, tell: Tell, *, samples: bool) -> LeftOver | None:
        """The clauses of a request that a question is about, and the plan of the rest; None where that has none."""
        with suppress(OpenQuestion, InputError):
            left = parted(self._requests.read(request, now), asked, self._knowledge.catalog)
            rest = self._answered_or_planned(left.request, None, now, tell, samples=samples) if left is not None else None
            if left is not None and isinstance(rest, Plan):
                reading = self._requests.read(left.request, now)
                return LeftOver(left, rest, partial(dropped, reading=reading, catalog=self._knowledge.catalog))
        return None

    def _instead_of_clauses(self, request: str, phrase: str, now: datetime, tell: Tell) -> Plan | None:
        """The plan of a request without the clauses that it was asked about, or with other words in their place."""
        request = self._named(request, now)
        if (words := find_title(request) or find_schedule(request)) is not None:
            plan = self._instead_of_clauses(words.request, phrase, now, tell)
            return words.of(plan) if plan is not None else None
        try:
            self._answered_or_planned(request, None, now, say_nothing, samples=False)
        except OpenQuestion as asked:
            if (left := self._left(request, asked, now, tell, samples=True)) is None:
                return None
            if matched("left_over.dropped", phrase.rstrip(" .!")) is not None:
                answer = self._requests.server_data.restored(left.dropped())
            else:
                answer = self._answer(left.with_words(phrase), None, now, tell)
            return answer if isinstance(answer, Plan) else None
        return None

    def _recipe_within(self, request: str, now: datetime, tell: Tell, *, is_understood: bool) -> Plan | None:
        """The plan of a recipe named among other words; None where there is none, or one that asks though all is understood."""
        try:
            return recipe_plan(request, now, lambda words: self._planned(words, now, tell, samples=False), is_within=True)
        except (InputError, NotUnderstood):
            return None
        except OpenQuestion:
            if is_understood:
                return None
            raise

    def _planned(self, request: str, now: datetime, tell: Tell, *, samples: bool) -> Plan:
        """A new plan, its figure as the request says."""

        def plan(words: str) -> Plan:
            return self._requests.plan_or_ask(words, now, tell, samples=samples)

        return planned_apart(request, now, plan, lambda made: Table(as_file(made.pipeline), self._offers, now, made.span))

    def _asked(self, open_question: OpenQuestion, request: str, current: Current | None, now: datetime, tell: Tell) -> Answer:
        """The question, with those of its choices that have a plan; the plan of the one choice that only says more."""

        def answered(choice: str) -> Answer:
            return self._understood(self._named(choice, now), current, now, say_nothing, samples=False)

        found = offered(open_question, request, now, answered, is_change=current is not None)
        if found.settled:
            with suppress(OpenQuestion, InputError):
                plan = self._understood(self._named(found.choices[0], now), current, now, tell, samples=True)
                if isinstance(plan, Plan):
                    return replace(plan, notes=(found.settled, *plan.notes))
        text = found.text.replace(open_question.question.text, open_question.in_full or open_question.question.text, 1)
        choices = found.choices[:MOST_CHOICES]
        notes = [found.remarks[choice] for choice in choices if choice in found.remarks]
        if isinstance(open_question, NotUnderstood) and not isinstance(open_question, NoOperation) and not notes:
            example = examples(self._archive)[0] if current is None else EXAMPLES[0]
            tongue = "" if is_english(request) else "I read English. "
            notes += advice(open_question.about)
            notes.append(f"{tongue}Try: {example}, or ask: what can you do?")
        about, rest = list(open_question.about), open_question.rest
        return Asked(Question(text=text, choices=list(choices), about=about, rest=rest), tuple(notes))


def _anew(answer: Answer, dropped: str) -> Answer:
    """The answer to a request that was said instead of an answer to the open question."""
    note = f"This is taken as a new request; the question about {dropped!r} is dropped."
    if isinstance(answer, Asked):
        return replace(answer, notes=(note, *answer.notes), is_new=True)
    return replace(answer, notes=(note, *answer.notes)) if isinstance(answer, Plan) else answer
