"""The state of one turn of a model: what it was given, what it asked and tried so far, and the guards that count calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from helio_dagster.agent.drafting.drafter import Drafter
from helio_dagster.agent.model.interruption import Interruption
from helio_dagster.agent.model.settings import ModelLimits
from helio_dagster.agent.planner import MOST_QUESTIONS, Knowledge, Situation
from helio_dagster.agent.run_side import RunSide
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.errors import InputError, ModelLimit
from helio_dagster.domain.time_range import TimeRange

if TYPE_CHECKING:
    from pydantic_ai import ToolDefinition

    from helio_dagster.agent.model.exchange import Asked

MOST_REPAIRS = 3
_MOST_REPEATS = 3
"""How often the same call is refused before the turn is given up."""


@dataclass
class Turn:
    """What the tools and the acceptance of answers share while one answer is being made."""

    situation: Situation
    knowledge: Knowledge
    archive: str
    side: RunSide | None
    limits: ModelLimits
    interruption: Interruption = field(default_factory=Interruption)
    tool_calls: int = 0
    failed_trials: int = 0
    trials: Counter[str] = field(default_factory=Counter)
    """Step id to the number of trials of its code."""
    noted_steps: dict[str, str] = field(default_factory=dict)
    """Step id to the form in which it was last reported."""
    asked_about_time: bool = False
    last_fault: str = ""
    """Why the last answer was returned to the model."""
    answered_by: list[str] = field(default_factory=list)
    """Names of the models that answered, in order."""
    offered: dict[str, ToolDefinition] = field(default_factory=dict)
    """The tools that the model was offered."""
    kept: list[Asked] = field(default_factory=list)
    """What was exchanged with the models, for the record."""
    looked_up: list[str] = field(default_factory=list)
    """The results of the look-ups."""
    _calls: Counter[str] = field(default_factory=Counter)

    def count_calls(self, number: int) -> None:
        """Count the tool calls of a reply, whether they succeed or not.

        Raises
        ------
        ModelLimit
            There were more than are allowed.
        """
        self.tool_calls += number
        if self.tool_calls > self.limits.tool_calls:
            hint = "Ask for less at once, name the mission and the quantity, or set HELIO_MODEL_TOOL_CALLS higher."
            raise ModelLimit(f"the model asked for more than {self.limits.tool_calls} look-ups without an answer", hint=hint)

    def is_repeated(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether the same call was made before in this turn.

        Raises
        ------
        ModelLimit
            It is made again and again.
        """
        key = f"{tool} {json.dumps(arguments, sort_keys=True, default=str)}"
        self._calls[key] += 1
        if self._calls[key] > _MOST_REPEATS:
            hint = "Rephrase the request; a larger model (HELIO_MODEL) may do better."
            raise ModelLimit(f"the model is stuck: it keeps calling {tool} with the same arguments", hint=hint)
        return self._calls[key] > 1

    @cached_property
    def drafter(self) -> Drafter:
        """Drafts what the model submits; it samples the same candidates once."""
        return Drafter(Offers(self.knowledge.catalog, self.knowledge.search, self.archive), self.side)

    @property
    def may_ask(self) -> bool:
        """Whether the person may be asked another question about this request."""
        return self.situation.open is None or self.situation.open.number < MOST_QUESTIONS

    @cached_property
    def spoken(self) -> list[str]:
        """The person's messages, newest first."""
        words = [utterance.text for utterance in reversed(self.situation.earlier) if utterance.speaker == "person"]
        opened = [self.situation.open.request] if self.situation.open else []
        return [self.situation.request, *opened, *words]

    @cached_property
    def named_time(self) -> FoundSpan | None:
        """The time phrase in the current request; None if there is none or it is impossible."""
        for text in self.spoken[: 2 if self.situation.open else 1]:
            try:
                found = find_span(text, self.situation.now)
            except InputError:
                return None
            if found is not None:
                return found
        return None

    @property
    def span(self) -> TimeRange | None:
        """The range that the conversation is about, as far as it is clear."""
        if self.named_time is not None and self.named_time.span is not None:
            return self.named_time.span
        return self.situation.current.span if self.situation.current else None
