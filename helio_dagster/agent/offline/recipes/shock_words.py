"""Which normal of shocks a request wants, and which kind of them: `by magnetic coplanarity`, `MX3`, `forward shocks`."""

from __future__ import annotations

import re

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.recipes.vocabulary import Recipe
from helio_dagster.compute.shock_normals import METHODS

_METHOD = (
    r"(?:(?P<name>magnetic|velocity)[ -](?:mode )?coplanarity|(?-i:(?P<short>MC|VC))"
    r"|(?:mixed(?:[ -]mode)?(?:[ -](?:coplanarity|method))?[ -]?|MX[- ]?)(?P<mode>\d))"
    r"(?: (?:method|theorem|normals?))?(?![\w-])"
)
_PLAIN = re.sub(r"\?P<\w+>", "?:", _METHOD)
_BY_METHOD = re.compile(
    rf"(?:,(?: (?:and |with )*(?:the )?(?:shock )?normals?(?: is| are)?)?)? (?:by|using|with|from) (?:the )?{_PLAIN}"
    rf"|(?:,\s*|\s*\(){_PLAIN}\)?",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"(?<![\w-]){_METHOD}", re.IGNORECASE)
_SHORT = {"MC": "magnetic", "VC": "velocity"}
_QUANTITY = re.compile(r"\b(?:speed|velocity|density|temperature|field|pressure)\b", re.IGNORECASE)
_FINDING = "find_shocks"
_BY_METHODS = ("shock_parameters", "shock_parameters_of_events")


def without_method(name: str) -> str:
    """A request without the method that it wants the normal by."""
    return _BY_METHOD.sub("", name)


def is_of_one_quantity(recipe: Recipe, who: str) -> bool:
    """Whether shocks are looked for in one quantity, in which jumps are: `find shocks in the ACE speed`."""
    return recipe.steps[0].operation == _FINDING and _QUANTITY.search(who) is not None


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
    found = _NAMED.search(text)
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
    return _with_option(recipe, _BY_METHODS, "method", method).model_copy(update={"assumed": assumed})


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
