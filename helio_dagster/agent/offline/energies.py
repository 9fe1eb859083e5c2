"""Energies of particles: `>2 MeV electrons` is the channel of the mission whose description in the catalog says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.intent import Derived, Measured
from helio_dagster.agent.offline.meanings import Dataset, Filler, Meaning, Mission, Unclear
from helio_dagster.agent.offline.named_instruments import datasets_of
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.catalog.choice.offers import member_of
from helio_dagster.catalog.choice.quantities import INDICES
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.known import KnownCatalog

_ENERGY = re.compile(
    r"(?:of |at |around )?(?P<bound>>=?|above|over|exceeding|(?:greater|higher|more|larger) than)?\s*(?P<value>\d+(?:\.\d+)?) ?"
    r"(?P<unit>[kMG]?eV)",
    re.IGNORECASE,
)
_ABOVE = re.compile(r">=?\s*(?P<value>\d*\.?\d+)\s*(?P<unit>[kMG]?eV)")
_BETWEEN = re.compile(r"(?P<low>\d*\.?\d+)\s*-\s*(?P<high>\d*\.?\d+)\s*(?P<unit>[kMG]?eV)")
_KEV = {"ev": 1e-3, "kev": 1.0, "mev": 1e3, "gev": 1e6}
_WHOSE = {"electron": re.compile(r"elec?t?rons?", re.IGNORECASE), "proton": re.compile("protons?", re.IGNORECASE),
          "ion": re.compile("ions?", re.IGNORECASE)}  # fmt: skip
_FLUXES = frozenset(("electron flux", "proton flux", "ion flux", "particle flux"))
_MOST_TOLD = 3


@dataclass(frozen=True)
class _Channel:
    """A parameter of one energy."""

    facts: DatasetFacts
    parameter: ParameterFacts


def with_energies(reading: Reading, catalog: KnownCatalog, archive: str) -> Reading:
    """The reading in which particles of an energy are the parameter that the catalog describes so, and the card says which.

    An energy inside a spectrogram is drawn with all others. A request for several energies or missions stays as it is.

    Raises
    ------
    OpenQuestion
        No channel of the mission is described with an energy from which on particles are wanted.
    """
    energies = [each for each in reading.mentions if isinstance(each.meaning, Unclear) and _ENERGY.fullmatch(each.words)]
    missions = [each for each in reading.mentions if isinstance(each.meaning, Mission)]
    particles = [(each, species) for each in reading.mentions if (species := _species(each)) is not None]
    if not (len(energies) == len(missions) == len(particles) == 1) or reading.all(Dataset):
        return reading
    (energy,), (mission,), ((who, species),) = energies, missions, particles
    assert isinstance(mission.meaning, Mission)  # noqa: S101 - chosen so
    held = list(_held(mission.meaning, reading, catalog, archive))
    told = f"{energy.words.strip()} {species}s"
    channels = [each for each in held if not each.parameter.size and _is_of(each, energy.words, species)]
    if not channels:
        is_within = any(each.parameter.size and _is_of(each, energy.words, species) for each in held)
        if isinstance(who.meaning, Measured) and (is_within or "spectr" in who.words.casefold()):
            note = f"No channel of {energy.words.strip()!r} is a parameter by itself: the flux is drawn over all energies."
            return _with(reading, {energy: Filler(note)})
        whose = f"{mission.meaning.name} {mission.meaning.member}".strip()
        when = f" with data from {reading.time.span}" if reading.time and reading.time.span else ""
        text = f"I know no channel of {whose} for {told}{when}. Which other spacecraft, time or parameter do you mean?"
        raise OpenQuestion(text)
    best = max(channels, key=lambda each: "background" in each.parameter.description)
    dataset, name = best.facts.dataset, best.parameter.name
    others = [each.parameter.name for each in channels if each is not best and each.facts is best.facts][:_MOST_TOLD]
    note = f"{name} of {dataset} ({best.parameter.description}) is taken as the {told}."
    note += f" There is also {', '.join(others)}." if others else ""
    new: dict[Mention, Meaning] = {energy: Filler(note), who: Measured(("other",), dataset=dataset, parameter=name)}
    if not any(_is_of_the_mission(each, who) for each in reading.mentions):
        new[mission] = Filler()
    return _with(reading, new)


def _species(mention: Mention) -> str | None:
    meaning = mention.meaning
    is_flux = isinstance(meaning, Measured) and {"electron_flux", "ion_flux", "energetic_protons"} & {*meaning.quantities}
    if not is_flux and not (isinstance(meaning, Unclear) and meaning.question.startswith("What of the ")):
        return None
    return next((name for name, words in _WHOSE.items() if words.search(mention.words)), None)


def _held(mission: Mission, reading: Reading, catalog: KnownCatalog, archive: str) -> Iterator[_Channel]:
    """The fluxes that a spacecraft has in the time asked for."""
    span = reading.time.span if reading.time else None
    for name in datasets_of(mission.name, catalog, archive):
        facts = catalog.facts(archive, name)
        if facts is None or not facts.is_fetchable:
            continue
        if mission.member and mission.member.lstrip("0") != member_of(facts.dataset.upper(), facts.label):
            continue
        if span and ((facts.start and facts.start >= span.stop) or (facts.stop and facts.stop <= span.start)):
            continue
        yield from (_Channel(facts, each) for each in facts.parameters if str(each.quantity) in _FLUXES)


def _is_of(channel: _Channel, words: str, species: str) -> bool:
    """Whether a channel is described with an energy, and as that of the particles."""
    told, asked = channel.parameter.description, _ENERGY.fullmatch(words)
    if asked is None or not _WHOSE[species].search(f"{told} {channel.parameter.quantity}"):
        return False
    value = float(asked["value"]) * _KEV[asked["unit"].casefold()]
    if asked["bound"]:
        return any(
            abs(float(each["value"]) * _KEV[each["unit"].casefold()] / value - 1) < 1e-6 for each in _ABOVE.finditer(told)
        )
    return any(
        float(each["low"]) <= value / _KEV[each["unit"].casefold()] < float(each["high"]) for each in _BETWEEN.finditer(told)
    )


def _is_of_the_mission(mention: Mention, particles: Mention) -> bool:
    meaning = mention.meaning
    if mention is particles:
        return False
    return isinstance(meaning, Derived) or (isinstance(meaning, Measured) and not INDICES & {*meaning.quantities})


def _with(reading: Reading, new: dict[Mention, Meaning]) -> Reading:
    mentions = tuple(replace(each, meaning=new[each]) if each in new else each for each in reading.mentions)
    return replace(reading, mentions=mentions, heard=reading.heard or reading.mentions)
