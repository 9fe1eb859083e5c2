"""The one seat of Dagster's daemon on a record in PostgreSQL: a lock of the server that ends with the connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.postgres_address import place_of
from helio_dagster.resources.postgres_connection import open_postgres

ANOTHER = "another helio ui or helio daemon runs on this record"
_DAEMON = 0x68656C696F01
"""The number of the lock of who runs Dagster's daemon on a record."""
_NAME = "helio daemon "
_WHOSE = """
    SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND (classid::bigint << 32) | objid::bigint = %s
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_HINT = "Use that one, with helio ui --no-daemon beside it, or give this home a database of its own in record.postgres."


class SeatTaken(StorageError):
    """Another process runs the daemon of this record."""


@contextmanager
def only_daemon(address: str, group: str = "") -> Iterator[Callable[[], None]]:
    """Be the only one who runs Dagster's daemon on a record for the length of the block.

    Two daemons would both start what is due, each for its own home.

    Parameters
    ----------
    address
        The record's.
    group
        The homes to whose workers the daemon gives runs, by which others see whether it is theirs.

    Yields
    ------
    Callable
        To be called now and then: it takes the seat again after the server was restarted, and raises `SeatTaken` if somebody
        else was first.

    Raises
    ------
    SeatTaken
        Another `helio ui` or `helio daemon` has it.
    StorageError
        The server cannot be reached, or refuses.
    """
    seat = _Seat(address, group)
    try:
        seat.take()
        yield seat.keep
    finally:
        seat.leave()


def group_of_daemon(address: str) -> str | None:
    """The homes to whose workers the daemon of a record gives runs; None where none runs.

    Raises
    ------
    StorageError
        The server cannot be reached, or refuses.
    """
    with open_postgres(address) as connection, connection.cursor() as cursor:
        cursor.execute(_WHOSE, (_DAEMON,))
        return next((str(name).removeprefix(_NAME) for (name,) in cursor.fetchall()), None)


class _Seat:
    def __init__(self, address: str, group: str) -> None:
        self._address, self._group = address, group
        self._held = ExitStack()
        self._connection: Any = None

    def take(self) -> None:
        connection = self._held.enter_context(
            open_postgres(self._address, patience_s=0.0, application_name=_NAME + self._group)
        )
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", (_DAEMON,))
            ((is_ours,),) = cursor.fetchall()
        if not is_ours:
            self.leave()
            raise SeatTaken(f"{ANOTHER} ({place_of(self._address)}), and a record has one daemon", hint=_HINT)
        self._connection = connection

    def keep(self) -> None:
        if self._answers("SELECT 1"):
            return
        self.leave()
        try:
            self.take()
        except SeatTaken:
            raise
        except StorageError:
            self.leave()  # the server is not back: nobody else can have the seat either

    def leave(self) -> None:
        self._answers("SELECT pg_advisory_unlock(%s)", _DAEMON)  # of a connection that closes, the server hears a moment later
        self._connection = None
        self._held.close()

    def _answers(self, query: str, *values: int) -> bool:
        import psycopg2

        if self._connection is None:
            return False
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(query, values)
        except psycopg2.Error:
            return False
        return True
