"""Ask a record in PostgreSQL small questions over one connection that is opened again after it ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from helio_dagster.domain.errors import StorageError
from helio_dagster.resources.postgres_connection import connect, driver, is_away, postgres_error

_PAUSE_S = 0.5


class PostgresQuestions:
    """A connection, opened by the first question; safe to use from several threads.

    Parameters
    ----------
    address
        The record's.
    is_reading
        Whether the server shall refuse to write.
    sleep
        Waits for some seconds.
    """

    def __init__(self, address: str, *, is_reading: bool = False, sleep: Callable[[float], None] = time.sleep) -> None:
        self._address, self._is_reading, self._access, self._sleep = address, is_reading, threading.Lock(), sleep
        self._connection: Any = None

    def rows(self, query: str, values: Sequence[object] = (), *, patience_s: float = 0.0) -> list[tuple[Any, ...]]:
        """The answer; asked once more if the connection has ended meanwhile, so a query must bear being done twice.

        Parameters
        ----------
        query, values
            The question.
        patience_s
            How long a server that is restarted is waited for.

        Raises
        ------
        InputError
            The extra `postgres` is not installed.
        StorageError
            The server cannot be reached, refuses, or fails.
        """
        give_up = time.monotonic() + patience_s
        while True:
            try:
                return self._rows(query, values)
            except StorageError as error:
                if time.monotonic() >= give_up or not is_away(error.__cause__):
                    raise
            self._sleep(_PAUSE_S)

    def _rows(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        psycopg2 = driver()
        with self._access:
            is_new = self._connection is None
            try:
                return self._answer(query, values)
            except psycopg2.Error as error:
                is_ended = self._connection is None or self._connection.closed
                self._close()
                if is_new or not is_ended:
                    raise postgres_error(error, self._address) from error
            try:
                return self._answer(query, values)
            except psycopg2.Error as error:
                self._close()
                raise postgres_error(error, self._address) from error

    def close(self) -> None:
        """End the connection; the next question opens another."""
        with self._access:
            self._close()

    def _answer(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        if self._connection is None:
            self._connection = connect(self._address)
            self._connection.set_session(readonly=self._is_reading, autocommit=True)
        with self._connection.cursor() as cursor:
            cursor.execute(query, values)
            return list(cursor.fetchall()) if cursor.description is not None else []

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()
