"""The recipes that can be asked for by name, as `recipes.toml` says them."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

from helio_dagster.agent.offline.vocabulary import ordinary_words


class RecipeStep(BaseModel):
    """A step of a recipe: its inputs are those of the operation that `data` names, unless it says others."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    operation: str
    intent: str
    over: Literal["range", "partition"] = "range"
    options: dict[str, str | float | bool] = {}


class Recipe(BaseModel):
    """What a recipe is called, the data it needs, its steps, and which of them a figure shows."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    words: str
    data: dict[str, str]
    steps: tuple[RecipeStep, ...]
    panels: tuple[tuple[str, ...], ...]
    optional: tuple[str, ...] = ()
    spacecraft: Literal[0, 1, 2, 4] = 1
    needs: Literal["", "moment"] = ""
    frame: str = ""
    also: str = ""
    is_turned: bool = False
    assumed: tuple[str, ...] = ()

    def wanted(self, *, is_whole: bool) -> dict[str, str]:
        """Input to what is asked for, without what may be left out unless all is wanted."""
        return {name: words for name, words in self.data.items() if is_whole or name not in self.optional}


@cache
def recipes() -> tuple[tuple[Recipe, re.Pattern[str]], ...]:
    """Each recipe with the pattern of a request for it; the group `who` is the spacecraft."""
    text = (files(__package__) / "recipes.toml").read_text(encoding="utf-8")
    found = [Recipe.model_validate(each) for each in tomllib.loads(text)["recipe"]]
    return tuple((recipe, re.compile(_whole(recipe), re.IGNORECASE)) for recipe in found)


@cache
def _asking() -> str:
    """The words that ask for something and say nothing of what, as alternatives of a pattern."""
    return "|".join(sorted(map(re.escape, ordinary_words()), key=len, reverse=True))


def _whole(recipe: Recipe) -> str:
    """The pattern of a request; all its groups are of the spacecraft."""
    words, also = (re.sub(r"\((?!\?)", "(?:", each) for each in (recipe.words, recipe.also))
    start = rf"(?:(?:{_asking()})[, ]+)*"
    if not recipe.spacecraft:
        return f"{start}(?:{words})(?: of (?:the )?earth)?"
    if recipe.spacecraft == 2:
        return rf"{start}(?:{words}) (?:of|between) (?:the )?(.+? (?:and|with) .+)"
    link = r"(?: (?:seen|observed|measured|applied|computed))?(?: (?:of|at|by|for|from|with|in|on|to|using))?(?: the)?"
    who = _FLEET if recipe.spacecraft == 4 else _WHO
    first = rf"{also.replace('WHO', who)}|" if also else ""
    return rf"{start}(?:{first}(?:{words}){link} {who}|{who} (?:{words}))"


_WHO = r"((?!and\b)[\w-]+(?: (?!(?:at|of|for|by|in|and|from)\b)[\w-]+){0,4}?)"
"""A spacecraft, in a few words."""
_OF_FOUR = "(?:all|the|of|each|four|4)"
_CRAFT = "(?:mission|fleet|constellation|tetrahedron|spacecraft|satellites?|probes?|data)"
_FLEET = (
    rf"((?:{_OF_FOUR} )*(?:mms|cluster)(?: {_CRAFT})*"
    r"(?: ?1 ?[-–] ?4| ?1(?:,? (?:and )?(?:(?:mms|cluster) ?)?[2-4]|[/,&](?:mms|cluster)?[2-4]){3})?"
    rf"|(?:{_OF_FOUR} )*{_CRAFT} of (?:the )?(?:mms|cluster)(?: {_CRAFT})?)"
)
"""All four spacecraft, as people say it: `the four MMS spacecraft`, `Cluster 1-4`, `MMS1, MMS2, MMS3 and MMS4`."""
