"""The Dagster instance of a home: writing its configuration, opening it, and reporting why it cannot be opened."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path

import dagster as dg
from sqlalchemy.exc import DatabaseError

from helio_dagster.domain.postgres_address import sqlalchemy_address
from helio_dagster.launch.dispatching.names import queue_of
from helio_dagster.launch.record.instance_files import CONFIGURATION, MARK, has_own_configuration
from helio_dagster.launch.record.record_copy import readable_record
from helio_dagster.launch.record.record_trouble import record_error
from helio_dagster.launch.record.release import keep_release
from helio_dagster.resources.collector import collector_at_rest
from helio_dagster.resources.dagster_internals import InstanceRef
from helio_dagster.resources.postgres_connection import open_postgres, postgres_error, postgres_missing
from helio_dagster.storage.atomic import storage_error, write_bytes
from helio_dagster.storage.settings import Settings

_IN_THIS_PROCESS = {
    "compute_logs": {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
}
"""Whether Dagster captures what a run prints; it goes to the terminal without extra Dagster processes."""
LOCATION = "helio_dagster"
"""Name of the code location: webserver and daemon must agree on it, and the state of schedules is stored under it."""
_CONFIGURATION = """{mark}
telemetry:
  enabled: false
nux:
  enabled: false
"""
_IN_SQLITE = """event_log_storage:
  module: helio_dagster.resources.event_log
  class: PooledSqliteEventLogStorage
  config:
    base_dir: {events}
run_storage:
  module: helio_dagster.resources.record_storages
  class: QuickRunStorage
  config:
    base_dir: {runs}
schedule_storage:
  module: helio_dagster.resources.record_storages
  class: QuickScheduleStorage
  config:
    base_dir: {schedules}
"""
_ON_WORKERS = """run_coordinator:
  module: dagster
  class: QueuedRunCoordinator
  config:
    dequeue_interval_seconds: 1
run_launcher:
  module: helio_dagster.resources.worker_launcher
  class: WorkerRunLauncher
  config:
    broker: {broker}
    queue: {queue}
    record: {record}
run_monitoring:
  enabled: true
  poll_interval_seconds: 5
  start_timeout_seconds: 604800
  cancel_timeout_seconds: 60
  max_resume_run_attempts: 5
  free_slots_after_run_end_seconds: 10
concurrency:
  runs:
    max_concurrent_runs: {launched}
  pools:
    granularity: op
compute_logs:
  module: dagster._core.storage.noop_compute_log_manager
  class: NoOpComputeLogManager
"""
"""A run may wait for a worker for a week. No pool has a limit: requests to an archive have one, and a run whose step waits for
a pool keeps a core busy. What a run prints goes to the log of its worker: Dagster captures it with four processes."""
_IN_POSTGRES = """event_log_storage:
  module: helio_dagster.resources.postgres_record
  class: BatchedPostgresEventLogStorage
  config:
    postgres_url: {address}
run_storage:
  module: helio_dagster.resources.postgres_record
  class: PooledPostgresRunStorage
  config:
    postgres_url: {address}
schedule_storage:
  module: helio_dagster.resources.postgres_record
  class: PooledPostgresScheduleStorage
  config:
    postgres_url: {address}
"""


def write_configuration(settings: Settings) -> Path:
    """The instance's folder, with the `dagster.yaml` that this home needs; a file edited by hand is kept.

    Raises
    ------
    StorageError
        The home cannot be written.
    InputError
        It was edited by hand, and the settings name a record in PostgreSQL.
    """
    folder = settings.instance
    wanted = _CONFIGURATION.format(mark=MARK) + _storages(settings) + _workers(settings)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / CONFIGURATION
        is_own = has_own_configuration(settings)
        found = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise storage_error(error, folder) from error
    if is_own and found != wanted.encode():
        write_bytes(path, wanted.encode())
    return folder


def _storages(settings: Settings) -> str:
    """The storages of a home, as `dagster.yaml` names them."""
    if settings.postgres is not None:
        return _IN_POSTGRES.format(address=json.dumps(sqlalchemy_address(settings.postgres)))
    history = settings.instance / "history"
    places = {"events": history / "runs", "runs": history, "schedules": settings.instance / "schedules"}
    return _IN_SQLITE.format(**{name: json.dumps(str(path)) for name, path in places.items()})


def _workers(settings: Settings) -> str:
    """How runs are given to workers, as `dagster.yaml` says it; empty where they are not."""
    if settings.dispatch is None:
        return ""
    places = {"broker": settings.dispatch.broker, "queue": queue_of(settings), "record": settings.postgres or ""}
    written = {name: json.dumps(text) for name, text in places.items()}
    return _ON_WORKERS.format(**written, launched=settings.dispatch.launched)


@contextmanager
def open_instance(settings: Settings, *, is_reading: bool = False) -> Iterator[dg.DagsterInstance]:
    """The instance of a home; reading also works if the home is not writable.

    Raises
    ------
    StorageError
        The home cannot be written, a database of the instance is damaged, or its server cannot be reached.
    InputError
        The record is in PostgreSQL, and the extra `postgres` is not installed.
    """
    with _explained(settings), ExitStack() as stack:
        opened = stack.enter_context(readable_record(settings)) if is_reading else settings
        instance = stack.enter_context(_opened(write_configuration(opened)))
        if settings.postgres is not None and not is_reading:
            keep_release(instance)
        yield instance


@contextmanager
def _explained(settings: Settings) -> Iterator[None]:
    """Say what to do about failures of the databases."""
    if settings.postgres is None:
        try:
            yield
        except (DatabaseError, sqlite3.DatabaseError) as error:
            raise record_error(error, settings.instance) from error
        return
    try:
        from helio_dagster.resources.postgres_patience import RECORD_ERRORS
    except ImportError:
        raise postgres_missing() from None
    with open_postgres(settings.postgres):
        pass  # Dagster would try for a quarter of a minute before it says that the server is not there
    try:
        yield
    except RECORD_ERRORS as error:
        raise postgres_error(error, settings.postgres) from error


def _opened(folder: Path) -> dg.DagsterInstance:
    """The instance, with one process at a time creating its databases: Dagster's first opening is not safe against others."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with collector_at_rest():  # Dagster loads its storages with it
            instance = dg.DagsterInstance.from_ref(_configured(folder))
            _ = instance.run_storage, instance.event_log_storage, instance.schedule_storage
    finally:
        os.close(handle)
    return instance


def _configured(folder: Path) -> InstanceRef:
    """What Dagster makes of the folder's configuration. One that helio wrote is read again only when it has changed."""
    try:
        written = (folder / CONFIGURATION).read_bytes()
    except OSError:  # Dagster says so
        written = b""
    if not written.startswith(MARK.encode()):
        return _read_configuration(str(folder))
    return _read_own_configuration(str(folder), written)


def _read_configuration(folder: str) -> InstanceRef:
    return InstanceRef.from_dir(folder, overrides=_IN_THIS_PROCESS)


@lru_cache(maxsize=16)
def _read_own_configuration(folder: str, written: bytes) -> InstanceRef:  # noqa: ARG001 # another text is read anew
    return _read_configuration(folder)
