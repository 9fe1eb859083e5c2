"""What is kept of a conversation between turns, so that it survives its process. Where it is kept is `storage.sessions`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from helio_dagster.agent.answers import Question
from helio_dagster.agent.planner import OpenRequest, Utterance
from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.time_range import TimeRange

MOST_TURNS, LONGEST_TURN = 60, 2000
"""Utterances that are kept, and characters of each."""
MOST_VERSIONS = 20
"""Changes that can be taken back."""

Awaiting = Literal["request", "answer", "approval", "repair"]
Outcome = Literal["success", "partial", "failed", "refused", "question", "approval", "repair", "answered"]
"""How a turn ended."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Said(_Part):
    """An utterance, and when."""

    speaker: Literal["person", "helio"]
    text: str
    at: datetime


class Span(_Part):
    """A time range at rest."""

    start: datetime
    stop: datetime

    @property
    def range(self) -> TimeRange:
        """The range."""
        return TimeRange(self.start, self.stop)


class Asked(_Part):
    """A question that waits for its answer, and the request it was asked about."""

    request: str
    text: str
    choices: list[str] = []
    number: int = 1


class Draft(_Part):
    """A pipeline that waits for approval.

    `base` is the text of the saved file that it would replace, None for a new one; `earlier` are its former texts; `remarks`
    are shown with it: what a fork changes, what a planner noted; `looked` is what was told of candidates for its data.
    """

    text: str
    span: Span | None = None
    base: str | None = None
    earlier: list[str] = []
    remarks: list[str] = []
    looked: list[str] = []


class OnTable(_Part):
    """The saved pipeline that is spoken of, and the range it was run for last; `is_running` until that run is over."""

    name: str
    span: Span | None = None
    is_running: bool = False


class Version(_Part):
    """How a pipeline's file was before a change; `text` is None where there was none."""

    name: str
    text: str | None
    span: Span | None = None


class FailedStep(_Part):
    """A step that failed in the last run; `tries` counts the runs so far."""

    step: str
    error: str
    hint: str = ""
    tries: int = 1


class Usage(_Part):
    """What language models were asked for in all, by model; `is_least` where a reply broke off before it told all."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    is_least: bool = False


class Session(_Part):
    """A conversation at rest."""

    version: Literal[1] = 1
    id: str
    created: datetime
    changed: datetime
    archive: str = "cdaweb"
    said: list[Said] = []
    asked: Asked | None = None
    draft: Draft | None = None
    table: OnTable | None = None
    versions: list[Version] = []
    failed: FailedStep | None = None
    usage: dict[str, Usage] = Field(default_factory=dict)
    unanswered: str = ""
    """What the person said, while it is not answered yet: a process that is ended meanwhile leaves it here."""
    kept_code: list[str] = []
    """Code of steps that was saved as an operation."""

    @property
    def awaiting(self) -> Awaiting:
        """What the person must say next: the answer to an open question comes before a plan, a plan before a failure."""
        if self.asked is not None:
            return "answer"
        if self.draft is not None:
            return "approval"
        return "repair" if self.failed is not None else "request"

    @property
    def title(self) -> str:
        """The first thing that was asked for, shortened."""
        first = next((said.text for said in self.said if said.speaker == "person"), "")
        return first if len(first) <= 70 else f"{first[:69]}…"

    @property
    def utterances(self) -> tuple[Utterance, ...]:
        """What was said so far, as planners are told it."""
        return tuple(Utterance(said.speaker, said.text) for said in self.said)

    @property
    def open(self) -> OpenRequest | None:
        """The open question, as planners are told it."""
        asked = self.asked
        if asked is None:
            return None
        return OpenRequest(asked.request, Question(text=asked.text, choices=asked.choices), asked.number)

    def note(self, speaker: Literal["person", "helio"], text: str, at: datetime) -> None:
        """Keep an utterance; the oldest ones are let go."""
        shown = text if len(text) <= LONGEST_TURN else f"{text[: LONGEST_TURN - 1]}…"
        self.said = [*self.said, Said(speaker=speaker, text=shown, at=at)][-MOST_TURNS:]
        self.changed = at

    def remember(self, version: Version) -> None:
        """Keep how a file was before it is changed; the oldest ones are let go."""
        self.versions = [*self.versions, version][-MOST_VERSIONS:]


def span_of(time_range: TimeRange | None) -> Span | None:
    """A range as it is kept."""
    return None if time_range is None else Span(start=time_range.start, stop=time_range.stop)


def parse_session(text: str, *, where: str) -> Session:
    """A session from its text; StorageError where it is damaged or of another version."""
    try:
        return Session.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        hint = "Begin a new conversation, and delete this one with `helio sessions rm`."
        raise StorageError(f"the session cannot be read: {place}: {first['msg']}", where=where, hint=hint) from None
