"""The missions and datasets that a request names, and what these measure."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.bound_quantities import names_only_shape
from helio_dagster.agent.offline.meanings import Dataset, Mission
from helio_dagster.agent.offline.named_parameters import ASIDE
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.targets import AnyTarget, Derived, DerivedTarget, Measured, Target
from helio_dagster.catalog.choice.parameter_reading import is_itself
from helio_dagster.catalog.choice.quantities import QUANTITIES, QUANTITY_WORDS, VECTORS
from helio_dagster.catalog.choice.server_choice import owner_of
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.missions import mission_of
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.did_you_mean import suggestion
from helio_dagster.domain.hapi_servers import split_qualified

Item = Measured | Derived
Place = tuple[int, Mission, str | None]
"""Position, mission, and dataset where one is named."""
Pair = tuple[Mission, str | None, Item]
"""What is asked of a mission, and of a dataset of it where one is named."""


def places_named(reading: Reading, catalog: KnownCatalog, archive: str) -> list[Place]:
    """Every mission the request names; a dataset names its mission, which may have several."""
    found: list[Place] = []
    for mention in reading.mentions:
        if isinstance(mention.meaning, Mission):
            named = mention.meaning
            if all((mission.name, mission.member) != (named.name, named.member) for _, mission, _ in found):
                found.append((mention.first, named, None))
        elif isinstance(mention.meaning, Dataset):
            name, owner = dataset_and_mission(mention.meaning.name, mention.words, catalog, archive)
            found = [each for each in found if (each[1].name, each[1].member, each[2]) != (owner, "", None)]
            if all(dataset != name for _, _, dataset in found):
                found.append((mention.first, Mission(owner), name))
    return sorted(found, key=lambda place: place[0])


def holds(dataset: str, item: Item, catalog: KnownCatalog, archive: str) -> bool:
    """Whether a dataset has a quantity, or one that it is computed from."""
    if isinstance(item, Derived):
        return any(holds(dataset, needed, catalog, archive) for _, needed in item.inputs)
    wanted = item.quantities[0]
    alike: tuple[Quantity, ...] = ("speed", "velocity") if wanted == "speed" else (wanted,)
    entry, facts = catalog.dataset(archive, dataset), catalog.facts(archive, dataset)
    if entry is not None and not item.species and any(parameter.quantity in alike for parameter in entry.parameters):
        return True
    return facts is not None and any(
        str(parameter.quantity) in QUANTITIES[wanted].catalogued and is_itself(facts, parameter, wanted, item.species)
        for parameter in facts.parameters
    )


def of_their_datasets(pairs: Sequence[Pair], places: Sequence[Place], catalog: KnownCatalog, archive: str) -> list[Pair]:
    """What is asked of a mission with several datasets, each with those that have it.

    Raises
    ------
    OpenQuestion
        A dataset that the request names has nothing of what is asked for.
    """
    several = {mission.name for _, mission, dataset in places if dataset is not None}
    several = {name for name in several if sum(mission.name == name for _, mission, _ in places) > 1}
    if not several:
        return list(pairs)
    kept: list[Pair] = []
    for pair in pairs:
        mission, dataset, item = pair
        others = [other for whose, other, same in pairs if (whose, same) == (mission, item) and other is not None]
        having = [other for other in others if holds(other, item, catalog, archive)]
        if mission.name not in several or dataset is None or dataset in having or not having:
            kept.append(pair)
    for _, mission, dataset in places:
        if mission.name in several and dataset is not None and all(other != dataset for _, other, _ in kept):
            words = next(words_of(item) for whose, other, item in pairs if (whose, other) == (mission, dataset))
            raise OpenQuestion(f"I know no {words} in {dataset}. Which dataset or spacecraft do you mean?")
    return kept


def words_of(item: Item) -> str:
    """An item as people call it."""
    return item.words if isinstance(item, Derived) else item.parameter or QUANTITY_WORDS[item.quantities[0]]


def dataset_and_mission(name: str, words: str, catalog: KnownCatalog, archive: str) -> tuple[str, str]:
    """The id of a dataset and its mission, of one of a server its place or the server; a question where there is none."""
    server = split_qualified(name)[0]
    if server and (there := catalog.facts(archive, name)) is not None:
        return name, owner_of(there, server)
    prefix = words.partition("/")[0].casefold() if "/" in words else archive
    if prefix != archive:
        raise OpenQuestion(f"{words} is of another archive: I plan with {archive!r}. Which dataset of that do you mean?")
    entry = catalog.dataset(archive, name)
    if entry is not None:
        return entry.dataset, entry.mission
    facts = catalog.facts(archive, name)
    owner = mission_of(name)
    if facts is not None and owner is not None:
        return facts.dataset, owner.name
    near = suggestion(name, [each.dataset for each in catalog.datasets(archive)]) or suggestion(name, catalog.names(archive))
    raise OpenQuestion(f"I do not know the dataset {words!r} offline. {near or 'Name the spacecraft and quantity instead.'}")


def measured_by_dataset(reading: Reading, missions: list[Place], catalog: KnownCatalog, archive: str) -> list[tuple[int, Item]]:
    """The quantity of a dataset that measures only one, where the request names the dataset and no quantity."""
    found: list[tuple[int, Item]] = []
    for at, _, name in missions:
        entry = catalog.dataset(archive, name) if name else None
        held = {parameter.quantity for parameter in entry.parameters} if entry else _all_held(name, catalog, archive)
        if len(held) == 1:
            shape = names_only_shape(reading)
            found.append((at, Measured((held.pop(),), shape.shape if shape else None)))
    return found


def _all_held(name: str | None, catalog: KnownCatalog, archive: str) -> set[Quantity]:
    """The one quantity that all parameters of a dataset are of, those aside left out; empty where there is none."""
    facts = catalog.facts(archive, name) if name else None
    measured = {str(each.quantity) for each in facts.parameters if str(each.quantity) not in ASIDE} if facts else set()
    return {each for each in VECTORS if measured and measured <= set(QUANTITIES[each].catalogued)}


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


def derived_of_datasets(item: Derived, catalog: KnownCatalog, archive: str) -> DerivedTarget:
    """The target of what is derived from datasets that are named, whose mission is theirs."""
    found = [
        (needed, *dataset_and_mission(str(needed.dataset), str(needed.dataset), catalog, archive)) for _, needed in item.inputs
    ]
    mission = found[0][2]
    inputs = tuple(
        (name, Target(whose, needed.quantities[0], needed.shape, needed.axis, dataset, needed.species, "", needed.parameter))
        for (name, _), (needed, dataset, whose) in zip(item.inputs, found, strict=True)
    )
    return DerivedTarget(mission, item, inputs)
