"""What planners look things up in, for their tests: the catalog and the operations that ship with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from helio_dagster.agent.planner import Knowledge
from helio_dagster.catalog.hapi.snapshots import HapiSnapshots
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.resources.operation_library import OperationLibrary
from tests.shipped_catalog import shipped_database


@cache
def shipped_knowledge() -> Knowledge:
    """The packaged catalog with the snapshots of servers, and no saved operation."""
    database, none = shipped_database(), Path(__file__) / "none"
    catalog = KnownCatalog(lambda: database, lambda: HapiSnapshots(none).databases)
    return Knowledge(catalog, CatalogSearch(database), OperationLibrary(none))
