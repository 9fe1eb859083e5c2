"""What all pages share: the home, its environment, the clock, and the catalog that stays open between requests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from helio_dagster.catalog.choice.finding import DatasetFinder
from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.opening import open_catalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.launch.home import Home
from helio_dagster.resources.workbench import Workbench, utc_now
from helio_dagster.storage.settings import Settings


@dataclass
class PageDesk:
    """The home whose pages are served.

    Parameters
    ----------
    settings
        The home's settings.
    environment
        Tells which language model is used, and whether it has a key; keys are never shown.
    archive
        The archive of a new conversation that names none.
    clock
        Gives the current time.
    """

    settings: Settings
    environment: Mapping[str, str]
    archive: str = "cdaweb"
    clock: Callable[[], datetime] = utc_now
    catalog_lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    """Held by the one request that reads the catalog: its SQLite connection is shared."""

    @cached_property
    def catalog(self) -> CatalogDatabase:
        """What is known of datasets."""
        return open_catalog(self.settings)

    @cached_property
    def finder(self) -> DatasetFinder:
        """Search over the catalog."""
        return DatasetFinder(KnownCatalog(lambda: self.catalog), CatalogSearch(self.catalog))

    @property
    def home(self) -> Home:
        """The pipelines as they are now: another process may have changed them."""
        return Home(self.settings)

    @contextmanager
    def bench(self) -> Iterator[Workbench]:
        """The home's parts for one request."""
        bench = Workbench(self.settings, clock=self.clock)
        try:
            yield bench
        finally:
            bench.close()
