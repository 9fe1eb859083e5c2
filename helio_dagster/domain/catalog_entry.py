"""What the catalog says of a dataset and of a parameter. The entries are in `catalog_data`, finding one in `catalog`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import Kind, Scale

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
