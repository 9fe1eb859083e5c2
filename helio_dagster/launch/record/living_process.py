"""Track which processes run a pipeline of a home: each holds a lock on its own file while it lives.

The system releases the lock however the process dies. A run is tagged with the name of its process's file.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.atomic import storage_error


@contextmanager
def living_process(folder: Path) -> Iterator[str]:
    """The tag of a run of this process, valid inside the block.

    Raises
    ------
    StorageError
        The folder cannot be written.
    """
    path = folder / uuid.uuid4().hex
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            handle = _locked(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise storage_error(error, folder) from error
    if handle is None:
        raise StorageError(f"cannot lock {path}", hint="Set HELIO_HOME to a folder on a file system that supports file locks.")
    try:
        yield path.name
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def has_abandoned_runs(folder: Path) -> bool:
    """Whether a process that ran a pipeline was killed and its run has not been ended yet.

    Raises
    ------
    StorageError
        The folder cannot be read.
    """
    if not folder.is_dir():
        return False
    try:
        with _alone(folder):
            return any(_is_dead(path) for path in folder.iterdir())
    except OSError as error:
        raise storage_error(error, folder) from error


def _is_dead(path: Path) -> bool:
    handle = _locked(path, os.O_RDWR)
    if handle is None:
        return False
    os.close(handle)
    return True


def sweep_dead(folder: Path) -> set[str]:
    """Delete the files of dead processes and return the names of the others."""
    living: set[str] = set()
    if not folder.is_dir():
        return living
    with _alone(folder):
        for path in folder.iterdir():
            handle = _locked(path, os.O_RDWR)
            if handle is None:
                living.add(path.name)
            else:
                path.unlink(missing_ok=True)
                os.close(handle)
    return living


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Prevent others from looking at a file between its creation and its lock."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _locked(path: Path, flags: int) -> int | None:
    """A handle that holds the file's lock; None if another process holds it."""
    handle = os.open(path, flags, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle
