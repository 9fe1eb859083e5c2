"""The databases that hold a record, as questions without Dagster: SQLite in the home, or PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

from helio_dagster.resources.postgres_connection import PATIENCE_S, patience_with
from helio_dagster.resources.postgres_questions import PostgresQuestions

_BUSY_TIMEOUT_S = 60.0


class RecordDatabase(Protocol):
    """A database that is only read."""

    def rows(self, query: str, values: Sequence[object] = ()) -> Iterable[tuple[Any, ...]]:
        """The answer to a question in SQL, whose `?` stand for the values in turn."""


class SqliteDatabase:
    """A database of SQLite."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, query: str, values: Sequence[object] = ()) -> Iterable[tuple[Any, ...]]:
        """The answer to a question in SQL, whose `?` stand for the values in turn."""
        return self._connection.execute(query, values)


class PostgresDatabase:
    """A database of PostgreSQL; a server that is restarted between two questions is waited for."""

    def __init__(self, questions: PostgresQuestions) -> None:
        self._questions = questions

    def rows(self, query: str, values: Sequence[object] = ()) -> Iterable[tuple[Any, ...]]:
        """The answer to a question in SQL, whose `?` stand for the values in turn."""
        return self._questions.rows(query.replace("?", "%s"), tuple(values), patience_s=PATIENCE_S)


@contextmanager
def sqlite_database(path: Path) -> Iterator[SqliteDatabase | None]:
    """A database in a file, read only; None if there is no such file.

    Raises
    ------
    sqlite3.DatabaseError
        The database is damaged.
    """
    if not path.is_file():
        yield None
        return
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_BUSY_TIMEOUT_S)) as connection:
        yield SqliteDatabase(connection)


@contextmanager
def postgres_database(address: str, table: str) -> Iterator[PostgresDatabase | None]:
    """A database on a server, read only; None if it does not have the table yet.

    Raises
    ------
    InputError
        The extra `postgres` is not installed.
    StorageError
        The server cannot be reached, refuses, or fails.
    """
    with closing(PostgresQuestions(address, is_reading=True)) as questions:
        ((found,),) = questions.rows("SELECT to_regclass(%s)", (table,), patience_s=patience_with(address))
        yield PostgresDatabase(questions) if found else None
