"""What a planner can answer to what a person says. What it is told stands in `planner`; what follows, in `conversation`."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import Edit
from helio_dagster.domain.pipeline_text import pipeline_to_document
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.yaml.document import Value


class Question(BaseModel):
    """What a person must say before there is a plan; each choice is a whole request that answers it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    choices: list[str] = []


class OpenQuestion(Exception):
    """A planner cannot go on without an answer: raised inside it, told to the person as a question.

    `told` are remarks on its choices, each for one.
    """

    def __init__(self, text: str, choices: list[str] | None = None) -> None:
        super().__init__(text)
        self.question = Question(text=text, choices=[" ".join(choice.split()) for choice in choices or []])
        self.told: dict[str, str] = {}


class NotUnderstood(OpenQuestion):
    """The request has words that the planner does not know."""


@dataclass(frozen=True)
class Plan:
    """A new pipeline, and the range where the person named one. What was assumed is in the pipeline, notes are for now."""

    pipeline: Pipeline
    span: TimeRange | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A person must say more; `is_new` tells that what was said is a request of its own, and no answer to the open question."""

    question: Question
    notes: tuple[str, ...] = ()
    is_new: bool = False


@dataclass(frozen=True)
class Refusal:
    """It cannot be planned, and no answer would help; the notes say why, and what can be asked instead."""

    notes: tuple[str, ...]


@dataclass(frozen=True)
class Edits:
    """Changes of the pipeline on the table; and another range where the person named one, too."""

    edits: tuple[Edit, ...]
    span: TimeRange | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replay:
    """The same pipeline over another range: nothing is edited. `name` is a saved one; None is the one on the table."""

    span: TimeRange
    name: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fork:
    """The same for another mission; `name` is a saved pipeline, None the one on the table.

    `instead_of` is the mission that is replaced where the pipeline fetches from several; the others stay.
    """

    mission: str
    name: str | None = None
    span: TimeRange | None = None
    notes: tuple[str, ...] = ()
    instead_of: str | None = None


@dataclass(frozen=True)
class Information:
    """An answer that makes no data; `sources` name the operations, datasets or documents it is taken from."""

    text: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Undo:
    """Take the last change back."""


@dataclass(frozen=True)
class Keep:
    """Save a step's code as an operation."""

    step: str
    operation: str
    summary: str = ""
    notes: tuple[str, ...] = field(default=())


Answer = Plan | Asked | Refusal | Edits | Replay | Fork | Information | Undo | Keep


def answer_to_document(answer: Answer, planner: str) -> dict[str, Value]:
    """What `helio plan --json` prints: a plan, a question, or a refusal for all that is not a plan."""
    document: dict[str, Value] = {
        "status": "refused",
        "planner": planner,
        "pipeline": None,
        "start": None,
        "stop": None,
        "question": None,
        "notes": list(getattr(answer, "notes", ())),
    }
    if isinstance(answer, Plan):
        document |= {"status": "plan", "pipeline": pipeline_to_document(answer.pipeline)}
        if answer.span is not None:
            document |= {"start": format_time(answer.span.start), "stop": format_time(answer.span.stop)}
    elif isinstance(answer, Asked):
        question: Value = {"text": answer.question.text, "choices": list(answer.question.choices)}
        document |= {"status": "question", "question": question}
    elif isinstance(answer, Information):
        document |= {"status": "information", "notes": [answer.text], "sources": list(answer.sources)}
    return document
