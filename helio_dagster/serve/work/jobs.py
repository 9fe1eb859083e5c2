"""What a working process is given to do: a turn of a conversation, a run of a pipeline, or a verification of one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class _Job(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    events: Path
    """The file that its events are appended to."""


class Turn(_Job):
    """A turn of a conversation: something said, an approval of the plan with a digest, or what is awaited, repeated."""

    kind: Literal["turn"] = "turn"
    session: str
    action: Literal["say", "edited", "approve", "recall"]
    text: str = ""
    """What is said, the edited plan, or the digest of the plan that is approved."""
    person: str
    is_offline: bool = False


class Run(_Job):
    """A run of a saved pipeline."""

    kind: Literal["run"] = "run"
    pipeline: str
    start: str | None = None
    stop: str | None = None
    event: str | None = None
    """The key of one event, instead of a range."""
    every: bool = False
    """All events that are over, instead of a range."""
    force: bool = False
    refresh: bool = False
    is_open: bool = False
    """Whether the last partition is made before it is over."""
    person: str = ""


class Verify(_Job):
    """A verification of a saved pipeline."""

    kind: Literal["verify"] = "verify"
    pipeline: str
    start: str | None = None
    stop: str | None = None


AnyJob = Turn | Run | Verify
Job = Annotated[AnyJob, Field(discriminator="kind")]
JOB: TypeAdapter[AnyJob] = TypeAdapter(Job)
