"""A run as a process of its own, `helio chat run`, which outlives the server and its clients. Its events are in a file.

The process holds a lock, so that any server over the same home finds out whether it is still there.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helio_dagster.storage.sessions import SessionFiles

_MOST_LOOKS = 5
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

    def start(self, session_id: str) -> bool:
        """Run what is on the table of a session; False if that is under way already."""
        lock = self._path(session_id, ".run")
        lock.parent.mkdir(parents=True, exist_ok=True)
        with _opened(lock, os.O_RDWR | os.O_CREAT) as held:
            if not _take_soon(held):
                return False
            os.ftruncate(held, 0)
            with (
                _opened(self._path(session_id, ".run.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as events,
                _opened(self._path(session_id, ".run.err"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as errors,
            ):
                process = subprocess.Popen(  # noqa: S603 - ourselves
                    [sys.executable, "-m", "helio_dagster", "chat", "run", *_OPTIONS, "--session", session_id],
                    cwd=self.folder,
                    env={**self.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=events,
                    stderr=errors,
                    start_new_session=True,
                    pass_fds=(held,),
                )
            os.write(held, str(process.pid).encode())
        self._started[session_id] = process
        return True

    def is_running(self, session_id: str) -> bool:
        """Whether a process runs it, started by whomever."""
        self._reap()
        try:
            with _opened(self._path(session_id, ".run"), os.O_RDWR) as held:
                return not _take(held)
        except FileNotFoundError:
            return False

    def stop(self, session_id: str) -> bool:
        """Stop it as Ctrl-C does; False if it is not running."""
        if not self.is_running(session_id):
            return False
        try:
            pid = int(self._path(session_id, ".run").read_text())
        except (OSError, ValueError):
            return False
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        return True

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


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    handle = os.open(path, flags, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


def _take_soon(handle: int) -> bool:
    """As `_take`, but with patience for who only looks whether it is held."""
    for _ in range(_MOST_LOOKS):
        if _take(handle):
            return True
        time.sleep(0.02)
    return False


def _take(handle: int) -> bool:
    """Lock an open file; False if a process holds it. The lock is let go when all that have the file open have closed it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
