"""Open the conversations of a home: in its folder, or where its tables are in an object store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helio_dagster.storage.sessions import SessionFiles

if TYPE_CHECKING:
    from helio_dagster.storage.settings import Settings


def open_sessions(settings: Settings) -> SessionFiles:
    """The conversations of a home; nothing is asked of the store before one of them is looked for."""
    if settings.tables is None:
        return SessionFiles(settings.sessions)
    from helio_dagster.resources.shared_tables import share_tables
    from helio_dagster.storage.session_objects import SessionObjects
    from helio_dagster.storage.table_stores import open_address

    bucket, owner = open_address(settings, settings.tables)

    def join() -> None:
        if owner.is_among():
            return
        if settings.postgres is not None:
            share_tables(settings)
        else:
            owner.require()

    return SessionFiles(settings.sessions, SessionObjects(bucket, settings.home, join))
