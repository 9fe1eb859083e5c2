"""What the catalog says of a dataset and of a parameter, and how it agrees with a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import ColumnMeta, Kind, Scale, TableMeta
from helio_dagster.domain.units import is_same_unit

Quantity = Literal[
    "magnetic_field",
    "fluctuation",
    "velocity",
    "speed",
    "density",
    "temperature",
    "pressure",
    "electric_field",
    "dst",
    "kp",
    "ae",
    "al",
    "au",
    "sym_h",
    "asy_h",
    "pc",
    "f107",
    "ap",
    "sunspots",
    "alpha_ratio",
    "parallel_temperature",
    "perpendicular_temperature",
    "ion_flux",
    "electron_flux",
    "energetic_protons",
    "position",
    "solar_distance",
    "heliographic_latitude",
    "heliographic_longitude",
    "carrington_longitude",
    "altitude",
    "thermal_speed",
    "electric_spectrum",
    "magnetic_spectrum",
    "local_time",
    "l_shell",
    "alfven_mach",
    "magnetosonic_mach",
    "plasma_beta",
    "spacecraft_potential",
    "pressure_tensor",
    "other",
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


@dataclass(frozen=True)
class FetchDescription:
    """What the catalog says of a fetched parameter: in words, and what its tables are like.

    `meta` is None where that is not known; its columns may be unnamed. The files decide in the end.
    """

    parameter: str
    dataset: str
    meta: TableMeta | None


@dataclass(frozen=True)
class Form:
    """What a table is like, as far as a catalog can know it beforehand."""

    kind: Kind
    columns: int
    unit: str
    frame: str | None


_UNNAMED = "?"


def unnamed_columns(count: int, unit: str) -> tuple[ColumnMeta, ...]:
    """Columns whose number and unit are known, and whose names are not before a file is read."""
    return tuple(ColumnMeta(name=f"{_UNNAMED}{place}", unit=unit) for place in range(1, count + 1))


def has_names(meta: TableMeta) -> bool:
    """Whether the names of all columns are known."""
    return not any(column.name.startswith(_UNNAMED) for column in meta.columns)


def form_of(meta: TableMeta) -> Form:
    """The form of tables with this metadata."""
    return Form(meta.kind, len(meta.data_names), meta.unit, meta.frame)


def disagreement(expected: Form, found: Form) -> str:
    """How a file differs from what the catalog says, in words; empty if it does not. What is not stated is not a difference."""
    differences = []
    if found.kind != expected.kind or found.columns != expected.columns:
        differences.append(f"{_shape(found)}, not {_shape(expected)}")
    if found.unit and expected.unit and not is_same_unit(found.unit, expected.unit):
        differences.append(f"in {found.unit}, not {expected.unit}")
    if found.frame and expected.frame and found.frame != expected.frame:
        differences.append(f"in the frame {found.frame}, not {expected.frame}")
    return "; ".join(differences)


def _shape(form: Form) -> str:
    return f"a {form.kind} of {form.columns} column{'s' if form.columns > 1 else ''}"
