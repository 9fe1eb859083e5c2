"""Conversations: begun, continued, approved, cancelled, and followed as events."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Path, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from helio_dagster.agent.session import Session
from helio_dagster.domain.time_range import format_time
from helio_dagster.serve.conversations import Conversations
from helio_dagster.serve.http.sse import Readers, position_of, stream

LONGEST_PLAN = 400_000
LONGEST_MESSAGE = 4_000
Id = Annotated[str, Path(pattern=r"^[0-9]{8}-[0-9]{6}(-[0-9]{1,6})?$", description="The conversation's id.")]
Key = Annotated[
    str | None,
    Field(max_length=200, description="An idempotency key: two calls with the same key and content are one."),
]


class Sent(BaseModel):
    """What a request brings; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class NewConversation(Sent):
    """A conversation to begin."""

    archive: Literal["cdaweb", "demo"] | None = None
    request: Annotated[str, Field(max_length=LONGEST_MESSAGE)] = ""
    key: Key = None


class Saying(Sent):
    """Something to say."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_MESSAGE)]
    key: Key = None


class EditedPlan(Sent):
    """The YAML text of the plan as the person has edited it."""

    text: Annotated[str, Field(min_length=1, max_length=LONGEST_PLAN)]
    key: Key = None


class Approval(Sent):
    """The digest of the plan that the person has seen."""

    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Begun(BaseModel):
    """A conversation that was begun."""

    id: str


class After(BaseModel):
    """The events of what was begun come after this number."""

    after: int


class Cancelled(BaseModel):
    """Whether something was under way and is being stopped."""

    is_stopping: bool


class Listed(BaseModel):
    """A conversation in the list."""

    id: str
    title: str
    changed: str
    awaiting: str
    is_running: bool


class ConversationList(BaseModel):
    """Conversations, the one changed last first."""

    conversations: list[Listed]


class Spoken(BaseModel):
    """Something that was said."""

    speaker: str
    text: str
    at: str


class Choice(BaseModel):
    """An open question and what can be chosen."""

    text: str
    choices: list[str]


class OnTable(BaseModel):
    """The saved pipeline that the conversation is about, and the range of its last run."""

    pipeline: str
    start: str | None
    stop: str | None


class About(BaseModel):
    """A conversation; `digest` and `plan` are of the plan on the table, which awaits approval."""

    id: str
    archive: str
    title: str
    awaiting: Literal["request", "answer", "approval", "repair"]
    is_running: bool
    last_event: int
    digest: str | None
    plan: str | None
    question: Choice | None
    table: OnTable | None
    said: list[Spoken]


def conversation_routes(conversations: Conversations, readers: Readers) -> APIRouter:
    """The routes below `/conversations`."""
    router = APIRouter(prefix="/conversations", tags=["conversations"])

    @router.post("", status_code=201)
    def create_conversation(given: NewConversation) -> Begun:
        """Begin a conversation; where a request is given, its first turn begins too."""
        archive = given.archive or conversations.site.archive
        return Begun(id=conversations.create(archive, given.request, given.key))

    @router.get("")
    def list_conversations(count: Annotated[int, Query(ge=1, le=500)] = 100) -> ConversationList:
        """The conversations of the home, the one changed last first."""
        return ConversationList(conversations=[Listed(**asdict(each)) for each in conversations.glance(count)])

    @router.get("/{id}")
    def read_conversation(id: Id) -> About:  # noqa: A002 - the name in the address
        """What a conversation is about, what it awaits, and what was said."""
        return _about(conversations, conversations.session(id))

    @router.post("/{id}/say", status_code=202)
    def say(id: Id, given: Saying) -> After:  # noqa: A002
        """Say something. The turn goes on whether or not anybody follows its events."""
        return After(after=conversations.say(id, given.text, given.key))

    @router.post("/{id}/plan", status_code=202)
    def edit_plan(id: Id, given: EditedPlan) -> After:  # noqa: A002
        """Give the plan's YAML text as the person has edited it."""
        return After(after=conversations.say(id, given.text, given.key, action="edited"))

    @router.post("/{id}/recall", status_code=202)
    def recall(id: Id) -> After:  # noqa: A002
        """Repeat as events what the conversation awaits: its plan, question or failure."""
        return After(after=conversations.say(id, "", None, action="recall"))

    @router.post("/{id}/approve", status_code=202)
    def approve(id: Id, given: Approval) -> After:  # noqa: A002
        """Approve the plan with this digest: it is saved and run. Refused with 409 where the plan is another one now."""
        return After(after=conversations.approve(id, given.digest))

    @router.post("/{id}/cancel", status_code=202)
    def cancel(id: Id) -> Cancelled:  # noqa: A002
        """Stop what is under way; what is finished is kept."""
        return Cancelled(is_stopping=conversations.cancel(id))

    @router.get("/{id}/events", response_class=EventStream)
    def events(
        id: Id,  # noqa: A002
        after: Annotated[int, Query(ge=0, le=10**12, description="Only events after this number.")] = 0,
        last_event_id: Annotated[str | None, Header(description="As browsers send it when they connect again.")] = None,
        until_done: Annotated[
            bool, Query(description="End the stream once nothing is in progress and every event was sent.")
        ] = False,
    ) -> StreamingResponse:
        """The events as server-sent events; `data` is as `helio chat --json-events` prints it, `id` its number."""
        readers.require_place()
        conversations.session(id)
        position = position_of(after, last_event_id)
        conversations.mend(id)
        content = stream(
            conversations.events(id),
            position,
            lambda: conversations.mend(id),
            is_last=(lambda: not conversations.is_running(id)) if until_done else None,
        )
        return EventStream(readers.counted(content), headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

    return router


class EventStream(StreamingResponse):
    """A stream of server-sent events."""

    media_type = "text/event-stream"


def _about(conversations: Conversations, session: Session) -> About:
    draft, asked, table = session.draft, session.asked, session.table
    span = table.span.range if table is not None and table.span is not None else None
    return About(
        id=session.id,
        archive=session.archive,
        title=session.title,
        awaiting=session.awaiting,
        is_running=conversations.is_running(session.id),
        last_event=conversations.last_event(session.id),
        digest=draft.digest if draft else None,
        plan=session.unfinished or (draft.text if draft else None),
        question=Choice(text=asked.text, choices=asked.choices) if asked else None,
        table=OnTable(pipeline=table.name, start=_iso(span.start if span else None), stop=_iso(span.stop if span else None))
        if table
        else None,
        said=[Spoken(speaker=each.speaker, text=each.text, at=each.at.isoformat()) for each in session.said],
    )


def _iso(moment: datetime | None) -> str | None:
    return format_time(moment) if moment is not None else None
