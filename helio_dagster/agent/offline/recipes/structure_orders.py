"""Orders and lags of structure functions as a request names them: `orders 1 to 4`, `lags of 1 s to 1000 s`."""

from __future__ import annotations

import re

from helio_dagster.agent.offline.recipes.vocabulary import Recipe
from helio_dagster.catalog.times.lengths import LENGTH, read_length
from helio_dagster.domain.time_range import format_duration

OPERATION = "structure_function"
_ORDERS = re.compile(
    r",? *(?:of |for |with )?\borders? (?P<first>[1-9])(?: ?(?:to|through|-|–) ?(?P<last>[1-9]))?(?![\w.])", re.I
)
_LAGS = re.compile(
    r",? *(?:over |at |for |with )?\b(?:lags?|scales?) (?:(?:of|from|between) )?"
    rf"(?:(?:\d\S* ?[a-z]* (?:to|-|–|and)|up to) )?{LENGTH}(?!\w)",
    re.IGNORECASE,
)


def read_orders(name: str) -> tuple[str, range, str]:
    """A request without its orders and lags, the orders, and the longest lag as ISO 8601; none of them where not said."""
    orders, lags = _ORDERS.search(name), _LAGS.search(name)
    longest = format_duration(read_length(lags)) if lags else ""
    named = range(int(orders["first"]), int(orders["last"] or orders["first"]) + 1) if orders else range(0)
    for found in (orders, lags):
        name = name.replace(found[0], "", 1) if found else name
    return name.strip(" ,"), named, longest


def of_orders(recipe: Recipe, orders: range, longest: str) -> Recipe:
    """The recipe of a structure function with a step for each order, up to a longest lag."""
    (step,) = recipe.steps
    lag: dict[str, str | int | float | bool | tuple[str, ...]] = {"longest_lag": longest} if longest else {}
    if not orders:
        return recipe.model_copy(update={"steps": (step.model_copy(update={"options": lag}),)})
    steps = [
        step.model_copy(
            update={
                "id": f"{step.id}_{order}",
                "intent": f"Structure function of order {order}",
                "options": {"order": order, **lag},
            }
        )
        for order in orders
    ]
    assumed = ("Of a vector the length of its change counts.",)
    return recipe.model_copy(update={"steps": tuple(steps), "panels": tuple((each.id,) for each in steps), "assumed": assumed})
