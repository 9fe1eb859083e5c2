"""The tables of a shard of Dagster's SQLite event log.

Dagster reads its ninety migrations whenever it opens a shard, three times for a new one, and every run has a shard of its own.
"""

from __future__ import annotations

import sqlite3
import time
from functools import cache

from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from helio_dagster.resources.dagster_internals import SqlEventLogStorageMetadata, get_alembic_config, sqlite_event_log

_PATIENCE_S = 60.0
_PAUSE_S = 0.02


def create_missing_tables(engine: Engine) -> None:
    """Create all tables and record Dagster's newest migration; do nothing where a migration is on record."""
    with engine.connect() as connection:
        if has_migration(connection):
            return
        _write_ahead(connection)
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # another process that opens the same shard waits here
        if not has_migration(connection):
            SqlEventLogStorageMetadata.create_all(connection)
            MigrationContext.configure(connection).stamp(_migrations(), "head")
        connection.commit()


def has_migration(connection: Connection) -> bool:
    """Whether a database says which of Dagster's migrations it is at, as each does once it is complete."""
    has_table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
    if connection.exec_driver_sql(has_table).first() is None:
        return False
    return connection.exec_driver_sql("SELECT 1 FROM alembic_version").first() is not None


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
    return ScriptDirectory.from_config(get_alembic_config(sqlite_event_log.__file__))
