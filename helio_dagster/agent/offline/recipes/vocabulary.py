"""The recipes that can be asked for by name, as `recipes.toml` says them."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.vocabulary import ordinary_words


class RecipeStep(BaseModel):
    """A step of a recipe: its inputs are those of the operation that `data` names, or the steps or data that `inputs` names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    operation: str
    intent: str
    over: Literal["range", "partition"] = "range"
    options: dict[str, str | int | float | bool | tuple[str, ...]] = {}
    feeds: str = ""
    """The input of later steps that its result is."""
    inputs: dict[str, str] = {}
    axis: str = ""
    """What the axis of its own panel is called."""


class Recipe(BaseModel):
    """What a recipe is called, the data it needs, its steps, and which of them a figure shows.

    `shows` are words for what its result has anyway, `usual` whose data are taken where nobody is named.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    words: str
    data: dict[str, str]
    steps: tuple[RecipeStep, ...]
    panels: tuple[tuple[str, ...], ...]
    log: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    spacecraft: Literal[0, 1, 2, 4] = 1
    needs: Literal["", "moment"] = ""
    frame: str = ""
    also: str = ""
    shows: str = ""
    usual: str = ""
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


def find_recipe(name: str) -> tuple[Recipe, str] | None:
    """The recipe that a request without its time is, and the spacecraft that it names."""
    found = next(((recipe, match) for recipe, pattern in recipes() if (match := pattern.fullmatch(name))), None)
    return (found[0], next((each.strip() for each in found[1].groups() if each), "")) if found else None


def find_recipe_within(name: str) -> tuple[Recipe, str] | None:
    """The recipe whose name stands in a request beside words that ask, tell the occasion, or name what it shows anyway."""
    plain = " ".join(re.sub(r"[,;:()]|\.(?=\s|$)", " ", name).split())
    named = [(match, recipe) for recipe, pattern in _names() if (match := pattern.search(plain))]
    if not named:
        return None
    match, recipe = max(named, key=lambda each: len(each[0][0]))
    idle = ordinary_words() | _IDLE
    before, after = (_without_idle(each, idle) for each in (plain[: match.start()], plain[match.end() :]))
    if before and after and re.fullmatch("[a-z-]+", before[-1]):
        return None  # which makes another thing of it: `wavelet coherence of`
    rest = f"{plain[: match.start()]} {plain[match.end() :]}"
    words, shown = (re.sub(r"\((?!\?)", "(?:", each) for each in (recipe.words, recipe.shows))
    found = (_spacecraft_of(recipe, rest, patterns, idle) for patterns in ((words, shown), (shown, words)))
    who = next((each for each in found if each is not None), None)
    return None if who is None else (recipe, who)


def _spacecraft_of(recipe: Recipe, rest: str, patterns: tuple[str, str], idle: frozenset[str]) -> str | None:
    """What is left of a request without patterns, in their order, and idle words; None where that is no spacecraft."""
    for pattern in filter(None, patterns):
        rest = re.sub(rf"(?<![\w|])(?:{pattern})(?![\w|])", " ", rest, flags=re.IGNORECASE)
    words = _without_idle(without_occasion(rest), idle)
    who = _JOIN.sub(" and ", " ".join(words)) if recipe.spacecraft == 2 else " ".join(words)
    if not who:
        return recipe.usual if recipe.usual or not recipe.spacecraft else None
    shape = {0: r"(?:the )?earth", 2: r".+? (?:and|with) .+", 4: _FLEET}.get(recipe.spacecraft, r"(?!and\b)\S+(?: \S+){0,5}")
    return who if re.fullmatch(shape, who, re.IGNORECASE) else None


def _without_idle(text: str, idle: frozenset[str]) -> list[str]:
    """The words of a text without those at its ends that say nothing of what is wanted."""
    words = text.split()
    while words and words[0].casefold() in idle:
        words = words[1:]
    while words and words[-1].casefold() in idle and words[-1] not in _LETTERS:
        words = words[:-1]
    return words


@cache
def _names() -> tuple[tuple[Recipe, re.Pattern[str]], ...]:
    """Each recipe with the pattern of its name; one in other axes is named by its whole request alone."""
    plain = [(recipe, re.sub(r"\((?!\?)", "(?:", recipe.words)) for recipe, _ in recipes() if not recipe.is_turned]
    return tuple((recipe, re.compile(rf"(?<![\w|])(?:{words})(?![\w|])", re.IGNORECASE)) for recipe, words in plain)


_IDLE = frozenset(
    ("with", "between", "when", "where", "use", "around", "during", "&", "+", "from", "data", "calculate", "s/c", "did", "see")
)
_LETTERS = ("A",)
"""Of a spacecraft behind its mission, as in THEMIS A, which are words elsewhere."""
_JOIN = re.compile(r" (?:-|–|&|/|to|versus|vs) ", re.IGNORECASE)


def without_occasion(who: str) -> str:
    """The words for a spacecraft without those for what it met: `THEMIS E magnetopause crossing`."""
    return " ".join(form("recipes.occasion").sub(" ", who).split())


def without_place(who: str) -> str:
    """The words for a spacecraft without those for being where it is: `along the MMS1 orbit`, `position of ACE`."""
    return form("recipes.place").sub("", who).strip()


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
    link = r"(?: (?:seen|observed|measured|applied|computed))?(?: (?:of|at|by|for|from|with|in|on|to|using|along))?(?: the)?"
    who = _FLEET if recipe.spacecraft == 4 else _WHO
    first = rf"{also.replace('WHO', who)}|" if also else ""
    return rf"{start}(?:{first}(?:{words}){link} {who}|{who} (?:{words}))"


_WHO = r"((?!(?:and|find|detect|identify|list|locate)\b)[\w-]+(?: (?!(?:at|of|for|by|in|and|from|to)\b)[\w-]+){0,4}?)"
"""A spacecraft, in a few words."""
_OF_FOUR = "(?:all|the|of|each|four|4)"
_CRAFT = "(?:mission|fleet|constellation|tetrahedron|spacecraft|satellites?|probes?|data)"
_FLEET = (
    rf"((?:{_OF_FOUR} )*(?:mms|cluster)(?: {_CRAFT})*"
    r"(?: ?1 ?[-–] ?4| ?1(?:,? (?:and )?(?:(?:mms|cluster) ?)?[2-4]|[/,&](?:mms|cluster)?[2-4]){3})?"
    rf"|(?:{_OF_FOUR} )*{_CRAFT} of (?:the )?(?:mms|cluster)(?: {_CRAFT})?)"
)
"""All four spacecraft, as people say it: `the four MMS spacecraft`, `Cluster 1-4`, `MMS1, MMS2, MMS3 and MMS4`."""
