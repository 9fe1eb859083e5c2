"""Open what the planners of a home look things up in."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from helio_dagster.agent.planner import Knowledge
from helio_dagster.catalog.hapi.snapshots import HapiSnapshots
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.opening import open_catalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.storage.settings import Settings

if TYPE_CHECKING:
    from helio_dagster.compute.operations.contract import Operation
    from helio_dagster.resources.operation_library import OperationLibrary


def open_knowledge(settings: Settings) -> Knowledge:
    """The catalog of a home, its search, and its operations."""
    database = open_catalog(settings)
    return Knowledge(
        KnownCatalog(lambda: database, lambda: HapiSnapshots(settings.catalog / "hapi").databases),
        CatalogSearch(database),
        _OperationsOnDemand(settings),
    )


class _OperationsOnDemand:
    """The operations of a home, imported on first use: most plans do not need their texts, and they import pandas."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def get(self, reference: str) -> Operation[Any]:
        """See `OperationLibrary.get`."""
        return self._library.get(reference)

    def all(self) -> Iterator[Operation[Any]]:
        """See `OperationLibrary.all`."""
        return self._library.all()

    @cached_property
    def _library(self) -> OperationLibrary:
        from helio_dagster.resources.operation_library import OperationLibrary

        return OperationLibrary(self._settings.operations)
