"""The missions: their names, other names, what they measured, and which dataset ids are theirs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from helio_dagster.domain.did_you_mean import suggestion
from helio_dagster.domain.errors import InputError


@dataclass(frozen=True)
class Mission:
    """A spacecraft, a fleet that is always asked for together, or a network on the ground.

    `prefixes` are beginnings of dataset ids; a planetary one of PDS is `pds:` and the name of its collection.
    """

    name: str
    prefixes: tuple[str, ...]
    synonyms: tuple[str, ...]
    measured: str

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it is called, in lower case."""
        return tuple(dict.fromkeys([self.name.casefold(), *self.synonyms]))


@cache
def missions() -> tuple[Mission, ...]:
    """All missions, those that most people ask for first."""
    text = files(__package__).joinpath("mission_table.txt").read_text(encoding="utf-8")
    return tuple(_mission(line) for line in text.splitlines() if line and not line.startswith("#"))


def mission_of(dataset: str, collection: str | None = None) -> Mission | None:
    """Whose a dataset is, by its id or by its collection at PDS; the longest beginning counts."""
    if collection is not None:
        return next((mission for mission in missions() if f"pds:{collection}" in mission.prefixes), None)
    return _by_beginning(dataset.upper())


@lru_cache(maxsize=8192)
def _by_beginning(folded: str) -> Mission | None:
    """The mission with the longest prefix that a dataset's id in capitals begins with: searches ask for all ids at a time."""
    found = [(len(prefix), mission) for prefix, mission in _prefixes() if folded.startswith(prefix)]
    return max(found, key=lambda each: each[0])[1] if found else None


def find_mission(name: str) -> Mission:
    """The mission that is called so, in any case.

    Raises
    ------
    InputError
        There is none; the hint offers near names.
    """
    folded = name.casefold()
    for mission in missions():
        if folded == mission.name.casefold():
            return mission
    for mission in missions():
        if folded in mission.names:
            return mission
    known = [each for mission in missions() for each in (mission.name, *mission.synonyms)]
    raise InputError(
        f"there is no mission {name!r:.60}", hint=suggestion(name, known) or "`helio catalog missions` lists them."
    )


@cache
def _prefixes() -> tuple[tuple[str, Mission], ...]:
    return tuple((prefix, mission) for mission in missions() for prefix in mission.prefixes if not prefix.startswith("pds:"))


def _mission(line: str) -> Mission:
    name, prefixes, synonyms, measured = (part.strip() for part in line.split("|"))
    return Mission(name, _words(prefixes), tuple(word.casefold() for word in _words(synonyms)), measured)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in re.split(r",\s*", text) if word)
