"""What all tools share: the home, what is looked up in it, whose server this is, and what was looked up lately."""

from __future__ import annotations

import getpass
import shlex
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from helio_dagster.agent.knowledge import open_knowledge
from helio_dagster.agent.planner import Knowledge
from helio_dagster.catalog.times.phrases import read_words
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.run_side import HomeSide
from helio_dagster.mcp.replies import compact
from helio_dagster.resources.workbench import Workbench, utc_now
from helio_dagster.resources.workers import Workers
from helio_dagster.storage.sessions import SessionFiles
from helio_dagster.storage.settings import Settings

_MOST_LOOKED_UP = 60


@dataclass
class Desk:
    """The home that a server works in.

    Parameters
    ----------
    settings
        The home's settings.
    environment
        The environment of the processes that run pipelines.
    folder
        The folder in which a person types `helio approve`.
    archive
        The archive of look-ups and plans where a call names none.
    is_trusting
        Whether plans are approved without a person.
    clock
        Gives the current time.
    """

    settings: Settings
    environment: Mapping[str, str]
    folder: Path
    archive: str = "cdaweb"
    is_trusting: bool = False
    clock: Callable[[], datetime] = utc_now
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held by the one call that works; the others wait for it."""
    looked_up: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_LOOKED_UP))

    @cached_property
    def knowledge(self) -> Knowledge:
        """The catalog and the operations."""
        return open_knowledge(self.settings)

    @cached_property
    def workers(self) -> Workers:
        """Processes that decode files and try code."""
        return Workers(self.settings)

    @cached_property
    def sessions(self) -> SessionFiles:
        """The conversations of the home."""
        return SessionFiles(self.settings.sessions)

    @property
    def home(self) -> Home:
        """The pipelines as they are now: a person, or another client, may have changed them."""
        return Home(self.settings)

    @contextmanager
    def bench(self) -> Iterator[Workbench]:
        """The home's parts for one call."""
        bench = Workbench(self.settings, clock=self.clock, workers=self.workers)
        try:
            yield bench
        finally:
            bench.close()

    @contextmanager
    def side(self) -> Iterator[HomeSide]:
        """What a conversation may ask of the home, for one call."""
        with self.bench() as bench:
            yield HomeSide(self.home, bench)

    @cached_property
    def person(self) -> str:
        """The name of the person whose account this is."""
        try:
            return getpass.getuser()
        except (KeyError, OSError):
            return "unknown"

    def span(self, words: str) -> TimeRange:
        """The range that words mean, as on the command line; InputError if they mean none."""
        return read_words(words.split(), self.clock())

    def command(self, *arguments: str) -> str:
        """A command for the person to type, wherever their terminal is."""
        return f"cd {shlex.quote(str(self.folder))} && helio {shlex.join(arguments)}"

    def remember(self, document: Mapping[str, Any]) -> None:
        """Keep what was looked up: a plan may state numbers that stand in it."""
        self.looked_up.append(compact(document))

    def close(self) -> None:
        """End the worker processes."""
        if "workers" in vars(self):
            self.workers.close()
