"""The missions and datasets that a request names, and what these measure."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.intent import AnyTarget, Derived, Measured, Target
from helio_dagster.agent.offline.bound_quantities import names_only_shape
from helio_dagster.agent.offline.meanings import Dataset, Mission
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.catalog.choice.quantities import QUANTITIES
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.missions import mission_of
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.did_you_mean import suggestion

Item = Measured | Derived
Place = tuple[int, Mission, str | None]
"""Position, mission, and dataset where one is named."""


def places_named(reading: Reading, catalog: KnownCatalog, archive: str) -> list[Place]:
    """Every mission the request names; a dataset names its mission."""
    found: dict[tuple[str, str], Place] = {}
    for mention in reading.mentions:
        if isinstance(mention.meaning, Mission):
            found.setdefault((mention.meaning.name, mention.meaning.member), (mention.first, mention.meaning, None))
        elif isinstance(mention.meaning, Dataset):
            name, mission = dataset_and_mission(mention.meaning.name, mention.words, catalog, archive)
            before = found.get((mission, ""))
            if before is not None and before[2] not in (None, name):
                raise OpenQuestion(f"Which dataset do you want, {before[2]} or {name}?")
            found[mission, ""] = (mention.first, Mission(mission), name)
    return sorted(found.values(), key=lambda place: place[0])


def dataset_and_mission(name: str, words: str, catalog: KnownCatalog, archive: str) -> tuple[str, str]:
    """The id of a dataset and its mission; a question where there is none."""
    entry = catalog.dataset(archive, name)
    if entry is not None:
        return entry.dataset, entry.mission
    facts = catalog.facts(archive, name)
    owner = mission_of(name)
    if facts is not None and owner is not None:
        return facts.dataset, owner.name
    near = suggestion(name, [each.dataset for each in catalog.datasets(archive)]) or suggestion(name, catalog.names(archive))
    raise OpenQuestion(f"I do not know the dataset {words!r} offline. {near or 'Name the spacecraft and quantity instead.'}")


def measured_by_dataset(reading: Reading, missions: list[Place], catalog: Catalog, archive: str) -> list[tuple[int, Item]]:
    """The quantity of a dataset that measures only one, where the request names the dataset and no quantity."""
    found: list[tuple[int, Item]] = []
    for at, _, name in missions:
        entry = catalog.dataset(archive, name) if name else None
        held = {parameter.quantity for parameter in entry.parameters} if entry else set()
        if len(held) == 1:
            shape = names_only_shape(reading)
            found.append((at, Measured((held.pop(),), shape.shape if shape else None)))
    return found


def dataset_of_parameters(
    by_name: list[AnyTarget], items: list[tuple[int, Item]], catalog: KnownCatalog, archive: str
) -> list[Place]:
    """The one dataset whose parameters are named, where it holds the other quantities that are asked for, too."""
    named = {(target.mission, target.dataset) for target in by_name if isinstance(target, Target)}
    if len(named) != 1 or not all(isinstance(item, Measured) for _, item in items):
        return []
    ((mission, dataset),) = named
    facts = catalog.facts(archive, dataset or "")
    held = {str(parameter.quantity) for parameter in facts.parameters} if facts else set()
    wanted = [QUANTITIES[item.quantities[0]].catalogued for _, item in items if isinstance(item, Measured)]
    return [(0, Mission(mission), dataset)] if all(held & set(each) for each in wanted) else []
