"""Particles that a moment is said to be of, behind whose they are: `V_R of Solar Orbiter protons`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.offline.meanings import Filler, Instrument, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.quantities import MOMENTS, Species

_PARTICLES: dict[str, Species] = {"protons": "protons", "ions": "ions", "electrons": "electrons"}
_OF = re.compile(
    r"(?:(?!\b(?:and|or|with|plus|versus|vs|against)\b)[^,;])*\b(?:of|for)\b(?:(?!\b(?:and|or|with|plus)\b)[^,;])*", re.I
)
_LISTED = re.compile(r"\s*(?:,|and|,\s*and|&|plus)\s*(?:the\s+)?", re.IGNORECASE)


def with_particles_behind(reading: Reading) -> Reading:
    """The reading in which particles named behind a moment are those that it is of, and no quantity is asked of them."""
    mentions = list(reading.mentions)
    for place, mention in enumerate(mentions):
        species = _PARTICLES.get(f"{mention.words.casefold().removesuffix('s')}s")
        if species is None or not isinstance(mention.meaning, Unclear):
            continue
        moments = _moments_before(mentions, place, reading.request)
        for at, moment in moments.items():
            mentions[at] = replace(mentions[at], meaning=replace(moment, species=species))
        if moments:
            mentions[place] = replace(mention, meaning=Filler())
    found = tuple(mentions)
    return reading if found == reading.mentions else replace(reading, mentions=found, heard=reading.heard or reading.mentions)


def _moments_before(mentions: Sequence[Mention], place: int, request: str) -> dict[int, Measured]:
    """The moments that the particles at a place are said to own, by their places: the last one, and those listed with it."""
    found: dict[int, Measured] = {}
    for at in range(place - 1, -1, -1):
        meaning = mentions[at].meaning
        if isinstance(meaning, Measured):
            between = request[mentions[at].last : mentions[min(found, default=place)].first]
            is_own = set(meaning.quantities) <= MOMENTS and not meaning.species
            if not is_own or not (_LISTED.fullmatch(between) if found else _OF.fullmatch(between)):
                return found
            found[at] = meaning
        elif not isinstance(meaning, Filler if found else Mission | Instrument | Filler):
            return found
    return found
