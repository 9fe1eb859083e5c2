"""Tables that several homes share: those at one address in an object store, of homes with one record in PostgreSQL."""

from __future__ import annotations

import uuid
from contextlib import closing, suppress

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.postgres_address import sqlalchemy_address
from helio_dagster.resources.postgres_questions import PostgresQuestions
from helio_dagster.storage.home_identity import home_identity
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_stores import open_address

_KEY = "helio/record"
_KEEP = "INSERT INTO kvs (key, value) VALUES (%s, %s) ON CONFLICT (key) DO NOTHING"
_IS_NEW = "SELECT to_regclass('kvs') IS NULL"
_KEPT = "SELECT value FROM kvs WHERE key = %s"


def share_tables(settings: Settings, *, patience_s: float = 0.0) -> str:
    """What tells the tables of a home from those of others with the same record, the same for all homes that share them.

    Where they are at an address, the home is noted there as one that shares it.

    Parameters
    ----------
    settings
        The home.
    patience_s
        How long a record whose server is restarted is waited for.

    Raises
    ------
    StorageError
        The address belongs to another home, or to homes with another record; or it, the home or the record cannot be used.
    """
    if settings.tables is None or settings.postgres is None:
        return home_identity(settings.home)
    _, owner = open_address(settings, settings.tables)
    owner.share(record_identity(settings.postgres, patience_s=patience_s))
    return settings.tables


def join(settings: Settings) -> bool:
    """Have the home noted as one that shares its tables; returns whether it was not before.

    Raises
    ------
    StorageError
        As `share_tables`.
    """
    if settings.tables is None or settings.postgres is None:
        return False
    was_among = open_address(settings, settings.tables)[1].is_among()
    share_tables(settings)
    return not was_among


def leave(settings: Settings) -> None:
    """Note no longer that the home shares its tables; others see when it was noted where that fails.

    So a worker whose home is made for it leaves nothing by which others would keep tables for ever.
    """
    if settings.tables is not None:
        with suppress(StorageError):
            open_address(settings, settings.tables)[1].leave()


def record_identity(address: str, *, patience_s: float = 0.0) -> str:
    """The name of a record in PostgreSQL; made by whoever asks first, and kept in Dagster's table of keys and values."""
    with closing(PostgresQuestions(address)) as questions:
        if questions.rows(_IS_NEW, patience_s=patience_s) == [(True,)]:
            _make_tables(address)
        questions.rows(_KEEP, (_KEY, uuid.uuid4().hex), patience_s=patience_s)
        ((name,),) = questions.rows(_KEPT, (_KEY,), patience_s=patience_s)
    return str(name)


def _make_tables(address: str) -> None:
    """Have Dagster make its tables of runs in a new database, to which the table of keys and values belongs."""
    from helio_dagster.resources.postgres_record import PooledPostgresRunStorage

    PooledPostgresRunStorage(sqlalchemy_address(address)).dispose()
