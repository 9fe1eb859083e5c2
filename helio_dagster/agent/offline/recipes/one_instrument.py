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
    """The data, with their plasma moments from one dataset where the recipe's operation is one of a single spacecraft.

    Without such a dataset, an optional moment stays only beside another one of its dataset: a temperature once an hour would
    hide all shocks that are seen every few seconds.

    Parameters
    ----------
    recipe, who, when
        The recipe, the spacecraft and the time in words.
    found
        The data as they were chosen one by one.
    tried
        The data of requests, by the names of inputs; None where they are not what was asked for.
    """
    _, inputs = found
    operation = get_operation(recipe.steps[0].operation)
    moments = [
        name for name in inputs if name in operation.of_one_spacecraft and MOMENTS & set(operation.inputs[name].quantity)
    ]
    sources = _sources(found)
    homes = dict.fromkeys(sources[name] for name in moments if name in sources)
    if len(homes) < 2:
        return found
    framed = "".join(f" in {frame.upper()}" for frame in frames_of(inputs.values()))
    others = [name for name in inputs if name not in moments]
    for home in homes:
        requests = {tuple(moments): f"{who} {_listed(recipe, moments)}{framed} from {home} {when}"}
        if others:
            requests = {tuple(others): f"{who} {_listed(recipe, others)}{framed} {when}"} | requests
        with suppress(OpenQuestion, InputError):
            again = tried(requests)
            if again is not None and {_sources(again).get(name) for name in moments} == {home}:
                return _saying(f"The plasma moments are those of {home}, which has them all.", again)
    lone = [each for each in recipe.optional if each in moments and list(sources.values()).count(sources.get(each, "")) == 1]
    kept = [name for name in inputs if name not in lone]
    if lone:
        with suppress(OpenQuestion, InputError):
            again = tried({tuple(kept): f"{who} {_listed(recipe, kept)}{framed} {when}"})
            if again is not None:
                left = ", ".join(f"{recipe.data[name]} ({sources[name]})" for name in lone)
                return _saying(f"Left out, because no dataset has it beside another of the plasma moments: {left}.", again)
    return found


def _saying(text: str, data: Data) -> Data:
    plan, inputs = data
    pipeline = plan.pipeline.model_copy(update={"assumptions": [*plan.pipeline.assumptions, text]})
    return replace(plan, pipeline=pipeline), inputs


def _sources(data: Data) -> dict[str, str]:
    """Input to the dataset that it is fetched from; without those that are composed."""
    plan, inputs = data
    fetched = {step.id: step.fetch.dataset for step in plan.pipeline.steps if step.fetch is not None}
    return {name: fetched[step] for name, step in inputs.items() if step in fetched}


def frames_of(steps: Iterable[str]) -> set[str]:
    """The frames of the vectors among steps, whose ids end in their frame."""
    return {step.rpartition("_")[2] for step in steps} & {"gse", "gsm", "rtn", "hci", "j2000", "sm", "geo"}


def _listed(recipe: Recipe, names: list[str]) -> str:
    return ", ".join(recipe.data[name] for name in names)
