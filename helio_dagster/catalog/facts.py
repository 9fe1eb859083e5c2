"""What the catalog says of a dataset and of a parameter. What the archive states and what is inferred are kept apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from helio_dagster.domain.planetary import PDS_ARCHIVE

Category = Literal["science", "ephemeris", "housekeeping", "calibration", "links"]
"""What a dataset is for; all but `science` are found only when asked for. `links` lists files that are elsewhere."""
Nature = Literal["measured", "orbit", "predicted", "events"]
"""What a dataset's records are: measurements, where a spacecraft was, where it was thought it would be, or events alone."""
Certainty = Literal["stated", "likely", "guess"]


@dataclass(frozen=True)
class Derived:
    """A fact that the archive does not state by itself: where it was read from, and how sure that is."""

    value: str
    source: str
    certainty: Certainty

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class ParameterFacts:
    """A parameter of a dataset.

    `given_unit` is as the archive writes it, `unit` normalized; `size` counts a record's values along each axis, none for one
    number. `quantity` (`magnetic field`), `frame` and `display` (`time_series`, `spectrogram`) are derived; None is unknown.
    `depend_1` is known where the dataset's master was read; then frame and display are `stated` where that states them.
    `cadence` is known where the dataset holds several and this is one of them; else the dataset's counts.
    """

    name: str
    description: str
    given_unit: str
    unit: str
    size: tuple[int, ...]
    kind: str
    fill: str | None
    quantity: Derived | None
    frame: Derived | None
    display: Derived
    depend_1: str | None = None
    cadence: timedelta | None = None


@dataclass(frozen=True)
class DatasetFacts:
    """A dataset: whose it is, when it has data, what it holds.

    `stop` is the last data that the snapshot knows of; `is_current` says whether they reached into the snapshot's last months.
    `archive` is `cdaweb` or `pds`; only what `is_fetchable` is offered for a pipeline.
    """

    dataset: str
    archive: str
    label: str
    mission: str
    instrument: str
    instrument_type: str
    start: datetime | None
    stop: datetime | None
    cadence: timedelta | None
    cadence_from: Derived | None
    granularity: Derived
    grain: Derived
    category: Category
    pi: str
    doi: str
    acknowledgement: str = ""
    notes: str = ""
    parameters: tuple[ParameterFacts, ...] = field(default=(), repr=False)
    is_current: bool = False
    nature: Nature = "measured"

    @property
    def is_fetchable(self) -> bool:
        """Whether a pipeline can fetch it, by parameters that are known."""
        return not self.why_not

    @property
    def why_not(self) -> str:
        """Why a pipeline cannot fetch it; empty where it can."""
        if self.category == "links":
            return "it lists files that are elsewhere"
        if self.archive == PDS_ARCHIVE and not self.parameters:
            return "no label of its tables is in the catalog, so its parameters are not known"
        return ""

    def parameter(self, name: str) -> ParameterFacts | None:
        """The parameter of this name."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)
