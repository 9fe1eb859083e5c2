"""Which runs a worker holds: one locked file for each, in the home. The system releases the lock however the process dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE_S = 2.0
"""Longer than anybody looks at a lock."""


@contextmanager
def hold(folder: Path, run_id: str) -> Iterator[bool]:
    """Hold a run for the length of the block; False if another process holds it already.

    These are record locks, which processes that the run starts do not inherit and so cannot outlive it with. Within one process
    they do not exclude each other, so each process holds one run. The file stays, and looks abandoned, until `let_go`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / run_id, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield _is_locked_within(handle, _PATIENCE_S)
    finally:
        os.close(handle)


def is_abandoned(folder: Path, run_id: str) -> bool:
    """Whether a process held a run, and ended without `let_go`."""
    try:
        handle = os.open(folder / run_id, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return _is_locked_within(handle, 0.0)
    finally:
        os.close(handle)


def is_held(folder: Path, run_id: str) -> bool:
    """Whether a process has taken a run, be it alive or dead."""
    return (folder / run_id).exists()


def let_go(folder: Path, run_id: str) -> None:
    """Forget that a process held a run: it is over, or its process is dead and another one is to take it."""
    (folder / run_id).unlink(missing_ok=True)


def _is_locked_within(handle: int, patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.05)
        else:
            return True
