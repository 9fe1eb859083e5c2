"""What all handlers of a conversation share: the session, the planner, the run side, and who listens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from helio_dagster.agent.events import Event, Stage, Tell
from helio_dagster.agent.kept_intent import assumed_from_text, intent_from_text
from helio_dagster.agent.planner import Current, Planner
from helio_dagster.agent.run_side import RunSide
from helio_dagster.agent.session import Session, Usage
from helio_dagster.domain.pipeline_text import PipelineFile, parse_pipeline
from helio_dagster.domain.time_range import TimeRange


@dataclass
class Context:
    """The parts of a conversation.

    Parameters
    ----------
    planner
        Interprets what the person says.
    side
        Fetches, runs and saves.
    session
        What was said and decided so far; changed in place.
    save
        Saves the session.
    clock
        Gives the current time, timezone-aware.
    person
        Name of the approver.
    listener
        Hears every event as it happens.
    choose_planner
        Gives the planner for the name of a model, or for `offline`; without it the planner stays.
    is_open
        Whether the last partition is run before it is over.
    events
        The events of the current turn.
    """

    planner: Planner
    side: RunSide
    session: Session
    save: Callable[[Session], None]
    clock: Callable[[], datetime]
    person: str
    listener: Tell
    choose_planner: Callable[[str], Planner] | None = None
    is_open: bool = False
    events: list[Event] = field(default_factory=list)

    def keep(self) -> None:
        """Save the session; called at every step that must not be lost."""
        self.save(self.session)

    def say(self, stage: Stage, text: str, **facts: object) -> None:
        """Emit an event."""
        self.tell(Event(stage=stage, text=text, facts=facts))

    def progress(self, text: str) -> None:
        """Report how far something is."""
        self.say("progress", text)

    def tell(self, event: Event) -> None:
        """Emit an event that somebody else made, such as the planner."""
        self.events.append(event)
        if event.stage == "usage":
            used = self.session.usage.setdefault(str(event.facts.get("model", "")), Usage())
            for name in ("requests", "input_tokens", "output_tokens"):
                setattr(used, name, getattr(used, name) + int(event.facts.get(name, 0)))
            used.is_least |= bool(event.facts.get("is_least"))
        self.listener(event)

    def current(self) -> Current | None:
        """The draft, else the current saved pipeline.

        Raises
        ------
        InputError
            The saved pipeline is gone or invalid.
        """
        draft, table = self.session.draft, self.session.table
        if draft is not None:
            file, span = parse_plan(draft.text), draft.span.range if draft.span else None
            return _current(file, span, draft.intent, is_saved=False)
        if table is None:
            return None
        file, span = self.side.load(table.name), table.span.range if table.span else None
        return _current(file, span, table.intent, is_saved=True)


def _current(file: PipelineFile, span: TimeRange | None, kept: str, *, is_saved: bool) -> Current:
    return Current(file, span, is_saved=is_saved, intent=intent_from_text(kept), assumed=assumed_from_text(kept))


def parse_plan(text: str) -> PipelineFile:
    """The pipeline of a plan's text."""
    return parse_pipeline(text, file="the plan")
