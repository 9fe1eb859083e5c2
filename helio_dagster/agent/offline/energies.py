"""Energies of particles: `>2 MeV electrons` is the channel of the mission whose description in the catalog says so."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.energy_owners import ask_whose_channel, in_omni
from helio_dagster.agent.offline.meanings import Cadence, Condition, Dataset, Filler, Instrument, Meaning, Mission, Unclear
from helio_dagster.agent.offline.named_instruments import datasets_of
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import without
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.choice.offers import member_of
from helio_dagster.catalog.choice.parameter_words import MINOR
from helio_dagster.catalog.choice.quantities import INDICES
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.instruments import is_by
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.catalog_entry import Quantity

_ENERGY = re.compile(
    r"(?:of |at |around )?(?P<bound>>=?|above|over|exceeding|(?:greater|higher|more|larger) than)?\s*(?P<value>\d+(?:\.\d+)?) ?"
    r"(?P<unit>[kMG]?eV)",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"(?:of |at |around |from |between )?(?P<low>\d+(?:\.\d+)?) ?(?P<low_unit>[kMG]?eV)?(?: ?[-–] ?| to | and )"
    r"(?P<high>\d+(?:\.\d+)?) ?(?P<unit>[kMG]?eV)",
    re.IGNORECASE,
)
_ABOVE = re.compile(r">=?\s*(?P<value>\d*\.?\d+)\s*(?P<unit>[kMG]?eV)")
_BETWEEN = re.compile(r"(?P<low>\d*\.?\d+)\s*-\s*(?P<high>\d*\.?\d+)(?: energy bins)?,?\s*(?P<unit>[kMG]?eV)")
_SPANNED = re.compile(
    r"(?P<low>\d*\.?\d+)\s*(?P<low_unit>[kMG]?eV)?\s*(?:-|to)\s*(?P<high>\d*\.?\d+)\s*(?P<unit>[kMG]?eV)", re.IGNORECASE
)
_CHANNEL = re.compile(
    r"(?P<low>\d*\.?\d+)\s*(?P<low_unit>[kMG]?eV)?\s*(?:-|to)\s*(?P<high>\d*\.?\d+)(?: energy bins)?,?\s*"
    r"(?P<unit>[kMG]?eV)(?!/nuc)",
    re.IGNORECASE,
)
_PARTICLES = re.compile(r"elec?t?rons?|protons?|ions?|hydrogen|helium|oxygen", re.IGNORECASE)
_KEV = {"ev": 1e-3, "kev": 1.0, "mev": 1e3, "gev": 1e6}
_WHOSE = {"electron": re.compile(r"elec?t?rons?", re.IGNORECASE), "proton": re.compile("protons?", re.IGNORECASE),
          "ion": re.compile("ions?", re.IGNORECASE)}  # fmt: skip
_FLUXES = frozenset(("electron flux", "proton flux", "ion flux", "particle flux"))
_FLUX_OF: dict[str, Quantity] = {"electron": "electron_flux", "proton": "energetic_protons", "ion": "ion_flux"}
_MOST_LISTED = 3
_LEAST_IN_COMMON = 0.2
"""How much of two ranges of energies must be in both, that one is taken for the other."""


@dataclass(frozen=True)
class Channel:
    """A parameter of a dataset: one energy, or one kind of ions."""

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
    energies = [
        each
        for each in reading.mentions
        if isinstance(each.meaning, Unclear | Condition) and (_ENERGY.fullmatch(each.words) or _RANGE.fullmatch(each.words))
    ]
    missions = [each for each in reading.mentions if isinstance(each.meaning, Mission)]
    particles = [(each, species) for each in reading.mentions if (species := _species(each)) is not None]
    if not (len(energies) == len(particles) == 1) or len(missions) > 1 or reading.all(Dataset):
        return reading
    (energy,), ((who, species),) = energies, particles

    def channel_of(mission: Mission) -> str | None:
        fluxes = [each for each in held_by(mission, reading, catalog, archive) if str(each.parameter.quantity) in _FLUXES]
        found = _channels(fluxes, energy.words, species, reading)
        return f"{found[0].parameter.name} of {found[0].facts.dataset} ({found[0].parameter.description})" if found else None

    if not missions:
        ask_whose_channel(reading, f"{energy.words.strip()} {species}s", channel_of)
        return reading
    (mission,) = missions
    assert isinstance(mission.meaning, Mission)  # noqa: S101 - chosen so
    held = [each for each in held_by(mission.meaning, reading, catalog, archive) if str(each.parameter.quantity) in _FLUXES]
    stated = (
        re.sub(r"^(?:(?:of|at|around)\s+|(?:from|between)\s+(?=.*(?:to|and)\b))", "", energy.words.strip()) + f" {species}s"
    )
    channels = _channels(held, energy.words, species, reading)
    if not channels and _RANGE.fullmatch(energy.words):
        spectra = [each for each in _by_those_named(held, reading) if each.parameter.size and _is_theirs(each, species)]
        note = f"No channel of {energy.words.strip()!r} is a parameter by itself: the flux is drawn over all energies."
        return _with(reading, {energy: Filler(note), who: _as_flux(who, species)}) if spectra else reading
    if not channels and (above := channels_above(held, energy.words, _WHOSE[species])):
        raise which_channel(above, f"{species}s {energy.words.strip()}")
    if not channels:
        elsewhere = in_omni(reading, mission, channel_of)
        return _over_all_energies(reading, held, energy, mission, who, species=species, stated=stated, elsewhere=elsewhere)
    best = channels[0]
    dataset, name = best.facts.dataset, best.parameter.name
    others = [each.parameter.name for each in channels if each is not best and each.facts is best.facts][:_MOST_LISTED]
    nearest = ", as the channel nearest to them" if _RANGE.fullmatch(energy.words) else ""
    note = f"{name} of {dataset} ({best.parameter.description}) is taken as the {stated}{nearest}."
    note += f" There is also {', '.join(others)}." if others else ""
    new: dict[Mention, Meaning] = {energy: Filler(note), who: Measured(("other",), dataset=dataset, parameter=name)}
    if not any(_is_of_the_mission(each, who) for each in reading.mentions):
        new[mission] = Filler()
    return _with(reading, new)


def _over_all_energies(
    reading: Reading,
    held: Sequence[Channel],
    energy: Mention,
    mission: Mention,
    who: Mention,
    *,
    species: str,
    stated: str,
    elsewhere: tuple[str, list[str]],
) -> Reading:
    """The reading in which particles of an energy that is not a channel are drawn over all; a question where none reach it."""
    is_within = any(each.parameter.size and _is_of(each, energy.words, species) for each in held)
    spectra = [each for each in _by_those_named(held, reading) if each.parameter.size and _is_theirs(each, species)]
    reach = {each: _reaches(each, energy.words, species) for each in spectra}
    reaching = sorted((each for each in spectra if reach[each]), key=lambda each: len(each.parameter.size))
    is_known = bool(spectra) and all(known is False for known in reach.values())
    is_flux = isinstance(who.meaning, Measured) and (is_within or "spectr" in who.words.casefold())
    is_flux = is_flux or (bool(spectra) and bool(reading.all(Instrument)))
    if reaching or (is_flux and not is_known):
        note = f"No channel of {energy.words.strip()!r} is a parameter by itself: the flux is drawn over all energies."
        if not reaching:
            return _with(reading, {energy: Filler(note), who: _as_flux(who, species)})
        best = reaching[0]
        by_it = Measured(("electron_flux" if species == "electron" else "ion_flux",), dataset=best.facts.dataset)
        if species not in str(best.parameter.quantity):
            by_it = replace(by_it, quantities=("other",), parameter=best.parameter.name)
        note += f" {by_it.dataset} reaches it: {best.facts.label}."
        left = any(_is_of_the_mission(each, who) for each in reading.mentions)
        return _with(reading, {energy: Filler(note), who: by_it, **({} if left else {mission: Filler()})})
    whose = f"{mission.meaning.name} {mission.meaning.member}".strip() if isinstance(mission.meaning, Mission) else "it"
    when = f" with data from {reading.time.span}" if reading.time and reading.time.span else ""
    other, choices = elsewhere
    text = f"I know no channel of {whose} for {stated}{when}.{other} Which other spacecraft, time or parameter do you mean?"
    whole = [without(reading, [energy])] if spectra and isinstance(who.meaning, Measured) else []
    raise OpenQuestion(text, [*choices, *whole])


def _as_flux(who: Mention, species: str) -> Meaning:
    """What is said of the particles; their flux where only they are named."""
    return who.meaning if isinstance(who.meaning, Measured) else Measured((_FLUX_OF[species],))


def _by_those_named(held: Sequence[Channel], reading: Reading) -> list[Channel]:
    """The parameters by every instrument that is named."""
    named = [each.name for each in reading.all(Instrument)]
    return [each for each in held if all(is_by(name, each.facts.dataset, each.facts.instrument) for name in named)]


def _channels(held: Sequence[Channel], words: str, species: str, reading: Reading) -> list[Channel]:
    """The parameters that are a channel of an energy, the best first: for a range that of the cadence and most in common."""
    lone = [each for each in held if not each.parameter.size]
    if not (asked := _RANGE.fullmatch(words)):
        found = [each for each in lone if _is_of(each, words, species)]
        return sorted(found, key=lambda each: "background" not in each.parameter.description)
    cadences = [each.length for each in reading.all(Cadence)]
    limits = _limits(asked)
    shares = {
        each: max(
            (_in_common(limits, _limits(stated)) for stated in _CHANNEL.finditer(each.parameter.description)), default=0.0
        )
        for each in _by_those_named(lone, reading)
        if _is_theirs(each, species)
    }
    found = [each for each in shares if shares[each] >= _LEAST_IN_COMMON]
    others = [words for whose, words in _WHOSE.items() if whose != species]

    def against(each: Channel) -> tuple[bool, bool, bool, float]:
        is_mixed = any(words.search(each.parameter.description) for words in others)
        is_other = bool(cadences) and each.facts.cadence not in cadences
        return is_mixed, is_other, MINOR.search(each.facts.dataset) is not None, -shares[each]

    return sorted(found, key=against)


def channels_above(held: Sequence[Channel], words: str, whose: re.Pattern[str]) -> list[Channel]:
    """The parameters that are a range of energies from a limit on, the lowest first; none where no such limit is named."""
    asked = _ENERGY.fullmatch(words)
    if asked is None or not asked["bound"]:
        return []
    limit = math.log(float(asked["value"]) * _KEV[asked["unit"].casefold()])
    found: list[tuple[float, Channel]] = []
    for each in held:
        stated = _CHANNEL.search(each.parameter.description) if not each.parameter.size else None
        if stated is not None and whose.search(each.parameter.description) and _limits(stated)[0] >= limit - 1e-6:
            found.append((_limits(stated)[0], each))
    of_one = {each.facts.dataset for _, each in found[:1]}
    return [each for _, each in sorted(found, key=lambda pair: pair[0]) if each.facts.dataset in of_one]


def which_channel(channels: Sequence[Channel], stated: str) -> OpenQuestion:
    """The question which range of energies is wanted, where a spacecraft has ranges and nothing from a limit on.

    No range is a choice: it would drop the limit that was said.
    """
    dataset, (first, *_) = channels[0].facts.dataset, channels
    named = "; ".join(f"{each.parameter.name} ({each.parameter.description})" for each in channels[:_MOST_LISTED])
    more = len(channels) - _MOST_LISTED
    return OpenQuestion(
        f"{dataset} has no one channel for {stated}, but ranges of energy that begin there or higher: {named}"
        f"{f', and {more} more' if more > 0 else ''}. Which one do you want? Say it as in: {first.parameter.name} of {dataset}."
    )


def _limits(match: re.Match[str]) -> tuple[float, float]:
    """The limits of a range of energies in keV, as the logarithms that channels are spaced by."""
    unit = match["unit"].casefold()
    low, high = float(match["low"]) * _KEV[(match["low_unit"] or unit).casefold()], float(match["high"]) * _KEV[unit]
    return math.log(max(low, 1e-9)), math.log(max(high, 1e-9))


def _in_common(one: tuple[float, float], other: tuple[float, float]) -> float:
    """How much of two ranges together is in both."""
    both = min(one[1], other[1]) - max(one[0], other[0])
    return max(0.0, both / (max(one[1], other[1]) - min(one[0], other[0])))


def _species(mention: Mention) -> str | None:
    meaning = mention.meaning
    is_flux = isinstance(meaning, Measured) and {"electron_flux", "ion_flux", "energetic_protons"} & {*meaning.quantities}
    if not is_flux and not (isinstance(meaning, Unclear) and meaning.question.startswith("What of the ")):
        return None
    return next((name for name, words in _WHOSE.items() if words.search(mention.words)), None)


def held_by(mission: Mission, reading: Reading, catalog: KnownCatalog, archive: str) -> Iterator[Channel]:
    """The parameters that a spacecraft has in the time asked for."""
    span = reading.time.span if reading.time else None
    for name in datasets_of(mission.name, catalog, archive):
        facts = catalog.facts(archive, name)
        if facts is None or not facts.is_fetchable:
            continue
        if mission.member and mission.member.lstrip("0") != member_of(facts.dataset.upper(), facts.label):
            continue
        if span and ((facts.start and facts.start >= span.stop) or (facts.stop and facts.stop <= span.start)):
            continue
        yield from (Channel(facts, each) for each in facts.parameters)


def _is_of(channel: Channel, words: str, species: str) -> bool:
    """Whether a channel is described with an energy, and as that of the particles."""
    stated, asked = channel.parameter.description, _ENERGY.fullmatch(words)
    if asked is None or not _is_theirs(channel, species):
        return False
    value = float(asked["value"]) * _KEV[asked["unit"].casefold()]
    if asked["bound"]:
        return any(
            abs(float(each["value"]) * _KEV[each["unit"].casefold()] / value - 1) < 1e-6 for each in _ABOVE.finditer(stated)
        )
    return any(
        float(each["low"]) <= value / _KEV[each["unit"].casefold()] < float(each["high"]) for each in _BETWEEN.finditer(stated)
    )


def _is_theirs(channel: Channel, species: str) -> bool:
    return _WHOSE[species].search(f"{channel.parameter.description} {channel.parameter.quantity}") is not None


def _reaches(channel: Channel, words: str, species: str) -> bool | None:
    """Whether the energies that the label of a dataset tells of the particles include one; None where it tells none."""
    asked, label, known = _ENERGY.fullmatch(words), channel.facts.label, None
    for each in _SPANNED.finditer(label) if asked else ():
        whose = [found[0] for found in _PARTICLES.finditer(label, 0, each.start())]
        if whose and not _WHOSE[species].fullmatch(whose[-1]):
            continue
        unit = each["unit"].casefold()
        low, high = float(each["low"]) * _KEV[(each["low_unit"] or unit).casefold()], float(each["high"]) * _KEV[unit]
        known = bool(known) or low <= float(asked["value"]) * _KEV[asked["unit"].casefold()] < high if asked else None
    return known


def _is_of_the_mission(mention: Mention, particles: Mention) -> bool:
    meaning = mention.meaning
    if mention is particles:
        return False
    return isinstance(meaning, Derived) or (isinstance(meaning, Measured) and not INDICES & {*meaning.quantities})


def _with(reading: Reading, new: dict[Mention, Meaning]) -> Reading:
    mentions = tuple(replace(each, meaning=new[each]) if each in new else each for each in reading.mentions)
    return replace(reading, mentions=mentions, heard=reading.heard or reading.mentions)
