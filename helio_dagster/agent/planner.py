"""What a planner is and what it answers. The planner without a language model is `offline_planner`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import pipeline_to_document
from helio_dagster.domain.time_range import format_time
from helio_dagster.domain.yaml_document import Value


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Question(_Answer):
    """What a person must say before there is a plan; each choice is a whole request that answers it."""

    text: str
    choices: list[str] = []


class OpenQuestion(Exception):
    """A planner cannot go on without an answer: raised inside it, told to the person as a question."""

    def __init__(self, text: str, choices: list[str] | None = None) -> None:
        super().__init__(text)
        self.question = Question(text=text, choices=[" ".join(choice.split()) for choice in choices or []])


class NotUnderstood(OpenQuestion):
    """The request has words that the planner does not know."""


class PlanAnswer(_Answer):
    """What became of a request.

    `plan` has a pipeline, and the range `[start, stop)` where the request names one; `question` needs a person; `refused`
    cannot be planned, the notes say why. Notes are for the person; what was assumed stands in the pipeline.
    """

    status: Literal["plan", "question", "refused"]
    planner: str
    pipeline: Pipeline | None = None
    start: datetime | None = None
    stop: datetime | None = None
    question: Question | None = None
    notes: list[str] = []

    def to_document(self) -> dict[str, Value]:
        """The answer as the plain mapping that programs read: the pipeline as in its file, times as ISO text."""
        question: Value = None
        if self.question:
            question = {"text": self.question.text, "choices": list(self.question.choices)}
        return {
            "status": self.status,
            "planner": self.planner,
            "pipeline": pipeline_to_document(self.pipeline) if self.pipeline else None,
            "start": format_time(self.start) if self.start else None,
            "stop": format_time(self.stop) if self.stop else None,
            "question": question,
            "notes": list(self.notes),
        }


class Planner(Protocol):
    """Turns a request into a pipeline, or into one question."""

    def plan(self, request: str, now: datetime) -> PlanAnswer:
        """Plan a request as of `now`."""
