"""Which homes work together: those with one record in PostgreSQL and one address of tables do each other's runs."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from helio_dagster.resources.postgres_connection import open_postgres
from helio_dagster.storage.home_identity import home_identity
from helio_dagster.storage.settings import Settings

_DATABASE = """
    SELECT system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database()) FROM pg_control_system()
"""
"""The same for all machines, whatever they call the server; it is another for a copy of the database."""


def work_group(settings: Settings) -> str:
    """The name of the homes that do each other's runs, in 32 letters and digits: a home's own where it shares no tables.

    Raises
    ------
    StorageError
        The home cannot be written, or its record cannot be reached.
    """
    if settings.tables is None or settings.postgres is None:
        return home_identity(settings.home)
    return _shared(settings.postgres, settings.tables)


@lru_cache(maxsize=16)
def _shared(record: str, tables: str) -> str:
    with open_postgres(record) as connection, connection.cursor() as cursor:
        cursor.execute(_DATABASE)
        ((server, database),) = cursor.fetchall()
    return hashlib.sha256(f"{server}\n{database}\n{tables}".encode()).hexdigest()[:32]
