"""The catalog that ships with the package, open once in each process of tests: it keeps what it has derived of parameters."""

from __future__ import annotations

from functools import cache

from helio_dagster.catalog.database import CatalogDatabase, packaged_path


@cache
def shipped_database() -> CatalogDatabase:
    """The packaged file, open for reading; a test that closes or replaces it opens its own."""
    return CatalogDatabase(packaged_path())
