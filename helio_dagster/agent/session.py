"""The state of a conversation that is kept between turns, so that it survives its process."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from helio_dagster.agent.answers import Question
from helio_dagster.agent.planner import OpenRequest, Utterance
from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.time_range import TimeRange

MOST_TURNS, LONGEST_TURN = 60, 2000
"""Maximum number of utterances kept, and of characters in each."""
MOST_VERSIONS, MOST_EARLIER = 20, 10
"""Maximum number of changes that can be undone: approved ones, and those of a draft."""

Awaiting = Literal["request", "answer", "approval", "repair"]
Pending = Literal["request", "approval", "repair"]
Outcome = Literal["success", "partial", "failed", "refused", "question", "approval", "repair", "answered"]
"""How a turn ended."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SpokenLine(_Part):
    """An utterance, and when."""

    speaker: Literal["person", "helio"]
    text: str
    at: datetime


class Span(_Part):
    """A time range in saved form."""

    start: datetime
    stop: datetime

    @property
    def range(self) -> TimeRange:
        """The range."""
        return TimeRange(self.start, self.stop)


class Asked(_Part):
    """An open question, and the request that it is about.

    `topics` are what each question about this request was about; `number` counts those about the same as this one.
    """

    request: str
    text: str
    choices: list[str] = []
    number: int = 1
    topics: list[str] = []
    rest: str = ""


class Earlier(_Part):
    """A draft before a change: its text, its range, the file that it would have replaced, and its intent."""

    text: str
    span: Span | None = None
    base: str | None = None
    intent: str = ""


class Draft(_Part):
    """A pipeline that awaits approval.

    `base` is the text of the saved file that it would replace, None for a new one; `earlier` is what it was before each
    change; `remarks` are shown with it, such as what a fork changes; `looked` are the reports on sampled candidates; `ignored`
    are words of the `request` that it does not use. `failing` is the error of each code that a person has written and that
    failed when it was tried: the draft cannot be approved while it has one. `unverified` are numbers that a model stated and
    that are nowhere. `intent` is what it was drafted of and assumes, as `kept_intent` writes it.
    """

    text: str
    span: Span | None = None
    base: str | None = None
    earlier: list[Earlier] = []
    remarks: list[str] = []
    looked: list[str] = []
    request: str = ""
    ignored: list[str] = []
    failing: dict[str, str] = {}
    unverified: list[str] = []
    intent: str = ""

    @model_validator(mode="before")
    @classmethod
    def _from_texts(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Sessions saved by version 0.2 have the texts alone."""
        now = {name: given.get(name) for name in ("span", "base")}
        earlier = [{"text": each, **now} if isinstance(each, str) else each for each in given.get("earlier", [])]
        return {**given, "earlier": earlier}

    @property
    def before(self) -> list[Earlier]:
        """What it will have been before the next change."""
        return [*self.earlier, Earlier(text=self.text, span=self.span, base=self.base, intent=self.intent)][-MOST_EARLIER:]

    @property
    def digest(self) -> str:
        """What an approval is of: the text, the range, and the file that it replaces."""
        parts = [self.text, self.base, self.span.model_dump_json() if self.span else None]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class OnTable(_Part):
    """The current saved pipeline, the range of its last run, and its intent; `is_running` is true until that run is over."""

    name: str
    span: Span | None = None
    is_running: bool = False
    intent: str = ""


class Version(_Part):
    """A pipeline's file before a change, and its intent; `text` is None if there was none."""

    name: str
    text: str | None
    span: Span | None = None
    intent: str = ""


class FailedStep(_Part):
    """A step that failed in the last run; `tries` counts the runs so far."""

    step: str
    error: str
    hint: str = ""
    tries: int = 1


class Usage(_Part):
    """The total use of language models, by model; `is_least` if a reply was interrupted before its usage was reported."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    is_least: bool = False


class Session(_Part):
    """A conversation in saved form."""

    version: Literal[1] = 1
    id: str
    created: datetime
    changed: datetime
    archive: str = "cdaweb"
    said: list[SpokenLine] = []
    asked: Asked | None = None
    draft: Draft | None = None
    table: OnTable | None = None
    versions: list[Version] = []
    failed: FailedStep | None = None
    usage: dict[str, Usage] = Field(default_factory=dict)
    unanswered: str = ""
    """The person's message until it is answered; kept here if the process ends first."""
    kept_code: list[str] = []
    """Code of steps that was saved as an operation."""
    unfinished: str = ""
    """The text of a plan as the person has edited it, if it is not a valid pipeline."""

    @property
    def awaiting(self) -> Awaiting:
        """What the person must say next: an open question comes before a plan, a plan before a failure."""
        return "answer" if self.asked is not None else self.pending

    @property
    def pending(self) -> Pending:
        """What is to be decided once no question is open."""
        if self.draft is not None:
            return "approval"
        return "repair" if self.failed is not None else "request"

    @property
    def title(self) -> str:
        """The first request, shortened."""
        first = next((words.text for words in self.said if words.speaker == "person"), "")
        return first if len(first) <= 70 else f"{first[:69]}…"

    @property
    def utterances(self) -> tuple[Utterance, ...]:
        """What was said so far, in the form for planners."""
        return tuple(Utterance(words.speaker, words.text) for words in self.said)

    @property
    def open(self) -> OpenRequest | None:
        """The open question, in the form for planners."""
        asked = self.asked
        if asked is None:
            return None
        return OpenRequest(asked.request, Question(text=asked.text, choices=asked.choices, rest=asked.rest), asked.number)

    def intent_of(self, name: str) -> str:
        """The intent of a saved pipeline where that is the current one; else empty."""
        return self.table.intent if self.table is not None and self.table.name == name else ""

    def note(self, speaker: Literal["person", "helio"], text: str, at: datetime) -> None:
        """Keep an utterance, dropping the oldest ones."""
        shown = text if len(text) <= LONGEST_TURN else f"{text[: LONGEST_TURN - 1]}…"
        self.said = [*self.said, SpokenLine(speaker=speaker, text=shown, at=at)][-MOST_TURNS:]
        self.changed = at

    def remember(self, version: Version) -> None:
        """Keep a file's state before it is changed, dropping the oldest ones."""
        self.versions = [*self.versions, version][-MOST_VERSIONS:]


def span_of(time_range: TimeRange | None) -> Span | None:
    """A range in saved form."""
    return None if time_range is None else Span(start=time_range.start, stop=time_range.stop)


def parse_session(text: str, *, where: str) -> Session:
    """A session from its text; StorageError if it is damaged or of another version."""
    try:
        return Session.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        hint = "Start a new conversation, and delete this one with `helio sessions rm`."
        raise StorageError(f"the session cannot be read: {place}: {first['msg']}", where=where, hint=hint) from None
