"""Instruments that a request names as the archive does in the ids of a mission's datasets: `HED` of SOHO, `RAD2` of Wind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from helio_dagster.agent.offline.meanings import Instrument, Mission
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.vocabulary import weighty_words
from helio_dagster.catalog.instruments import id_parts, is_by, is_loud
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.missions import find_mission, mission_of

_NAME = re.compile(r"(?=.*[A-Z])[A-Za-z][A-Za-z0-9-]{2,}|[a-z]{2,4}-?[a-z0-9]{1,2}", re.ASCII)
_PLAIN_WORDS = """
all and beam bins count data day fast field flux for full high hour image key line low map min mode moon night normal north
orbit rate raw sec slow sun south spin the wave east west time date test quiet
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
"""Short words that ids have, too, and that name no instrument."""


def with_named_instruments(reading: Reading, catalog: KnownCatalog, archive: str) -> Reading:
    """The reading in which words with a capital that nothing else understands are instruments, where an id has them."""
    missions = {each.name for each in reading.all(Mission)}
    plain = _PLAIN | weighty_words()
    names = [each for each in reading.unknown if _NAME.fullmatch(each.words) and each.words.casefold() not in plain]
    names = [each for each in names if not (each.words.islower() and is_loud(each.words))]
    if not missions or not (names or len(reading.all(Instrument)) > 1):
        return reading
    datasets = [each for name in missions for each in datasets_of(name, catalog, archive)]
    parts = id_parts(datasets)
    found = [replace(each, meaning=Instrument(name)) for each in names if (name := _name_in(parts, each.words.upper()))]
    whole = reading.with_meanings(found)
    return replace(whole, mentions=tuple(_joined(whole.mentions, reading.request, datasets)))


def _name_in(parts: AbstractSet[str], words: str) -> str:
    """What ids call an instrument: `MEPE` for `MEP-e`; empty where they have no such part."""
    joined = words.replace("-", "")
    return words if all(part in parts for part in words.split("-")) else joined if joined in parts else ""


def datasets_of(mission: str, catalog: KnownCatalog, archive: str) -> list[str]:
    """The ids of a mission's datasets, as far as the catalog tells them."""
    prefixes = find_mission(mission).prefixes
    names = [name for name in catalog.names(archive) if name.upper().startswith(prefixes)]
    return [name for name in names if (owner := mission_of(name)) is not None and owner.name == mission]


def _joined(mentions: Sequence[Mention], request: str, datasets: Sequence[str]) -> list[Mention]:
    """The mentions, an instrument and a part of it that stand together as one: `ERNE HED`."""
    found: list[Mention] = []
    for each in mentions:
        before = found[-1] if found else None
        if before and isinstance(before.meaning, Instrument) and isinstance(each.meaning, Instrument):
            whole = f"{before.meaning.name}-{each.meaning.name}"
            gap = request[before.last : each.first]
            if not gap.strip("/ ") and any(is_by(whole, dataset, "") for dataset in datasets):
                words = request[before.first : each.last]
                found[-1] = Mention(Instrument(whole), before.first, each.last, words)
                continue
        found.append(each)
    return found
