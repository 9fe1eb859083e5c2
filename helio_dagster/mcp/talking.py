"""Conversations for one call each: opened, said something, and closed, so that other processes can continue them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from helio_dagster.agent.conversation.conversation import Conversation
from helio_dagster.agent.events import Event
from helio_dagster.agent.session import Session, parse_session
from helio_dagster.conversing import Maker, open_conversation
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.storage.sessions import SessionHeld

TOLD = ("note", "error", "clarify", "check", "repair", "suggestion", "approval")
"""Stages of events that are passed on in words."""
_MOST_LINES = 60
_MOST_TRIES, _PAUSE_S = 8, 0.25
_LONGEST_LINE = 600


@contextmanager
def conversation(
    site: AgentHome,
    session_id: str | None,
    *,
    archive: str | None = None,
    make: Maker | None = None,
    person: str | None = None,
    is_open: bool = False,
) -> Iterator[Conversation]:
    """A new or continued conversation of the home; raises as `open_conversation`.

    Where another client's call holds the session, this waits for it for a while.
    """
    with ExitStack() as stack:
        for tries in range(_MOST_TRIES):
            try:
                opened = stack.enter_context(
                    open_conversation(
                        site.settings,
                        {},
                        session=session_id,
                        archive=archive or site.archive,
                        offline=True,
                        make=make,
                        person=person or site.person,
                        is_open=is_open,
                        clock=site.clock,
                        workers=site.workers,
                    )
                )
                break
            except SessionHeld:
                if tries == _MOST_TRIES - 1:
                    raise
                time.sleep(_PAUSE_S)
        yield opened


def read_session(site: AgentHome, session_id: str) -> Session:
    """A session as it is at rest; InputError if there is none."""
    return parse_session(site.sessions.read(session_id), where=session_id)


def lines_of(events: Sequence[Event] | Sequence[dict[str, Any]], stages: Sequence[str] = TOLD) -> list[str]:
    """The sentences of events, in order, each once."""
    found = []
    for event in events:
        stage, text = (event.stage, event.text) if isinstance(event, Event) else (event.get("stage"), event.get("text"))
        if stage in stages and text:
            found.append(str(text)[:_LONGEST_LINE])
    return list(dict.fromkeys(found))[-_MOST_LINES:]


def failure_of(events: Sequence[Event]) -> str:
    """What a refused turn said is wrong."""
    return "\n".join(event.text for event in events if event.stage == "error")[:4000]
