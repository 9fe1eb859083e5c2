"""The home that a server works in, and its parts for one call."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from helio_dagster.agent.knowledge import open_knowledge
from helio_dagster.agent.planner import Knowledge
from helio_dagster.catalog.times.phrases import read_words
from helio_dagster.domain.person import Person
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import parse_span
from helio_dagster.hosting.kept_home import KeptHome
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.run_side import HomeSide
from helio_dagster.resources.home_sessions import open_sessions
from helio_dagster.resources.workbench import Workbench, utc_now
from helio_dagster.resources.workers import Workers
from helio_dagster.storage.people import account
from helio_dagster.storage.sessions import SessionFiles
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.settings_files import Configuration, read_configuration
from helio_dagster.storage.table_stores import open_tables
from helio_dagster.storage.tables import TableStore

ASKING: ContextVar[Person | None] = ContextVar("asking", default=None)
"""Who sent the request that is being answered; None where nobody had to say who they are."""


@dataclass
class ServedHome:
    """A served home.

    Parameters
    ----------
    settings
        The home's settings.
    environment
        The environment of the processes that run pipelines.
    folder
        The folder in which the server was started, where a person would type commands.
    archive
        The archive of look-ups and plans where a call names none.
    clock
        Gives the current time.
    surroundings
        The environment in which the person started the server, where `environment` has been filled with settings that
        are resolved: it shows where a setting comes from.
    """

    settings: Settings
    environment: Mapping[str, str]
    folder: Path
    archive: str = "cdaweb"
    clock: Callable[[], datetime] = utc_now
    surroundings: Mapping[str, str] | None = None

    @property
    def configuration(self) -> Configuration:
        """What the person has set in the environment and in files, read anew: a turn reads it anew too."""
        given = self.environment if self.surroundings is None else self.surroundings
        return read_configuration(given, self.folder)

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
        return open_sessions(self.settings)

    @property
    def home(self) -> Home:
        """The pipelines as they are now: a person, or another client, may have changed them."""
        return self._kept_home.now()

    @cached_property
    def store(self) -> TableStore:
        """The stored tables: a file that is as it was at an earlier call is not read again to be judged."""
        return open_tables(self.settings)

    @cached_property
    def _kept_home(self) -> KeptHome:
        return KeptHome(self.settings)

    @contextmanager
    def bench(self) -> Iterator[Workbench]:
        """The home's parts for one call."""
        bench = Workbench(self.settings, clock=self.clock, workers=self.workers, store=self.store)
        try:
            yield bench
        finally:
            bench.close()

    @contextmanager
    def side(self, *, is_open: bool = False) -> Iterator[HomeSide]:
        """What a conversation may ask of the home, for one call; `is_open` as `HomeSide` has it."""
        with self.bench() as bench:
            yield HomeSide(self.home, bench, is_open=is_open)

    @property
    def person(self) -> str:
        """The name of who asks: of the token that came with the request, else of the account that this process runs under."""
        asking = ASKING.get()
        return asking.name if asking is not None else account()

    def span(self, words: str) -> TimeRange:
        """The range that words mean, as on the command line; InputError if they mean none."""
        return read_words(words.split(), self.clock())

    def times(self, start: str, stop: str | None) -> TimeRange:
        """The range from one time to another, or that of one phrase; InputError where it is none."""
        return parse_span(start, stop, self.clock()) if stop is not None else read_words([start], self.clock())

    def command(self, *arguments: str) -> str:
        """A command for the person to type, wherever their terminal is."""
        return f"cd {shlex.quote(str(self.folder))} && helio {shlex.join(arguments)}"

    def close(self) -> None:
        """End the worker processes."""
        if "workers" in vars(self):
            self.workers.close()
