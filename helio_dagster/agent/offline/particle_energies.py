"""Particles of an energy: the channel that the catalog describes with it, the bin of a flux over energy, or a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.energy_owners import in_omni, whose_channel
from helio_dagster.agent.offline.foreign_instruments import owner_of_instrument
from helio_dagster.agent.offline.meanings import Cadence, Condition, Dataset, Filler, Instrument, Meaning, Mission, Unclear
from helio_dagster.agent.offline.particle_words import (
    FLUX_OF,
    energies_in,
    held_by,
    is_of_the_mission,
    least_raw,
    named_again,
    replaced,
    species_of,
    taken_as,
)
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded, without
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_words import MINOR
from helio_dagster.catalog.choice.particle_channels import Energies, ParticleData
from helio_dagster.catalog.instruments import is_by

_LINK = re.compile(r"^(?:(?:of|at|around)\s+|(?:from|between)\s+(?=.*(?:to|and)\b))")
_AT = re.compile(r"^(?:(?:of|at|around)\s+)?")
_OF_ALL = re.compile(r"omni|_en_eflux|spin[- ]averaged|unsec", re.IGNORECASE)
"""Words of a flux over all directions."""
_MOST_LISTED = 3
_LEAST_IN_COMMON = 0.2
"""How much of two ranges of energies must be in both, that one is taken for the other."""


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
    def is_one(self) -> bool:
        """Whether one energy is wanted, and no spectrogram."""
        return not (self.is_bound or self.is_range or "spectr" in self.who.words.casefold())

    @property
    def words(self) -> str:
        return self.said.words.strip()

    @property
    def stated(self) -> str:
        return f"{_LINK.sub('', self.words)} {self.species}s"


def of_energies(reading: Reading, offers: Offers) -> Reading | None:
    """Particles of energies, each as its channel; those that are named again, `maximum of the electrons`, are the same ones."""
    again = named_again(reading)
    found = _of_energies(replace(reading, mentions=tuple(each for each in reading.mentions if each not in again)), offers)
    if found is None or not again:
        return found
    taken = {each.first: each.meaning for each in found.mentions if isinstance(each.meaning, Measured | Derived)}
    same = [replace(each, meaning=taken.get(who.first, Filler())) for each, who in again.items()]
    return replace(found, mentions=_in_order([*found.mentions, *same]), heard=reading.heard or reading.mentions)


def _of_energies(reading: Reading, offers: Offers) -> Reading | None:
    """Particles of energies, each as its channel; several where each has its own particles or all have the same."""
    missions = reading.of(Mission)
    wanted = _wanted(reading)
    if not wanted or reading.all(Dataset):
        return None
    each = wanted[0]

    def channel_of(mission: Mission) -> str | None:
        found = _channels(_fluxes(mission, reading, offers), each, reading)
        return found[0][0].words if found else None

    if not missions:
        owner = owner_of_instrument(reading, offers.catalog, offers.archive)
        owner = owner or whose_channel(reading, f"{each.words} {each.species}s", channel_of)
        return _of_energies(replace(reading, mentions=(*reading.mentions, owner)), offers) if owner is not None else None
    if len(missions) > 1 or len(wanted) > 1:
        return _each_alone(reading, wanted, missions, offers)
    (mission,) = missions
    assert isinstance(mission.meaning, Mission)  # noqa: S101 - chosen so
    held = _fluxes(mission.meaning, reading, offers)
    channels = _channels(held, each, reading)
    if channels and not each.is_bound and not each.is_range and _is_better_cut(held, channels[0][0], each):
        channels = []
    if not channels:
        held_here = partial(_is_offered, offers, mission.meaning)
        return _over_all_energies(reading, held, each, mission, in_omni(reading, mission, channel_of), held_here)
    (best, place), *more = channels
    others = [one.parameter.name for one, _ in more if one.facts is best.facts and one is not best][:_MOST_LISTED]
    which = f"Channel {place + 1} of " if place is not None else ""
    nearest = ", as the channel nearest to them" if each.is_range else ""
    note = f"{which}{best.words} is taken as the {each.stated}{nearest}."
    note += f" There is also {', '.join(others)}." if others else ""
    new: dict[Mention, Meaning] = {each.said: Filler(note), each.who: taken_as(each.who, best, place).meaning}
    if not any(is_of_the_mission(one, [each.who], reading.request) for one in reading.mentions):
        new[mission] = Filler(mission.meaning.note)
    return replaced(reading, new)


def _each_alone(reading: Reading, wanted: Sequence[_Wanted], missions: Sequence[Mention], offers: Offers) -> Reading | None:
    """The particles of each energy from each spacecraft, as if asked for alone; None where one is not of a dataset."""
    particles = {*(each.who for each in wanted), *(each.said for each in wanted)}
    others = [each for each in reading.mentions if each not in {*missions, *particles}]
    found: list[Mention] = []
    for mission, each in product(missions, wanted):
        alone = _of_energies(replace(reading, mentions=_in_order([*others, mission, each.who, each.said])), offers)
        new = [one for one in alone.mentions if one not in reading.mentions] if alone else []
        bound = [one for one in new if isinstance(one.meaning, Measured | Derived) and _is_of_a_dataset(one.meaning)]
        if len(bound) != 1:
            return None
        found += [one for one in new if one.meaning != Filler()]
    is_needed = any(is_of_the_mission(each, (), reading.request) for each in others)
    idle = particles if is_needed else {*missions, *particles}
    left = [*(missions if is_needed else ()), *(replace(each, meaning=Filler()) for each in idle)]
    return reading.rewritten(_in_order([*others, *left, *found]))


def _in_order(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    return tuple(sorted(mentions, key=lambda each: each.first))


def _is_of_a_dataset(meaning: Measured | Derived) -> bool:
    parts = [part for _, part in meaning.inputs] if isinstance(meaning, Derived) else [meaning]
    return all(part.dataset for part in parts)


def _wanted(reading: Reading) -> list[_Wanted]:
    """Particles with their energies, where there are as many of both, or one kind of particles; else none."""
    particles = [(each, species) for each in reading.mentions if (species := species_of(each))]
    energies = [(each, found) for each in reading.of(Unclear, Condition) if (found := energies_in(each.words)) is not None]
    if not energies or len(particles) not in (1, len(energies)):
        return []
    whose = particles * len(energies) if len(particles) == 1 else particles
    return [
        _Wanted(who, species, said, found[0], found[1]) for (who, species), (said, found) in zip(whose, energies, strict=True)
    ]


def _fluxes(mission: Mission, reading: Reading, offers: Offers) -> list[ParticleData]:
    anybody = replace(reading, mentions=tuple(each for each in reading.mentions if not isinstance(each.meaning, Instrument)))
    return [each for each in held_by(mission, anybody, offers) if each.is_flux]


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
            fit = float(_begins_at(each, wanted))
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


def _begins_at(data: ParticleData, wanted: _Wanted) -> bool:
    """Whether a channel counts all from an energy on."""
    return any(abs(limit / wanted.energies.low - 1) < 1e-6 for limit in data.above)


def _is_better_cut(held: Sequence[ParticleData], channel: ParticleData, wanted: _Wanted) -> bool:
    """Whether a channel is of data of the second rank, such as low latency, where its instrument has a flux over energy."""
    by = channel.facts.instrument
    spectra = [each for each in held if each.parameter.size and each.is_of(wanted.species) and each.facts.instrument == by]
    return MINOR.search(channel.facts.dataset) is not None and any(not MINOR.search(each.facts.dataset) for each in spectra)


def _over_all_energies(
    reading: Reading,
    held: Sequence[ParticleData],
    wanted: _Wanted,
    mission: Mention,
    elsewhere: tuple[str, list[str]],
    is_offered: Callable[[Measured], bool],
) -> Reading:
    """The reading with the flux over all energies where no channel has those wanted; a question where none reaches them."""
    note = f"No channel of {wanted.words!r} is a parameter by itself: " + (
        "the flux is drawn over all energies."
        if not wanted.is_one
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
        if wanted.species not in str(best.parameter.quantity) or not is_offered(by_it):
            by_it = replace(by_it, quantities=("other",), parameter=best.parameter.name)
        note += f" {by_it.dataset} reaches it: {best.facts.label}."
        left = any(is_of_the_mission(each, [wanted.who], reading.request) for each in reading.mentions)
        taken = _at_one(wanted, by_it)
        return replaced(reading, {wanted.said: Filler(note), wanted.who: taken, **({} if left else {mission: Filler()})})
    named = [each for each in spectra if len(each.parameter.size) == 1 and not each.is_by_pitch and reach[each] is not False]
    named = [each for each in named if reading.all(Instrument) and not MINOR.search(each.facts.dataset)]
    if named and wanted.is_one:
        best = min(named, key=lambda each: (not _OF_ALL.search(f"{each.parameter.name} {each.about}"), *least_raw(each)))
        note += f" {best.words} is taken."
        taken = _at_one(wanted, taken_as(wanted.who, best).meaning)
        return replaced(reading, {wanted.said: Filler(note), wanted.who: taken})
    if is_flux and not (spectra and all(known is False for known in reach.values())):
        return replaced(reading, {wanted.said: Filler(note), wanted.who: _at_one(wanted, _as_flux(wanted))})
    whose = f"{mission.meaning.name} {mission.meaning.member}".strip() if isinstance(mission.meaning, Mission) else "it"
    when = f" with data from {reading.time.span}" if reading.time and reading.time.span else ""
    other, choices = elsewhere
    integral = [each for each in held if each.is_of(wanted.species) and _begins_at(each, wanted)]
    if integral and wanted.is_one:
        other = f" {integral[0].words} has all above it.{other}"
        choices = [reworded(reading, {wanted.said: _LINK.sub("above ", f"of {wanted.words}")}), *choices]
    over = next((each for each in held if each.parameter.size and each.is_of(wanted.species)), None)
    has = f" {whose} has {over.words}." if over is not None else ""
    which = "Which other spacecraft, time or parameter do you mean?"
    text = f"I know no channel of {whose} for {wanted.stated}{when}.{has}{other} {which}"
    whole = [without(reading, [wanted.said])] if spectra and isinstance(wanted.who.meaning, Measured) else []
    raise OpenQuestion(text, [*choices, *whole])


def _is_offered(offers: Offers, mission: Mission, flux: Measured) -> bool:
    """Whether a dataset that is named is known to have a quantity of a mission."""
    asked = Asked(mission.name, flux.quantities[0], member=mission.member, dataset=flux.dataset)
    return bool(offers.find(asked, all_datasets=True) or offers.likely(asked))


def _has(data: ParticleData, wanted: _Wanted) -> bool:
    return not wanted.is_bound and any(each.holds(wanted.energies.low) for each in data.energies)


def _at_one(wanted: _Wanted, measured: Meaning) -> Meaning:
    """A spectrogram's bin at one energy, where one is wanted and no spectrogram is."""
    if not wanted.is_one or not isinstance(measured, Measured):
        return measured
    words, options = (
        f"{wanted.species} flux {_AT.sub('at ', wanted.words)}",
        {"axis": 0, "value": wanted.energies.low, "unit": "keV"},
    )
    return Derived("slice", words, (("distribution", measured),), options)


def _as_flux(wanted: _Wanted) -> Meaning:
    """What is said of the particles; their flux where only they are named."""
    return wanted.who.meaning if isinstance(wanted.who.meaning, Measured) else Measured((FLUX_OF[wanted.species],))


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
