"""Which quantity of which mission a request asks for. Which dataset answers it is decided in `dataset_choice`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Compare, Dataset, Measured, Mission, ShapeName
from helio_dagster.agent.offline.request_reading import Reading, bound_quantities, names_only_shape
from helio_dagster.agent.offline.vocabulary import QUANTITY_WORDS
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.did_you_mean import suggestion

INDEX_MISSION = "OMNI"
"""Where geomagnetic indices come from, whatever the spacecraft."""


@dataclass(frozen=True)
class Wish:
    """A quantity of a mission; `axis` for one component, `shape` where the request says how a vector is shown."""

    mission: str
    quantity: Quantity
    shape: ShapeName | None = None
    axis: str | None = None
    dataset: str | None = None

    @property
    def words(self) -> str:
        """The quantity as people call it."""
        if self.axis:
            return f"B{self.axis}"
        shape = {"magnitude": " magnitude", "both": " vector and magnitude"}.get(self.shape or "", "")
        return f"{QUANTITY_WORDS[self.quantity]}{shape}"


def find_wishes(reading: Reading, catalog: Catalog, archive: str) -> list[Wish]:
    """Every quantity of every mission that the request asks for, in its order.

    Raises
    ------
    OpenQuestion
        It names no quantity, no mission, or leaves open which belongs to which.
    """
    missions = _missions(reading, catalog, archive)
    measured = [
        (position, replace(meaning, quantities=(quantity,)))
        for position, meaning in bound_quantities(reading)
        for quantity in meaning.quantities
    ]
    if not measured:
        measured = _measured_by_dataset(reading, missions, catalog, archive)
    if not measured:
        raise _what(reading, [mission for _, mission, _ in missions], catalog, archive)
    indices = [Wish(INDEX_MISSION, meaning.quantities[0]) for _, meaning in measured if meaning.quantities[0] == "dst"]
    measured = [(position, meaning) for position, meaning in measured if meaning.quantities[0] != "dst"]
    if indices and not measured:
        idle = [mission for _, mission, _ in missions if mission != INDEX_MISSION]
        if idle:
            time = f" {reading.time.words}" if reading.time else ""
            text = (
                f"Dst comes from {INDEX_MISSION}, not from {idle[0]}. Is it wanted alone, or with which quantity of {idle[0]}?"
            )
            raise OpenQuestion(text, [f"{INDEX_MISSION} Dst{time}", f"Dst and {idle[0]} magnetic field{time}"])
        return indices
    if indices and any(mission != INDEX_MISSION for _, mission, _ in missions):
        missions = [entry for entry in missions if entry[1] != INDEX_MISSION] or missions
    if not missions:
        raise _whose(reading, measured[0][1].quantities[0], catalog, archive)
    wishes = [
        Wish(mission, meaning.quantities[0], meaning.shape, meaning.axis, dataset)
        for mission, dataset, meaning in _pairs(reading, missions, measured)
    ]
    return list(dict.fromkeys([*wishes, *indices]))


def _missions(reading: Reading, catalog: Catalog, archive: str) -> list[tuple[int, str, str | None]]:
    """Position, name and dataset of every mission the request names; a dataset names its mission."""
    found: dict[str, tuple[int, str, str | None]] = {}
    for mention in reading.mentions:
        if isinstance(mention.meaning, Mission):
            found.setdefault(mention.meaning.name, (mention.first, mention.meaning.name, None))
        elif isinstance(mention.meaning, Dataset):
            entry = catalog.dataset(archive, mention.meaning.name)
            if entry is None:
                known = [dataset.dataset for dataset in catalog.datasets(archive)]
                near = suggestion(mention.meaning.name, known) or "Name the spacecraft and quantity instead."
                raise OpenQuestion(f"I do not know the dataset {mention.words!r} offline. {near}")
            before = found.get(entry.mission)
            if before is not None and before[2] not in (None, entry.dataset):
                raise OpenQuestion(f"Which dataset is wanted, {before[2]} or {entry.dataset}?")
            found[entry.mission] = (mention.first, entry.mission, entry.dataset)
    return sorted(found.values())


def _measured_by_dataset(
    reading: Reading, missions: list[tuple[int, str, str | None]], catalog: Catalog, archive: str
) -> list[tuple[int, Measured]]:
    """The quantity of a dataset that measures only one, where the request names the dataset and no quantity."""
    found = []
    for at, _, name in missions:
        entry = catalog.dataset(archive, name) if name else None
        held = {parameter.quantity for parameter in entry.parameters} if entry else set()
        if len(held) == 1:
            shape = names_only_shape(reading)
            found.append((at, Measured((held.pop(),), shape.shape if shape else None)))
    return found


def _pairs(
    reading: Reading, missions: list[tuple[int, str, str | None]], measured: list[tuple[int, Measured]]
) -> list[tuple[str, str | None, Measured]]:
    """Which quantity is asked of which mission: runs of each that stand together belong together."""
    everything = [(mission, dataset, meaning) for _, meaning in measured for _, mission, dataset in missions]
    if len(missions) == 1 or len(measured) == 1:
        return everything
    placed = sorted([*((at, "M") for at, _, _ in missions), *((at, "Q") for at, _ in measured)])
    runs = [(kind, {at for at, _ in run}) for kind, run in groupby(placed, key=lambda entry: entry[1])]
    if len(runs) == 2:
        return everything
    if len(runs) % 2 or reading.all(Compare):
        names = " and ".join(mission for _, mission, _ in missions)
        quantities = list(dict.fromkeys(QUANTITY_WORDS[meaning.quantities[0]] for _, meaning in measured))
        raise OpenQuestion(
            "I am not sure which quantity belongs to which spacecraft.",
            [f"{' and '.join(quantities)} of {names} {reading.time.words if reading.time else ''}".strip()],
        )
    found = []
    for (_, first), (_, second) in zip(runs[::2], runs[1::2], strict=True):
        together = first | second
        found += [
            (mission, dataset, meaning)
            for at, meaning in measured
            for place, mission, dataset in missions
            if at in together and place in together
        ]
    return found


def _what(reading: Reading, missions: list[str], catalog: Catalog, archive: str) -> OpenQuestion:
    """The question for a quantity."""
    if not missions:
        return OpenQuestion("Which spacecraft and which quantity?", examples(archive))
    mission = missions[0]
    held = {
        parameter.quantity
        for dataset in catalog.datasets(archive)
        if dataset.mission == mission
        for parameter in dataset.parameters
    }
    time = f" {reading.time.words}" if reading.time else ""
    words = [QUANTITY_WORDS[quantity] for quantity in QUANTITY_WORDS if quantity in held]
    return OpenQuestion(f"Which quantity of {mission}?", [f"{mission} {word}{time}" for word in words])


def _whose(reading: Reading, quantity: Quantity, catalog: Catalog, archive: str) -> OpenQuestion:
    """The question for a mission that measures the quantity."""
    choices = [f"{mission} {reading.request.strip()}" for mission in missions_with(quantity, catalog, archive)]
    return OpenQuestion(f"From which spacecraft is the {QUANTITY_WORDS[quantity]} wanted?", choices)


def missions_with(quantity: Quantity, catalog: Catalog, archive: str) -> list[str]:
    """Missions that have a quantity, in the catalog's order."""
    return [mission for mission in catalog.missions(archive) if catalog.find(archive, mission=mission, quantity=quantity)]


def examples(archive: str) -> list[str]:
    """Requests that work."""
    more = [] if archive == "demo" else ["Parker Solar Probe magnetic field vector on 2020-01-04"]
    return [
        "ACE magnetic field magnitude for 2023-01-02",
        "compare ACE and Wind |B| with a 10-minute running mean, May 10-13 2024",
        "OMNI speed, density and Dst during the Halloween storm",
        *more,
    ]
