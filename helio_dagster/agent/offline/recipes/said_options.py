"""What a request says of how a recipe is computed: the length of an average, orders and lags, the normal and kind of shocks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.forms import form, ways
from helio_dagster.agent.offline.recipes.vocabulary import Recipe
from helio_dagster.catalog.times.lengths import read_length
from helio_dagster.compute.shock_normals import METHODS
from helio_dagster.domain.time_range import format_duration

OF_ORDERS = "structure_function"
"""The operation of which orders and lags are said."""
AVERAGE = "average"
"""The option of how long a field is averaged, along which vectors are given."""
_SHORT = {"MC": "magnetic", "VC": "velocity"}
_FINDING = "find_shocks"
_BY_METHODS = ("shock_parameters", "shock_parameters_of_events")


def read_average(name: str) -> tuple[str, str]:
    """A request for a field-aligned vector without its average, and the length of that as ISO 8601; none where not said."""
    found = next(filter(None, (way.search(name) for way in ways("recipes.averaged"))), None)
    if found is None or form("recipes.aligned").search(name) is None:
        return name, ""
    return name.replace(found[0], "", 1).strip(" ,"), format_duration(read_length(found))


def averaged(recipe: Recipe, length: str) -> Recipe:
    """The recipe with the field averaged over that length."""
    return _with_options(recipe, {AVERAGE: length}).model_copy(update={"assumed": recipe.assumed[1:]})


def read_orders(name: str) -> tuple[str, range, str]:
    """A request without its orders and lags, the orders, and the longest lag as ISO 8601; none of them where not said."""
    orders, lags = form("recipes.orders").search(name), form("recipes.lags").search(name)
    longest = format_duration(read_length(lags)) if lags else ""
    named = range(int(orders["first"]), int(orders["last"] or orders["first"]) + 1) if orders else range(0)
    for found in (orders, lags):
        name = name.replace(found[0], "", 1) if found else name
    return name.strip(" ,"), named, longest


def of_orders(recipe: Recipe, orders: range, longest: str) -> Recipe:
    """The recipe of a structure function with a step for each order, up to a longest lag."""
    (step,) = recipe.steps
    lag: dict[str, Any] = {"longest_lag": longest} if longest else {}
    if not orders:
        return recipe.model_copy(update={"steps": (step.model_copy(update={"options": lag}),)})
    steps = []
    for order in orders:
        called = {"id": f"{step.id}_{order}", "intent": f"Structure function of order {order}"}
        steps.append(step.model_copy(update={**called, "options": {"order": order, **lag}}))
    assumed = ("Of a vector the length of its change counts.",)
    return recipe.model_copy(update={"steps": tuple(steps), "panels": tuple((each.id,) for each in steps), "assumed": assumed})


def without_method(name: str) -> str:
    """A request without the method that it wants the normal by."""
    return form("recipes.by_method").sub("", name)


def is_of_one_quantity(recipe: Recipe, who: str) -> bool:
    """Whether shocks are looked for in one quantity, in which jumps are: `find shocks in the ACE speed`."""
    return recipe.steps[0].operation == _FINDING and form("recipes.quantity").search(who) is not None


def has_methods(recipe: Recipe) -> bool:
    """Whether a recipe computes a normal by one method or another."""
    return any(each.operation in _BY_METHODS for each in recipe.steps)


def by_the_method(recipe: Recipe, text: str) -> Recipe:
    """The recipe of a shock with the normal by the method that is named.

    Raises
    ------
    OpenQuestion
        It is none of the methods that there are.
    """
    found = form("recipes.method").search(text)
    if found is None or not has_methods(recipe):
        return recipe
    method = f"mixed_{found['mode']}" if found["mode"] else _SHORT.get(found["short"] or "") or found["name"].lower()
    if method not in METHODS:
        raise OpenQuestion(
            f"I know no normal by {found[0].strip()!r}: there are magnetic and velocity coplanarity (MC, VC) and the mixed "
            "modes MX1, MX2 and MX3. Which one do you want?",
            [f"{text[: found.start()]}{each}{text[found.end() :]}" for each in ("MC", "VC", "MX1", "MX2", "MX3")],
        )
    spoken = f"mixed mode {method[-1]}" if found["mode"] else f"{method} coplanarity"
    beside = " to compare with" if recipe.steps[0].operation == "rankine_hugoniot" else ""
    assumed = (*recipe.assumed, f"The normal{beside} is that of {spoken}.")
    return _with_options(recipe, {"method": method}, *_BY_METHODS).model_copy(update={"assumed": assumed})


def of_the_kind(recipe: Recipe, name: str) -> Recipe:
    """The recipe that finds shocks with those of the kind that is named alone."""
    kinds = {each.lower() for each in re.findall(r"\b(forward|reverse)\b", name, re.IGNORECASE)}
    if len(kinds) != 1 or recipe.steps[0].operation != _FINDING:
        return recipe
    (kind,) = kinds
    title = recipe.title.replace("shocks", f"fast {kind} shocks")
    return _with_options(recipe, {"kind": kind}, _FINDING).model_copy(update={"title": title})


def _with_options(recipe: Recipe, options: Mapping[str, str], *operations: str) -> Recipe:
    """The recipe with options of all its steps, or of those by some operations."""
    steps = tuple(
        each.model_copy(update={"options": {**each.options, **options}})
        if not operations or each.operation in operations
        else each
        for each in recipe.steps
    )
    return recipe.model_copy(update={"steps": steps})
