"""A run as a process of its own, `helio chat run`, which outlives the server and its clients. Its events are in a file.

The process holds a lock, so that any server over the same home finds out whether it is still there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helio_dagster.hosting.process_lock import ProcessLock, name_process, opened
from helio_dagster.storage.sessions import SessionFiles

_MOST_READ = 4_000_000
"""Bytes of events that are read, the latest."""


@dataclass
class RunProcesses:
    """The runs of a home's sessions.

    Parameters
    ----------
    sessions
        The sessions.
    environment
        The environment of the processes.
    folder
        Their working directory.
    """

    sessions: SessionFiles
    environment: Mapping[str, str]
    folder: Path
    _started: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, session_id: str, *, is_open: bool = False) -> bool:
        """Run what is on the table of a session, with the last partition before it is over where it `is_open`.

        False if that is under way already.
        """
        options = [*_OPTIONS, *(["--open"] if is_open else []), "--session", session_id]
        with self.lock(session_id).taken() as held:
            if held is None:
                return False
            with (
                opened(self._path(session_id, ".run.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as events,
                opened(self._path(session_id, ".run.err"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as errors,
            ):
                process = subprocess.Popen(  # noqa: S603 - ourselves
                    [sys.executable, "-m", "helio_dagster", "chat", "run", *options],
                    cwd=self.folder,
                    env={**self.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=events,
                    stderr=errors,
                    start_new_session=True,
                    pass_fds=(held,),
                )
            name_process(held, process.pid)
        self._started[session_id] = process
        return True

    def is_running(self, session_id: str) -> bool:
        """Whether a process runs it, started by whomever."""
        self._reap()
        return self.lock(session_id).is_held()

    def stop(self, session_id: str) -> bool:
        """Stop it as Ctrl-C does; False if it is not running."""
        self._reap()
        return self.lock(session_id).stop()

    def lock(self, session_id: str) -> ProcessLock:
        """The file that the process holds."""
        return ProcessLock(self._path(session_id, ".run"))

    def events(self, session_id: str) -> list[dict[str, Any]]:
        """The events of the last run so far."""
        try:
            with self._path(session_id, ".run.jsonl").open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _MOST_READ))
                lines = file.read().split(b"\n")
        except FileNotFoundError:
            return []
        return list(_documents(lines))

    def error(self, session_id: str) -> str:
        """What the process said on standard error at its end; for a run that ended without its last event."""
        with suppress(OSError):
            return self._path(session_id, ".run.err").read_text("utf-8", "replace")[-2000:].strip()
        return ""

    def _path(self, session_id: str, suffix: str) -> Path:
        return self.sessions.path(session_id).with_suffix(suffix)

    def _reap(self) -> None:
        """Let go of our processes that have ended."""
        self._started = {name: process for name, process in self._started.items() if process.poll() is None}


_OPTIONS = ("--offline", "--json-events")


def _documents(lines: list[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        with suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict):
                yield found
