"""Writes a catalog anew that was made with older rules: what archives said stays, what is derived follows the rules of now.

Facts are derived whenever they are read; what is kept of them in the file is what a search ranks by.
"""

from __future__ import annotations

from pathlib import Path

from helio_dagster.catalog.database import CatalogDatabase, write_database
from helio_dagster.catalog.deriving import DERIVATION


def is_derived_now(database: CatalogDatabase) -> bool:
    """Whether what a catalog's search ranks by was derived with the rules of now."""
    return database.meta.get("derivation") == str(DERIVATION)


def derive_anew(database: CatalogDatabase, into: Path) -> None:
    """Write what a catalog holds, derived with the rules of now; `into` may be its own path.

    Raises
    ------
    StorageError
        The file cannot be written.
    """
    datasets = [each for name in database.names() if (each := database.dataset(name)) is not None]
    write_database(into, datasets, database.meta)
