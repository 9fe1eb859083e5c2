"""A conversation that another process holds, as `converse` gives it for one of this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from helio_dagster.agent.events import Event, Tell
from helio_dagster.domain.errors import HelioError, InputError


class Ask(Protocol):
    """Asks the server; see `Remote.ask`."""

    def __call__(self, method: str, path: str, *, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The JSON answer."""


class Follow(Protocol):
    """Follows a stream of events; see `Remote.follow`."""

    def __call__(self, path: str, after: int) -> Iterator[dict[str, Any]]:
        """The events behind a number."""


@dataclass(frozen=True)
class RemoteSession:
    """What is known of a served conversation."""

    id: str
    archive: str
    title: str
    awaiting: str
    is_running: bool


class RemoteConversation:
    """A conversation of a served home.

    Parameters
    ----------
    ask, follow
        Ask the server, and follow a stream of events.
    session_id
        The conversation's id.
    tell
        Receives every event as it happens.
    """

    def __init__(self, ask: Ask, follow: Follow, session_id: str, tell: Tell) -> None:
        self._ask, self._follow, self._tell = ask, follow, tell
        self._path = f"/conversations/{session_id}"
        self._digest: str | None = None
        self.outcome = "answered"
        """How the last turn ended."""

    @property
    def session(self) -> RemoteSession:
        """What is known of the conversation now."""
        found = self._ask("GET", self._path)
        return RemoteSession(found["id"], found["archive"], found["title"], found["awaiting"], found["is_running"])

    @property
    def plan_text(self) -> str | None:
        """The YAML text of the plan on the table; None if there is none."""
        found: str | None = self._ask("GET", self._path)["plan"]
        return found

    def say(self, text: str, *, key: str | None = None) -> list[Event]:
        """Say something; the events of the turn. Ctrl-C stops the turn."""
        return self._turn("say", {"text": text, "key": key})

    def edited(self, text: str) -> list[Event]:
        """Give the plan's YAML text as the person has edited it."""
        return self._turn("plan", {"text": text})

    def recall(self) -> list[Event]:
        """What the conversation awaits, again."""
        return self._turn("recall", {})

    def approve(self) -> list[Event]:
        """Approve and run the plan that this conversation has shown last; InputError where it is another one now."""
        if self._digest is None:
            raise InputError("no plan was shown in this conversation", hint="Say what you want to see first, or `recall`.")
        return self._turn("approve", {"digest": self._digest})

    def cancel(self) -> bool:
        """Stop the turn at work; False if there is none."""
        return bool(self._ask("POST", f"{self._path}/cancel")["is_stopping"])

    def _turn(self, what: str, body: Mapping[str, Any]) -> list[Event]:
        after = int(self._ask("POST", f"{self._path}/{what}", body=body)["after"])
        events: list[Event] = []
        try:
            for document in self._follow(f"{self._path}/events", after):
                event = _event_of(document)
                if event.stage == "session":
                    continue
                events.append(event)
                self._tell(event)
                if event.stage == "approval" and "digest" in event.facts:
                    self._digest = str(event.facts["digest"])
                if event.stage == "done":
                    self.outcome = str(event.facts.get("status", "failed"))
                    break
        except KeyboardInterrupt:
            with suppress(HelioError):
                self.cancel()
            raise
        return events


def _event_of(document: Mapping[str, Any]) -> Event:
    facts = {name: value for name, value in document.items() if name not in ("n", "stage", "text")}
    return Event(stage=document["stage"], text=str(document.get("text", "")), facts=facts)
