"""Dagster's SQLite event log, fast enough for many events per run: a year's in a second. Configured in `dagster.yaml`.

Dagster opens a new database engine for every event and stores each event twice, on its own. This subclass keeps one engine per
shard, creates its tables at once, stores events in batches, and indexes the tags that say whether a partition can be reused.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._config import StringSource
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationPlanned
from dagster._core.events import ASSET_EVENTS, DagsterEventType
from dagster._core.storage.event_log.schema import (
    AssetCheckExecutionsTable,
    DynamicPartitionsTable,
    SqlEventLogStorageTable,
)
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME, SqliteEventLogStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, bindparam, create_engine
from sqlalchemy.event import listen
from sqlalchemy.pool import QueuePool

from helio_dagster.resources.event_rows import serialize_events
from helio_dagster.resources.event_tables import create_missing_tables
from helio_dagster.resources.record_tags import CODE_VERSION_TAG, EXPECTED, INPUTS_TAG
from helio_dagster.storage.settings import Settings

BUSY_TIMEOUT_S = 60
"""How long a writer waits for another process's transaction."""
_MOST_PLANNED = 1000
"""Maximum number of planned events that are buffered: each takes 4 kB."""
INDEXED_TAGS = frozenset({CODE_VERSION_TAG, INPUTS_TAG})


def _usual_folder() -> str:
    settings = Settings.from_environment(os.environ, Path.cwd())
    return os.environ.get("DAGSTER_HOME") or str(settings.instance / "history" / "runs")


class PooledSqliteEventLogStorage(SqliteEventLogStorage):
    """The SQLite event log of a home."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: dict[str, Engine] = {}
        self._tables: set[str] = set()
        self._held = threading.local()
        self._planned: list[dg.EventLogEntry] = []
        self._access = threading.RLock()  # storing buffered events is an access within an access
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

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Store the events of this thread together at the end of the block; store none of them after an error."""
        if getattr(self._held, "events", None) is not None:
            yield
            return
        held: list[dg.EventLogEntry] = []
        self._held.events = held
        try:
            yield
        finally:
            self._held.events = None
        self.store_event_batch(held)

    def store_event(self, event: dg.EventLogEntry) -> None:
        """Store an event.

        A run's planned events come first, one per partition. They are buffered and stored together at the next access of any
        kind, or when there are many.
        """
        held: list[dg.EventLogEntry] | None = getattr(self._held, "events", None)
        if held is not None:
            held.append(event)
        elif event.dagster_event_type is DagsterEventType.ASSET_MATERIALIZATION_PLANNED:
            with self._access:
                self._planned.append(event)
                if len(self._planned) >= _MOST_PLANNED:
                    planned, self._planned = self._planned, []
                    self.store_event_batch(planned)
        else:
            super().store_event(event)

    def store_event_batch(self, events: Sequence[dg.EventLogEntry]) -> None:
        """Store several events in one transaction per shard: first the run's own, then the index of all runs."""
        with self._access:
            for run_id, entries in groupby(events, key=lambda entry: entry.run_id):
                bulk = list(entries)
                if all(entry.is_dagster_event and entry.dagster_event_type in ASSET_EVENTS for entry in bulk):
                    self._store_asset_events(run_id, bulk)
                else:
                    for entry in bulk:
                        super().store_event(entry)

    def _store_asset_events(self, run_id: str, events: Sequence[dg.EventLogEntry]) -> None:
        rows = [self._row(event, text) for event, text in zip(events, serialize_events(events), strict=True)]
        pairs = zip(events, rows, strict=True)
        with self._connect(run_id) as connection:
            connection.execute(SqlEventLogStorageTable.insert(), rows)
        with self._connect(INDEX_SHARD_NAME) as connection:
            first = int(connection.execute(SqlEventLogStorageTable.insert().values(**rows[0])).lastrowid)
            ids = range(first, first + len(rows))  # the first row's lock keeps other writers out, so these are free
            if len(rows) > 1:
                numbered = [{"id": number, **row} for number, row in zip(ids[1:], rows[1:], strict=True)]
                connection.execute(SqlEventLogStorageTable.insert(), numbered)
            self._store_asset_event_tags(connection, events, ids)
            newest = {(event.dagster_event_type, row["asset_key"]): place for place, (event, row) in enumerate(pairs)}
            for place in sorted(newest.values()):
                self._store_asset_event(connection, events[place], ids[place])

    def _row(self, event: dg.EventLogEntry, text: str) -> dict[str, Any]:
        """The row that `_event_to_row` gives for an asset's event, with the event's text already serialized."""
        inner = event.get_dagster_event()
        return {
            "run_id": event.run_id,
            "event": text,
            "dagster_event_type": inner.event_type_value,
            "timestamp": datetime.fromtimestamp(event.timestamp, UTC).replace(tzinfo=None),
            "step_key": inner.step_key,
            "asset_key": inner.asset_key.to_string() if inner.asset_key else None,
            "partition": inner.partition or None,
        }

    def _store_asset_check_evaluation_planned(self, event: dg.EventLogEntry, event_id: int | None) -> None:
        """Store that a check is planned; over several partitions, store only the one evaluation it will have.

        Dagster stores one row per partition. An evaluation over a range never updates those rows: they would stay planned. What
        is expected of results is evaluated partition by partition.
        """
        planned = event.get_dagster_event().event_specific_data
        if (
            isinstance(planned, AssetCheckEvaluationPlanned)
            and planned.partitions_subset
            and len(planned.partitions_subset) > 1
            and not planned.check_name.startswith(EXPECTED)
        ):
            whole = AssetCheckEvaluationPlanned(asset_key=planned.asset_key, check_name=planned.check_name)
            event = event._replace(dagster_event=event.get_dagster_event()._replace(event_specific_data=whole))
        super()._store_asset_check_evaluation_planned(event, event_id)

    def _store_runless_asset_check_evaluation(self, event: dg.EventLogEntry, event_id: int | None) -> None:
        """Store an evaluation that belongs to no run; of one partition, in place of the one before.

        Dagster allows each partition of a check one row for each run, and all that belong to none have the same empty run.
        """
        found = event.get_dagster_event().event_specific_data
        if isinstance(found, dg.AssetCheckEvaluation) and found.partition is not None:
            row = AssetCheckExecutionsTable.c
            of_this = (row.asset_key == found.asset_key.to_string(), row.check_name == found.check_name)
            with self.index_connection() as connection:
                connection.execute(
                    AssetCheckExecutionsTable.delete().where(
                        *of_this, row.run_id == event.run_id, row.partition == found.partition
                    )
                )
        super()._store_runless_asset_check_evaluation(event, event_id)

    def delete_dynamic_partitions(self, partitions_def_name: str, partition_keys: Sequence[str]) -> None:
        """Delete several partitions of a definition in one transaction; Dagster has one for each."""
        row = DynamicPartitionsTable.c
        wanted = DynamicPartitionsTable.delete().where(
            row.partitions_def_name == partitions_def_name, row.partition == bindparam("key")
        )
        with self.index_connection() as connection:
            connection.execute(wanted, [{"key": key} for key in partition_keys])

    def has_table(self, table_name: str) -> bool:
        """Whether the index shard has a table; the database is asked only once."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def get_asset_tags_to_index(self, tag_keys: set[str]) -> set[str]:
        """Dagster's own tags, and those that say whether a partition can be reused."""
        return super().get_asset_tags_to_index(tag_keys) | (tag_keys & INDEXED_TAGS)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._access:
            if self._planned:
                planned, self._planned = self._planned, []
                self.store_event_batch(planned)
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
            create_missing_tables(engine)
            self._initialized_dbs.add(shard)
        return engine

    def dispose(self) -> None:
        """Close all connections."""
        super().dispose()
        for engine in self._engines.values():
            engine.dispose()
        self._engines.clear()


def _relax(connection: Any, _record: object) -> None:
    """Sync at checkpoints, not at every commit: a power cut can lose the last commits but never the database."""
    connection.execute("PRAGMA synchronous=NORMAL")
