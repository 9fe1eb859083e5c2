"""Dagster's SQLite event log, fast enough for many events per run. Configured in `dagster.yaml`.

Dagster opens a new database engine for every event and stores each event twice, on its own. This subclass keeps one engine per
shard, creates its tables at once, and stores batches in one transaction per shard.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.event import listen
from sqlalchemy.pool import QueuePool

from helio_dagster.domain.errors import InputError
from helio_dagster.resources.batched_events import BatchedEventLog
from helio_dagster.resources.dagster_internals import (
    ASSET_DATA_MIGRATIONS,
    EVENT_LOG_DATA_MIGRATIONS,
    INDEX_SHARD_NAME,
    ConfigurableClassData,
    SqlEventLogStorageMetadata,
    SqlEventLogStorageTable,
    SqliteEventLogStorage,
    StringSource,
)
from helio_dagster.resources.record_tables import create_missing_tables
from helio_dagster.storage.settings import Settings

BUSY_TIMEOUT_S = 60
"""How long a writer waits for another process's transaction."""


def _usual_folder() -> str:
    settings = Settings.read(os.environ, Path.cwd())
    given = os.environ.get("DAGSTER_HOME")
    if settings.postgres is not None and not given:
        hint = f"Set DAGSTER_HOME to {settings.instance} after `helio run` or `helio ui` once wrote its dagster.yaml."
        raise InputError("the record is in PostgreSQL, and this dagster.yaml is for one in SQLite", hint=hint)
    return given or str(settings.instance / "history" / "runs")


class PooledSqliteEventLogStorage(BatchedEventLog, SqliteEventLogStorage):
    """The SQLite event log of a home."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: dict[str, Engine] = {}
        self.begin_batches()
        super().__init__(base_dir, inst_data)

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        """What `dagster.yaml` may say of it: the folder, or nothing."""
        return {"base_dir": dg.Field(StringSource, is_required=False)}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> PooledSqliteEventLogStorage:
        """Build from `dagster.yaml`; without a folder there, in `DAGSTER_HOME`, else in the record of the home."""
        return cls(config_value.get("base_dir") or _usual_folder(), inst_data)

    def write_rows(self, events: Sequence[dg.EventLogEntry], rows: Sequence[Mapping[str, Any]]) -> None:
        """Store events in one transaction per shard: first the run's own, then the index of all runs."""
        with self._connect(rows[0]["run_id"]) as connection:
            connection.execute(SqlEventLogStorageTable.insert(), rows)
        with self._connect(INDEX_SHARD_NAME) as connection:
            first = int(connection.execute(SqlEventLogStorageTable.insert().values(**rows[0])).lastrowid)
            ids = range(first, first + len(rows))  # the first row's lock keeps other writers out, so these are free
            if len(rows) > 1:
                numbered = [{"id": number, **row} for number, row in zip(ids[1:], rows[1:], strict=True)]
                connection.execute(SqlEventLogStorageTable.insert(), numbered)
            self.store_tags(connection, events, ids)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._access:
            self.store_planned()
            with self._engine(shard).connect() as connection, connection.begin():
                yield connection

    def _engine(self, shard: str) -> Engine:
        if shard not in self._engines:
            self._engines[shard] = create_engine(
                self.conn_string_for_shard(shard),
                poolclass=QueuePool,
                pool_size=2,
                connect_args={"timeout": BUSY_TIMEOUT_S, "check_same_thread": False},
            )
            listen(self._engines[shard], "connect", _relax)
        engine = self._engines[shard]
        if shard not in self._initialized_dbs:
            self._initdb(engine, for_index_shard=shard == INDEX_SHARD_NAME)
            self._initialized_dbs.add(shard)
        return engine

    def _initdb(self, engine: Engine, for_index_shard: bool = False) -> None:
        """Create what is missing of a shard, complete, so that Dagster finds nothing to migrate."""
        done = (*EVENT_LOG_DATA_MIGRATIONS, *ASSET_DATA_MIGRATIONS) if for_index_shard else ()
        create_missing_tables(engine, SqlEventLogStorageMetadata, migrated=done)

    def dispose(self) -> None:
        """Close all connections."""
        super().dispose()
        for engine in self._engines.values():
            engine.dispose()
        self._engines.clear()


def _relax(connection: Any, _record: object) -> None:
    """Sync at checkpoints, not at every commit: a power cut can lose the last commits but never the database."""
    connection.execute("PRAGMA synchronous=NORMAL")
