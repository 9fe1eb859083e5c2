"""Whose moments are wanted: of particles named behind them, of ions by their symbols, or of those that an instrument counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.clauses import clauses
from helio_dagster.agent.offline.meanings import Filler, Instrument, Meaning, Mission, Unclear
from helio_dagster.agent.offline.particle_words import held_by, replaced, taken_as
from helio_dagster.agent.offline.request_reading import Mention, Reading, read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.instrument_roles import measures
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_reading import find_kind
from helio_dagster.catalog.choice.particle_channels import ELEMENTS, ParticleData, species_of_word
from helio_dagster.catalog.choice.quantities import MOMENTS, QUANTITIES, Species
from helio_dagster.catalog.instruments import id_parts, is_by
from helio_dagster.domain.catalog_entry import Quantity

_PARTICLES: dict[str, Species] = {"protons": "protons", "ions": "ions", "electrons": "electrons"}
_LMN = re.compile(r"\bL\b,?\s*(?:and\s+)?M\b,?\s*(?:(?:and|or|&)\s*)?N\b")
"""Axes of a boundary, of which the last is no nitrogen."""
_ION = re.compile(r"[A-Z][a-z]?(?:\+{1,2}|\+\d{1,2}|\d{1,2}\+)")
_OF = re.compile(
    r"(?:(?!\b(?:and|or|with|plus|versus|vs|against)\b)[^,;])*\b(?:of|for)\b(?:(?!\b(?:and|or|with|plus)\b)[^,;])*", re.I
)
_LISTED = re.compile(r"\s*(?:,|and|,\s*and|&|plus)\s*(?:the\s+)?", re.IGNORECASE)


def with_particles_of_moments(reading: Reading, offers: Offers) -> Reading:
    """The reading in which moments are of the particles that are named behind them, or of ions by symbol: `O6+ speed`."""
    return _of_ions(_with_owners(reading), offers)


def with_those_of_the_instrument(reading: Reading, offers: Offers) -> Reading:
    """The reading in which moments without their particles are those of electrons, where their instrument has only these."""
    missions, changed = reading.all(Mission), dict[Mention, Meaning]()
    span = reading.span
    for clause in clauses(reading) if len(missions) == 1 else ():
        names = [each.meaning.name for each in clause if isinstance(each.meaning, Instrument)]
        for each in clause if len(names) == 1 else ():
            meaning = each.meaning
            if not isinstance(meaning, Measured) or meaning.species or not MOMENTS.issuperset(meaning.quantities):
                continue
            asked = Asked(missions[0].name, meaning.quantities[0], "", missions[0].member)
            of_electrons = replace(asked, species="electrons")
            if not measures(offers, asked, names[0], span) and measures(offers, of_electrons, names[0], span):
                changed[each] = replace(meaning, species="electrons")
    return replaced(reading, changed) if changed else reading


def particles_by_instrument(reading: Reading, offers: Offers) -> dict[Mention, str]:
    """Particles of which nothing is asked, and the words for what their instrument measures of them, if one thing only."""
    missions, span = reading.all(Mission), reading.span
    instruments = reading.of(Instrument)
    found: dict[Mention, str] = {}
    for each in reading.mentions if len(missions) == 1 and instruments else ():
        if not isinstance(each.meaning, Unclear) or each.meaning.sort != "particles":
            continue
        nearest = min(instruments, key=lambda one: min(abs(one.last - each.first), abs(each.last - one.first))).meaning
        name = nearest.name if isinstance(nearest, Instrument) else ""
        held = [
            option
            for option in each.meaning.options
            for one in read_request(option, reading.now).all(Measured)
            if measures(offers, Asked(missions[0].name, one.quantities[0], one.species, missions[0].member), name, span)
        ]
        held = held or _as_catalogued(each, missions[0], name, reading, offers)
        found |= {each: held[0]} if len(set(held)) == 1 else {}
    return found


def _as_catalogued(mention: Mention, mission: Mission, by: str, reading: Reading, offers: Offers) -> list[str]:
    """The one parameter with all energies that an instrument has for particles, by its name and dataset; else nothing.

    Of telescopes that look elsewhere, the one towards the Sun comes first.
    """
    species = species_of_word(mention.words)
    of_it = [each for each in held_by(mission, reading, offers) if is_by(by, each.facts.dataset, each.facts.instrument)]
    whole = [each for each in of_it if len(each.parameter.size) == 1 and each.is_of(species) and each.is_flux]
    whole.sort(key=lambda each: not {"ASUN", "NORTH", "SOUTH"}.isdisjoint(id_parts([each.facts.dataset])))
    first = [each.parameter.name for each in whole if each.facts is whole[0].facts]
    return [f"{first[0]} of {whole[0].facts.dataset}"] if len(first) == 1 else []


def _with_owners(reading: Reading) -> Reading:
    """`V_R of Solar Orbiter protons`: particles named behind a moment are its own, and nothing is asked of them."""
    changed: dict[Mention, Meaning] = {}
    for place, mention in enumerate(reading.mentions):
        species = _PARTICLES.get(f"{mention.words.casefold().removesuffix('s')}s")
        if species is None or not isinstance(mention.meaning, Unclear):
            continue
        moments = {each: replace(moment, species=species) for each, moment in _moments_before(reading, place, changed)}
        changed |= {**moments, mention: Filler()} if moments else {}
    return replaced(reading, changed) if changed else reading


def _moments_before(reading: Reading, place: int, changed: dict[Mention, Meaning]) -> Iterator[tuple[Mention, Measured]]:
    """The moments that the particles at a place are said to own: the last one, and those listed with it."""
    found: Mention | None = None
    for each in reversed(reading.mentions[:place]):
        meaning = changed.get(each, each.meaning)
        if isinstance(meaning, Measured):
            between = reading.request[each.last : (found or reading.mentions[place]).first]
            is_own = set(meaning.quantities) <= MOMENTS and not meaning.species
            if not is_own or not (_LISTED if found else _OF).fullmatch(between):
                return
            found = each
            yield each, meaning
        elif not isinstance(meaning, Filler if found else Mission | Instrument | Filler):
            return


def _of_ions(reading: Reading, offers: Offers) -> Reading:
    """`H+, He++ and O6+ speed`: each ion is its own parameter, where one moment of one mission is asked for.

    Raises
    ------
    OpenQuestion
        The catalog has no such moment of an ion: those of others are not its.
    """
    axes = [match.span() for match in _LMN.finditer(reading.request)]
    ions = [each for each in reading.unknown if _ION.fullmatch(each.words) or species_of_word(each.words) in ELEMENTS]
    ions = [each for each in ions if not any(first <= each.first < last for first, last in axes)]
    moments = {each: each.meaning for each in reading.mentions if isinstance(each.meaning, Measured)}
    missions = reading.all(Mission)
    if not ions or len(missions) != 1 or not moments or (len(ions) > 1 and len({*moments.values()}) > 1):
        return reading
    if any(len(each.quantities) != 1 or each.quantities[0] not in MOMENTS for each in moments.values()):
        return reading
    new: dict[Mention, Meaning] = {}
    are_of_one = len({*moments.values()}) == 1
    for (moment, meaning), ion in product(list(moments.items())[: 1 if are_of_one else None], ions):
        best = _moment_of(ion, meaning.quantities[0], list(held_by(missions[0], reading, offers)))
        if best is None:
            whose = f"{missions[0].name} {missions[0].member}".strip()
            raise OpenQuestion(f"In the catalog I know no {ion.words} {moment.words.strip()} of {whose}.")
        place = ion if are_of_one else moment
        new[place] = taken_as(place, best).meaning
    notes = [
        f"{ions[0].words if each in moments else each.words} is {one.parameter} of {one.dataset}."
        for each, one in new.items()
        if isinstance(one, Measured)
    ]
    gone: Sequence[Mention] = reading.of(Mission, Instrument)
    said = dict.fromkeys([*ions, *moments, *gone], Filler())
    remark = Mention(Filler(" ".join(notes)), 0, 0, "")
    read = replaced(reading, {**said, **new})
    return replace(read, mentions=(remark, *read.mentions))


def _moment_of(ion: Mention, quantity: Quantity, held: Sequence[ParticleData]) -> ParticleData | None:
    """The parameter that the catalog has for a moment of an ion; None where it has none."""
    symbol = species_of_word(ion.words)
    names, catalogued = [symbol, f"{symbol}+"] if symbol else [ion.words], QUANTITIES[quantity].catalogued
    of_it = (
        each
        for each in sorted(held, key=lambda each: (len(each.parameter.size), "BRST" in each.facts.dataset))
        if str(each.parameter.quantity) in catalogued and find_kind(each.parameter, quantity) is not None
    )
    return next((each for each in of_it if any(map(each.is_of, names))), None)
