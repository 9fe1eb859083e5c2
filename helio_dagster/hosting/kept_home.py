"""The pipelines of a home between the requests of a server: read again only once a file that they are made of is another."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from helio_dagster.catalog.opening import refreshed_path
from helio_dagster.launch.home import Home
from helio_dagster.storage.settings import Settings

_State = tuple[tuple[str, int, int, int], ...]


class KeptHome:
    """A home whose parsed pipelines and graph are kept as long as nothing of them changes.

    Files are told apart by path, number, size and time: pipelines, saved operations, lists of events and a refreshed catalog.
    Pipelines over events are made anew at each call, because their partitions can also come from stored tables.

    Parameters
    ----------
    settings
        The home.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._guard = threading.Lock()
        self._home: Home | None = None
        self._seen: _State = ()

    def now(self) -> Home:
        """The pipelines as they are now: a person, or another process, may have changed them."""
        with self._guard:
            lists = _lists(self._home) if self._home is not None else ()
            seen = self._state(lists)
            if self._home is None or seen != self._seen:
                self._home = Home(self._settings)
                self._seen = self._state(_lists(self._home))
            elif any(file.pipeline.is_over_events for file in self._home.files.values()):
                self._home = Home(self._settings, files=self._home.files, problems=self._home.problems)
            return self._home

    def _state(self, lists: Iterable[Path]) -> _State:
        folders = (self._settings.pipelines, self._settings.operations)
        named = [refreshed_path(self._settings), *lists]
        return (*(each for folder in folders for each in _inside(folder)), *(each for path in named for each in _of(path)))


def _lists(home: Home) -> list[Path]:
    """The lists of events that pipelines read from files."""
    steps = [step for file in home.files.values() for step in file.pipeline.steps if step.events is not None]
    return sorted({home.settings.pipelines / step.events.file for step in steps if step.events is not None})


def _inside(folder: Path) -> Iterator[tuple[str, int, int, int]]:
    with suppress(OSError), os.scandir(folder) as entries:
        yield from sorted(_mark(entry.path, entry.stat()) for entry in entries if entry.is_file())


def _of(path: Path) -> Iterator[tuple[str, int, int, int]]:
    with suppress(OSError):
        yield _mark(str(path), path.stat())


def _mark(path: str, state: os.stat_result) -> tuple[str, int, int, int]:
    return path, state.st_ino, state.st_size, state.st_mtime_ns
