"""The session in PostgreSQL that holds the claims of one run: its advisory locks, and what they are asked about.

Whose claims these are, and what is done when the session ends, is in `postgres_claims`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.postgres_address import VARIABLE, place_of
from helio_dagster.resources.claim_holder import Holder
from helio_dagster.resources.postgres_connection import connect, postgres_error
from helio_dagster.resources.record_tags import PERSON_TAG

_ALIVE = {
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 50_000,
}
"""How soon this side sees that the server is out of reach, in s, and in ms."""
_SERVER_SIDE = {
    "tcp_keepalives_idle": "20",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "idle_session_timeout": "0",
    "statement_timeout": "0",
}
"""The same for the server, which otherwise keeps the claims of a machine without power for two hours; and no end while idle."""
_SET = "SELECT set_config(name, wanted ->> name, false) FROM pg_settings, (SELECT %s::jsonb) given (wanted) WHERE wanted ? name"
_LOCK = """
    SELECT number, pg_try_advisory_lock(number), coalesce((SELECT max(id) FROM event_logs), 0)
    FROM unnest(%s::bigint[]) number WHERE now() - pg_postmaster_start_time() >= %s * interval '1 second'
"""
_LOCK_ONE = "SELECT number FROM unnest(%s::bigint[]) number WHERE pg_try_advisory_lock(number) LIMIT 1"
"""One row is looked at after the other until the first that is free, as there is nothing to sort."""
_UNLOCK = "SELECT pg_advisory_unlock(number) FROM unnest(%s::bigint[]) number"
_HELD = """
    SELECT (classid::bigint << 32) | objid::bigint, application_name
    FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND pid <> pg_backend_pid()
    AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32) | objid::bigint = ANY(%s::bigint[])
"""
_RECORDED = """
    SELECT DISTINCT asset_key, partition FROM event_logs
    WHERE id > %s AND dagster_event_type = 'ASSET_MATERIALIZATION' AND run_id <> %s AND asset_key = ANY(%s)
"""
_PERSON = "SELECT value FROM run_tags WHERE run_id = %s AND key = %s"


class SessionEnded(Exception):
    """The server, or the network, ended the session: it holds nothing any more."""


class ClaimSession:
    """A connection of its own, opened when it is first used, and again after it ended.

    Parameters
    ----------
    address
        The record's.
    holder
        Who holds what it locks.
    name
        The name of the session in the server; by default it says the holder to those that wait.
    """

    def __init__(self, address: str, holder: Holder, name: str | None = None) -> None:
        self._address, self._holder, self._name = address, holder, name or holder.session
        self._connection: Any = None

    def lock(self, numbers: Sequence[int], *, server_age_s: float = 0.0) -> tuple[set[int], int]:
        """Lock those that are free; returns them, and the number of the last event that was recorded before.

        Parameters
        ----------
        numbers
            The locks.
        server_age_s
            None is locked before the server has run for so long.
        """
        rows = self._rows(_LOCK, (list(numbers), server_age_s))
        return {number for number, is_ours, _ in rows if is_ours}, max((last for _, _, last in rows), default=0)

    def lock_one(self, numbers: Sequence[int]) -> int | None:
        """Lock the first that is free; None where none is."""
        return next((int(number) for (number,) in self._rows(_LOCK_ONE, (list(numbers),))), None)

    def unlock(self, numbers: Iterable[int]) -> None:
        """Let go of locks; a session that ended has none."""
        if self._connection is not None:
            self._rows(_UNLOCK, (list(numbers),))

    def held_by_others(self, numbers: Sequence[int]) -> Mapping[int, Holder | None]:
        """Those that other sessions have locked, with who that is if it can be seen."""
        return {number: Holder.of_session(name) for number, name in self._rows(_HELD, (list(numbers),))}

    def recorded_by_others(self, assets: Sequence[str], since: int) -> set[tuple[str, str | None]]:
        """(asset key, partition) of what other runs recorded after an event; the keys as Dagster writes them."""
        return set(self._rows(_RECORDED, (since, self._holder.run_id, list(assets))))

    def person_of(self, run_id: str) -> str:
        """Who began a run; empty where that is not recorded."""
        return next((str(value) for (value,) in self._rows(_PERSON, (run_id, PERSON_TAG))), "")

    def is_alive(self) -> bool:
        """Whether the session goes on, with all that it has locked."""
        if self._connection is None:
            return False
        try:
            self._rows("SELECT 1", ())
        except SessionEnded:
            return False
        return True

    def close(self) -> None:
        """End the session; the server releases what it has locked."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def _rows(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """The answer to a question.

        Raises
        ------
        SessionEnded
            There is no answer, as the session ended.
        StorageError
            The server cannot be reached, refuses, or fails.
        """
        if self._connection is None:
            self._connection = self._opened()
        import psycopg2

        try:
            with self._connection.cursor() as cursor:
                cursor.execute(query, values)
                found: list[tuple[Any, ...]] = cursor.fetchall()
        except psycopg2.Error as error:
            is_ended = self._connection.closed or isinstance(error, psycopg2.InterfaceError)
            self.close()  # a statement that failed may have locked some
            raise SessionEnded if is_ended else postgres_error(error, self._address) from error
        return found

    def _opened(self) -> Any:
        import psycopg2
        from psycopg2.extras import Json

        connection = connect(self._address, application_name=self._name, **_ALIVE)
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(_SET, (Json(_SERVER_SIDE),))
            if not _keeps_its_session(connection, self._address):
                hint = "Name the server itself, or a pool of the mode `session`: claims are locks of a session."
                raise InputError(
                    f"a pooler shares the sessions of the record ({place_of(self._address)})", where=VARIABLE, hint=hint
                )
        except psycopg2.Error as error:
            connection.close()
            raise postgres_error(error, self._address) from error
        except BaseException:
            connection.close()
            raise
        return connection


def _keeps_its_session(connection: Any, address: str) -> bool:
    """Whether all statements reach the same session, as they do not through a pooler that shares those between transactions.

    A pooler gives itself away by another process number than the session's. To see whether it shares, the session that it used
    last is kept busy by a transaction of another connection.
    """
    if _session_of(connection) == connection.info.backend_pid:
        return True
    with closing(connect(address)) as other:
        found = {_session_of(connection) for _ in range(3)}
        return _session_of(other) not in found and {_session_of(connection)} == found  # `other` is in a transaction


def _session_of(connection: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        ((number,),) = cursor.fetchall()
    return int(number)
