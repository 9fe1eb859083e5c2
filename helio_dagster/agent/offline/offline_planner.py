"""A planner without a language model: known words to a pipeline, or one question. It never leaves a word out silently."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import Answer, Asked, NotUnderstood, OpenQuestion, Plan, Question, Refusal, saying_again
from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.agent.offline.advice import advice
from helio_dagster.agent.offline.completed_requests import completions, with_its_time
from helio_dagster.agent.offline.distribution_words import Distributions
from helio_dagster.agent.offline.each_event import each_event_plan
from helio_dagster.agent.offline.edits.paper import find_paper, put_on_paper
from helio_dagster.agent.offline.edits.reader import EXAMPLES, Refinements
from helio_dagster.agent.offline.edits.restating import ask_about_change
from helio_dagster.agent.offline.edits.shifting import is_of_a_pair, shift_lines
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.ephemerides import Ephemerides
from helio_dagster.agent.offline.figure_words.looks import find_looks, with_looks
from helio_dagster.agent.offline.figure_words.marks import draw_mark, find_marks
from helio_dagster.agent.offline.figure_words.places import find_places, with_places
from helio_dagster.agent.offline.figure_words.shifts import ShiftWords, find_shift
from helio_dagster.agent.offline.inquiries import Inquiries
from helio_dagster.agent.offline.languages import is_english
from helio_dagster.agent.offline.nothing_dropped import showing_dropped
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
from helio_dagster.catalog.times.phrases import find_span
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
        self._refinements = Refinements(self._offers, self._requests, self._alone)

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
        """The answer to a request of its own."""
        return self._understood(request, None, now, say_nothing, samples=False)

    def _completed(self, open_request: OpenRequest, situation: Situation) -> Answer:
        """The answer to a question: a request by itself, or words that complete the one asked about."""
        phrase, current, now = written_out(situation.request).strip(), situation.current, situation.now
        choices = open_request.question.choices
        timed = with_its_time(phrase, open_request.request, now)
        if phrase not in choices and is_request_of_its_own(timed, open_request.request, now):
            return _anew(self._answer(timed, current, now, situation.tell), open_request.request)
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
            if current is None and isinstance(answer, Plan):
                answer = showing_dropped(answer, self._requests.read(request, now), self._knowledge.catalog)
            return names.restored(answer)
        except OpenQuestion as open_question:
            return names.restored(self._asked(open_question, request, current, now, tell))
        except InputError as error:
            return Refusal((f"{error.problem}.", *([error.hint] if error.hint else [])))

    def _named(self, request: str, now: datetime) -> str:
        """The request with one name for the data of each HAPI server that it names."""
        return self._requests.server_data.with_names(request, now) if self._archive == "cdaweb" else request

    def _understood(self, request: str, current: Current | None, now: datetime, tell: Tell, *, samples: bool) -> Answer:
        """What a request is, tried in order: information, a saved pipeline, a change of what is on the table, a new plan."""
        if current is not None:
            request = self._refinements.as_request(request, current, now)
        elif (words := find_title(request) or find_schedule(request)) is not None:
            with saying_again(words.words):
                answer = self._understood(words.request, None, now, tell, samples=samples)
            return words.of(answer) if isinstance(answer, Plan) else answer
        try:
            answer = self._answered_or_planned(request, current, now, tell, samples=samples)
        except OpenQuestion as asked:
            again = self._recipe_within(request, now, tell, is_understood=not isinstance(asked, NotUnderstood | NoQuantity))
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
            if current is not None and plan.span is None:
                ask_about_change(plan)
            return plan
        except OpenQuestion as asked:
            again = self._refinements.restated(request, asked, current, now) if current is not None else ""
            if not again:
                raise
            plan = self._planned(again, now, tell, samples=samples)
            ask_about_change(plan)
            return replace(plan, notes=(*plan.notes, f"It is taken as {again!r}, a new plan."))

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
        """A new plan, its figure on paper as the request says."""
        words = find_paper(request)
        if not words.given or not words.request:
            return self._marked(request, now, tell, samples=samples)
        with saying_again(words.words):
            plan = self._marked(words.request, now, tell, samples=samples)
        table = Table(as_file(plan.pipeline), self._offers, now)
        note = put_on_paper(words, table)
        return replace(plan, pipeline=table.plotted.pipeline, notes=(*plan.notes, note))

    def _marked(self, request: str, now: datetime, tell: Tell, *, samples: bool) -> Plan:
        """A new plan, its figure with the marks that the request says."""
        phrase = find_marks(request)
        with saying_again(*phrase.words):
            plan = self._shifted(phrase.request, now, tell, samples=samples)
        if not phrase.marks:
            return plan
        table = Table(as_file(plan.pipeline), self._offers, now, plan.span)
        for mark, words, whose in zip(phrase.marks, phrase.words, phrase.whose, strict=True):
            try:
                if not draw_mark(mark, table, whose):
                    raise NotUnderstood(f"I do not understand {words!r}. What do you want to mark?")
            except OpenQuestion as asked:
                asked.question = asked.question.model_copy(
                    update={"choices": [f"{phrase.request}, {each}" for each in asked.question.choices]}
                )
                raise
        return replace(plan, pipeline=table.plotted.pipeline, notes=(*plan.notes, *table.notes))

    def _shifted(self, request: str, now: datetime, tell: Tell, *, samples: bool) -> Plan:
        """A new plan, its lines as much later or earlier as the request says."""
        words = find_shift(request)
        if not words.change:
            return self._placed(request, now, tell, samples=samples)
        with saying_again(words.words):
            plan = self._placed(words.request, now, tell, samples=samples)
        table = Table(as_file(plan.pipeline), self._offers, now, plan.span)
        if words.is_open and len(table.plotted.lines) > 1 and not _is_of_last(words, request, table):
            names = [table.plotted.name_of(line) for line in table.plotted.lines]
            raise OpenQuestion(
                f"{words.words!r} of which one? Plan it without, then say it as in `shift {names[0]} by 30 minutes`."
            )
        if not shift_lines(words.change, table):
            raise NotUnderstood(f"I do not understand {words.words!r}. What do you want to shift?")
        return replace(plan, pipeline=table.plotted.pipeline, notes=(*plan.notes, *table.notes))

    def _placed(self, request: str, now: datetime, tell: Tell, *, samples: bool) -> Plan:
        """A new plan, its panels and axes where the request says."""
        words = find_places(request, now)
        with saying_again(*words.words):
            plan = self._looking(words.request, now, tell, samples=samples)
        if not words.words:
            return plan
        file = as_file(plan.pipeline)
        return with_places(plan, words, file, Table(file, self._offers, now, plan.span))

    def _looking(self, request: str, now: datetime, tell: Tell, *, samples: bool) -> Plan:
        """A new plan, its figure as the request says."""
        looks = find_looks(request, find_span(request, now))
        try:
            plan = self._requests.plan(self._requests.read(looks.request, now), tell, samples=samples)
        except OpenQuestion as asked:
            if looks.clauses:  # no choice loses how the figure is to look
                again = {choice: words for choice in asked.question.choices if (words := looks.again(choice))}
                asked.question = asked.question.model_copy(update={"choices": list(again.values())})
                asked.remarks = {again[choice]: found for choice, found in asked.remarks.items() if choice in again}
            raise
        if not looks.clauses:
            return plan
        return with_looks(plan, looks, Table(as_file(plan.pipeline), self._offers, now))

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
        choices = found.choices[:MOST_CHOICES]
        notes = [found.remarks[choice] for choice in choices if choice in found.remarks]
        if isinstance(open_question, NotUnderstood) and not isinstance(open_question, NoOperation) and not notes:
            example = examples(self._archive)[0] if current is None else EXAMPLES[0]
            tongue = "" if is_english(request) else "I read English. "
            notes += advice(found.text)
            notes.append(f"{tongue}Try: {example}, or ask: what can you do?")
        return Asked(Question(text=found.text, choices=list(choices)), tuple(notes))


def _anew(answer: Answer, dropped: str) -> Answer:
    """The answer to a request that was said instead of an answer to the open question."""
    note = f"This is taken as a new request; the question about {dropped!r} is dropped."
    if isinstance(answer, Asked):
        return replace(answer, notes=(note, *answer.notes), is_new=True)
    return replace(answer, notes=(note, *answer.notes)) if isinstance(answer, Plan) else answer


def _is_of_last(words: ShiftWords, request: str, table: Table) -> bool:
    """Whether a shift is of one of a pair, or of the last thing listed before it: `AE and Wind Bz shifted by …`."""
    whose = words.change.removeprefix("shift ").partition(" by ")[0]
    if is_of_a_pair(whose, table):
        return True
    last = re.split(r",|\band\b|&|\+", request[: request.find(words.words)].rstrip(" ,"))[-1]
    target = table.plotted.target(whose) if re.search(rf"\b{re.escape(whose)}\b", last) else None
    return target is not None and 0 < len(target.lines) < len(table.plotted.lines)
