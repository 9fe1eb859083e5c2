"""What of a request is about particles, and the parameters that a spacecraft has for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Filler, Instrument, Meaning, Mission, Unclear
from helio_dagster.agent.offline.named_instruments import datasets_of
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.particle_channels import KEV, Energies, ParticleData, particle_data, species_of_word
from helio_dagster.catalog.choice.quantities import INDICES
from helio_dagster.catalog.fleets import member_of
from helio_dagster.catalog.instruments import is_by
from helio_dagster.domain.catalog_entry import Quantity

FLUX_OF: dict[str, Quantity] = {"electron": "electron_flux", "proton": "energetic_protons", "ion": "ion_flux"}


def held_by(mission: Mission, reading: Reading, offers: Offers) -> Iterator[ParticleData]:
    """The parameters that a spacecraft has in the time asked for, by every instrument that is named or has that name in it."""
    span, names = reading.span, [each.name for each in reading.all(Instrument)]
    for name in datasets_of(mission.name, offers.catalog, offers.archive):
        facts = offers.catalog.facts(offers.archive, name)
        if facts is None or not facts.is_fetchable:
            continue
        if mission.member and mission.member.lstrip("0") != member_of(facts.dataset.upper(), facts.label):
            continue
        if span and ((facts.start and facts.start >= span.stop) or (facts.stop and facts.stop <= span.start)):
            continue
        for each in particle_data(facts):
            about = each.parameter.description.upper()
            if all(is_by(who, facts.dataset, facts.instrument) or who in about for who in names):
                yield each


def taken_as(mention: Mention, data: ParticleData, place: int | None = None) -> Mention:
    """A mention that is a parameter, or one of its channels."""
    axis = None if place is None else str(place)
    return replace(mention, meaning=Measured(("other",), None, axis, dataset=data.facts.dataset, parameter=data.parameter.name))


def struck(reading: Reading, mentions: Sequence[Mention], note: str = "") -> Reading:
    """The reading with mentions that say nothing more; the first one carries a note."""
    return replaced(reading, {each: Filler(note if place == 0 else "") for place, each in enumerate(mentions)})


def replaced(reading: Reading, new: Mapping[Mention, Meaning]) -> Reading:
    """The reading with other meanings of some mentions, among them those that were not understood."""
    found = [replace(each, meaning=meaning) for each, meaning in new.items()]
    kept = [each for each in reading.mentions if each not in new]
    return replace(reading.with_meanings(found, kept), heard=reading.heard or reading.mentions)


def energies_in(words: str) -> tuple[Energies, bool] | None:
    """Energies that are named in keV, and whether all from the lower one on are meant; None for other words."""
    if (found := form("energies.range").fullmatch(words)) is not None:
        unit = found["unit"].casefold()
        low = float(found["low"]) * KEV[(found["low_unit"] or unit).casefold()]
        return Energies(low, float(found["high"]) * KEV[unit]), False
    if (one := form("energies.energy").fullmatch(words)) is None:
        return None
    value = float(one["low"]) * KEV[one["unit"].casefold()]
    return Energies(value, value), bool(one["bound"])


def species_of(mention: Mention) -> str:
    """The particles that a mention is a flux of, or asks for anything of; empty for others."""
    meaning = mention.meaning
    is_flux = isinstance(meaning, Measured) and bool({*FLUX_OF.values()} & {*meaning.quantities})
    is_open = isinstance(meaning, Unclear) and meaning.sort == "particles"
    whose = species_of_word(mention.words) if is_flux or is_open else ""
    return whose or (
        "proton" if is_flux and isinstance(meaning, Measured) and "energetic_protons" in meaning.quantities else ""
    )


def is_of_the_mission(mention: Mention, particles: Sequence[Mention], request: str) -> bool:
    """Whether a mission is still needed for another quantity than some particles; indices and the solar wind are OMNI's."""
    meaning = mention.meaning
    if mention in particles or is_of_the_solar_wind(mention, request):
        return False
    return isinstance(meaning, Derived) or (isinstance(meaning, Measured) and not INDICES & {*meaning.quantities})


def is_of_the_solar_wind(mention: Mention, request: str) -> bool:
    """Whether a quantity is called one of the solar wind: `solar wind speed`, `IMF Bz`."""
    called = f"{request[: mention.first]}{mention.words}"
    return (
        isinstance(mention.meaning, Measured | Derived)
        and form("energies.solar_wind").search(called, max(0, mention.first - 12)) is not None
    )


def least_raw(data: ParticleData) -> tuple[bool, bool, int, str]:
    """Science data first, not low latency, burst or other cadences."""
    name = data.facts.dataset
    return "_LL" in name, not name.endswith("-RATES"), len(name), name


def named_again(reading: Reading) -> dict[Mention, Mention]:
    """Particles that are named after those that an energy is of, where there are fewer energies, each with the first ones."""
    first: dict[str, Mention] = {}
    again: dict[Mention, Mention] = {}
    for each in reading.mentions:
        if species := species_of(each):
            if species in first:
                again[each] = first[species]
            else:
                first[species] = each
    return again if sum(energies_in(each.words) is not None for each in reading.mentions) == len(first) else {}
