"""A conversation over a home on paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from helio_dagster.agent.answers import Answer
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.conversation import Conversation
from helio_dagster.agent.events import Event
from helio_dagster.agent.session import Session
from helio_dagster.domain.errors import HelioError
from tests.unit.agent.conversation.paper_home import NOW, ListPlanner, PaperHome, Talk

Scripted = Answer | HelioError | KeyboardInterrupt


@pytest.fixture
def talk() -> Callable[[Sequence[Scripted]], Talk]:
    """Begins a conversation in which the planner gives these answers."""

    def begin(answers: Sequence[Scripted], home: PaperHome | None = None, session: Session | None = None) -> Talk:
        kept: list[str] = []
        heard: list[Event] = []
        home, planner = home or PaperHome(), ListPlanner(list(answers))
        context = Context(
            planner,
            home,
            session or Session(id="20240601-120000", created=NOW, changed=NOW),
            save=lambda each: kept.append(each.model_dump_json()),
            clock=lambda: NOW,
            person="ada",
            listener=heard.append,
        )
        conversation = Conversation(context)
        return Talk(conversation, home, planner, kept, heard)

    return begin
