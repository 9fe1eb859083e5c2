"""Tables that several homes share: those at one address in an object store, of homes with one record in PostgreSQL."""

from __future__ import annotations

import uuid
from contextlib import closing

from helio_dagster.resources.postgres_connection import connect, postgres_error
from helio_dagster.storage.home_identity import home_identity
from helio_dagster.storage.settings import Settings

_KEY = "helio/record"
_KEEP = "INSERT INTO kvs (key, value) VALUES (%s, %s) ON CONFLICT (key) DO NOTHING"
_KEPT = "SELECT value FROM kvs WHERE key = %s"


def share_tables(settings: Settings) -> str:
    """What tells the tables of a home from those of others with the same record, the same for all homes that share them.

    Where they are at an address, the home is noted there as one that shares it.

    Raises
    ------
    StorageError
        The address belongs to another home, or to homes with another record; or it, the home or the record cannot be used.
    """
    if settings.tables is None or settings.postgres is None:
        return home_identity(settings.home)
    from helio_dagster.storage.bucket import Bucket
    from helio_dagster.storage.object_owner import ObjectOwner

    ObjectOwner(Bucket(settings.tables), settings.home).share(record_identity(settings.postgres))
    return settings.tables


def record_identity(address: str) -> str:
    """The name of a record in PostgreSQL; made by whoever asks first, and kept in Dagster's table of keys and values."""
    import psycopg2

    with closing(connect(address)) as connection:
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(_KEEP, (_KEY, uuid.uuid4().hex))
                cursor.execute(_KEPT, (_KEY,))
                ((name,),) = cursor.fetchall()
        except psycopg2.Error as error:
            raise postgres_error(error, address) from error
    return str(name)
