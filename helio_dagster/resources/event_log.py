"""Dagster's SQLite event log with its engines kept open and batches in one transaction: a year's events in seconds.

Dagster opens a new database engine for every event. This subclass keeps one per shard, writes a batch of events in one
transaction, and indexes the tags that tell whether a partition can be reused. Named in the instance's `dagster.yaml`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import dagster as dg
from dagster._core.definitions.data_version import CODE_VERSION_TAG
from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import QueuePool

INPUTS_TAG = "helio/inputs"
"""Tag of a materialization: fingerprint of the data versions it was made from."""
BUSY_TIMEOUT_S = 60
"""How long a writer waits for another process's transaction."""
INDEXED_TAGS = frozenset({CODE_VERSION_TAG, INPUTS_TAG})


class PooledSqliteEventLogStorage(SqliteEventLogStorage):
    """The SQLite event log of a home."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: dict[str, Engine] = {}
        self._tables: set[str] = set()
        self._held = threading.local()
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> PooledSqliteEventLogStorage:
        """Build from `dagster.yaml`."""
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Events stored inside the block go into one transaction per shard; all or none of a shard's events are kept."""
        if getattr(self._held, "connections", None) is not None:
            yield
            return
        with self._db_lock:
            held: dict[str, Connection] = {}
            self._held.connections = held
            try:
                yield
                for connection in held.values():
                    connection.commit()
            finally:
                self._held.connections = None
                for connection in held.values():
                    connection.close()

    def store_event_batch(self, events: Sequence[dg.EventLogEntry]) -> None:
        """Store several events in one transaction."""
        with self.batch():
            for event in events:
                self.store_event(event)

    def has_table(self, table_name: str) -> bool:
        """Whether the index shard has a table; asked of the database once."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def get_asset_tags_to_index(self, tag_keys: set[str]) -> set[str]:
        """Dagster's own, and what tells whether a partition can be reused."""
        return super().get_asset_tags_to_index(tag_keys) | (tag_keys & INDEXED_TAGS)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        held: dict[str, Connection] | None = getattr(self._held, "connections", None)
        if held is not None:
            if shard not in held:
                held[shard] = self._engine(shard).connect()
                held[shard].begin()
            yield held[shard]
            return
        with self._db_lock:
            engine = self._engine(shard)
            with engine.connect() as connection, connection.begin():
                yield connection

    def _engine(self, shard: str) -> Engine:
        if shard not in self._engines:
            self._engines[shard] = create_engine(
                self.conn_string_for_shard(shard),
                poolclass=QueuePool,
                pool_size=2,
                connect_args={"timeout": BUSY_TIMEOUT_S, "check_same_thread": False},
            )
        engine = self._engines[shard]
        if shard not in self._initialized_dbs:
            self._initdb(engine)
            self._initialized_dbs.add(shard)
        return engine

    def dispose(self) -> None:
        """Close all connections."""
        super().dispose()
        for engine in self._engines.values():
            engine.dispose()
        self._engines.clear()
