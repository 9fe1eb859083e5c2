"""Open a home's record for reading: directly from its database if possible, otherwise through Dagster."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from helio_dagster.assets.memory_ledger import MemoryLedger
from helio_dagster.assets.outcomes import RecordReader
from helio_dagster.assets.record_database import RecordDatabase, postgres_database, sqlite_database
from helio_dagster.assets.recorded_runs import RecordedRun, RunsCursor, RunsPage, recorded_runs, runs_of_pipeline
from helio_dagster.assets.run_record import RunRecord, open_run_record
from helio_dagster.launch.record.instance_files import has_own_configuration
from helio_dagster.launch.record.record_copy import readable_record
from helio_dagster.launch.record.record_trouble import record_error
from helio_dagster.storage.settings import Settings


def list_runs(settings: Settings, most: int) -> Sequence[RecordedRun]:
    """The last runs of a home, whoever began them, the last begun first; nothing is created in the home.

    A home whose `dagster.yaml` was edited by hand may keep its runs elsewhere: of it only those in its own folder are listed.

    Raises
    ------
    StorageError
        The record is damaged, or cannot be read.
    """
    with open_runs(settings) as database:
        return recorded_runs(database, most) if database is not None else []


def page_of_runs(settings: Settings, pipeline: str, most: int, below: RunsCursor | None = None) -> RunsPage:
    """A page of a pipeline's runs, as `list_runs` finds those of a home; see `runs_of_pipeline`."""
    with open_runs(settings) as database:
        return runs_of_pipeline(database, pipeline, most, below) if database is not None else RunsPage([], None)


@contextmanager
def open_runs(settings: Settings) -> Iterator[RecordDatabase | None]:
    """The database of a home's runs and of the daemon's signs of life; None where there is none yet.

    Raises
    ------
    StorageError
        The record is damaged, or cannot be read.
    """
    if settings.postgres is not None:
        with postgres_database(settings.postgres, "runs") as shared:
            yield shared
        return
    try:
        with (
            readable_record(settings) as readable,
            sqlite_database(readable.instance / "history" / "runs.db") as own,
        ):
            yield own
    except sqlite3.DatabaseError as error:
        raise record_error(error, settings.instance) from error


@contextmanager
def open_history(settings: Settings) -> Iterator[RecordReader]:
    """The record of a home; nothing is created in it.

    Dagster takes seconds to load, and a home with helio's default configuration can be read without it. A home whose
    `dagster.yaml` was edited by hand is read through Dagster.

    Raises
    ------
    StorageError
        The record is damaged, or cannot be read.
    """
    if not has_own_configuration(settings):
        from helio_dagster.assets.recording import DagsterLedger
        from helio_dagster.launch.record.instance import open_instance

        with open_instance(settings, is_reading=True) as instance:
            yield DagsterLedger(instance)
        return
    if settings.postgres is not None:
        with postgres_database(settings.postgres, "event_logs") as database:
            yield RunRecord(database) if database is not None else MemoryLedger()
        return
    try:
        with readable_record(settings) as readable, open_run_record(readable.instance) as record:
            yield record or MemoryLedger()
    except sqlite3.DatabaseError as error:
        raise record_error(error, settings.instance) from error
