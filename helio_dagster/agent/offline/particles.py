"""Fluxes of particles that a request names: `protons above 10 MeV`, `HET electrons`, `sunward ions`, `Fe`, `pitch angles`.

One reader finds whose particles, of which energies, in which direction and over what they are wanted, and takes the parameter
that the catalog describes so. Moments of particles are in `particle_moments`.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Condition, Dataset, Filler, Instrument, Meaning, Mission, Unclear
from helio_dagster.agent.offline.particle_energies import of_energies
from helio_dagster.agent.offline.particle_words import (
    energies_in,
    held_by,
    is_of_the_mission,
    least_raw,
    replaced,
    species_of,
    struck,
    taken_as,
)
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import without
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Pairing, Transform
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_words import MINOR
from helio_dagster.catalog.choice.particle_channels import Energies, ParticleData, species_of_word
from helio_dagster.catalog.instruments import id_parts

_DIRECTIONS = (
    ("ASUN", r"anti-?\s?sun(?:wards?(?:[- ](?:looking|facing|pointing))?(?: telescope)?| telescope)"),
    (
        "SUN",
        r"sunwards?(?:[- ](?:looking|facing|pointing))?(?: telescope)?"
        r"|sun(?:[- ](?:looking|facing|pointing)(?: telescope)?| telescope)",
    ),
    ("NORTH", r"northwards?(?:[- ](?:looking|facing|pointing))(?: telescope)?|north(?:ern)? telescope"),
    ("SOUTH", r"southwards?(?:[- ](?:looking|facing|pointing))(?: telescope)?|south(?:ern)? telescope"),
)
_OF_TELESCOPE = {"electron": r"ele(?:ctron)?_flux$", "ion": r"(?:ion|h)_flux$", "proton": r"(?:h|prot|ion)_flux$"}
_ION = re.compile(r"(?:He|[HO])(?:\+{1,2}|\d\+|\+\d)")
_AROUND = 0.15
"""Share of an energy by which a distribution taken at one energy may be off."""


def with_particles(reading: Reading, offers: Offers) -> Reading:
    """The reading in which particles are the parameter that the catalog describes so, and the card says which; else as it is.

    Raises
    ------
    OpenQuestion
        No parameter of the mission is described with what is wanted.
    """
    for read in (_over_pitch_angle, _from_a_direction, of_energies, _of_elements):
        if (found := read(reading, offers)) is not None:
            return found
    return reading


def _from_a_direction(reading: Reading, offers: Offers) -> Reading | None:
    """Particles from a direction as the flux of the telescope that looks there: `EPT sunward electrons` of EPT-SUN."""
    missions = reading.all(Mission)
    found = next(((name, match) for name, words in _DIRECTIONS if (match := _search(words, reading.request))), None)
    particles = {each: species for each in reading.mentions if (species := species_of(each)) in _OF_TELESCOPE}
    named = reading.of(Instrument)
    if found is None or len(missions) != 1 or not particles or not named:
        return None
    where, match = found
    parts = {where, *(part for each in reading.all(Instrument) for part in each.name.split("-"))}
    held = [each for each in held_by(missions[0], reading, offers) if parts <= id_parts([each.facts.dataset])]
    best: dict[Mention, ParticleData] = {}
    for who, species in particles.items():
        of_it = [each for each in held if re.match(_OF_TELESCOPE[species], each.parameter.name, re.IGNORECASE)]
        if not of_it:
            return None
        best[who] = min(of_it, key=least_raw)
    taken = " and ".join(f"{each.parameter.name} of {each.facts.dataset}" for each in best.values())
    note = f"{' '.join(match[0].split())!r} is taken as {taken}, the telescope that looks there."
    inside = [each for each in (*reading.mentions, *reading.unknown) if match.start() <= each.first < match.end()]
    owners = reading.of(Mission)
    gone = struck(reading, list(dict.fromkeys(each for each in (*inside, *named, *owners) if each not in best)), note)
    return replaced(gone, {who: taken_as(who, data).meaning for who, data in best.items()})


def _search(words: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<![\w-])(?:{words})(?![\w-])", text, re.IGNORECASE)


def _over_pitch_angle(reading: Reading, offers: Offers) -> Reading | None:
    """A pitch-angle distribution as the archive has it, or as the mean over the energies wanted of one over both."""
    match, missions = form("particles.pitch").search(reading.request), reading.of(Mission)
    if match is None or len(missions) != 1 or reading.all(Dataset) or not any(_inside(each, match) for each in reading.unknown):
        return None
    (mission,) = missions
    assert isinstance(mission.meaning, Mission)  # noqa: S101 - chosen so
    words = [each for each in (*reading.mentions, *reading.unknown) if _inside(each, match)]
    ions = [each for each in reading.unknown if each not in words and _ION.fullmatch(each.words)]
    around = [*(each for each in reading.mentions if species_of(each) and each not in words), *ions]
    named = [match["who"] or "", *(re.sub(r"[+\d]", "", each.words) for each in around)]
    species = list(dict.fromkeys(whose for each in named if (whose := species_of_word(each.strip()))))
    said = [each for each in reading.of(Unclear, Condition) if energies_in(each.words)]
    energies = [found for each in said if (found := energies_in(each.words)) is not None]
    held = [each for each in held_by(mission.meaning, reading, offers) if each.is_by_pitch]
    if len(species) != 1 or len(said) > 1 or (energies and energies[0][1]):
        if held and len(species) != 1:
            rest = without(reading, around) if species else reading.request
            choices = [rest.replace(match[0], f"{each.words} {match[0]}") for each in around]
            choices = choices or [rest.replace(match[0], f"{each} {match[0]}") for each in ("electron", "ion")]
            raise OpenQuestion("The pitch angles of which particles? One kind at a time.", choices)
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
    gone = [*words[1:], *around, *said, *reading.of(Instrument)]
    if not is_over_energies and not any(
        is_of_the_mission(each, [*words, *around], reading.request) for each in reading.mentions
    ):
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
        return is_flat, is_shown, min((each.low for each in data.energies), default=math.inf), len(data.parameter.name), name
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
    found = {
        each: species
        for each in reading.unknown
        if len(species := each.words if _ION.fullmatch(each.words) else species_of_word(each.words)) in (1, 2)
    }
    missions, named = reading.all(Mission), (Measured, Derived, Pairing, Transform, Unclear, Dataset)
    if not found or len(missions) != 1 or not reading.all(Instrument) or reading.has(*named):
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
    gone = reading.of(Mission, Instrument)
    idle = [each for each in reading.unknown if each not in found and form("particles.flux_words").fullmatch(each.words)]
    return replaced(struck(reading, [*gone, *idle], " ".join(notes)), new)
