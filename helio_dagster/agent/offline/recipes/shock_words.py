"""Which normal of shocks a request wants, and which kind of them: `by magnetic coplanarity`, `forward shocks`."""

from __future__ import annotations

import re

from helio_dagster.agent.offline.recipes.vocabulary import Recipe

_BY_METHOD = re.compile(
    r",? (?:by|using|with|from) (?:the )?(?:magnetic|velocity)[ -](?:mode )?coplanarity(?: (?:method|theorem))?", re.IGNORECASE
)
_COPLANARITY = re.compile(r"\b(magnetic|velocity)[ -](?:mode )?coplanarity\b", re.IGNORECASE)
_QUANTITY = re.compile(r"\b(?:speed|velocity|density|temperature|field|pressure)\b", re.IGNORECASE)
_FINDING = "find_shocks"
_BY_COPLANARITY = ("shock_parameters", "shock_parameters_of_events")


def without_method(name: str) -> str:
    """A request without the method that it wants the normal by."""
    return _BY_METHOD.sub("", name)


def is_of_one_quantity(recipe: Recipe, who: str) -> bool:
    """Whether shocks are looked for in one quantity, in which jumps are: `find shocks in the ACE speed`."""
    return recipe.steps[0].operation == _FINDING and _QUANTITY.search(who) is not None


def by_the_method(recipe: Recipe, text: str) -> Recipe:
    """The recipe of a shock with the normal by the coplanarity that is named."""
    method = _COPLANARITY.search(text)
    if method is None or not any(each.operation in _BY_COPLANARITY for each in recipe.steps):
        return recipe
    name = method[1].lower()
    assumed = (*recipe.assumed, f"The normal is that of {name} coplanarity.")
    return _with_option(recipe, _BY_COPLANARITY, "method", name).model_copy(update={"assumed": assumed})


def of_the_kind(recipe: Recipe, name: str) -> Recipe:
    """The recipe that finds shocks with those of the kind that is named alone."""
    kinds = {each.lower() for each in re.findall(r"\b(forward|reverse)\b", name, re.IGNORECASE)}
    if len(kinds) != 1 or recipe.steps[0].operation != _FINDING:
        return recipe
    (kind,) = kinds
    title = recipe.title.replace("shocks", f"fast {kind} shocks")
    return _with_option(recipe, (_FINDING,), "kind", kind).model_copy(update={"title": title})


def _with_option(recipe: Recipe, operations: tuple[str, ...], option: str, value: str) -> Recipe:
    """The recipe with an option of the steps by some operations."""
    steps = tuple(
        each.model_copy(update={"options": {**each.options, option: value}}) if each.operation in operations else each
        for each in recipe.steps
    )
    return recipe.model_copy(update={"steps": steps})
