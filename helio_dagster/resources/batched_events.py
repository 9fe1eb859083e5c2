"""An event log that stores many events in few transactions, whatever database holds it: a year's in a second.

Dagster stores each event on its own, in several transactions. This keeps back the events of a batch and those that a run plans,
makes their rows at once, indexes the tags that say whether a partition can be reused, and leaves no check planned for ever.
`event_log` writes a batch to SQLite, `postgres_record` to PostgreSQL.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

import dagster as dg
from sqlalchemy import Connection, bindparam

from helio_dagster.resources.dagster_internals import (
    ASSET_EVENTS,
    AssetCheckEvaluationPlanned,
    AssetCheckExecutionsTable,
    AssetEventTagsTable,
    DagsterEventType,
    DynamicPartitionsTable,
    SqlEventLogStorage,
)
from helio_dagster.resources.event_rows import asset_of, serialize_events
from helio_dagster.resources.record_tags import CODE_VERSION_TAG, EXPECTED, INPUTS_TAG, REPLACED_TAG

_MOST_PLANNED = 250
"""Maximum number of planned events that are buffered: each takes 4 kB, and as much again while it is written."""
_ABOUT_ASSETS = frozenset(each.value for each in ASSET_EVENTS)
INDEXED_TAGS = frozenset({CODE_VERSION_TAG, INPUTS_TAG, REPLACED_TAG})


class BatchedEventLog(SqlEventLogStorage):
    """The event log of a home. A class of a database puts this before Dagster's own, and calls `begin_batches` first."""

    def begin_batches(self) -> None:
        """Make what the other methods need; for `__init__`, before that of Dagster, which already stores and reads."""
        AssetCheckEvaluationPlanned(asset_key=dg.AssetKey("none"), check_name="none")
        # Dagster compiles the constructor of a record when it is first called, and keeps what the caller's frame holds for as
        # long as the process lives: where a run is created, all its planned events
        self._tables: set[str] = set()
        self._columns: dict[str, bool] = {}
        self._held = threading.local()
        self._planned: list[dg.EventLogEntry] = []
        self._access = threading.RLock()  # storing buffered events is an access within an access

    @abstractmethod
    def write_rows(self, events: Sequence[dg.EventLogEntry], rows: Sequence[Mapping[str, Any]]) -> None:
        """Store events about assets, all of one run, with their tags: all of them, or none after an error."""

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
                    self.store_planned()
        else:
            self.store_alone(event)

    def store_alone(self, event: dg.EventLogEntry) -> None:
        """Store one event as Dagster does."""
        super().store_event(event)

    def store_planned(self) -> None:
        """Store the planned events that are kept back; they stay kept back if that fails."""
        planned = self._planned
        if planned:
            self._planned = []
            try:
                self.store_event_batch(planned)
            except BaseException:
                self._planned = [*planned, *self._planned]
                raise

    def store_event_batch(self, events: Sequence[dg.EventLogEntry]) -> None:
        """Store several events: those about assets of one run together, any others one by one."""
        with self._access:
            for _, entries in groupby(events, key=lambda entry: entry.run_id):
                bulk = list(entries)
                if all(entry.dagster_event and entry.dagster_event.event_type_value in _ABOUT_ASSETS for entry in bulk):
                    rows = [_row(event, text) for event, text in zip(bulk, serialize_events(bulk), strict=True)]
                    self.write_rows(bulk, rows)
                else:
                    for entry in bulk:
                        self.store_alone(entry)

    def store_tags(self, connection: Connection, events: Sequence[dg.EventLogEntry], ids: Sequence[int]) -> None:
        """Store the indexed tags of events that were stored with these ids, and each asset's newest event."""
        rows: list[dict[str, Any]] = []
        newest: dict[Hashable, int] = {}
        indexed: dict[frozenset[str], set[str]] = {}
        for place, event in enumerate(events):
            asset, _, tags = asset_of(event)
            newest[event.get_dagster_event().event_type_value, asset] = place
            names = frozenset(tags)
            if names not in indexed:
                indexed[names] = self.get_asset_tags_to_index(set(names))
            wanted = indexed[names]
            if wanted:
                of_event = {
                    "event_id": ids[place],
                    "asset_key": asset.to_string(),
                    "event_timestamp": self._event_insert_timestamp(event),  # type: ignore[no-untyped-call]  # Dagster's
                }
                rows += [{**of_event, "key": name, "value": tags[name]} for name in tags if name in wanted]
        if rows and self.has_table(AssetEventTagsTable.name):
            connection.execute(AssetEventTagsTable.insert(), rows)
        for place in sorted(newest.values()):
            self._store_asset_event(connection, events[place], ids[place])

    def _has_asset_key_col_on_connection(self, conn: Connection, column_name: str) -> bool:
        """Whether the table of assets has a column; the database is asked only once, and not for each batch."""
        if column_name not in self._columns:
            self._columns[column_name] = super()._has_asset_key_col_on_connection(conn, column_name)
        return self._columns[column_name]

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
        """Whether the database has a table; it is asked only once."""
        if table_name not in self._tables and super().has_table(table_name):  # type: ignore[safe-super]  # the database's own
            self._tables.add(table_name)
        return table_name in self._tables

    def get_asset_tags_to_index(self, tag_keys: set[str]) -> set[str]:
        """Dagster's own tags, and those that say whether a partition can be reused."""
        return super().get_asset_tags_to_index(tag_keys) | (tag_keys & INDEXED_TAGS)


def _row(event: dg.EventLogEntry, text: str) -> dict[str, Any]:
    """The row that `_event_to_row` gives for an asset's event, with the event's text already serialized."""
    inner = event.get_dagster_event()
    asset, partition, _ = asset_of(event)
    return {
        "run_id": event.run_id,
        "event": text,
        "dagster_event_type": inner.event_type_value,
        "timestamp": datetime.fromtimestamp(event.timestamp, UTC).replace(tzinfo=None),
        "step_key": inner.step_key,
        "asset_key": asset.to_string(),
        "partition": partition or None,
    }
