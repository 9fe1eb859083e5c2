"""Datasets and parameters a person asks for first: what they hold and where they begin. The entries are in `catalog_data`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from helio_dagster.domain.did_you_mean import near_names
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import ColumnMeta, Kind, Scale, TableMeta

Quantity = Literal[
    "magnetic_field",
    "fluctuation",
    "velocity",
    "speed",
    "density",
    "temperature",
    "dst",
    "ion_flux",
    "electron_flux",
    "position",
]

DEMO_ARCHIVE = "demo"
DEMO_START = datetime(1990, 1, 1, tzinfo=UTC)
"""Where every dataset of the synthetic archive begins."""


@dataclass(frozen=True)
class CatalogParameter:
    """A catalogued quantity of a dataset.

    Parameters
    ----------
    name
        The archive's name of the variable.
    quantity
        What it measures.
    kind
        Shape of its records.
    unit
        Normalized unit; empty where there is none or it is not known.
    frame
        Coordinate frame of a vector.
    columns
        Names of its columns; empty where they are not known before the first file is read.
    scale
        How it is drawn by itself.
    """

    name: str
    quantity: Quantity
    kind: Kind
    unit: str
    frame: str | None = None
    columns: tuple[str, ...] = ()
    scale: Scale = "linear"


@dataclass(frozen=True)
class CatalogDataset:
    """A dataset: whose it is, when it begins, how dense it is, what it holds.

    `stop` is None where data still arrive; `is_demo` says whether the synthetic archive has a dataset of this name.
    """

    dataset: str
    mission: str
    instrument: str
    label: str
    start: datetime
    cadence: timedelta
    parameters: tuple[CatalogParameter, ...]
    stop: datetime | None = None
    grain: Grain = Grain.DAILY
    is_demo: bool = False

    def parameter(self, name: str) -> CatalogParameter | None:
        """The parameter of this name, if it is catalogued."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def starts(self, archive: str) -> datetime:
        """Where the dataset's data begin in an archive."""
        return DEMO_START if archive == DEMO_ARCHIVE else self.start

    def stops(self, archive: str) -> datetime | None:
        """Where the dataset's data are over in an archive; None where they still arrive."""
        return None if archive == DEMO_ARCHIVE else self.stop


class Catalog:
    """Datasets that are known without asking an archive; earlier ones are preferred.

    The demo archive is known whole; of other archives this is a small part, so that an unknown name is no error.
    """

    def __init__(self, datasets: Sequence[CatalogDataset]) -> None:
        self._datasets = {dataset.dataset: dataset for dataset in datasets}

    def datasets(self, archive: str) -> list[CatalogDataset]:
        """The datasets known in an archive, preferred ones first."""
        return [dataset for dataset in self._datasets.values() if dataset.is_demo or archive != DEMO_ARCHIVE]

    def dataset(self, archive: str, name: str) -> CatalogDataset | None:
        """The dataset of this name, if it is known in the archive."""
        found = self._datasets.get(name)
        return found if found is not None and found in self.datasets(archive) else None

    def start(self, archive: str, dataset: str) -> datetime | None:
        """Where a dataset's data begin in an archive; None where that is not known."""
        entry = self.dataset(archive, dataset)
        return entry.starts(archive) if entry else None

    def is_whole(self, archive: str) -> bool:
        """Whether a dataset that is not known here does not exist there."""
        return archive == DEMO_ARCHIVE

    def near_datasets(self, archive: str, name: str) -> list[str]:
        """Names of known datasets most like this one."""
        return near_names(name, (dataset.dataset for dataset in self.datasets(archive)))

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

    def meta(self, archive: str, dataset: str, parameter: str) -> TableMeta | None:
        """What a fetch of the parameter yields; None where it or its columns are not known."""
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


def earliest_start(archive: str, datasets: Iterable[CatalogDataset]) -> datetime:
    """Where the first of some datasets begins, as a whole day."""
    return min(dataset.starts(archive) for dataset in datasets).replace(hour=0, minute=0, second=0, microsecond=0)
