"""Opens what the planners of a home look things up in. What is in it belongs to `catalog` and `resources`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helio_dagster.agent.planner import Knowledge
from helio_dagster.catalog.opening import known_catalog, open_catalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.storage.home import Settings

if TYPE_CHECKING:
    from helio_dagster.resources.operation_library import OperationLibrary


def open_knowledge(settings: Settings) -> Knowledge:
    """The catalog of a home, its search, and its operations."""

    def operations() -> OperationLibrary:
        from helio_dagster.resources.operation_library import OperationLibrary

        return OperationLibrary(settings.operations)

    return Knowledge(known_catalog(settings), CatalogSearch(open_catalog(settings)), operations)
