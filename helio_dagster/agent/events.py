"""The events that a conversation emits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Stage = Literal[
    "session",  # a session starts or continues: facts session, planner
    "clarify",  # a question is asked: facts choices, number
    "time",  # the range was resolved: facts start, stop, words
    "discover",  # the catalog is searched: facts query, found
    "look_up",  # a model looked something up: facts tool, arguments, seconds, characters (of the result), failed
    "candidate",  # a candidate was looked at: facts archive, dataset, parameter, state, is_chosen, coverage
    "step_created",  # a step was made: facts step, kind, operation or dataset
    "step_tested",  # a step was tried on a sample: facts step, passed, attempt
    "plan",  # the plan as a card: facts pipeline, start, stop, partitions, estimate, assumptions, difference, text
    "approval",  # approved, rejected, or awaiting approval: facts decision, by, sha; if awaited: digest of the plan
    "run",  # a step is finished: facts step, computed, reused, empty, skipped, failed; of a figure html, png, height_px, run
    "repair",  # something failed and a person must choose: facts step, tries, choices
    "check",  # a check's result in words: facts step, check, passed, follows_from; the summary has check "all"
    "information",  # an answer that makes no data: facts sources
    "suggestion",  # what could be done next: facts say
    "progress",  # how far something is: of a model facts model, state (asked, writing, answered), characters; else none
    "usage",  # tokens used: facts model, input_tokens, output_tokens, cached_tokens, requests, tool_calls, seconds, is_least
    "note",  # what a person should know
    "error",  # what went wrong and what to do: facts hint
    "done",  # the turn is over: facts status, awaiting, seconds
]


class Event(BaseModel):
    """One thing that happened: its stage, a sentence for people, and the facts for programs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stage: Stage
    text: str
    facts: dict[str, Any] = {}

    def to_document(self) -> dict[str, Any]:
        """The event as one flat JSON object."""
        return {"stage": self.stage, "text": self.text, **self.facts}


Tell = Callable[[Event], None]


def say_nothing(_event: Event) -> None:
    """A listener that ignores events."""
