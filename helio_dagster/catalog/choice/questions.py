"""What words ask for: quantities of missions, as the offers of the catalog are found by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from helio_dagster.catalog.choice.instrument_roles import bind_instruments
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers, in_usual_order, overlapping
from helio_dagster.catalog.choice.quantities import INDICES, MOMENTS, QUANTITIES, Species
from helio_dagster.catalog.instruments import instrument_words
from helio_dagster.catalog.reading import read_query
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.fine_duration import duration_from_seconds
from helio_dagster.domain.time_range import TimeRange

_MOST = 4
_OF_A_CADENCE = re.compile(
    r"\d+(?:s|sec|min|hr|h)?|s|secs?|seconds?|mins?|minutes?|hr|hours?|hourly|daily|averaged?s?|resolution|cadence"
)
_SAYS_NOTHING = frozenset(
    {"solar", "wind", "interplanetary", "imf", "plasma", "bulk", "total", "vector", "components", "magnitude"}
)
_SPECIES: tuple[tuple[Species, re.Pattern[str]], ...] = (
    ("electrons", re.compile(r"\belectrons?\b", re.IGNORECASE)),
    ("alphas", re.compile(r"\balphas?\b|\bhelium\b", re.IGNORECASE)),
)
_PLACES: tuple[tuple[Quantity, re.Pattern[str]], ...] = (
    ("solar_distance", re.compile(r"(?:helio\w+|solar) distance|distance\b.*\b(?:from|to) (?:the )?sun\b", re.IGNORECASE)),
    ("heliographic_latitude", re.compile(r"\b(?:heliographic )?latitude\b", re.IGNORECASE)),
    ("heliographic_longitude", re.compile(r"\b(?:heliographic )?longitude\b", re.IGNORECASE)),
)
"""Where a spacecraft is, as long as nothing else is asked for that has a direction."""
_OF_PLACES = frozenset({"heliocentric", "heliographic", "distance", "distances", "sun", "latitude", "longitude", "orbit"})
_OF_THE_CATALOG: dict[str, Quantity] = {
    facts.catalogued[0]: quantity
    for quantity, facts in reversed(QUANTITIES.items())
    if facts.catalogued and (facts.described is None or quantity == "pressure") and quantity != "alpha_ratio"
}
"""What the catalog calls a quantity, to the quantity."""


def read_questions(words: str, mission: str | None = None) -> list[Asked]:
    """The quantities of missions that words ask for, at most four; none where they say more than that.

    A resolution or an id is for the search over all words to answer.

    Parameters
    ----------
    words
        Free words, as for `CatalogSearch.search`.
    mission
        The mission, where it is given beside the words.
    """
    read = read_query(words)
    ids = [each for each in read.ids if not all(map(_OF_A_CADENCE.fullmatch, each.split("-")))]
    is_plain = not (read.is_high_resolution or read.wants_burst or read.wants_minor or ids)
    places = [name for name, pattern in _PLACES if pattern.search(words)] if set(read.quantities) <= {"position"} else []
    beside = {word for word in read.beside if word.upper() not in instrument_words()}
    beside = {word for word in beside if read.cadence_s is None or not _OF_A_CADENCE.fullmatch(word)}
    beside -= _SAYS_NOTHING | (_OF_PLACES if places or "position" in read.quantities else set())
    if not is_plain or beside:
        return []
    missions = [mission] if mission else list(read.missions)
    cadence = duration_from_seconds(read.cadence_s) if read.cadence_s else None
    if places:
        return [Asked(each, quantity) for quantity in places for each in missions][:_MOST]
    species: Species = next((name for name, pattern in _SPECIES if pattern.search(words)), "")
    return [replace(each, cadence=cadence) for each in _pairs(missions, read.quantities, species)][:_MOST]


def best_offers(offers: Offers, words: str, *, mission: str | None = None, span: TimeRange | None = None) -> list[Offer]:
    """What the catalog offers for the words, the best of each quantity first, then the second best, each dataset once."""
    read = read_query(words)
    questions = read_questions(words, mission)
    instruments = list(dict.fromkeys(word.upper() for word in read.beside if word.upper() in instrument_words()))
    if instruments and questions:
        bound = bind_instruments(offers, questions, instruments, span=span)
        if not bound.is_clear:
            return []
        questions = [each for each in bound.questions if each.instrument]
    ordered = [(asked, in_usual_order(_found(offers, asked, span), asked.quantity)) for asked in questions]
    found = [[offer for offer in each if _is_as_asked(offer, asked, read.frames)] for asked, each in ordered]
    longest = max(map(len, found), default=0)
    in_turn = [each[place] for place in range(longest) for each in found if place < len(each)]
    first: dict[str, Offer] = {}
    for offer in in_turn:
        first.setdefault(offer.dataset, offer)
    return list(first.values())


def _is_as_asked(offer: Offer, asked: Asked, frames: frozenset[str]) -> bool:
    return (not frames or offer.frame in frames) and asked.cadence in (None, offer.cadence)


def _found(offers: Offers, asked: Asked, span: TimeRange | None) -> list[Offer]:
    return overlapping(offers.find(asked, span=span), span)


def _pairs(missions: list[str], quantities: tuple[str, ...], species: Species) -> Iterator[Asked]:
    for name in quantities:
        quantity = _OF_THE_CATALOG.get(name)
        if quantity is None:
            continue
        if quantity in INDICES:
            yield Asked("OMNI", quantity)
        for mission in missions if quantity not in INDICES else ():
            yield Asked(mission, quantity, species if quantity in MOMENTS else "")
