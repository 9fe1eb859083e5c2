"""What checks and graphs ask of the catalog: which datasets and parameters exist, since when, in which units."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property, lru_cache

from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.facts import DatasetFacts
from helio_dagster.catalog.handmade import catalogued_datasets
from helio_dagster.catalog.missions import find_mission
from helio_dagster.catalog.server_owners import owner_on_server
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.catalog_entry import FetchDescription, unnamed_columns
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, split_qualified
from helio_dagster.domain.planetary import PDS_ARCHIVE, without_kind
from helio_dagster.domain.table import ColumnMeta, TableMeta
from helio_dagster.domain.time_range import EARLIEST


class KnownCatalog(Catalog):
    """The hand-made entries, and behind them everything that the snapshot holds.

    Parameters
    ----------
    open_database
        Opens the snapshot; called when it is first needed.
    open_servers
        Opens the snapshots of HAPI servers, by archive; called when one of these is first asked about. By default none.
    """

    def __init__(
        self,
        open_database: Callable[[], CatalogDatabase],
        open_servers: Callable[[], Mapping[str, CatalogDatabase]] = dict,
    ) -> None:
        super().__init__(catalogued_datasets())
        self._open, self._open_servers = open_database, open_servers
        self.facts = lru_cache(maxsize=512)(self._facts)

    @cached_property
    def _database(self) -> CatalogDatabase:
        return self._open()

    @cached_property
    def servers(self) -> Mapping[str, CatalogDatabase]:
        """Archive, such as `hapi:vires`, to the snapshot of that server."""
        return self._open_servers()

    @cached_property
    def servers_of_missions(self) -> Mapping[str, tuple[str, ...]]:
        """Mission to the archives of the servers that have data of it."""
        found: dict[str, tuple[str, ...]] = {}
        for archive, database in self.servers.items():
            for mission in database.mission_counts():
                found[mission] = (*found.get(mission, ()), archive)
        return found

    def _server(self, archive: str) -> CatalogDatabase | None:
        return self.servers.get(archive) if archive.startswith(HAPI_PREFIX) else None

    def _facts(self, archive: str, name: str) -> DatasetFacts | None:
        """What the snapshot says of a dataset of an archive; None where it says nothing.

        A name such as `hapi:vires/GRACE_A_MAG` is of that server whatever the archive; its facts keep the name.
        """
        where, own = split_qualified(name)
        if where:
            there = self._facts(where, own)
            return replace(there, dataset=name) if there is not None else None
        if (server := self._server(archive)) is not None:
            of_server = server.dataset(name)
            return of_server if of_server is not None and of_server.dataset == name else None
        bare = without_kind(name)
        found = self._database.dataset(bare) if archive in ("cdaweb", PDS_ARCHIVE) else None
        if found is None or (found.dataset, found.archive) != (bare, archive):
            return None
        return found if bare == name else replace(found, dataset=name)

    def describes(self, word: str, *, with_datasets: bool = False) -> bool:
        """Whether the snapshot names or describes a parameter, or also a dataset, with a word."""
        return self._database.describes(word, with_datasets=with_datasets)

    def has(self, archive: str, dataset: str) -> bool:
        """Whether the dataset is known; see `Catalog.has`."""
        return super().has(archive, dataset) or self.facts(archive, dataset) is not None

    def names(self, archive: str) -> list[str]:
        """The ids of the known datasets; see `Catalog.names`."""
        database = self._database if archive in ("cdaweb", PDS_ARCHIVE) else self._server(archive)
        more = database.names() if database is not None else []
        return list(dict.fromkeys([*super().names(archive), *more]))

    def parameter_names(self, archive: str, dataset: str) -> list[str]:
        """The names of a dataset's known parameters; see `Catalog.parameter_names`."""
        facts = self.facts(archive, dataset)
        more = [parameter.name for parameter in facts.parameters] if facts else []
        return list(dict.fromkeys([*super().parameter_names(archive, dataset), *more]))

    def knows_all_parameters(self, archive: str, dataset: str) -> bool:
        """Whether every parameter of the dataset was known when the snapshot was taken."""
        facts = self.facts(archive, dataset) if archive != PDS_ARCHIVE else None  # of which one label was read
        return bool(facts and facts.parameters) or super().knows_all_parameters(archive, dataset)

    def extent(self, archive: str, dataset: str) -> tuple[datetime | None, datetime | None]:
        """When the data begin and when they are over; see `Catalog.extent`."""
        facts = self.facts(archive, dataset)
        if facts is None:
            return super().extent(archive, dataset)
        start = max(facts.start, EARLIEST) if facts.start is not None else None  # irradiances are listed since 1610
        return start, None if facts.is_current else facts.stop

    def label(self, archive: str, dataset: str) -> str:
        """What the dataset is called; see `Catalog.label`."""
        facts = self.facts(archive, dataset)
        return facts.label if facts else super().label(archive, dataset)

    def cadence(self, archive: str, dataset: str, parameter: str) -> timedelta | None:
        """How far apart samples are, where the dataset holds several cadences that of the parameter; see `Catalog.cadence`."""
        facts = self.facts(archive, dataset)
        found = facts.parameter(parameter) if facts else None
        known = (found.cadence if found else None) or (facts.cadence if facts else None)
        return known or super().cadence(archive, dataset, parameter)

    def mission(self, archive: str, dataset: str) -> str:
        """The mission that the dataset is of; see `Catalog.mission`."""
        facts = self.facts(archive, dataset)
        return facts.mission if facts else super().mission(archive, dataset) or owner_on_server(archive, dataset)

    def mission_called(self, name: str) -> str:
        """The mission of a name; see `Catalog.mission_called`."""
        with suppress(InputError):
            return find_mission(" ".join(re.sub("[-_]", " ", name).split())).name
        with suppress(InputError):
            return find_mission(name).name
        return name

    def meta(self, archive: str, dataset: str, parameter: str) -> TableMeta | None:
        """What a fetch of the parameter yields; see `Catalog.meta`.

        Three numbers in a frame are a vector, and what has an energy or frequency axis in its master is a spectrogram. Of
        other arrays nothing is said.
        """
        if super().is_sure(archive, dataset, parameter):
            return super().meta(archive, dataset, parameter)
        facts = self.facts(archive, dataset)
        found = facts.parameter(parameter) if facts else None
        if found is None:
            return None
        if not found.size:
            columns: tuple[ColumnMeta, ...] = (ColumnMeta(name=found.name, label=found.name, unit=found.unit),)
            return TableMeta(kind="series", columns=columns, label=found.name, unit=found.unit)
        columns, frame = unnamed_columns(found.size[0], found.unit), found.frame.value if found.frame else None
        if found.size == (3,) and frame is not None and found.display.value == "time_series":
            return TableMeta(kind="vector", columns=columns, label=found.name, unit=found.unit, frame=frame)
        if len(found.size) == 1 and found.depend_1 is not None and found.display.value == "spectrogram":
            return TableMeta(kind="spectrogram", columns=columns, label=found.name, unit=found.unit)
        return None

    def describe(self, archive: str, dataset: str, parameter: str) -> FetchDescription | None:
        """What is known of a parameter before it is fetched; see `Catalog.describe`."""
        facts = self.facts(archive, dataset)
        if facts is None:
            return super().describe(archive, dataset, parameter)
        found = facts.parameter(parameter)
        return FetchDescription(found.description if found else "", facts.label, self.meta(archive, dataset, parameter))
