"""Conversations from Python."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.api.opening import quiet_dagster, settings_of
from helio_dagster.storage.settings_files import read_configuration

if TYPE_CHECKING:
    from helio_dagster.agent.conversation.conversation import Conversation
    from helio_dagster.agent.planner import Planner


@contextmanager
def converse(
    *,
    home: str | Path | None = None,
    session: str | None = None,
    archive: str = "cdaweb",
    planner: Planner | None = None,
    person: str = "python",
    tell: Tell = say_nothing,
) -> Iterator[Conversation]:
    """A conversation as in `helio chat`: `conversation.say(text)` returns the events of a turn.

    Parameters
    ----------
    home
        Folder of the home; by default from the environment.
    session
        Id of a session to continue; by default a new one.
    archive
        The archive for new pipelines: cdaweb, or demo.
    planner
        A planner to use instead of the environment's.
    person
        Name of the approver, written to the pipeline's file.
    tell
        Receives every event as it happens.

    Raises
    ------
    HelioError
        There is no such session, it is open elsewhere, or a setting is wrong.

    Examples
    --------
    >>> with converse(archive="demo") as conversation:
    ...     conversation.say("ACE magnetic field magnitude for 2003-10-29")
    ...     conversation.say("approve")
    """
    from helio_dagster.conversing import open_conversation

    settings = settings_of(home)
    opened = open_conversation(
        settings,
        read_configuration(os.environ, Path.cwd()).environment,
        session=session,
        archive=archive,
        planner=planner,
        person=person,
        tell=tell,
        here=Path.cwd(),
    )
    with quiet_dagster(), opened as conversation:
        yield conversation
