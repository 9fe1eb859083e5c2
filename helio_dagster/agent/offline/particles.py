"""Fluxes of particles that a request names: `protons above 10 MeV`, `HET electrons`, `sunward ions`, `Fe`, `pitch angles`.

One reader finds whose particles, of which energies, in which direction and over what they are wanted, and takes the parameter
that the catalog describes so. Moments of particles are in `particle_moments`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.energy_owners import ask_whose_channel, in_omni
from helio_dagster.agent.offline.meanings import Cadence, Condition, Dataset, Filler, Instrument, Meaning, Mission, Unclear
from helio_dagster.agent.offline.named_instruments import datasets_of
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import without
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Pairing, Transform
from helio_dagster.catalog.choice.offers import Offers, member_of
from helio_dagster.catalog.choice.parameter_words import MINOR
from helio_dagster.catalog.choice.particle_channels import (
    KEV,
    Energies,
    ParticleData,
    particle_data,
    species_of_word,
)
from helio_dagster.catalog.choice.quantities import INDICES
from helio_dagster.catalog.instruments import id_parts, is_by
from helio_dagster.domain.catalog_entry import Quantity

OPEN = "What of the "
"""How the question begins what of some particles is wanted."""
_ENERGY = re.compile(
    r"(?:of |at |around )?(?P<bound>>=?|above|over|exceeding|(?:greater|higher|more|larger) than)?\s*(?P<low>\d+(?:\.\d+)?) ?"
    r"(?P<unit>[kMG]?eV)",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"(?:of |at |around |from |between )?(?P<low>\d+(?:\.\d+)?) ?(?P<low_unit>[kMG]?eV)?(?: ?[-–] ?| to | and )"
    r"(?P<high>\d+(?:\.\d+)?) ?(?P<unit>[kMG]?eV)",
    re.IGNORECASE,
)
_LINK = re.compile(r"^(?:(?:of|at|around)\s+|(?:from|between)\s+(?=.*(?:to|and)\b))")
_AT = re.compile(r"^(?:(?:of|at|around)\s+)?")
_DIRECTIONS = (
    ("ASUN", r"anti-?\s?sunwards?(?:[- ](?:looking|facing|pointing))?(?: telescope)?"),
    ("SUN", r"sunwards?(?:[- ](?:looking|facing|pointing))?(?: telescope)?|sun[- ](?:looking|facing|pointing)(?: telescope)?"),
    ("NORTH", r"northwards?(?:[- ](?:looking|facing|pointing))(?: telescope)?|north(?:ern)? telescope"),
    ("SOUTH", r"southwards?(?:[- ](?:looking|facing|pointing))(?: telescope)?|south(?:ern)? telescope"),
)
_OF_TELESCOPE = {"electron": r"ele(?:ctron)?_flux$", "ion": r"(?:ion|h)_flux$", "proton": r"(?:h|prot|ion)_flux$"}
_PITCH = re.compile(
    r"(?:(?:supra-?thermal|strahl|energy[- ]resolved)\s+)*(?P<who>(?:elec?t?rons?|protons?|ions?|helium|oxygen)\s+)?"
    r"pitch[- ]?angles?(?:[- ](?:distributions?|spectrograms?|spectr(?:um|a)|data|plots?|pads?))?"
    r"(?:\s+(?:of|for)(?:\s+the)?)?",
    re.IGNORECASE,
)
_FLUX_WORDS = re.compile(r"(?:energy )?flux(?:es)?|intensit(?:y|ies)|spectr(?:a|um|ograms?)|ions?", re.IGNORECASE)
_FLUXES = frozenset(("electron flux", "proton flux", "ion flux", "particle flux"))
_FLUX_OF: dict[str, Quantity] = {"electron": "electron_flux", "proton": "energetic_protons", "ion": "ion_flux"}
_MOST_LISTED = 3
_LEAST_IN_COMMON = 0.2
"""How much of two ranges of energies must be in both, that one is taken for the other."""
_AROUND = 0.15
"""Share of an energy by which a distribution taken at one energy may be off."""


@dataclass(frozen=True)
class _Wanted:
    """Particles of an energy: the words for both, in keV where they are one energy, from one on, or a range."""

    who: Mention
    species: str
    said: Mention
    energies: Energies
    is_bound: bool

    @property
    def is_range(self) -> bool:
        return not self.is_bound and self.energies.low < self.energies.high

    @property
    def words(self) -> str:
        return self.said.words.strip()

    @property
    def stated(self) -> str:
        return f"{_LINK.sub('', self.words)} {self.species}s"


def with_particles(reading: Reading, offers: Offers) -> Reading:
    """The reading in which particles are the parameter that the catalog describes so, and the card says which; else as it is.

    Raises
    ------
    OpenQuestion
        No parameter of the mission is described with what is wanted.
    """
    for read in (_over_pitch_angle, _from_a_direction, _of_energies, _of_elements):
        if (found := read(reading, offers)) is not None:
            return found
    return reading


def held_by(mission: Mission, reading: Reading, offers: Offers) -> Iterator[ParticleData]:
    """The parameters that a spacecraft has in the time asked for, by every instrument that is named or has that name in it."""
    span, names = reading.time.span if reading.time else None, [each.name for each in reading.all(Instrument)]
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


def replaced(reading: Reading, new: dict[Mention, Meaning]) -> Reading:
    """The reading with other meanings of some mentions, among them those that were not understood."""
    found = [replace(each, meaning=meaning) for each, meaning in new.items()]
    kept = [each for each in reading.mentions if each not in new]
    return replace(reading.with_meanings(found, kept), heard=reading.heard or reading.mentions)


# ---- energies


def _of_energies(reading: Reading, offers: Offers) -> Reading | None:
    """Particles of energies, each as its channel; several where each has its own particles or all have the same."""
    missions = [each for each in reading.mentions if isinstance(each.meaning, Mission)]
    wanted = _wanted(reading)
    if not wanted or len(missions) > 1 or reading.all(Dataset):
        return None

    def channel_of(each: _Wanted) -> Callable[[Mission], str | None]:
        def words_for(mission: Mission) -> str | None:
            found = _channels(_fluxes(mission, reading, offers), each, reading)
            return found[0][0].words if found else None

        return words_for

    if not missions:
        ask_whose_channel(reading, f"{wanted[0].words} {wanted[0].species}s", channel_of(wanted[0]))
        return None
    (mission,) = missions
    assert isinstance(mission.meaning, Mission)  # noqa: S101 - chosen so
    held = _fluxes(mission.meaning, reading, offers)
    new: dict[Mention, Meaning] = {}
    for each in wanted:
        channels = _channels(held, each, reading)
        if not channels:
            return _over_all_energies(reading, held, each, mission, in_omni(reading, mission, channel_of(each)))
        (best, place), *more = channels
        others = [one.parameter.name for one, _ in more if one.facts is best.facts and one is not best][:_MOST_LISTED]
        which = f"Channel {place + 1} of " if place is not None else ""
        nearest = ", as the channel nearest to them" if each.is_range else ""
        note = f"{which}{best.words} is taken as the {each.stated}{nearest}."
        note += f" There is also {', '.join(others)}." if others else ""
        is_taken = each.who in new  # `protons at 1 and 10 MeV`
        new |= {each.said: Filler(note)}
        at, other = (each.said, each.who) if is_taken else (each.who, each.said)
        new[at] = taken_as(at, best, place).meaning
        new[other] = Filler(note) if other is each.said else new[other]
    if not any(_is_of_the_mission(each, [one.who for one in wanted]) for each in reading.mentions):
        new[mission] = Filler()
    return replaced(reading, new)


def _wanted(reading: Reading) -> list[_Wanted]:
    """Particles with their energies, where there are as many of both, or one kind of particles; else none."""
    particles = [(each, species) for each in reading.mentions if (species := _species(each))]
    energies = [
        (each, found)
        for each in reading.mentions
        if isinstance(each.meaning, Unclear | Condition) and (found := _energies(each.words)) is not None
    ]
    if not energies or len(particles) not in (1, len(energies)):
        return []
    whose = particles * len(energies) if len(particles) == 1 else particles
    return [
        _Wanted(who, species, said, found[0], found[1]) for (who, species), (said, found) in zip(whose, energies, strict=True)
    ]


def _energies(words: str) -> tuple[Energies, bool] | None:
    """Energies that are named in keV, and whether all from the lower one on are meant; None for other words."""
    if (found := _RANGE.fullmatch(words)) is not None:
        unit = found["unit"].casefold()
        low = float(found["low"]) * KEV[(found["low_unit"] or unit).casefold()]
        return Energies(low, float(found["high"]) * KEV[unit]), False
    if (one := _ENERGY.fullmatch(words)) is None:
        return None
    value = float(one["low"]) * KEV[one["unit"].casefold()]
    return Energies(value, value), bool(one["bound"])


def _species(mention: Mention) -> str:
    """The particles that a mention is a flux of, or asks for anything of; empty for others."""
    meaning = mention.meaning
    is_flux = isinstance(meaning, Measured) and bool({*_FLUX_OF.values()} & {*meaning.quantities})
    is_open = isinstance(meaning, Unclear) and meaning.question.startswith(OPEN)
    return species_of_word(mention.words) if is_flux or is_open else ""


def _fluxes(mission: Mission, reading: Reading, offers: Offers) -> list[ParticleData]:
    anybody = replace(reading, mentions=tuple(each for each in reading.mentions if not isinstance(each.meaning, Instrument)))
    return [each for each in held_by(mission, anybody, offers) if str(each.parameter.quantity) in _FLUXES]


def _by_those_named(held: Sequence[ParticleData], reading: Reading) -> list[ParticleData]:
    named = [each.name for each in reading.all(Instrument)]
    return [each for each in held if all(is_by(name, each.facts.dataset, each.facts.instrument) for name in named)]


def _channels(held: Sequence[ParticleData], wanted: _Wanted, reading: Reading) -> list[tuple[ParticleData, int | None]]:
    """The channels that have an energy, the best first, each with its place where it is one of several of a parameter."""
    cadences = [each.length for each in reading.all(Cadence)]
    found: list[tuple[tuple[object, ...], ParticleData, int | None]] = []
    for each in _by_those_named(held, reading):
        place = None if wanted.is_bound else each.position(wanted.energies)
        if not each.is_of(wanted.species) or not (each.is_channel or place is not None):
            continue
        energies = each.energies if place is None else (each.energies[place],)
        if wanted.is_bound:
            fit = float(any(abs(limit / wanted.energies.low - 1) < 1e-6 for limit in each.above))
        elif wanted.is_range:
            fit = max((one.share(wanted.energies) for one in energies), default=0.0)
        else:
            fit = float(any(one.holds(wanted.energies.low) for one in energies))
        if fit < _LEAST_IN_COMMON:
            continue
        is_other = bool(cadences) and each.facts.cadence not in cadences
        is_raw = "background" not in each.parameter.description
        order = (each.is_mixed(wanted.species), is_other, MINOR.search(each.facts.dataset) is not None, is_raw, -fit)
        found.append((order, each, place))
    return [(each, place) for _, each, place in sorted(found, key=lambda one: one[0])]


def _over_all_energies(
    reading: Reading, held: Sequence[ParticleData], wanted: _Wanted, mission: Mention, elsewhere: tuple[str, list[str]]
) -> Reading:
    """The reading with the flux over all energies where no channel has those wanted; a question where none reaches them."""
    note = f"No channel of {wanted.words!r} is a parameter by itself: " + (
        "the flux is drawn over all energies."
        if wanted.is_bound or wanted.is_range or "spectr" in wanted.who.words.casefold()
        else "the bin nearest to it is taken from the flux over energy."
    )
    spectra = [each for each in _by_those_named(held, reading) if each.parameter.size and each.is_of(wanted.species)]
    if wanted.is_range and spectra:
        return replaced(reading, {wanted.said: Filler(note), wanted.who: _as_flux(wanted)})
    if wanted.is_bound and (above := _from_there_on(held, wanted)):
        raise _which_channel(above, f"{wanted.species}s {wanted.words}")
    reach = {each: each.reaches(wanted.energies.low, wanted.species) for each in spectra}
    reaching = sorted((each for each in spectra if reach[each]), key=lambda each: len(each.parameter.size))
    is_flux = isinstance(wanted.who.meaning, Measured) and "spectr" in wanted.who.words.casefold()
    is_flux = is_flux or (bool(spectra) and (bool(reading.all(Instrument)) or any(_has(each, wanted) for each in spectra)))
    if reaching:
        best = reaching[0]
        by_it = Measured(("electron_flux" if wanted.species == "electron" else "ion_flux",), dataset=best.facts.dataset)
        if wanted.species not in str(best.parameter.quantity):
            by_it = replace(by_it, quantities=("other",), parameter=best.parameter.name)
        note += f" {by_it.dataset} reaches it: {best.facts.label}."
        left = any(_is_of_the_mission(each, [wanted.who]) for each in reading.mentions)
        taken = _at_one(wanted, by_it)
        left = left or isinstance(taken, Derived)
        return replaced(reading, {wanted.said: Filler(note), wanted.who: taken, **({} if left else {mission: Filler()})})
    if is_flux and not (spectra and all(known is False for known in reach.values())):
        return replaced(reading, {wanted.said: Filler(note), wanted.who: _at_one(wanted, _as_flux(wanted))})
    whose = f"{mission.meaning.name} {mission.meaning.member}".strip() if isinstance(mission.meaning, Mission) else "it"
    when = f" with data from {reading.time.span}" if reading.time and reading.time.span else ""
    other, choices = elsewhere
    text = (
        f"I know no channel of {whose} for {wanted.stated}{when}.{other} Which other spacecraft, time or parameter do you mean?"
    )
    whole = [without(reading, [wanted.said])] if spectra and isinstance(wanted.who.meaning, Measured) else []
    raise OpenQuestion(text, [*choices, *whole])


def _has(data: ParticleData, wanted: _Wanted) -> bool:
    return not wanted.is_bound and any(each.holds(wanted.energies.low) for each in data.energies)


def _at_one(wanted: _Wanted, measured: Meaning) -> Meaning:
    """A spectrogram's bin at one energy, where one is wanted and no spectrogram is."""
    is_whole = wanted.is_bound or wanted.is_range or "spectr" in wanted.who.words.casefold()
    if is_whole or not isinstance(measured, Measured):
        return measured
    words, options = (
        f"{wanted.species} flux {_AT.sub('at ', wanted.words)}",
        {"axis": 0, "value": wanted.energies.low, "unit": "keV"},
    )
    return Derived("slice", words, (("distribution", measured),), options)


def _as_flux(wanted: _Wanted) -> Meaning:
    """What is said of the particles; their flux where only they are named."""
    return wanted.who.meaning if isinstance(wanted.who.meaning, Measured) else Measured((_FLUX_OF[wanted.species],))


def _from_there_on(held: Sequence[ParticleData], wanted: _Wanted) -> list[ParticleData]:
    """The channels of one dataset that begin at a limit or higher, the lowest first."""
    found = [
        each
        for each in held
        if each.is_channel
        and each.is_of(wanted.species)
        and each.energies
        and each.energies[0].low >= wanted.energies.low * (1 - 1e-9)
    ]
    return sorted((each for each in found if each.facts is found[0].facts), key=lambda each: each.energies[0].low)


def _which_channel(channels: Sequence[ParticleData], stated: str) -> OpenQuestion:
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


def _is_of_the_mission(mention: Mention, particles: Sequence[Mention]) -> bool:
    meaning = mention.meaning
    if mention in particles:
        return False
    return isinstance(meaning, Derived) or (isinstance(meaning, Measured) and not INDICES & {*meaning.quantities})


# ---- directions, pitch angles, elements


def _from_a_direction(reading: Reading, offers: Offers) -> Reading | None:
    """Particles from a direction as the flux of the telescope that looks there: `EPT sunward electrons` of EPT-SUN."""
    missions = reading.all(Mission)
    found = next(((name, match) for name, words in _DIRECTIONS if (match := _search(words, reading.request))), None)
    particles = [(each, species) for each in reading.mentions if (species := _species(each)) in _OF_TELESCOPE]
    named = [each for each in reading.mentions if isinstance(each.meaning, Instrument)]
    if found is None or len(missions) != 1 or len(particles) != 1 or not named:
        return None
    (where, match), ((who, species),) = found, particles
    parts = {where, *(part for each in reading.all(Instrument) for part in each.name.split("-"))}
    flux = re.compile(_OF_TELESCOPE[species], re.IGNORECASE)
    of_it = [
        each
        for each in held_by(missions[0], reading, offers)
        if parts <= id_parts([each.facts.dataset]) and flux.match(each.parameter.name)
    ]
    if not of_it:
        return None
    best = min(of_it, key=_least_raw)
    taken = f"{best.parameter.name} of {best.facts.dataset}"
    note = f"{' '.join(match[0].split())!r} is taken as {taken}, the telescope that looks there."
    inside = [each for each in (*reading.mentions, *reading.unknown) if match.start() <= each.first < match.end()]
    owners = [each for each in reading.mentions if isinstance(each.meaning, Mission)]
    gone = struck(reading, list(dict.fromkeys(each for each in (*inside, *named, *owners) if each != who)), note)
    return replaced(gone, {who: taken_as(who, best).meaning})


def _search(words: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<![\w-])(?:{words})(?![\w-])", text, re.IGNORECASE)


def _least_raw(data: ParticleData) -> tuple[bool, bool, int, str]:
    """Science data first, not low latency, burst or other cadences."""
    name = data.facts.dataset
    return "_LL" in name, not name.endswith("-RATES"), len(name), name


def _over_pitch_angle(reading: Reading, offers: Offers) -> Reading | None:
    """A pitch-angle distribution as the archive has it, or as the mean over the energies wanted of one over both."""
    match, missions = _PITCH.search(reading.request), [each for each in reading.mentions if isinstance(each.meaning, Mission)]
    if match is None or len(missions) != 1 or reading.all(Dataset) or not any(_inside(each, match) for each in reading.unknown):
        return None
    (mission,) = missions
    assert isinstance(mission.meaning, Mission)  # noqa: S101 - chosen so
    words = [each for each in (*reading.mentions, *reading.unknown) if _inside(each, match)]
    around = [each for each in reading.mentions if _species(each) and each not in words]
    named = [match["who"] or "", *(each.words for each in around)]
    species = list(dict.fromkeys(whose for each in named if (whose := species_of_word(each.strip()))))
    said = [each for each in reading.mentions if isinstance(each.meaning, Unclear | Condition) and _energies(each.words)]
    energies = [found for each in said if (found := _energies(each.words)) is not None]
    held = [each for each in held_by(mission.meaning, reading, offers) if each.is_by_pitch]
    if len(species) != 1 or len(said) > 1 or (energies and energies[0][1]):
        if held and not species:
            text = reading.request
            choices = [f"{text[: match.start()]}{each} {text[match.start() :]}" for each in ("electron", "ion")]
            raise OpenQuestion("The pitch angles of which particles?", choices)
        return None
    held = [each for each in held if each.is_of(species[0]) and MINOR.search(each.facts.dataset) is None]
    wanted = energies[0][0] if energies else None
    ranked = sorted(
        ((order, each) for each in held if (order := _pitch_order(each, wanted)) is not None), key=lambda one: one[0]
    )
    if not ranked:
        whose = f"{mission.meaning.name} {mission.meaning.member}".strip()
        what = f"{said[0].words.strip()} " if said else ""
        text = (
            f"In the catalog I know no {species[0]} flux over pitch angle {what}of {whose}. Do you want the flux over energy?"
        )
        raise OpenQuestion(text, [f"{reading.request[: match.start()]}{species[0]} flux {reading.request[match.end() :]}"])
    best = ranked[0][1]
    note, one = f"{best.words} is taken.", taken_as(words[0], best).meaning
    if is_over_energies := len(best.parameter.size) > 1:
        assert isinstance(one, Measured)  # noqa: S101 - made so
        of_it = (("distribution", one),)
        if wanted and wanted.low == wanted.high:
            stated = f"{species[0]} flux at {wanted.low:g} keV over pitch angle"
            one = Derived("slice", stated, of_it, {"axis": "energy", "value": wanted.low, "unit": "keV"})
            note += " The bin of energy nearest to it is taken."
        else:
            options = {"energies": [wanted.low, wanted.high], "energy_unit": "keV"} if wanted else {}
            one = Derived("pitch_angle_spectrogram", f"{species[0]} flux over pitch angle", of_it, options)
            note += f" The flux is the mean over {f'{wanted.low:g} to {wanted.high:g} keV' if wanted else 'all energies'}."
    gone = [*words[1:], *around, *said, *(each for each in reading.mentions if isinstance(each.meaning, Instrument))]
    if not is_over_energies and not any(_is_of_the_mission(each, [*words, *around]) for each in reading.mentions):
        gone.append(mission)
    remark = Mention(Filler(note), match.start(), match.start(), "")
    left = replaced(struck(reading, list(dict.fromkeys(gone))), {words[0]: one})
    return replace(left, mentions=(*left.mentions, remark))


def _inside(mention: Mention, match: re.Match[str]) -> bool:
    return match.start() <= mention.first < match.end()


def _pitch_order(data: ParticleData, wanted: Energies | None) -> tuple[object, ...] | None:
    """How well a distribution over pitch angle answers, the least first; None where it has not the energies wanted."""
    is_flat = len(data.parameter.size) == 1
    name = data.facts.dataset
    is_shown = re.search(r"_by|stack|_T$", data.parameter.name, re.IGNORECASE) is not None
    if wanted is None:
        return is_flat, is_shown, len(data.parameter.name), name
    near = data.near
    if is_flat:
        if near is None or abs(near / wanted.low - 1) > _AROUND:
            return None
        return False, abs(near / wanted.low - 1), name
    within = [each for each in data.energies if each.low <= wanted.low and wanted.high <= each.high]
    if data.energies and not within:
        return None
    off = min((abs(math.log(wanted.low**2 / max(each.low * each.high, 1e-9))) for each in within), default=math.inf)
    return True, is_shown, off, name


def _of_elements(reading: Reading, offers: Offers) -> Reading | None:
    """`Oxygen` or `Fe` beside an instrument as its flux, where no quantity is named."""
    found = {each: species for each in reading.unknown if len(species := species_of_word(each.words)) in (1, 2)}
    missions, named = reading.all(Mission), (Measured, Derived, Pairing, Transform, Unclear, Dataset)
    if (
        not found
        or len(missions) != 1
        or not reading.all(Instrument)
        or any(isinstance(e.meaning, named) for e in reading.mentions)
    ):
        return None
    held = [each for each in held_by(missions[0], reading, offers) if "flux" in str(each.parameter.quantity)]
    new: dict[Mention, Meaning] = {}
    notes: list[str] = []
    for mention, symbol in found.items():
        of_it = (each for each in held if each.is_of(symbol))
        if (best := next(of_it, None)) is None:
            return None
        new[mention] = taken_as(mention, best).meaning
        notes.append(f"{mention.words!r} is taken as {best.words}.")
    gone = [each for each in reading.mentions if isinstance(each.meaning, Mission | Instrument)]
    idle = [each for each in reading.unknown if each not in found and _FLUX_WORDS.fullmatch(each.words)]
    return replaced(struck(reading, [*gone, *idle], " ".join(notes)), new)
