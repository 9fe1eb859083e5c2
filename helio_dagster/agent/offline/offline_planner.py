"""A planner without a language model: known words to a pipeline, or one question. It never leaves a word out silently."""

from __future__ import annotations

from datetime import datetime

from helio_dagster.agent.answers import Answer, Asked, NotUnderstood, OpenQuestion, Plan, Question, Refusal
from helio_dagster.agent.offline.offers import Offers
from helio_dagster.agent.offline.quantities import QUANTITY_WORDS
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.offline.wishes import examples
from helio_dagster.agent.planner import Knowledge, Situation
from helio_dagster.agent.run_side import RunSide
from helio_dagster.domain.errors import InputError

NAME = "offline"
LONGEST_REQUEST = 2000


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
    """

    def __init__(self, knowledge: Knowledge, archive: str = "cdaweb", side: RunSide | None = None) -> None:
        self._knowledge = knowledge
        self._archive = archive
        self._side = side
        self._offers = Offers(knowledge.catalog, knowledge.search, archive)
        self._requests = RequestPlanner(self._offers, side)

    @property
    def name(self) -> str:
        """How it is called in records."""
        return NAME

    def answer(self, situation: Situation) -> Answer:
        """A pipeline where every word is understood, one question where one is not, a refusal where no answer would help."""
        request, now = situation.request, situation.now
        if not request.strip():
            return Refusal(("The request is empty.", "Try: " + examples(self._archive)[0]))
        if len(request) > LONGEST_REQUEST:
            return Refusal((f"The request is longer than {LONGEST_REQUEST} characters.", "Say it in one sentence."))
        try:
            return self._requests.plan(read_request(request, now), now, situation.tell)
        except OpenQuestion as open_question:
            return self._asked(open_question, now)
        except InputError as error:
            return Refusal((f"{error.problem}.", *([error.hint] if error.hint else [])))

    def _asked(self, open_question: OpenQuestion, now: datetime) -> Asked:
        """The question, with those of its choices that lead to a plan; what else could be asked as notes."""
        text, choices = open_question.question.text, open_question.question.choices
        sound = [choice for choice in choices if self._is_plan(choice, now)]
        notes: list[str] = []
        if isinstance(open_question, NotUnderstood):
            choices = []
            missions, quantities = self._knowledge.catalog.missions(self._archive), list(QUANTITY_WORDS.values())
            notes = [f"I know {', '.join(missions)}.", f"I know {', '.join(quantities)}.", f"Try: {examples(self._archive)[0]}"]
        return Asked(Question(text=text, choices=sound or choices), tuple(notes))

    def _is_plan(self, request: str, now: datetime) -> bool:
        try:
            self._requests.plan(read_request(request, now), now, samples=False)
        except (OpenQuestion, InputError):
            return False
        return True
