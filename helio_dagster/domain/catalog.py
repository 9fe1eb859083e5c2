"""Datasets known without asking an archive: finding one, and what its parameters yield."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE, CatalogDataset, CatalogParameter, FetchDescription, Quantity
from helio_dagster.domain.ephemeris import SPICE_ARCHIVE, ephemeris_of_names, is_ephemeris, start_of_dataset
from helio_dagster.domain.errors import UnknownDataset
from helio_dagster.domain.hapi_servers import HAPI_PREFIX
from helio_dagster.domain.planetary import PDS_ARCHIVE
from helio_dagster.domain.real_time import SWPC_ARCHIVE, SWPC_DATASETS
from helio_dagster.domain.table import ColumnMeta, TableMeta


class Catalog:
    """Datasets that are known without asking an archive; earlier ones are preferred.

    The demo archive is known whole; of other archives this is a small part, so that an unknown name is not an error.
    """

    def __init__(self, datasets: Sequence[CatalogDataset]) -> None:
        self._datasets = {dataset.dataset: dataset for dataset in datasets}

    def datasets(self, archive: str) -> list[CatalogDataset]:
        """The datasets known in an archive, preferred ones first; none of a HAPI server, whose columns are its own."""
        if archive == SWPC_ARCHIVE:
            return list(SWPC_DATASETS)
        if archive.startswith(HAPI_PREFIX) or archive in (SPICE_ARCHIVE, PDS_ARCHIVE):
            return []
        return [dataset for dataset in self._datasets.values() if dataset.is_demo or archive != DEMO_ARCHIVE]

    def dataset(self, archive: str, name: str) -> CatalogDataset | None:
        """The dataset of this name, if it is known in the archive."""
        if archive == SWPC_ARCHIVE:
            return next((dataset for dataset in SWPC_DATASETS if dataset.dataset == name), None)
        found = self._datasets.get(name)
        return found if found is not None and found in self.datasets(archive) else None

    def has(self, archive: str, dataset: str) -> bool:
        """Whether the dataset is known in the archive."""
        return is_ephemeris(archive, dataset) or self.dataset(archive, dataset) is not None

    def names(self, archive: str) -> list[str]:
        """The ids of the datasets known in an archive, preferred ones first."""
        return [dataset.dataset for dataset in self.datasets(archive)]

    def parameter_names(self, archive: str, dataset: str) -> list[str]:
        """The names of the known parameters of a dataset."""
        entry = self.dataset(archive, dataset)
        return [parameter.name for parameter in entry.parameters] if entry else []

    def is_sure(self, archive: str, dataset: str, parameter: str) -> bool:
        """Whether what `meta` says was entered by hand from real files: then a clash is an error, else a note."""
        entry = self.dataset(archive, dataset)
        found = entry.parameter(parameter) if entry else None
        return is_ephemeris(archive, dataset) or (found is not None and bool(found.columns))

    def knows_all_parameters(self, archive: str, dataset: str) -> bool:
        """Whether a parameter of the dataset that is not known here does not exist, as far as is known."""
        return self.is_whole(archive) and self.has(archive, dataset)

    def extent(self, archive: str, dataset: str) -> tuple[datetime | None, datetime | None]:
        """When the data of a dataset begin and when they are over: None where that is unknown, or they still arrive."""
        if is_ephemeris(archive, dataset):
            return start_of_dataset(archive, dataset), None
        entry = self.dataset(archive, dataset)
        return (entry.starts(archive), entry.stops(archive)) if entry else (None, None)

    def label(self, archive: str, dataset: str) -> str:
        """What a dataset is called; empty where it is not known."""
        entry = self.dataset(archive, dataset)
        return entry.label if entry else ""

    def cadence(self, archive: str, dataset: str, parameter: str) -> timedelta | None:
        """How far apart the samples of a parameter usually are; None where that is not known."""
        del parameter
        entry = self.dataset(archive, dataset)
        return entry.cadence if entry else None

    def mission(self, archive: str, dataset: str) -> str:
        """The mission that a dataset is of; empty where it is not known."""
        entry = self.dataset(archive, dataset)
        return entry.mission if entry else ""

    def mission_called(self, name: str) -> str:
        """The mission that people call so; the name itself where none is."""
        return name

    def start(self, archive: str, dataset: str) -> datetime | None:
        """Where a dataset's data begin in an archive; None where that is not known."""
        return self.extent(archive, dataset)[0]

    def is_whole(self, archive: str) -> bool:
        """Whether a dataset that is not known here does not exist there."""
        return archive in (DEMO_ARCHIVE, SWPC_ARCHIVE)

    def missions(self, archive: str) -> list[str]:
        """The missions of the known datasets, in order."""
        return list(dict.fromkeys(dataset.mission for dataset in self.datasets(archive)))

    def find(self, archive: str, *, mission: str, quantity: Quantity) -> list[tuple[CatalogDataset, CatalogParameter]]:
        """Every known parameter of a mission that measures a quantity, preferred ones first."""
        return [
            (dataset, parameter)
            for dataset in self.datasets(archive)
            if dataset.mission == mission
            for parameter in dataset.parameters
            if parameter.quantity == quantity
        ]

    def describe(self, archive: str, dataset: str, parameter: str) -> FetchDescription | None:
        """What is known of a parameter before it is fetched, for people and for the check of what was fetched."""
        entry = self.dataset(archive, dataset)
        meta = self.meta(archive, dataset, parameter)
        if is_ephemeris(archive, dataset) and meta is not None:
            return FetchDescription(meta.label, "", meta)
        return FetchDescription("", entry.label, meta) if entry is not None else None

    def meta(self, archive: str, dataset: str, parameter: str) -> TableMeta | None:
        """What a fetch of the parameter yields; None where that is not known."""
        if is_ephemeris(archive, dataset):
            return _ephemeris_meta(archive, dataset, parameter)
        entry = self.dataset(archive, dataset)
        found = entry.parameter(parameter) if entry else None
        if found is None or not found.columns:
            return None
        columns = tuple(ColumnMeta(name=name, label=name, unit=found.unit) for name in found.columns)
        return TableMeta(
            kind=found.kind,
            columns=columns,
            label=found.name,
            unit=found.unit,
            frame=found.frame,
            scale=found.scale,
            synthetic=archive == DEMO_ARCHIVE,
        )


def _ephemeris_meta(archive: str, dataset: str, parameter: str) -> TableMeta | None:
    try:
        return ephemeris_of_names(archive, dataset, parameter).meta
    except UnknownDataset:
        return None
