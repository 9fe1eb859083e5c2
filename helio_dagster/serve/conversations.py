"""The conversations of a home, for who reaches them over HTTP: begun, continued by turns, and read as numbered events.

Nothing of a conversation is kept here: sessions and events are files, and whoever holds their locks is at work. So any number
of servers over a home see the same.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from helio_dagster.agent.session import Session, parse_session
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.hosting.process_lock import ProcessLock, holder_of
from helio_dagster.hosting.run_process import RunProcesses
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.serve.refusals import Conflict, Missing
from helio_dagster.serve.work.event_file import EventFile, EventWriter
from helio_dagster.serve.work.jobs import AnyJob, Turn
from helio_dagster.serve.work.pool import WorkPool
from helio_dagster.storage.repeated_calls import RepeatedCalls
from helio_dagster.storage.sessions import SessionHeld

Action = Literal["say", "edited", "approve", "recall"]
_CUT_OFF = "This was cut off: the process that worked on it ended. What is finished is kept."
_UNDER_WAY = "a turn of this conversation is in progress"


@dataclass(frozen=True)
class Glance:
    """A conversation in a list."""

    id: str
    title: str
    changed: str
    awaiting: str
    is_running: bool


@dataclass
class Conversations:
    """The conversations of a home.

    Parameters
    ----------
    site
        The home.
    pool
        The processes that do turns.
    is_offline
        Plan without a language model.
    """

    site: ServedHome
    pool: WorkPool
    is_offline: bool = False
    _creating: threading.Lock = field(default_factory=threading.Lock)
    _seen: dict[str, tuple[Hashable, Session]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._runs = RunProcesses(self.site.sessions, self.site.environment, self.site.folder)
        self._once = Once(self.site.settings.sessions)

    def create(self, archive: str, request: str, key: str | None) -> str:
        """Begin a conversation, and say something in it where a request is given; its id."""

        def make() -> str:
            made = self._new(archive)
            if request:
                self._begin(made, "say", request)
            return made

        return self._once("create", key, [archive, request], make)

    def glance(self, most: int) -> list[Glance]:
        """The conversations, the one changed last first; those that cannot be read are left out."""
        found = []
        for session_id, mark in list(self.site.sessions.marks().items())[:most]:
            try:
                session = self._read(session_id, mark)
            except HelioError:
                continue
            changed = session.changed.isoformat()
            found.append(Glance(session_id, session.title, changed, session.awaiting, self.is_running(session_id)))
        return found

    def session(self, session_id: str) -> Session:
        """A conversation as it is at rest.

        Raises
        ------
        Missing
            There is none of this id.
        StorageError
            It is damaged.
        """
        return self._read(session_id)

    def is_running(self, session_id: str) -> bool:
        """Whether a turn, or a run that an agent has started, is in progress."""
        return self._is_at_work(session_id) or self._runs.is_running(session_id)

    def last_event(self, session_id: str) -> int:
        """The number of the last event."""
        return self.events(session_id).last_number()

    def say(self, session_id: str, text: str, key: str | None, *, action: Action = "say") -> int:
        """Begin a turn; the number after which its events come.

        Raises
        ------
        Missing
            There is no such conversation.
        Conflict
            A turn is under way, here or in another process, or the key belongs to another message.
        AllAtWork
            No more turns are done at once.
        """
        self.session(session_id)
        begun = self._once(f"say {session_id}", key, [action, text], lambda: str(self._begin(session_id, action, text)))
        return int(begun)

    def approve(self, session_id: str, digest: str) -> int:
        """Approve the plan that was seen, and run it; Conflict where it is another one now."""
        draft = self.session(session_id).draft
        if draft is None and not self.is_running(session_id):
            raise Conflict("there is no plan to approve", hint="Look at the conversation again.")
        if draft is not None and draft.digest != digest:
            raise Conflict("the plan was changed after it was shown", hint="Read the new plan, and approve that one.")
        return self._begin(session_id, "approve", digest)

    def cancel(self, session_id: str) -> bool:
        """Stop the turn or run at work, as Ctrl-C does; False where there is none."""
        self.session(session_id)
        if self._is_at_work(session_id):
            return self.pool.cancel(session_id) or self._lock(session_id).stop()
        return self._runs.stop(session_id)

    def events(self, session_id: str) -> EventFile:
        """The file of a conversation's events."""
        return EventFile(self._beside(session_id, ".events.jsonl"))

    def mend(self, session_id: str) -> None:
        """Say so where the process of a turn has ended without its last event."""
        if self.pool.has(session_id):
            return
        file = self.events(session_id)
        if file.is_over():
            return
        with self._lock(session_id).taken() as held:
            if held is not None:
                mend(file)

    def _is_at_work(self, session_id: str) -> bool:
        """Whether a turn is under way: one that has said its last event holds its lock for a moment longer."""
        is_held = self.pool.has(session_id) or self._lock(session_id).is_held()
        return is_held and not self.events(session_id).is_over()

    def _new(self, archive: str) -> str:
        sessions, now = self.site.sessions, self.site.clock()
        with self._creating:
            while True:
                session_id = sessions.new_id(now)
                try:
                    with sessions.held(session_id):
                        session = Session(id=session_id, created=now, changed=now, archive=archive)
                        sessions.write(session_id, session.model_dump_json())
                        return session_id
                except SessionHeld:
                    continue

    def _begin(self, session_id: str, action: Action, text: str) -> int:
        with self._lock(session_id).taken() as held:
            if held is None:
                raise Conflict(_UNDER_WAY, hint="Wait for its `done` event, or cancel it.")
            self._require_free(session_id)
            session = self._read(session_id)
            file = self.events(session_id)
            turn = Turn(
                events=file.path,
                session=session_id,
                action=action,
                text=text,
                person=self.site.person,
                is_offline=self.is_offline,
            )
            opening: dict[str, Any] = {
                "stage": "session",
                "text": f"session {session_id}",
                "session": session_id,
                "awaiting": session.awaiting,
            }
            opening |= {"said": _SAID.get(action, text), "before": len(session.said)}
            return begin(self.pool, file, session_id, turn, opening, held)

    def _require_free(self, session_id: str) -> None:
        """Refuse where another process has the conversation open, and say which and what to do."""
        lock = self.site.sessions.path(session_id).with_suffix(".lock")
        try:
            with self.site.sessions.held(session_id):
                return
        except SessionHeld:
            who = holder_of(lock)
            if self._runs.is_running(session_id):
                hint = "An agent runs it. Follow the run there, or cancel it."
            else:
                hint = "End it there (`quit` in its terminal), or begin another conversation."
            held = f"this conversation is open in another process{f' ({who})' if who else ''}"
            raise Conflict(held, hint=hint) from None

    def _read(self, session_id: str, mark: Hashable | None = None) -> Session:
        """A session, parsed once as long as it does not change; `mark` where it is known from a list."""
        mark = self.site.sessions.mark(session_id) if mark is None else mark
        if mark is None:
            raise Missing(f"there is no conversation {session_id}", hint="GET /api/v1/conversations lists them.")
        kept = self._seen.get(session_id)
        if kept is not None and kept[0] == mark:
            return kept[1]
        session = parse_session(self.site.sessions.read(session_id), where=session_id)
        self._seen[session_id] = (mark, session)
        while len(self._seen) > _MOST_SEEN:
            self._seen.pop(next(iter(self._seen)), None)
        return session

    def _lock(self, session_id: str) -> ProcessLock:
        return ProcessLock(self._beside(session_id, ".turn"))

    def _beside(self, session_id: str, suffix: str) -> Path:
        return self.site.sessions.path(session_id).with_suffix(suffix)


_MOST_SEEN = 64


@dataclass(frozen=True)
class Once:
    """Does once what the same call with the same key asks for.

    Parameters
    ----------
    folder
        Where the keys of the home's calls are kept.
    """

    folder: Path

    def __call__(self, what: str, key: str | None, said: list[str], do: Callable[[], str]) -> str:
        """Do something, or give what came of it where the same call with this key was made before."""
        if key is None:
            return do()
        calls, named = RepeatedCalls(self.folder), f"http {what} {key}"
        digest = hashlib.sha256(json.dumps(said).encode()).hexdigest()
        with calls.held():
            known = calls.read(named)
            if known is not None:
                if known.digest != digest:
                    raise Conflict("this key was used for another call", hint="Use a new key for each call.")
                return known.session
            done = do()
            calls.write(named, digest, done)
            return done


_SAID = {"edited": "(edited the plan's file)", "approve": "approve", "recall": ""}


def begin(pool: WorkPool, file: EventFile, name: str, job: AnyJob, first: dict[str, Any], held: int) -> int:
    """Let a process do a job whose lock the caller holds; the number after which its events come.

    Its first event is written here, so that a job whose process never began is seen to be cut off.
    """
    pool.require_place()
    file.prepare()
    mend(file)
    after = file.last_number()
    writer = EventWriter(file)
    writer(first)
    writer.close()
    try:
        pool.give(name, job, held)
    except BaseException:
        mend(file)
        raise
    return after


def mend(file: EventFile) -> None:
    """End the events of a job whose process is gone; the caller holds its lock."""
    last: dict[str, Any] = file.last()
    if not last or last.get("stage") == "done":
        return
    file.prepare()
    writer = EventWriter(file)
    writer({"stage": "error", "text": _CUT_OFF, "problem": _CUT_OFF, "hint": "Say it again, or `retry` after a run."})
    writer({"stage": "done", "text": "", "status": "failed"})
    writer.close()


def archive_of(given: str | None, default: str) -> str:
    """The archive for new plans; InputError where there is none of this name."""
    chosen = given or default
    if chosen not in ("cdaweb", "demo"):
        raise InputError(f"there is no archive {chosen!r:.60} to plan with", hint="Give cdaweb or demo.")
    return chosen
