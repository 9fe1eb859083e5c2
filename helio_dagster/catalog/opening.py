"""Which catalog is used: the home's refreshed one where it can be read, else the one that ships with the package."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from helio_dagster.catalog.database import CatalogDatabase, packaged_path
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.rederiving import derive_anew, is_derived_now
from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.home_lock import occupied
from helio_dagster.storage.settings import Settings

_log = logging.getLogger(__name__)

CATALOG_NAME = "catalog.sqlite"


def refreshed_path(settings: Settings) -> Path:
    """Where a home's refreshed catalog is, or would be."""
    return settings.catalog / CATALOG_NAME


def open_catalog(settings: Settings, packaged: Path | None = None) -> CatalogDatabase:
    """The catalog of a home.

    A refreshed one that is damaged or of another version is passed over with a warning; one that was derived with older rules
    is derived again.

    Parameters
    ----------
    settings
        Tells the home.
    packaged
        The catalog to fall back on; the one that ships with the package where not given.

    Raises
    ------
    StorageError
        The packaged catalog cannot be read.
    """
    refreshed = refreshed_path(settings)
    if refreshed.is_file():
        try:
            return _derived_now(_checked(refreshed))
        except StorageError as error:
            _log.warning(
                "%s; the catalog that ships with the package is used. Delete the file, or run `helio catalog refresh` again.",
                error.problem,
            )
    return CatalogDatabase(packaged) if packaged else shipped_catalog()


@cache
def shipped_catalog() -> CatalogDatabase:
    """The catalog that ships with the package, open once in a process: it keeps what it has derived of parameters."""
    return CatalogDatabase(packaged_path())


def _checked(path: Path) -> CatalogDatabase:
    """The catalog at a path, once all its pages have proved sound; StorageError where they are not."""
    database = CatalogDatabase(path)
    try:
        (found,) = database.connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise sqlite3.DatabaseError(f"the file is damaged: {str(found)[:120]}")
    except sqlite3.DatabaseError as error:
        database.close()
        raise StorageError(f"the catalog {path} cannot be read: {error}", hint="Run `helio catalog refresh`.") from error
    return database


def _derived_now(database: CatalogDatabase) -> CatalogDatabase:
    """The catalog, derived again where that is needed and can be: where it cannot be written, it is used as it is."""
    if is_derived_now(database):
        return database
    try:
        with occupied(database.path.parent, alone=True):
            derive_anew(database, database.path)
    except StorageError as error:
        _log.warning("%s; searches use older rules until it can be written.", error.problem)
        return database
    database.close()
    return CatalogDatabase(database.path)


def known_catalog(settings: Settings) -> KnownCatalog:
    """What a home's checks and graphs ask of its catalog; opened when first asked."""

    def open_servers() -> Mapping[str, CatalogDatabase]:
        from helio_dagster.catalog.hapi.snapshots import HapiSnapshots  # what searches is not needed to start

        return HapiSnapshots(settings.catalog / "hapi").databases

    return KnownCatalog(lambda: open_catalog(settings), open_servers)
