"""The catalog that ships with the package, open once in each process of tests: it keeps what it has derived of parameters."""

from __future__ import annotations

from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.opening import shipped_catalog


def shipped_database() -> CatalogDatabase:
    """The packaged file as homes use it; a test that closes or replaces it opens its own."""
    return shipped_catalog()
