"""The answers that a planner can give to what a person says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict

from helio_dagster.agent.drafting.assumptions import Assumption
from helio_dagster.agent.intent import Intent
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import Edit
from helio_dagster.domain.pipeline_text import pipeline_to_document
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.yaml.document import Value


class Question(BaseModel):
    """What a person must say before there is a plan; each choice is a complete request that answers it.

    `about` are the words of the request that it asks about, where the planner knows them. `rest` is the title of the plan
    without them, where there is one: that answers it, too.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    choices: list[str] = []
    about: list[str] = []
    rest: str = ""


Sort = Literal["", "spacecraft", "name", "particles", "occasion", "length"]
"""What a question is about, where code must tell: which spacecraft, whether a word names one, what of some particles, when an
occasion is, what a length is of."""


class OpenQuestion(Exception):
    """A planner needs an answer to continue: raised inside it, shown to the person as a question.

    `reason` is what the text states before it asks. `about` are the words that it is about, where these are known; `rest` is
    the title of the plan without them, where there is one, and `in_full` the text that offers it. `remarks` has some, one for
    each choice; `is_about_time` where its choices are other times than the one that was said, `is_small` where the first choice
    that can be had is as good as what was said: it is planned, and the card says so.
    """

    is_about_time: bool = False
    is_small: bool = False
    rest: str = ""
    in_full: str = ""

    def __init__(
        self,
        text: str,
        choices: list[str] | None = None,
        *,
        sort: Sort = "",
        reason: str = "",
        about: Iterable[str] = (),
    ) -> None:
        super().__init__(text)
        self.sort, self.reason, self.about = sort, reason or text, tuple(about)
        self.question = Question(text=text, choices=[" ".join(choice.split()) for choice in choices or []])
        self.remarks: dict[str, str] = {}

    def say_again(self, words: str) -> None:
        """Put words that were understood behind each choice, so that none loses them; no choice stays where they are empty."""
        again = {choice: f"{choice}, {words}" for choice in self.question.choices if words}
        self.question = self.question.model_copy(update={"choices": list(again.values())})
        self.remarks = {again[choice]: told for choice, told in self.remarks.items() if choice in again}


@contextmanager
def saying_again(*words: str) -> Iterator[None]:
    """Put words that were understood behind each choice of a question that is raised within."""
    try:
        yield
    except OpenQuestion as asked:
        for each in words:
            asked.say_again(each)
        raise


class SoAlready(OpenQuestion):
    """What is wanted is as it is: a question where nothing else is said, and nothing to do beside another change."""


class NotUnderstood(OpenQuestion):
    """The request contains words that the planner does not know; `is_plain` where its text says no more than that."""

    is_plain: bool = False

    @classmethod
    def of(cls, words: Iterable[str], asking: str = "", choices: list[str] | None = None) -> Self:
        """The question about words, which says that they are not understood and then asks."""
        about = tuple(words)
        stated = f"I do not understand {', '.join(map(repr, about))}."
        found = cls(f"{stated} {asking}".strip(), choices, reason=stated, about=about)
        found.is_plain = True
        return found


@dataclass(frozen=True)
class ModelWords:
    """What a language model wrote itself in an answer, and the texts of what it looked up for it.

    `said` states something; what only asks or proposes is left out.
    """

    sentences: tuple[str, ...]
    looked_up: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """A new pipeline, and the range if the person named one. Assumptions are in the pipeline; notes are only for now.

    `ignored` are words of the request that the plan does not use; the card shows them struck out. `intent` is what it was
    drafted of; None where it was made in another way. `assumed` tells of assumptions what they are about, where that is known.
    """

    pipeline: Pipeline
    span: TimeRange | None = None
    notes: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    words: ModelWords | None = field(default=None, compare=False, repr=False)
    intent: Intent | None = field(default=None, compare=False, repr=False)
    assumed: tuple[Assumption, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True)
class Asked:
    """A question to the person; `is_new` says that the message was a new request, not an answer to the open question."""

    question: Question
    notes: tuple[str, ...] = ()
    is_new: bool = False
    words: ModelWords | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Refusal:
    """The request cannot be planned, and no answer would help; the notes say why, and what to ask instead."""

    notes: tuple[str, ...]
    words: ModelWords | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Edits:
    """Changes to the current pipeline, another range if the person named one, and the intent if that is another one now.

    `assumed` tells what the assumptions are about that the changes add; once they are retold, of all after the changes. None
    where that is as it was.
    """

    edits: tuple[Edit, ...]
    span: TimeRange | None = None
    notes: tuple[str, ...] = ()
    words: ModelWords | None = field(default=None, compare=False, repr=False)
    intent: Intent | None = field(default=None, compare=False, repr=False)
    assumed: tuple[Assumption, ...] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Replay:
    """The same pipeline over another range, without edits. `name` is a saved one; None is the current one."""

    span: TimeRange
    name: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fork:
    """The same for another mission; `name` is a saved pipeline, None the current one.

    `instead_of` is the mission to replace if the pipeline fetches from several; the others stay. `then` are the words for what
    is changed besides, in the pipeline for the other mission.
    """

    mission: str
    name: str | None = None
    span: TimeRange | None = None
    notes: tuple[str, ...] = ()
    instead_of: str | None = None
    then: str = ""


@dataclass(frozen=True)
class Information:
    """An answer that makes no data; `sources` name the operations, datasets or documents it is based on."""

    text: str
    sources: tuple[str, ...] = ()
    words: ModelWords | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Undo:
    """Undo the last changes; a count of None is all of them, back to the first version."""

    count: int | None = 1


@dataclass(frozen=True)
class Keep:
    """Save a step's code as an operation."""

    step: str
    operation: str
    summary: str = ""
    notes: tuple[str, ...] = field(default=())


Answer = Plan | Asked | Refusal | Edits | Replay | Fork | Information | Undo | Keep


def ignored_line(ignored: Sequence[str]) -> str:
    """The words of a request that a plan does not use, as a line of plain text."""
    return f"Ignored: {', '.join(ignored)}"


def answer_to_document(answer: Answer, planner: str) -> dict[str, Value]:
    """The document that `helio plan --json` prints: a plan, a question, or a refusal for any other answer."""
    document: dict[str, Value] = {
        "status": "refused",
        "planner": planner,
        "pipeline": None,
        "start": None,
        "stop": None,
        "question": None,
        "notes": list(getattr(answer, "notes", ())),
        "ignored": list(getattr(answer, "ignored", ())),
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
