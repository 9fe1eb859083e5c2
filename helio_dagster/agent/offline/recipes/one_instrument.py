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


def of_one_instrument(
    recipe: Recipe, found: Data, who: str, when: str, tried: Callable[[Mapping[tuple[str, ...], str]], Data | None]
) -> Data:
    """The data, with their plasma moments from one dataset where the recipe's operation is one of a single spacecraft.

    Parameters
    ----------
    recipe, who, when
        The recipe, the spacecraft and the time in words.
    found
        The data as they were chosen one by one.
    tried
        The data of requests, by the names of inputs; None where they are not what was asked for.
    """
    plan, inputs = found
    operation = get_operation(recipe.steps[0].operation)
    moments = [
        name for name in inputs if name in operation.of_one_spacecraft and MOMENTS & set(operation.inputs[name].quantity)
    ]
    fetched = {step.id: step.fetch.dataset for step in plan.pipeline.steps if step.fetch is not None}
    homes = dict.fromkeys(fetched[inputs[name]] for name in moments if inputs[name] in fetched)
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
            if again is not None and _are_from(home, again, moments):
                said = f"The plasma moments are those of {home}, which has them all."
                assumptions = [*again[0].pipeline.assumptions, said]
                return replace(again[0], pipeline=again[0].pipeline.model_copy(update={"assumptions": assumptions})), again[1]
    return found


def frames_of(steps: Iterable[str]) -> set[str]:
    """The frames of the vectors among steps, whose ids end in their frame."""
    return {step.rpartition("_")[2] for step in steps} & {"gse", "gsm", "rtn", "hci", "j2000", "sm", "geo"}


def _listed(recipe: Recipe, names: list[str]) -> str:
    return ", ".join(recipe.data[name] for name in names)


def _are_from(home: str, data: Data, names: list[str]) -> bool:
    plan, inputs = data
    fetched = {step.id: step.fetch.dataset for step in plan.pipeline.steps if step.fetch is not None}
    return all(fetched.get(inputs[name]) == home for name in names)
