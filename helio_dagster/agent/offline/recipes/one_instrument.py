"""Plasma moments that a recipe compares with each other: from one dataset, where one that is chosen already has them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.offline.recipes.vocabulary import Recipe
from helio_dagster.catalog.choice.quantities import MOMENTS
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import InputError

Data = tuple[Plan, dict[str, str]]
"""A plan of a recipe's data, and input to the step that gives it."""
Tried = Callable[[Mapping[tuple[str, ...], str]], Data | None]


def of_one_instrument(recipe: Recipe, found: Data, who: str, when: str, tried: Tried) -> Data:
    """The data, with the plasma moments of each kind of particle from one dataset.

    A dataset of a moment that the recipe needs comes first. Without such a dataset, an optional moment stays only beside
    another one of its dataset: a temperature once an hour would hide all shocks that are seen every few seconds.

    Parameters
    ----------
    recipe, who, when
        The recipe, the spacecraft and the time in words.
    found
        The data as they were chosen one by one.
    tried
        The data of requests, by the names of inputs; None where they are not what was asked for.
    """
    for moments in _by_particles(recipe, found[1]):
        found = _of_one(recipe, moments, found, (who, when), tried)
    return found


def _by_particles(recipe: Recipe, inputs: Mapping[str, str]) -> list[list[str]]:
    """The inputs that are moments of particles which one instrument counts, several of each kind."""
    if recipe.spacecraft != 1:
        return []
    operations = [get_operation(step.operation) for step in recipe.steps]
    demanded = {name: set(each.quantity) for operation in operations for name, each in operation.inputs.items()}
    moments = [name for name in inputs if MOMENTS & demanded.get(name, set())]
    of_electrons = [name for name in moments if "electron" in recipe.data[name]]
    kinds = (of_electrons, [name for name in moments if name not in of_electrons])
    return [each for each in kinds if len(each) > 1]


def _of_one(recipe: Recipe, moments: list[str], found: Data, words: tuple[str, str], tried: Tried) -> Data:
    """The data, with these moments from one dataset."""
    (who, when), (_, inputs) = words, found
    sources = _sources(found)
    homes = dict.fromkeys(sources[name] for name in moments if name in sources)
    if len(homes) < 2:
        return found
    framed = "".join(f" in {frame.upper()}" for frame in frames_of(inputs.values()))
    others = [name for name in inputs if name not in moments]

    def all_of(home: str) -> Data | None:
        requests = {tuple(moments): f"{who} {_listed(recipe, moments, framed)} from {home} {when}"}
        if others:
            requests = {tuple(others): f"{who} {_listed(recipe, others, framed)} {when}"} | requests
        with suppress(OpenQuestion, InputError):
            again = tried(requests)
            if again is not None and {_sources(again).get(name) for name in moments} == {home}:
                return _saying(f"The plasma moments are those of {home}, which has them all.", again)
        return None

    of_needed = dict.fromkeys(sources[name] for name in moments if name in sources and name not in recipe.optional)
    for home in of_needed:
        if (again := all_of(home)) is not None:
            return again
    lone = [each for each in recipe.optional if each in moments and list(sources.values()).count(sources.get(each, "")) == 1]
    kept = [name for name in inputs if name not in lone]
    if lone:
        with suppress(OpenQuestion, InputError):
            again = tried({tuple(kept): f"{who} {_listed(recipe, kept, framed)} {when}"})
            if again is not None:
                left = ", ".join(f"{recipe.data[name]} ({sources[name]})" for name in lone)
                return _saying(f"Left out, because no dataset has it beside another of the plasma moments: {left}.", again)
    for home in homes:
        if home not in of_needed and (again := all_of(home)) is not None:
            return again
    parts = ", ".join(f"{recipe.data[name]} {sources[name]}" for name in moments if name in sources)
    return _saying(f"The plasma moments are of several datasets, because none of them has all: {parts}.", found)


def _saying(text: str, data: Data) -> Data:
    plan, inputs = data
    pipeline = plan.pipeline.model_copy(update={"assumptions": [*plan.pipeline.assumptions, text]})
    return replace(plan, pipeline=pipeline), inputs


def _sources(data: Data) -> dict[str, str]:
    """Input to the dataset that it is made from; without those made from several."""
    plan, inputs = data
    steps = {step.id: step for step in plan.pipeline.steps}

    def datasets(name: str) -> set[str]:
        step = steps[name]
        own = {step.fetch.dataset} if step.fetch is not None else set()
        return own.union(*(datasets(each) for _, each in step.references if each in steps))

    found = {name: datasets(step) for name, step in inputs.items()}
    return {name: next(iter(each)) for name, each in found.items() if len(each) == 1}


def frames_of(steps: Iterable[str]) -> set[str]:
    """The frames of the vectors among steps, whose ids end in their frame."""
    return {step.rpartition("_")[2] for step in steps} & {"gse", "gsm", "rtn", "hci", "j2000", "sm", "geo"}


def _listed(recipe: Recipe, names: list[str], framed: str) -> str:
    """What is asked for, in a frame where there is a vector among it."""
    words = [recipe.data[name] for name in names]
    return ", ".join(words) + (framed if any("vector" in each for each in words) else "")
