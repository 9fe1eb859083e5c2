"""Databases of PostgreSQL for tests: each has its own, which is dropped afterwards; none where no server answers."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

SERVER = os.environ.get("HELIO_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
"""A database of a user who may create others."""


def require_server() -> None:
    """Skip the test where no server answers."""
    import psycopg2

    try:
        psycopg2.connect(SERVER, connect_timeout=5).close()
    except psycopg2.OperationalError as error:
        reason = str(error).splitlines()[0]
        pytest.skip(f"left out without PostgreSQL; start it, or name a database in HELIO_TEST_POSTGRES: {reason}")


@contextmanager
def new_database(template: str = "template1") -> Iterator[str]:
    """The address of a new database, a copy of another one; dropped at the end whoever still uses it."""
    name = f"helio_test_{secrets.token_hex(6)}"
    ask(SERVER, f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield urlsplit(SERVER)._replace(path=f"/{name}").geturl()
    finally:
        ask(SERVER, f"DROP DATABASE {name} WITH (FORCE)")


def ask(address: str, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
    """The answer of a database, by a connection of its own."""
    import psycopg2

    with closing(psycopg2.connect(address)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(query, values)
            return cursor.fetchall() if cursor.description else []
