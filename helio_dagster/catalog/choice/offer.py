"""A parameter of a dataset that answers a question, and the question."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from helio_dagster.catalog.choice.quantities import Species
from helio_dagster.catalog.choice.silences import Silence, heard_share
from helio_dagster.catalog.facts import Nature
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.planetary import archive_of, id_in_archive
from helio_dagster.domain.table import Kind, Scale
from helio_dagster.domain.time_range import TimeRange

Mode = Literal["burst", "survey", "fast", "slow", "spin", "high"]
"""How an instrument takes data, or how files give them; see `choice/modes.py`."""


@dataclass(frozen=True)
class Offer:
    """A parameter of a dataset, with what a target is held against; `axis` is that of a lone component of a vector.

    `parts` are the parameters of the three components, where a vector is to be composed of them; `parameter` is the first.
    `has_own_cadence` where the dataset holds several cadences and this parameter is known to have this one.
    `silences` are the times in which its instrument gave none while the dataset went on; those without an end have cut `stop`.
    `is_by_hand` tells the few entries that were chosen and checked by hand. What the catalog does not tell is None.
    """

    dataset: str
    mission: str
    instrument: str
    label: str
    start: datetime | None
    stop: datetime | None
    cadence: timedelta | None
    grain: Grain
    parameter: str
    quantity: Quantity
    kind: Kind
    unit: str
    frame: str | None
    axis: str | None = None
    scale: Scale = "linear"
    is_by_hand: bool = False
    parts: tuple[str, ...] = ()
    nature: Nature = "measured"
    has_own_cadence: bool = False
    silences: tuple[Silence, ...] = ()

    @property
    def is_silent(self) -> bool:
        """Whether its instrument never gave data."""
        return any(each.is_for_ever for each in self.silences)

    def fetch(self, archive: str) -> Fetch:
        """The fetch of it."""
        where, dataset = archive_of(self.dataset, archive), id_in_archive(self.dataset)
        return Fetch(archive=where, dataset=dataset, parameter=self.parameter)

    def share(self, span: TimeRange) -> float:
        """The share of a range in which the dataset has data, as far as the catalog says."""
        start = max(span.start, self.start) if self.start else span.start
        stop = min(span.stop, self.stop) if self.stop else span.stop
        if stop <= start:
            return 0.0
        return (stop - start) / span.duration * heard_share(TimeRange(start, stop), self.silences)


@dataclass(frozen=True)
class Asked:
    """What is looked for: a quantity of a mission, and what narrows it down, to one parameter of a dataset in the end."""

    mission: str
    quantity: Quantity
    species: Species = ""
    member: str = ""
    dataset: str | None = None
    instrument: str | None = None
    parameter: str | None = None
    cadence: timedelta | None = None
    mode: Mode | None = None
