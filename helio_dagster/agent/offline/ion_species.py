"""Ions by their symbols: `H+, He++ and O6+ speed` are the parameters that the catalog describes so."""

from __future__ import annotations

import re
from dataclasses import replace

from helio_dagster.agent.offline.energies import held_by
from helio_dagster.agent.offline.meanings import Dataset, Filler, Instrument, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Pairing, Transform
from helio_dagster.catalog.choice.quantities import MOMENTS, QUANTITIES
from helio_dagster.catalog.instruments import is_by
from helio_dagster.catalog.known import KnownCatalog

_ION = re.compile(r"(?P<symbol>[A-Z][a-z]?)(?:(?P<signs>\+{1,2})|\+?(?P<charge>\d{1,2})\+?)")
_FLUX = re.compile(r"(?:energy )?flux(?:es)?|intensit(?:y|ies)|spectr(?:a|um|ograms?)|ions?", re.IGNORECASE)
_NAMES = {
    "H": "hydrogen|protons?", "He": "helium", "C": "carbon", "N": "nitrogen", "O": "oxygen", "Ne": "neon", "Mg": "magnesium",
    "Si": "silicon", "S": "sul(?:ph|f)ur", "Fe": "iron",
}  # fmt: skip


def with_ion_species(reading: Reading, catalog: KnownCatalog, archive: str) -> Reading:
    """The reading in which each ion is its parameter, if the request is about one moment of one mission; else as it is."""
    if (of_elements := _with_elements(reading, catalog, archive)) is not None:
        return of_elements
    ions = [each for each in reading.unknown if "+" in each.words and _ION.fullmatch(each.words)]
    moments = [each for each in reading.mentions if isinstance(each.meaning, Measured)]
    missions = reading.all(Mission)
    if not ions or len(missions) != 1 or len({each.meaning for each in moments}) != 1:
        return reading
    assert isinstance(moments[0].meaning, Measured)  # noqa: S101 - chosen so
    quantities = moments[0].meaning.quantities
    if len(quantities) != 1 or quantities[0] not in MOMENTS:
        return reading
    instruments = [each.name for each in reading.all(Instrument)]
    held = [
        each
        for each in held_by(missions[0], reading, catalog, archive)
        if str(each.parameter.quantity) in QUANTITIES[quantities[0]].catalogued
        and all(
            is_by(name, each.facts.dataset, each.facts.instrument) or name in each.parameter.description.upper()
            for name in instruments
        )
    ]
    held.sort(key=lambda each: (len(each.parameter.size), "BRST" in each.facts.dataset))
    found: list[Mention] = []
    for ion in ions:
        spelt = _spelt(ion.words)
        best = next((each for each in held if spelt.search(each.parameter.description)), None)
        if best is None:
            return reading
        measured = Measured(("other",), dataset=best.facts.dataset, parameter=best.parameter.name)
        found.append(replace(ion, meaning=measured))
    kept = [each for each in reading.mentions if each not in moments and not isinstance(each.meaning, Mission | Instrument)]
    notes = [
        f"{each.words} is {each.meaning.parameter} of {each.meaning.dataset}."
        for each in found
        if isinstance(each.meaning, Measured)
    ]
    gone = [replace(each, meaning=Filler()) for each in reading.mentions if isinstance(each.meaning, Mission | Instrument)]
    remarked = replace(moments[0], meaning=Filler(" ".join(notes)))
    return replace(reading.with_meanings(found, [*kept, *gone, remarked]), heard=reading.heard or reading.mentions)


def _with_elements(reading: Reading, catalog: KnownCatalog, archive: str) -> Reading | None:
    """The reading in which `oxygen` or `Fe` beside an instrument is its flux, where no quantity is named; else None."""
    found = {each: spelt for each in reading.unknown if (spelt := _element(each.words)) is not None}
    missions, instruments = reading.all(Mission), [each.name for each in reading.all(Instrument)]
    named = any(
        isinstance(each.meaning, Measured | Derived | Pairing | Transform | Unclear | Dataset) for each in reading.mentions
    )
    fluxes = [each for each in reading.unknown if each not in found and _FLUX.fullmatch(each.words)]
    if not found or named or len(missions) != 1 or not instruments:
        return None
    held = [
        each
        for each in held_by(missions[0], reading, catalog, archive)
        if "flux" in str(each.parameter.quantity)
        and all(is_by(name, each.facts.dataset, each.facts.instrument) for name in instruments)
    ]
    target: list[Mention] = []
    notes: list[str] = []
    for mention, spelt in found.items():
        of_it = (each for each in held if spelt.search(f"{each.parameter.name.replace('_', ' ')} {each.parameter.description}"))
        if (best := next(of_it, None)) is None:
            return None
        target.append(replace(mention, meaning=Measured(("other",), dataset=best.facts.dataset, parameter=best.parameter.name)))
        described = f"{best.parameter.name} of {best.facts.dataset} ({best.parameter.description})"
        notes.append(f"{mention.words!r} is taken as {described}.")
    gone = [
        replace(each, meaning=Filler(" ".join(notes)))
        for each in reading.mentions
        if isinstance(each.meaning, Mission | Instrument)
    ]
    kept = [each for each in reading.mentions if not isinstance(each.meaning, Mission | Instrument)]
    idle = [replace(each, meaning=Filler()) for each in fluxes]
    return replace(reading.with_meanings([*target, *idle], [*kept, *gone]), heard=reading.heard or reading.mentions)


def _element(words: str) -> re.Pattern[str] | None:
    """How an element that is named, or its symbol, stands in descriptions; None for other words."""
    named = (
        (symbol, names) for symbol, names in _NAMES.items() if symbol == words or re.fullmatch(names, words, re.IGNORECASE)
    )
    symbol, names = next(named, ("", ""))
    return (
        re.compile(rf"(?<![A-Za-z0-9])(?:{symbol}{'4?' if symbol == 'He' else ''}|(?i:{names}))(?![A-Za-z+0-9])")
        if symbol
        else None
    )


def _spelt(words: str) -> re.Pattern[str]:
    """How descriptions write an ion: `O+6`, `Oxygen+6`, `O6+`, `He++`, `Helium++`."""
    ion = _ION.fullmatch(words)
    assert ion is not None  # noqa: S101 - chosen so
    symbol, charge = ion["symbol"], int(ion["charge"] or len(ion["signs"]))
    signs = rf"\+{{{charge}}}|" if charge < 3 else ""
    bare = "|[Pp]rotons?\\b" if symbol == "H" and charge == 1 else ""
    return re.compile(
        rf"(?<![A-Za-z])(?:(?:{symbol}|(?i:{_NAMES.get(symbol, symbol)}))(?:{signs}\+?{charge}\+?)(?![+\d]){bare})"
    )
