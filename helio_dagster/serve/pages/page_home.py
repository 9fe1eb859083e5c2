"""What all pages share: the home, its environment, the clock, and the catalog that stays open between requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from helio_dagster.catalog.choice.finding import DatasetFinder
from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.opening import open_catalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.home import Home
from helio_dagster.resources.workbench import Workbench
from helio_dagster.serve.pages.kept_summaries import KeptSummaries
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.settings_files import Configuration


@dataclass
class PageHome:
    """The home whose pages are served.

    Parameters
    ----------
    site
        The home.
    has_dagster
        Whether Dagster's own UI is served beside the page.
    """

    site: ServedHome
    has_dagster: bool = False
    catalog_lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    """Held by the one request that reads the catalog: its SQLite connection is shared."""
    summaries: KeptSummaries = field(default_factory=KeptSummaries, repr=False)
    """What the list of pipelines says of each, between requests."""

    @property
    def settings(self) -> Settings:
        """The home's settings."""
        return self.site.settings

    @property
    def archive(self) -> str:
        """The archive of a new conversation that names none."""
        return self.site.archive

    @property
    def configuration(self) -> Configuration:
        """What is set in the environment and in files, as it is now."""
        return self.site.configuration

    def clock(self) -> datetime:
        """The current time."""
        return self.site.clock()

    @cached_property
    def catalog(self) -> CatalogDatabase:
        """What is known of datasets."""
        return open_catalog(self.settings)

    @cached_property
    def datasets_of_missions(self) -> dict[str, int]:
        """Mission to its number of datasets."""
        return {name: sum(archives.values()) for name, archives in self.catalog.mission_counts().items()}

    @cached_property
    def finder(self) -> DatasetFinder:
        """Search over the catalog."""
        return DatasetFinder(KnownCatalog(lambda: self.catalog), CatalogSearch(self.catalog))

    @property
    def home(self) -> Home:
        """The pipelines as they are now: another process may have changed them."""
        return self.site.home

    @contextmanager
    def bench(self) -> Iterator[Workbench]:
        """The home's parts for one request."""
        with self.site.bench() as bench:
            yield bench
