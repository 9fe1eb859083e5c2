"""Assemble a conversation from the planner, run side and session of a home."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from helio_dagster.agent.conversation.commands import OFFLINE
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.conversation import Conversation
from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.agent.knowledge import open_knowledge
from helio_dagster.agent.planner import Knowledge, Planner
from helio_dagster.agent.planners import make_planner
from helio_dagster.agent.run_side import RunSide
from helio_dagster.agent.session import Session, parse_session
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.run_side import HomeSide
from helio_dagster.resources.home_sessions import open_sessions
from helio_dagster.resources.workbench import Workbench, utc_now
from helio_dagster.resources.workers import Workers
from helio_dagster.storage.settings import Settings

Maker = Callable[[Knowledge, RunSide, str], Planner]
"""Makes a planner of the knowledge, the run side and the archive of a conversation."""


@contextmanager
def open_conversation(
    settings: Settings,
    environment: Mapping[str, str],
    *,
    session: str | None = None,
    archive: str = "cdaweb",
    offline: bool = False,
    planner: Planner | None = None,
    make: Maker | None = None,
    person: str,
    runner: str = "",
    is_open: bool = False,
    tell: Tell = say_nothing,
    clock: Callable[[], datetime] = utc_now,
    workers: Workers | None = None,
    here: Path | None = None,
) -> Iterator[Conversation]:
    """A new or continued conversation, locked by this process for the duration of the block.

    Parameters
    ----------
    settings
        The home.
    environment
        Tells which language model is used, and its key; with what the settings files say, where they count.
    session
        Id of the session to continue.
    archive
        The archive for new pipelines; a continued session keeps its own.
    offline
        Plan without a language model.
    planner
        A planner to use instead of the environment's.
    make
        Makes such a planner, where it needs what the conversation opens.
    person
        Name of the approver, with the way they came where that matters.
    runner
        Name that runs bear in the record; by default that of the approver.
    is_open
        Run the last partition before it is over, as `helio run --open` does.
    tell
        Receives every event.
    clock
        Gives the current time.
    workers
        Worker processes that the caller closes; by default the conversation's own.
    here
        The folder where the person works, if lists of events may be taken from it.

    Raises
    ------
    InputError
        There is no such session, or a setting of the model is invalid.
    StorageError
        The session is damaged, or open in another process.
    """
    files = open_sessions(settings)
    session_id = session or files.new_id(clock())
    if session is not None:
        files.read(session)
    with files.held(session_id):
        if session is None:
            kept = Session(id=session_id, created=clock(), changed=clock(), archive=archive)
        else:
            kept = parse_session(files.read(session_id), where=files.place(session_id))
        workbench = Workbench(
            settings, clock=clock, workers=workers, begun_by=f"conversation {session_id}", person=runner or person
        )
        try:
            home = Home(settings)
            side = HomeSide(home, workbench, here=here, is_open=is_open)
            knowledge = open_knowledge(settings)

            def keep_exchange(text: str) -> None:
                files.keep_exchange(session_id, text)

            def choose(model: str) -> Planner:
                named = environment if model == OFFLINE else {**environment, "HELIO_MODEL": model}
                return make_planner(named, knowledge, side, kept.archive, is_offline=model == OFFLINE, keep=keep_exchange)

            if planner is None and make is not None:
                planner = make(knowledge, side, kept.archive)
            elif planner is None:
                planner = make_planner(environment, knowledge, side, kept.archive, is_offline=offline, keep=keep_exchange)
            yield Conversation(
                Context(
                    planner,
                    side,
                    kept,
                    save=lambda each: files.write(each.id, each.model_dump_json()),
                    clock=clock,
                    person=person,
                    listener=tell,
                    choose_planner=choose,
                    is_open=is_open,
                )
            )
        finally:
            workbench.close()
