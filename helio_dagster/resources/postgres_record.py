"""Dagster's record in PostgreSQL: events written in batches, connections kept and mended. Configured in `dagster.yaml`.

Needs the extra `postgres`. The tables are Dagster's own, so its web UI, daemon and other tools read the same record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import dagster as dg
from dagster_postgres import PostgresEventLogStorage, PostgresRunStorage, PostgresScheduleStorage
from sqlalchemy import Connection, Engine, create_engine, func, make_url, select, text
from sqlalchemy.pool import QueuePool

from helio_dagster.resources.batched_events import BatchedEventLog
from helio_dagster.resources.dagster_internals import (
    ASSET_CHECK_EVENTS,
    ASSET_EVENTS,
    AssetCheckExecutionsTable,
    ConfigurableClassData,
    SqlEventLogStorageTable,
)
from helio_dagster.resources.postgres_connection import CONNECT_TIMEOUT_S
from helio_dagster.resources.postgres_patience import patient, while_restarted

_WRITERS = 0x68656C696F  # "helio", the number of the lock that writers of batches take in turn
_MOST_CONNECTIONS = 20
_TURN = (
    "SET LOCAL lock_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = '60s'; "
    f"SELECT pg_advisory_xact_lock({_WRITERS})"
)
"""Wait for the other writers; the server ends a transaction whose writer was cut off, so that nobody waits for it."""


class _Pooled:
    """A storage whose connections are kept. A class of a storage puts this before Dagster's own, and is `patient`."""

    postgres_url: str

    def __init__(self, postgres_url: str, inst_data: ConfigurableClassData | None = None) -> None:
        while_restarted()(super().__init__, postgres_url, inst_data=inst_data)
        self._engine = _pooled(postgres_url)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> Self:
        """Build from `dagster.yaml`."""
        return cls(config_value["postgres_url"], inst_data)

    def optimize_for_webserver(self, statement_timeout: int, pool_recycle: int, max_overflow: int) -> None:
        """Bound each question of the web UI in time, as Dagster does."""
        self._engine = _pooled(self.postgres_url, statement_timeout, pool_recycle, max_overflow)

    def dispose(self) -> None:
        """Close all connections."""
        super().dispose()  # type: ignore[misc]  # Dagster's own storage
        self._engine.dispose()


@patient
class BatchedPostgresEventLogStorage(_Pooled, BatchedEventLog, PostgresEventLogStorage):
    """The event log of a record in PostgreSQL."""

    def __init__(self, postgres_url: str, inst_data: ConfigurableClassData | None = None) -> None:
        self.begin_batches()
        super().__init__(postgres_url, inst_data=inst_data)

    def write_rows(self, events: Sequence[dg.EventLogEntry], rows: Sequence[Mapping[str, Any]]) -> None:
        """Store events in one transaction, again if the server was restarted meanwhile.

        Writers of batches take turns, so that ids become visible in their order: Dagster's daemon and its cache of partitions
        remember the highest id that they have seen, and would never look at a lower one that appears later.
        """
        ids: list[int] = []
        for attempt in while_restarted():
            with attempt, self._transaction() as connection:
                if ids and _is_stored(connection, ids[0], rows[0]):  # the answer was lost, and not the events
                    return
                connection.exec_driver_sql(_TURN)
                sequence = func.nextval(func.pg_get_serial_sequence("event_logs", "id"))
                count = func.generate_series(1, len(rows)).table_valued("number")
                ids = sorted(connection.execute(select(sequence).select_from(count)).scalars())
                numbered = [{"id": number, **row} for number, row in zip(ids, rows, strict=True)]
                connection.execute(SqlEventLogStorageTable.insert(), numbered)
                self.store_tags(connection, events, ids)

    def store_alone(self, event: dg.EventLogEntry) -> None:
        """Store one event, once; one about an asset waits for its turn, as batches do."""
        if event.is_dagster_event and event.dagster_event_type in ASSET_EVENTS:
            self.store_event_batch([event])
            return
        for attempt in while_restarted():
            with attempt:
                number = self._number_of(event) if attempt.retry_state.attempt_number > 1 else None
                if number is None:
                    super().store_alone(event)
                elif event.is_dagster_event and event.dagster_event_type in ASSET_CHECK_EVENTS:
                    self._forget_check(number)  # the answer was lost, and not the event; its row may be there or not
                    self.store_asset_check_event(event, number)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._engine.connect() as opened:
            connection = opened.execution_options(isolation_level="READ COMMITTED")
            with connection.begin():
                yield connection

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        with self._access:
            self.store_planned()
        with self._engine.connect() as connection:
            yield connection

    def _forget_check(self, number: int) -> None:
        """Delete what the table of checks has of an event."""
        row = AssetCheckExecutionsTable.c.evaluation_event_storage_id
        with self._transaction() as connection:
            connection.execute(AssetCheckExecutionsTable.delete().where(row == number))

    def _number_of(self, event: dg.EventLogEntry) -> int | None:
        """The id of an event that is stored."""
        row, column = self._event_to_row(event), SqlEventLogStorageTable.c
        wanted = (column.run_id == row["run_id"], column.event == row["event"])
        with self._transaction() as connection:
            return connection.execute(select(column.id).where(*wanted)).scalar()


@patient
class PooledPostgresRunStorage(_Pooled, PostgresRunStorage):
    """The runs of a record in PostgreSQL; Dagster's own opens a connection for every question."""

    def connect(self) -> Connection:
        """A connection, for a block."""
        return self._engine.connect()

    def add_run(self, dagster_run: dg.DagsterRun) -> dg.DagsterRun:
        """Store a new run."""
        for attempt in while_restarted():
            with attempt:
                if attempt.retry_state.attempt_number > 1:
                    self.delete_run(dagster_run.run_id)  # it may be there without its tags
                super().add_run(dagster_run)
        return dagster_run


@patient
class PooledPostgresScheduleStorage(_Pooled, PostgresScheduleStorage):
    """The schedules of a record in PostgreSQL."""

    def connect(self, run_id: str | None = None) -> Connection:  # noqa: ARG002  # Dagster's signature
        """A connection, for a block."""
        return self._engine.connect()


def _pooled(
    address: str, statement_timeout_ms: int | None = None, recycle_s: int = -1, most: int = _MOST_CONNECTIONS
) -> Engine:
    """An engine that keeps a connection, and opens another where the server closed it meanwhile."""
    url = make_url(address)
    given = {"connect_timeout": CONNECT_TIMEOUT_S} if "connect_timeout" not in url.query else {}
    options = {}
    if statement_timeout_ms is not None:
        options = {"options": f"{url.query.get('options', '')} -c statement_timeout={statement_timeout_ms}".strip()}
    return create_engine(
        url,
        isolation_level="AUTOCOMMIT",
        poolclass=QueuePool,
        pool_size=1,
        max_overflow=most,
        pool_recycle=recycle_s,
        pool_pre_ping=True,
        connect_args={**given, **options},
    )


def _is_stored(connection: Connection, first: int, row: Mapping[str, Any]) -> bool:
    column = SqlEventLogStorageTable.c
    wanted = (column.id == first, column.run_id == row["run_id"], column.event == row["event"])
    return connection.execute(select(text("1")).select_from(SqlEventLogStorageTable).where(*wanted)).first() is not None
