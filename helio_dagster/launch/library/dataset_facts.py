"""What a fetch measures according to the catalog, as the same few facts for every archive."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.missions import mission_of
from helio_dagster.domain.catalog_entry import CatalogDataset, CatalogParameter
from helio_dagster.domain.hapi_servers import HAPI_PREFIX
from helio_dagster.domain.pipeline import Fetch

_SPECIES = {
    "electrons": re.compile(r"electron|(?<![a-z])(elec|ne|te)(?![a-z])", re.IGNORECASE),
    "heavy ions": re.compile(r"alpha|helium|heplus|oxygen|carbon|iron|heavy|(?<![a-z])(he|o|c|fe)[0-9]?\+", re.IGNORECASE),
}
"""Particle species that are distinguished; protons and all ions are not, because archives use the terms interchangeably."""


@dataclass(frozen=True)
class Measured:
    """A parameter of a dataset; facts missing from the catalog are empty or None.

    `species` is electrons or heavy ions if its name or description mentions them. `size` is the number of values along each
    axis of a record, empty for a scalar; `is_known` says whether the catalog has the parameter.
    """

    fetch: Fetch
    mission: str
    instrument: str = ""
    quantity: str = ""
    species: str = ""
    size: tuple[int, ...] | None = None
    unit: str = ""
    frame: str = ""
    cadence: timedelta | None = None
    start: datetime | None = None
    stop: datetime | None = None
    is_known: bool = False


def find_measured(fetch: Fetch, catalog: KnownCatalog) -> Measured:
    """The catalog's facts about a fetch."""
    facts = catalog.facts(fetch.archive, fetch.dataset)
    if facts is not None:
        parameter = facts.parameter(fetch.parameter)
        return measured_by_facts(fetch, facts, parameter)
    entry = catalog.dataset(fetch.archive, fetch.dataset)
    if entry is not None:
        return measured_by_entry(fetch, entry, entry.parameter(fetch.parameter))
    mission = None if fetch.archive.startswith(HAPI_PREFIX) else mission_of(fetch.dataset)
    return Measured(fetch, mission.name if mission else "")


def measured_by_facts(fetch: Fetch, facts: DatasetFacts, parameter: ParameterFacts | None) -> Measured:
    """The facts from the snapshot of an archive."""
    return Measured(
        fetch,
        facts.mission,
        facts.instrument,
        quantity=str(parameter.quantity or "") if parameter else "",
        species=_species(f"{parameter.name.replace('_', ' ')} {parameter.description}") if parameter else "",
        size=parameter.size if parameter else None,
        unit=parameter.unit if parameter else "",
        frame=str(parameter.frame or "") if parameter and str(parameter.quantity) != "speed" else "",
        cadence=facts.cadence,
        start=facts.start,
        stop=None if facts.is_current else facts.stop,
        is_known=parameter is not None,
    )


def measured_by_entry(fetch: Fetch, entry: CatalogDataset, parameter: CatalogParameter | None) -> Measured:
    """The facts from hand-made entries; the shape of a spectrogram is unknown until it is read."""
    sizes: dict[str, tuple[int, ...]] = {"vector": (3,), "series": ()}
    return Measured(
        fetch,
        entry.mission,
        entry.instrument,
        quantity=parameter.quantity.replace("_", " ") if parameter else "",
        size=sizes.get(parameter.kind) if parameter else None,
        unit=parameter.unit if parameter else "",
        frame=(parameter.frame or "") if parameter else "",
        cadence=entry.cadence,
        start=entry.starts(fetch.archive),
        stop=entry.stops(fetch.archive),
        is_known=parameter is not None,
    )


def _species(text: str) -> str:
    """The particle species that a text mentions; empty if none, or if it is protons or all ions."""
    return next((name for name, pattern in _SPECIES.items() if pattern.search(text)), "")
