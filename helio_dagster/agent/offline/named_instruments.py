"""Instruments that a request names as the archive does in the ids of a mission's datasets: `HED` of SOHO, `RAD2` of Wind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.offline.meanings import Instrument, Mission
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.vocabulary import weighty_words
from helio_dagster.catalog.instruments import id_parts, is_by
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.missions import find_mission, mission_of

_NAME = re.compile(r"(?=.*[A-Z])[A-Za-z][A-Za-z0-9-]{2,}", re.ASCII)


def with_named_instruments(reading: Reading, catalog: KnownCatalog, archive: str) -> Reading:
    """The reading in which words with a capital that nothing else understands are instruments, where an id has them."""
    missions = {each.name for each in reading.all(Mission)}
    names = [each for each in reading.unknown if _NAME.fullmatch(each.words) and each.words.casefold() not in weighty_words()]
    if not missions or not (names or len(reading.all(Instrument)) > 1):
        return reading
    datasets = [each for name in missions for each in datasets_of(name, catalog, archive)]
    parts = id_parts(datasets)
    found = [
        replace(each, meaning=Instrument(each.words.upper()))
        for each in names
        if all(part in parts for part in each.words.upper().split("-"))
    ]
    whole = reading.with_meanings(found)
    return replace(whole, mentions=tuple(_joined(whole.mentions, reading.request, datasets)))


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
