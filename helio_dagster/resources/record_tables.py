"""The tables of Dagster's SQLite databases: a shard of the event log, the runs, the schedules.

Dagster reads its ninety migrations whenever it opens one, three times for a new one, and every run has a shard of its own. It
makes a new one statement by statement, each of which waits for the disk.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from datetime import datetime
from functools import cache

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, MetaData
from sqlalchemy.exc import OperationalError

from helio_dagster.resources.dagster_internals import get_alembic_config, sqlite_event_log

_PATIENCE_S = 60.0
_PAUSE_S = 0.02


def create_missing_tables(engine: Engine, tables: MetaData, *, migrated: Iterable[str] = ()) -> None:
    """Create all tables and record Dagster's newest migration; do nothing where a migration is on record.

    Parameters
    ----------
    engine
        The database.
    tables
        What Dagster keeps in it.
    migrated
        The migrations of data to record as done: there are none to migrate.
    """
    with engine.connect() as connection:
        if has_migration(connection):
            return
        _write_ahead(connection)
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # another process that opens the same database waits here
        if not has_migration(connection):
            tables.create_all(connection)
            marks = [{"name": name, "migration_completed": datetime.now()} for name in migrated]
            if marks:
                connection.execute(tables.tables["secondary_indexes"].insert(), marks)
            MigrationContext.configure(connection).stamp(_migrations(), "head")
        connection.commit()


def has_migration(connection: Connection) -> bool:
    """Whether a database says which of Dagster's migrations it is at, as each does once it is complete."""
    has_table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
    if connection.exec_driver_sql(has_table).first() is None:
        return False
    return connection.exec_driver_sql("SELECT 1 FROM alembic_version").first() is not None


def is_new(connection: Connection) -> bool:
    """Whether a database has no tables yet."""
    return connection.exec_driver_sql("SELECT 1 FROM sqlite_master").first() is None


def _write_ahead(connection: Connection) -> None:
    """Keep a write-ahead log. SQLite refuses that at once, whatever its timeout, while another holds the database."""
    give_up = time.monotonic() + _PATIENCE_S
    while True:
        try:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            return
        except OperationalError as error:
            if getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(_PAUSE_S)


@cache
def _migrations() -> ScriptDirectory:
    """Dagster's migrations, which all of its databases share."""
    return ScriptDirectory.from_config(get_alembic_config(sqlite_event_log.__file__))
