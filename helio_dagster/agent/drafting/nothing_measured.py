"""The question that is asked where a mission has nothing of what is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from helio_dagster.agent.drafting.questions import AlongAndAcross, DraftQuestion, NothingMeasured, Remedy
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.modes import MODE_WORDS
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_words import OF_ELECTRONS
from helio_dagster.catalog.choice.quantities import MOMENTS, QUANTITIES
from helio_dagster.catalog.choice.silences import Silence, never_heard
from helio_dagster.catalog.facts import DatasetFacts
from helio_dagster.catalog.fleets import member_of
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.catalog_entry import CatalogDataset, Quantity
from helio_dagster.domain.time_range import TimeRange, format_time

_MOST_CHANNELS = 3
"""Channels of energy that are offered."""


def no_such(target: Target, preferences: Preferences, offers: Offers) -> DraftQuestion:
    """The question where a mission has nothing of what is asked for: who has it, or where it is listed."""
    where = "the catalog" if offers.archive == "cdaweb" else f"the archive {offers.archive!r}"  # that of the PDS is in it
    known = offers.catalog.missions(offers.archive)
    instrument, mode = preferences.instrument, preferences.mode
    of_both = Asked(
        target.mission, "parallel_temperature", target.species, dataset=target.dataset, instrument=instrument, mode=mode
    )
    is_of_any = not target.dataset or target.shape == "scalar"
    if target.quantity == "temperature" and is_of_any and offers.find(of_both, span=preferences.span):
        whose = f"{target.who} {preferences.instrument}" if preferences.instrument else target.who
        species = target.species.removesuffix("s")
        again = " ".join(f"parallel and perpendicular {species} temperature".split())
        text = f"In {where} I know no {target.words} of {whose} as one number, but the parallel and the perpendicular one."
        remedy = Remedy("quantity", again, "temperature")
        return AlongAndAcross(f"{text} Do you want these?", [remedy], is_small=True, reason=text)
    if (silence := _never(target, preferences, offers)) is not None:
        remedies = [Remedy("mission", silence.other, target.mission)] if silence.other else []
        text = f"{silence.text} Which data do you want?"
        return NothingMeasured(text, remedies, target.mission, target.quantity, target.words)
    if target.dataset or preferences.instrument or mode:
        place = target.dataset or (f"{instrument} of {target.mission}" if instrument else target.mission)
        what = f"{target.words} in {MODE_WORDS[mode]}" if mode else target.words
        within = "of" if place == target.mission else "in"
        stated = f"I know no {what} {within} {place}."
        text = f"{stated} Which dataset or spacecraft do you mean?"
        return NothingMeasured(text, [], target.mission, target.quantity, target.words, reason=stated)
    if offers.archive != "cdaweb" and target.mission not in known:
        text = f"In {where} I know nothing of {target.mission}; there are {', '.join(known)}."
    else:
        text = f"In {where} I know no {target.words} of {target.who}."
        if channels := list(islice(_channels(target, preferences.span, offers), _MOST_CHANNELS)):
            (name, what), *_ = channels
            text = f"{target.who} has the {target.words} in single channels of energy, as {name} ({what})."
            remedies = [Remedy("quantity", each, target.quantity) for each, _ in channels]
            asked = f"{text} Name one, or its energies."
            return NothingMeasured(asked, remedies, target.mission, target.quantity, target.words)
    members = _members(target, preferences.span, offers) if target.member else []
    unread = _unread(target, preferences.span, offers, is_within=bool(members))
    if unread:
        return NothingMeasured(f"{text[:-1]}: {unread}", [], target.mission, target.quantity, target.words)
    if not members and (planetary := offers.unlabelled(target.mission, target.words, preferences.span)):
        named = f"{planetary[0].dataset} ({planetary[0].label}) may have it, but {planetary[0].why_not}"
        text = f"{text[:-1]} that is offered. {named}. A pipeline's file can name a field of its tables."
        text = f"{text} Which other data do you want?"
        return NothingMeasured(text, [], target.mission, target.quantity, target.words)
    when = " then" if members and preferences.span else ""
    members = members or (_members(target, None, offers) if target.member else [])
    if members:
        text = f"{text[:-1]}; {', '.join(members)} had one{when}."
    listed = [each.dataset for each in offers.listed(target.mission, target.quantity) if not each.is_fetchable]
    if listed:
        text = f"{text[:-1]} that can be fetched; {listed[0]} is listed only."
    # another spacecraft near the Earth may stand in for one, not for one at Jupiter
    is_near = target.mission in known or offers.archive != "cdaweb"
    having = missions_with(target.quantity, offers.catalog, offers.archive, preferences.span) if is_near else []
    near = [f"{target.mission} {member}" for member in members]
    others = [f"the {name} spacecraft" if name == "Wind" else name for name in near + having]
    remedies = [Remedy("mission", name, target.mission) for name in others]
    return NothingMeasured(text, remedies, target.mission, target.quantity, target.words)


def missions_with(quantity: Quantity, catalog: Catalog, archive: str, span: TimeRange | None) -> list[str]:
    """Missions that have a quantity in a range among the entries made by hand, in the catalog's order."""
    found = {mission: catalog.find(archive, mission=mission, quantity=quantity) for mission in catalog.missions(archive)}
    return [mission for mission, entries in found.items() if any(_covers(dataset, archive, span) for dataset, _ in entries)]


def _covers(dataset: CatalogDataset, archive: str, span: TimeRange | None) -> bool:
    """Whether a dataset has data in a range."""
    if span is None:
        return True
    stop = dataset.stops(archive)
    return dataset.starts(archive) < span.stop and (stop is None or span.start < stop)


def _channels(target: Target, span: TimeRange | None, offers: Offers) -> Iterator[tuple[str, str]]:
    """The numbers that a mission has in place of a flux over all energies, each with what the archive says of it."""
    if target.quantity not in ("energetic_protons", "ion_flux", "electron_flux"):
        return
    of_it, of_electrons = QUANTITIES[target.quantity].catalogued, target.quantity == "electron_flux"
    for facts in offers.listed(target.mission, target.quantity):
        held = facts.is_fetchable and (target.member in ("", member_of(facts.dataset.upper(), facts.label)))
        if span is not None and ((facts.start and facts.start >= span.stop) or (facts.stop and facts.stop <= span.start)):
            continue
        for each in facts.parameters if held else ():
            is_channel = not each.size and re.search(r"\d ?[kMG]?eV|\bMeV\b|\bkeV\b", each.description) is not None
            is_of_electrons = OF_ELECTRONS.search(f"{each.name} {each.description}") is not None
            if str(each.quantity) in of_it and is_channel and is_of_electrons == of_electrons:
                yield f"{each.name} of {facts.dataset}", each.description


def _unread(target: Target, span: TimeRange | None, offers: Offers, *, is_within: bool) -> str:
    """What is said of datasets that are listed and of whose parameters nothing is known; empty where there are none.

    With `is_within` these must have data in the range, else it is said when they have.
    """
    asked = Asked(target.mission, target.quantity, target.species, target.member)
    found = offers.unread(asked, span) or ([] if is_within else offers.unread(asked, None))
    names = [each.dataset for each in found]
    if not names:
        return ""
    if span is not None and (elsewhere := _at_other_times(found, span)):
        return elsewhere
    more = f", {', '.join(names[1:3])}{' …' if len(names) > 3 else ''}" if len(names) > 1 else ""
    of_whom = "whose parameters are" if not more else "the parameters of which are"
    return (
        f"there is {names[0]}{more}, {of_whom} not in this catalog. "
        f"`helio catalog refresh --dataset {names[0]}` asks the archive for them; then ask again."
    )


def _at_other_times(found: Sequence[DatasetFacts], span: TimeRange) -> str:
    """When such datasets have data, where none has any in the range; else empty."""
    known = [TimeRange(each.start, each.stop) for each in found if each.start is not None and each.stop is not None]
    if len(known) < len(found) or any(each.start < span.stop and span.start < each.stop for each in known):
        return ""
    when, name = max(zip(known, (each.dataset for each in found), strict=True), key=lambda each: each[0].stop)
    first, last = format_time(when.start), format_time(when.stop)
    return f"{name} has data from {first} to {last}, none for {span}. Which other data, or which time, do you want?"


def _members(target: Target, span: TimeRange | None, offers: Offers) -> list[str]:
    """The numbers of a series of spacecraft, as of GOES, that measure a quantity in a range."""
    found = offers.find(Asked(target.mission, target.quantity), span=span)
    numbers = {member_of(each.dataset, each.label) for each in found if span is None or each.share(span) > 0}
    return sorted(numbers - {""}, key=int)


def _never(target: Target, preferences: Preferences, offers: Offers) -> Silence | None:
    """Why there never were such data: the instrument of the parameter that would answer, or the one that is named."""
    instrument = preferences.instrument
    asked = Asked(
        target.mission,
        target.quantity,
        target.species,
        target.member,
        target.dataset,
        instrument,
        target.parameter,
        mode=preferences.mode,
    )
    found = [each for offer in offers.silent(asked) for each in offer.silences if each.is_for_ever]
    if found:
        return found[0]
    are_ions = target.quantity in MOMENTS and target.species in ("ions", "protons")
    return never_heard(target.mission, instrument or "") if instrument or are_ions else None
