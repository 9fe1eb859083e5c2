"""Telescopes that are called by where they look: `Solar Orbiter EPT sunward electrons` are those of EPT-SUN."""

from __future__ import annotations

import re
from dataclasses import replace

from helio_dagster.agent.offline.meanings import Filler, Instrument, Mission, Unclear
from helio_dagster.agent.offline.named_instruments import datasets_of
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.instruments import id_parts
from helio_dagster.catalog.known import KnownCatalog

_DIRECTIONS = (
    ("ASUN", r"anti-?\s?sunwards?(?:[- ](?:looking|facing|pointing))?(?: telescope)?"),
    ("SUN", r"sunwards?(?:[- ](?:looking|facing|pointing))?(?: telescope)?|sun[- ](?:looking|facing|pointing)(?: telescope)?"),
    ("NORTH", r"northwards?(?:[- ](?:looking|facing|pointing))(?: telescope)?|north(?:ern)? telescope"),
    ("SOUTH", r"southwards?(?:[- ](?:looking|facing|pointing))(?: telescope)?|south(?:ern)? telescope"),
)
_PARTICLES = {
    "electron": re.compile(r"ele(?:ctron)?_flux$", re.IGNORECASE),
    "ion": re.compile(r"(?:ion|h)_flux$", re.IGNORECASE),
    "proton": re.compile(r"(?:h|prot|ion)_flux$", re.IGNORECASE),
}


def with_telescopes(reading: Reading, catalog: KnownCatalog, archive: str) -> Reading:
    """The reading in which particles from a direction are the flux of the telescope that looks there; else as it is."""
    missions = reading.all(Mission)
    found = next(((name, match) for name, words in _DIRECTIONS if (match := _search(words, reading.request))), None)
    particles = [each for each in reading.mentions if _species(each)]
    named = [each for each in reading.mentions if isinstance(each.meaning, Instrument)]
    if found is None or len(missions) != 1 or len(particles) != 1 or not named:
        return reading
    where, match = found
    phrase = {part for each in named if isinstance(each.meaning, Instrument) for part in each.meaning.name.split("-")}
    datasets = [each for each in datasets_of(missions[0].name, catalog, archive) if {where, *phrase} <= id_parts([each])]
    flux = _PARTICLES[_species(particles[0])]
    held = sorted((_rank(each), each, name) for each in datasets if (name := _parameter(each, flux, catalog, archive)))
    if not held:
        return reading
    _, dataset, parameter = held[0]
    note = f"{' '.join(match[0].split())!r} is taken as {parameter} of {dataset}, the telescope that looks there."
    inside = [each for each in (*reading.mentions, *reading.unknown) if match.start() <= each.first < match.end()]
    gone = {*inside, *named, *(each for each in reading.mentions if isinstance(each.meaning, Mission))} - {particles[0]}
    kept = [replace(each, meaning=Filler()) if each in gone else each for each in reading.mentions if each != particles[0]]
    measured = replace(particles[0], meaning=Measured(("other",), dataset=dataset, parameter=parameter))
    remark = Mention(Filler(note), match.start(), match.start(), "")
    unknown = tuple(each for each in reading.unknown if each not in gone)
    mentions = tuple(sorted([*kept, measured, remark], key=lambda each: each.first))
    return replace(reading, mentions=mentions, unknown=unknown, heard=reading.heard or reading.mentions)


def _search(words: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<![\w-])(?:{words})(?![\w-])", text, re.IGNORECASE)


def _species(mention: Mention) -> str:
    """Which particles a mention is of, if it asks for their flux or for anything of them."""
    word = re.match(r"(electron|ion|proton)", mention.words, re.IGNORECASE)
    is_flux = isinstance(mention.meaning, Measured) and mention.meaning.quantities[0] in (
        "electron_flux",
        "ion_flux",
        "energetic_protons",
    )
    return word[0].casefold() if word and (is_flux or isinstance(mention.meaning, Unclear)) else ""


def _rank(dataset: str) -> tuple[bool, bool, int]:
    """Science data first, not low latency, burst or other cadences."""
    return "_LL" in dataset, not dataset.endswith("-RATES"), len(dataset)


def _parameter(dataset: str, flux: re.Pattern[str], catalog: KnownCatalog, archive: str) -> str:
    facts = catalog.facts(archive, dataset)
    names = [each.name for each in facts.parameters] if facts is not None and facts.is_fetchable else []
    return next((name for name in names if flux.match(name)), "")
