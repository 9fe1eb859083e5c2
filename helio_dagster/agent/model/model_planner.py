"""The planner with a language model: decides which model is asked for what."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic_ai.models import Model

from helio_dagster.agent.answers import Answer, Refusal
from helio_dagster.agent.model.answering import answers_for, answers_to_questions
from helio_dagster.agent.model.asking import Task, ask
from helio_dagster.agent.model.exchange import (
    Asked,
    Exchange,
    Keep,
    answer_document,
    exchange_text,
    read_exchanges,
    script_of,
)
from helio_dagster.agent.model.instructions import INFORMING, planning_rules
from helio_dagster.agent.model.interruption import Interruption, finished
from helio_dagster.agent.model.providers import open_model
from helio_dagster.agent.model.scripted import ScriptedModel, read_script
from helio_dagster.agent.model.settings import ModelName, ModelSettings
from helio_dagster.agent.model.streaming import Progress, StreamedModel
from helio_dagster.agent.model.submissions import HandOver, PlanAnew
from helio_dagster.agent.model.turn import Turn
from helio_dagster.agent.planner import Knowledge, Situation
from helio_dagster.agent.run_side import RunSide
from helio_dagster.domain.errors import HelioError, ModelMisbehaved, ModelUnavailable

LONGEST_REQUEST = 8000
_SMALL_REQUESTS = 6
_QUESTION = re.compile(
    r"\s*(what|which|who|when|where|why|how|does|do|is|are|can|explain|define|tell me (about|what|which|how))\b", re.IGNORECASE
)
_WISH = re.compile(
    r"\s*(please\s+)?((can|could|would|will|may|might)\s+(you|we|i)|is it possible to|is there a way to)\b.*"
    r"\b(add|animate|apply|average|build|calculate|change|combine|compare|compute|create|derive|display|download|draw|export|fetch"
    r"|filter|get|give|graph|have|load|make|mark|overlay|overplot|plot|remove|replot|repeat|run|save|see|show|smooth|use)\b",
    re.IGNORECASE | re.DOTALL,
)
"""A polite request for data, a figure or a change: `can you plot …` is not a question, though it looks like one."""


class ModelPlanner:
    """Plans with a language model, over the same catalog and operations as the offline planner.

    Parameters
    ----------
    knowledge
        Used by the model's look-ups, and to check its answers.
    settings
        The models and their limits.
    archive
        The archive its pipelines fetch from.
    side
        Samples candidates and tries code; without it neither is done, and a note says so.
    model, small
        Models to use instead of those in the settings, such as scripted ones.
    clock
        Monotonic clock in s; paces the progress reports of a model.
    keep
        Keeps what was exchanged with the models for each answer.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        settings: ModelSettings,
        *,
        archive: str = "cdaweb",
        side: RunSide | None = None,
        model: Model | None = None,
        small: Model | None = None,
        clock: Callable[[], float] = time.monotonic,
        keep: Keep | None = None,
    ) -> None:
        self._knowledge = knowledge
        self._settings = settings
        self._archive = archive
        self._side = side
        self._clock = clock
        self._keep = keep
        if model is None and settings.planning.provider in ("scripted", "recorded"):
            path = Path(settings.planning.model)
            script = read_script(path) if settings.planning.provider == "scripted" else script_of(read_exchanges(path))
            model = ScriptedModel(script.planning)
            small = ScriptedModel(script.small, "scripted-small") if script.small else None
        self._model = model
        self._small = small

    @property
    def name(self) -> str:
        """The planner's name in records."""
        planning = self._settings.planning
        return planning.provider if planning.provider in ("scripted", "recorded") else str(planning)

    def answer(self, situation: Situation) -> Answer:
        """Ask the models, and check everything they submit before it becomes an answer.

        Raises
        ------
        ModelError
            No model is available, none gives a usable answer, or a limit is reached.
        InputError
            A setting is wrong.
        """
        if not situation.request.strip():
            return Refusal(("The request is empty.", "Say which quantity of which mission, and when."))
        if len(situation.request) > LONGEST_REQUEST:
            return Refusal((f"The request is longer than {LONGEST_REQUEST} characters.", "Use a few sentences."))
        asked: list[Asked] = []
        answer: Answer | None = None
        failed = ""
        try:
            answer = finished(self._answer(situation, Interruption(), asked))
        except HelioError as error:
            failed = error.problem
            raise
        finally:
            self._record(situation, asked, answer, failed)
        return answer

    def _record(self, situation: Situation, asked: list[Asked], answer: Answer | None, failed: str) -> None:
        """Keep what was exchanged; also of an answer that failed or was interrupted."""
        if self._keep is None or not asked:
            return
        exchange = Exchange(
            at=situation.now,
            archive=self._archive,
            request=situation.request,
            asked=asked,
            answer_kind=type(answer).__name__ if answer is not None else "",
            answer=answer_document(answer),
            error=failed,
        )
        self._keep(exchange_text(exchange, self._settings))

    async def _answer(self, situation: Situation, interruption: Interruption, asked: list[Asked]) -> Answer:
        if self._has_small and _is_question(situation):
            informed = await self._informed(situation, interruption, asked)
            if informed is not None:
                return informed
        async with self._opened(self._settings.planning, self._model, situation) as model:
            return await self._planned(model, situation, interruption, asked)

    async def _planned(self, model: Model, situation: Situation, interruption: Interruption, asked: list[Asked]) -> Answer:
        """The planning model's answer; if it sets the current pipeline aside, it is asked again without it."""
        turn = self._turn(situation, interruption, asked)
        rules = planning_rules(self._knowledge.operations.all(), is_refining=situation.current is not None)
        answer: Any = await ask(
            model, self._settings.planning, Task("planning", rules, answers_for(turn)), turn, self._settings
        )
        if isinstance(answer, PlanAnew):
            return await self._planned(model, replace(situation, current=None), interruption, asked)
        planned: Answer = answer
        return planned

    async def _informed(self, situation: Situation, interruption: Interruption, asked: list[Asked]) -> Answer | None:
        """The small model's answer to a question; None if it hands over or fails."""
        name = self._settings.small or self._settings.planning
        turn = self._turn(situation, interruption, asked)
        turn.limits = replace(turn.limits, requests=min(_SMALL_REQUESTS, turn.limits.requests))
        try:
            async with self._opened(name, self._small, situation) as model:
                answer = await ask(model, name, Task("small", INFORMING, answers_to_questions()), turn, self._settings)
        except (ModelMisbehaved, ModelUnavailable):
            return None
        return None if isinstance(answer, HandOver) else answer

    def _turn(self, situation: Situation, interruption: Interruption, asked: list[Asked]) -> Turn:
        return Turn(situation, self._knowledge, self._archive, self._side, self._settings.limits, interruption, kept=asked)

    @property
    def _has_small(self) -> bool:
        return self._small is not None or (self._model is None and self._settings.small is not None)

    @asynccontextmanager
    async def _opened(self, name: ModelName, given: Model | None, situation: Situation) -> AsyncIterator[Model]:
        named = {each.model: str(each) for each in (self._settings.fallback, name) if each is not None}
        progress = Progress(situation.tell, self._clock, called=named) if self._settings.is_streaming else None
        if given is not None:
            yield given if progress is None else StreamedModel(given, progress, is_marked=False)
            return
        fallback = self._settings.fallback if self._settings.fallback != name else None
        has_tool_calls, seconds = self._settings.has_tool_calls, self._settings.limits.seconds
        async with open_model(name, fallback, seconds=seconds, progress=progress, has_tool_calls=has_tool_calls) as model:
            yield model


def _is_question(situation: Situation) -> bool:
    """Whether it reads like a question that needs no data; the small model hands over if it does need data."""
    if situation.open is not None or situation.failure or _WISH.match(situation.request):
        return False
    return _QUESTION.match(situation.request) is not None or situation.request.rstrip().endswith("?")
