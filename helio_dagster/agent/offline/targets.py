"""Which quantity of which mission a request asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.nothing_measured import missions_with
from helio_dagster.agent.offline.bound_quantities import bound_quantities
from helio_dagster.agent.offline.covered_missions import ask_about_uncovered
from helio_dagster.agent.offline.meanings import Asks, Compare, Dataset, Instrument, Mission
from helio_dagster.agent.offline.named_datasets import (
    Item,
    Pair,
    Place,
    dataset_and_mission,
    dataset_of_parameters,
    derived_of_datasets,
    holds,
    measured_by_dataset,
    of_their_datasets,
    places_named,
    words_of,
)
from helio_dagster.agent.offline.named_instruments import datasets_of
from helio_dagster.agent.offline.named_parameters import telling_parameters
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.whereabouts import of_the_magnetosphere
from helio_dagster.agent.offline.wording import likely_requests, reworded
from helio_dagster.agent.targets import AnyTarget, Derived, DerivedTarget, Measured, Target
from helio_dagster.agent.treatments import Pairing, Transform
from helio_dagster.catalog.choice.quantities import INDICES, MOMENTS, QUANTITY_WORDS, VECTORS
from helio_dagster.catalog.instruments import instruments_of
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.catalog import Catalog


class NoQuantity(OpenQuestion):
    """A spacecraft is named and nothing of what it measures."""


_MOST_NAMED = 8  # instruments that a question names
INDEX_MISSION = "OMNI"
"""Where geomagnetic indices come from, whatever the spacecraft."""
OF_VECTORS = frozenset(("direction", "minimum_variance", "transform_frame"))
"""Operations that take the whole vector, so that it need not be said."""
_MADE = "(?:computed|calculated|derived|estimated|obtained|determined)"


def find_targets(reading: Reading, catalog: KnownCatalog, archive: str) -> list[AnyTarget]:
    """Every quantity of every mission that the request asks for, in its order.

    Raises
    ------
    OpenQuestion
        It names no quantity, no mission, or leaves open which belongs to which.
    """
    reading = of_the_magnetosphere(reading)
    missions = places_named(reading, catalog, archive)
    by_name, items = _split(_items(reading), catalog, archive)
    if by_name and not items:
        own = {each.mission for each in by_name}
        if idle := [mission.name for _, mission, dataset in missions if dataset or mission.name not in own]:
            raise _what(reading, idle, missions, catalog, archive)
        return by_name
    items = items or list(measured_by_dataset(reading, missions, catalog, archive))
    if not items:
        raise _what(reading, [mission.name for _, mission, _ in missions], missions, catalog, archive)
    indices: list[AnyTarget] = [
        _index(item, missions, catalog, archive) for _, item in items if isinstance(item, Measured) and _is_index(item)
    ]
    everything = items
    items = [(position, item) for position, item in items if not (isinstance(item, Measured) and _is_index(item))]
    if indices and not items:
        _refuse_idle(reading, missions, indices)
        return list(dict.fromkeys([*by_name, *indices]))
    missions = missions or dataset_of_parameters(by_name, items, catalog, archive)
    if not missions:
        raise _whose(reading, items[0][1], catalog, archive)
    names = {mission.name for _, mission, _ in missions}
    if indices and INDEX_MISSION in names and len(names) > 1:
        pairs = _pairs(reading, missions, everything)
        pairs = [pair for pair in pairs if not (isinstance(pair[2], Measured) and _is_index(pair[2]))]
    else:
        pairs = _pairs(reading, missions, items)
    pairs = of_their_datasets(pairs, missions, catalog, archive)
    targets = [_target(mission, dataset, item, pairs) for mission, dataset, item in pairs]
    return list(dict.fromkeys([*by_name, *targets, *indices]))


def _split(
    items: list[tuple[int, Item]], catalog: KnownCatalog, archive: str
) -> tuple[list[AnyTarget], list[tuple[int, Item]]]:
    """The targets for parameters by their names, and all other items."""
    by_name: list[AnyTarget] = []
    others: list[tuple[int, Item]] = []
    for position, item in items:
        if isinstance(item, Measured) and item.dataset is not None:
            dataset, mission = dataset_and_mission(item.dataset, item.dataset, catalog, archive)
            target = Target(
                mission, item.quantities[0], item.shape, item.axis, dataset, parameter=item.parameter, called=item.called
            )
            by_name.append(target)
        elif isinstance(item, Derived) and all(needed.dataset for _, needed in item.inputs):
            by_name.append(derived_of_datasets(item, catalog, archive))
        else:
            others.append((position, item))
    return by_name, others


def _items(reading: Reading) -> list[tuple[int, Item]]:
    """Every quantity, measured or derived, with its position; what is only an input of a derived one is left to that."""
    derived = [(mention, mention.meaning) for mention in reading.mentions if isinstance(mention.meaning, Derived)]
    found: list[tuple[int, Item]] = [(mention.first, meaning) for mention, meaning in derived]
    whole = any(transform.operation in OF_VECTORS for transform in reading.all(Transform))
    whole = whole or any(each.kind in ("frame", "hodogram") for each in reading.all(Asks))
    whole = whole or Pairing("angle_between") in reading.all(Pairing)
    before: tuple[int, set[str]] | None = None
    for position, meaning in bound_quantities(reading):
        inputs = [
            _input_names(each)
            for mention, each in derived
            if mention.last <= position
            and meaning.quantities[0] in _input_names(each)
            and _is_of(reading.request[mention.last : position])
        ]
        if before and not inputs and meaning.quantities[0] in before[1] and _is_listed(reading, before[0], position):
            inputs = [before[1]]  # `from the density and the velocity`
        if inputs:
            before = (position, inputs[0])
            continue
        before = None
        if whole and meaning.quantities[0] in VECTORS and meaning.shape is None and meaning.axis is None:
            meaning = replace(meaning, shape="vector")
        found += [(position, replace(meaning, quantities=(quantity,))) for quantity in meaning.quantities]
    if (not found and whole) or _lacks_its_vector(reading, found):
        first = next((each.first for each in reading.of(Transform, Pairing)), 0)
        found.append((first, Measured(("magnetic_field",), "vector")))
    return sorted(found, key=lambda each: each[0])


def _input_names(derived: Derived) -> set[str]:
    """The quantities that a derived one is computed from, and those that these are taken from."""
    names = {str(needed.quantities[0]) for _, needed in derived.inputs}
    return names | ({"velocity", "speed"} if names & {"velocity", "speed"} else set())


def _is_listed(reading: Reading, first: int, last: int) -> bool:
    """Whether nothing but `and` or a comma divides two quantities, and no other thing is asked for between."""
    between = [each.meaning for each in reading.mentions if first < each.first < last]
    is_one_list = re.search(r"\b(?:and|plus)\b|[,&+]", reading.request[first:last]) is not None
    return is_one_list and not any(isinstance(each, Derived | Mission | Dataset) for each in between)


def _lacks_its_vector(reading: Reading, items: list[tuple[int, Item]]) -> bool:
    """Whether a direction is asked for beside numbers, not of one of them: `clock angle and SYM-H`."""
    asked = [
        mention
        for mention in reading.mentions
        if isinstance(mention.meaning, Transform) and mention.meaning.operation in ("direction", "minimum_variance")
    ]
    if any(_has_direction(item) for _, item in items):
        return False
    return any(all(not _is_of(reading.request[each.last : at]) for at, _ in items) for each in asked)


def _has_direction(item: Item) -> bool:
    """Whether an item is a vector, or a parameter that may be one."""
    if isinstance(item, Derived):
        return item.operation == "convection_electric_field"
    return item.quantities[0] == "other" or (item.quantities[0] in VECTORS and item.axis is None and item.shape != "magnitude")


def _is_of(between: str) -> bool:
    """Whether the words between two quantities make the second a part of the first: `for the ACE`, not `and`."""
    return (
        re.match(rf"\s*(?:in \S+ )?(?:{_MADE} )?(?:of|for|from|using)\b", between) is not None
        and re.search(r",|\band\b|\bwith\b", between) is None
    )


def _is_index(item: Measured) -> bool:
    return item.quantities[0] in INDICES


def _refuse_idle(reading: Reading, places: list[Place], indices: list[AnyTarget]) -> None:
    taken = {each.dataset for each in indices if isinstance(each, Target)}
    without_it = [
        dataset for _, mission, dataset in places if mission.name == INDEX_MISSION and dataset and dataset not in taken
    ]
    if without_it:
        raise OpenQuestion(f"I know no {indices[0].words} in {without_it[0]}. Which dataset or spacecraft do you mean?")
    idle = [mission.name for _, mission, _ in places if mission.name != INDEX_MISSION]
    if idle:
        words = indices[0].words
        named = reading.of(Mission, Dataset)
        alone = reworded(reading, {**dict.fromkeys(named, ""), named[0]: INDEX_MISSION})
        text = (
            f"{words} comes from {INDEX_MISSION}, not from {idle[0]}. Is it wanted alone, or with which quantity of {idle[0]}?"
        )
        raise OpenQuestion(text, [alone, reworded(reading, {}, add="and magnetic field")])


def _index(item: Measured, places: Sequence[Place], catalog: KnownCatalog, archive: str) -> Target:
    """An index, from the dataset that the request names, if that has it."""
    named = [dataset for _, mission, dataset in places if dataset is not None and mission.name == INDEX_MISSION]
    having = [dataset for dataset in named if holds(dataset, item, catalog, archive)]
    return Target(
        INDEX_MISSION, item.quantities[0], dataset=having[0] if having else None, lacking=() if having else tuple(named)
    )


def _target(mission: Mission, dataset: str | None, item: Item, pairs: Sequence[Pair]) -> AnyTarget:
    if isinstance(item, Measured):
        target = Target(mission.name, item.quantities[0], item.shape, item.axis, dataset, item.species, mission.member)
        if target.axis is None and target.quantity == "speed" and target.shape is not None:
            return replace(target, shape=None)
        return target
    inputs = tuple(
        (
            name,
            Target(
                mission.name,
                needed.quantities[0],
                needed.shape,
                needed.axis,
                needed.dataset,
                needed.species,
                mission.member,
                needed.parameter,
            ),
        )
        for name, needed in item.inputs
    )
    datasets = tuple(other for whose, other, same in pairs if (whose, same) == (mission, item) and other is not None)
    return DerivedTarget(mission.name, item, inputs, mission.member, datasets)


def _pairs(reading: Reading, missions: list[Place], items: list[tuple[int, Item]]) -> list[tuple[Mission, str | None, Item]]:
    """Which quantity is asked of which mission: runs of each that stand together belong together."""
    everything = [(mission, dataset, item) for _, item in items for _, mission, dataset in missions]
    if len(missions) == 1 or len(items) == 1:
        return everything
    placed = sorted([*((at, "M") for at, _, _ in missions), *((at, "Q") for at, _ in items)])
    runs = [(kind, {at for at, _ in run}) for kind, run in groupby(placed, key=lambda entry: entry[1])]
    if len(runs) == 2:
        return everything
    is_of_one = len({item.quantities for _, item in items if isinstance(item, Measured)}) == 1 and placed[0][1] == "M"
    if len(runs) % 2 or (reading.all(Compare) and not is_of_one):
        names = " and ".join(mission.name for _, mission, _ in missions)
        quantities = list(dict.fromkeys(words_of(item) for _, item in items))
        raise OpenQuestion(
            "I am not sure which quantity belongs to which spacecraft.",
            [f"{' and '.join(quantities)} of {names} {reading.time.words if reading.time else ''}".strip()],
        )
    found = []
    for (_, first), (_, second) in zip(runs[::2], runs[1::2], strict=True):
        together = first | second
        found += [
            (mission, dataset, item)
            for at, item in items
            for place, mission, dataset in missions
            if at in together and place in together
        ]
    return found


def _clear_name(mission: str, item: Item) -> str:
    """The name of a mission before a quantity; `Wind speed` could be that of the solar wind."""
    is_plasma = isinstance(item, Measured) and item.quantities[0] in (*MOMENTS, "speed", "velocity")
    return f"the {mission} spacecraft" if mission == "Wind" and is_plasma else mission


def _what(reading: Reading, missions: list[str], named: list[Place], catalog: KnownCatalog, archive: str) -> OpenQuestion:
    """The question for a quantity, or for a parameter where a dataset is named."""
    if not missions:
        choices = likely_requests(reading) or examples(archive)
        return OpenQuestion("Which spacecraft and which quantity?", choices, sort="spacecraft")
    ask_about_uncovered(reading.span, [whose for _, whose, _ in named], catalog, archive)
    mission = missions[0]
    dataset = next((dataset for _, whose, dataset in named if whose.name == mission and dataset), None)
    if dataset is not None and (names := telling_parameters(catalog, archive, dataset)):
        return OpenQuestion(f"Which parameter of {dataset}?", [reworded(reading, {}, first=f"{name} of") for name in names])
    held = {
        parameter.quantity
        for dataset in catalog.datasets(archive)
        if dataset.mission == mission
        for parameter in dataset.parameters
    }
    if not held or reading.all(Instrument):
        carried = dict.fromkeys(name for each in datasets_of(mission, catalog, archive) for name in instruments_of(each))
        carriers = f" Data here are of {', '.join([*carried][:_MOST_NAMED])}." if carried else ""
        return NoQuantity(f"Which quantity of {mission}?{carriers}")
    words = [QUANTITY_WORDS[quantity] for quantity in QUANTITY_WORDS if quantity in held]
    return NoQuantity(f"Which quantity of {mission}?", [reworded(reading, {}, add=word) for word in words])


def _whose(reading: Reading, item: Item, catalog: Catalog, archive: str) -> OpenQuestion:
    """The question for a mission that measures the quantity."""
    needed = [item.quantities[0]] if isinstance(item, Measured) else [each.quantities[0] for _, each in item.inputs]
    span = reading.span
    having = [missions_with(quantity, catalog, archive, span) for quantity in needed]
    both = [mission for mission in having[0] if all(mission in each for each in having)]
    names = [_clear_name(mission, item) for mission in both]
    choices = [reworded(reading, {}, first=name) for name in names]
    return OpenQuestion(f"From which spacecraft do you want the {words_of(item)}?", choices, sort="spacecraft")


def examples(archive: str) -> list[str]:
    """Requests that work."""
    more = [] if archive == "demo" else ["Parker Solar Probe magnetic field vector on 2020-01-04"]
    return [
        "ACE magnetic field magnitude for 2023-01-02",
        "compare ACE and Wind |B| with a 10-minute running mean, May 10-13 2024",
        "OMNI speed, density and Dst during the Halloween storm",
        *more,
    ]
