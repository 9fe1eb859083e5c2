"""Runs whose process was killed: the next run ends them in Dagster's record, so that nothing waits for them for ever.

A run holds the lock of a file of its own as long as its process lives, and is tagged with the file's name. The system releases
the lock when the process dies, however it dies.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.atomic import storage_error

PROCESS_TAG = "helio/process"
"""Run tag: the file whose lock the run's process holds."""
_UNFINISHED = (
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
)
_MESSAGE = "The process of this run was killed. What it had made is kept; the next run went on from there."


@contextmanager
def living_process(folder: Path) -> Iterator[str]:
    """The tag of a run of this process; lives as long as the block.

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
        raise StorageError(f"cannot lock {path}", hint="Set HELIO_HOME to a folder on a file system with locks.")
    try:
        yield path.name
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def end_abandoned_runs(folder: Path, instance: dg.DagsterInstance) -> None:
    """Record the runs of killed processes as failed.

    Raises
    ------
    StorageError
        The folder cannot be read.
    """
    try:
        living = _sweep(folder)
    except OSError as error:
        raise storage_error(error, folder) from error
    for run in instance.get_runs(dg.RunsFilter(statuses=list(_UNFINISHED))):
        if PROCESS_TAG in run.tags and run.tags[PROCESS_TAG] not in living:
            instance.report_run_failed(run, _MESSAGE)


def _sweep(folder: Path) -> set[str]:
    """Delete the files of dead processes; the names of the others."""
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
    """Keep others from looking at a file between its creation and its lock."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _locked(path: Path, flags: int) -> int | None:
    """A handle that holds the file's lock; None where another process holds it."""
    handle = os.open(path, flags, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle
