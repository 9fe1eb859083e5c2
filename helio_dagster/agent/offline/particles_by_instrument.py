"""What is wanted of particles that a request only names, where their instrument tells it: `HET electrons` are a flux."""

from __future__ import annotations

from helio_dagster.agent.offline.meanings import Instrument, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading, read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.instrument_roles import measures
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers

OPEN = "What of the "
"""How the question for them begins."""


def particles_by_instrument(reading: Reading, offers: Offers) -> dict[Mention, str]:
    """Each such word, and the words for what its instrument measures of the particles, if that is one thing only."""
    missions = reading.all(Mission)
    instruments = [each for each in reading.mentions if isinstance(each.meaning, Instrument)]
    found: dict[Mention, str] = {}
    for each in reading.mentions if len(missions) == 1 and instruments else ():
        if isinstance(each.meaning, Unclear) and each.meaning.question.startswith(OPEN):
            nearest = min(instruments, key=lambda one: min(abs(one.last - each.first), abs(each.last - one.first)))
            held = [option for option in each.meaning.options if _is_measured(option, nearest, missions[0], reading, offers)]
            found |= {each: held[0]} if len(held) == 1 else {}
    return found


def _is_measured(words: str, by: Mention, mission: Mission, reading: Reading, offers: Offers) -> bool:
    """Whether an instrument measures what words say."""
    assert isinstance(by.meaning, Instrument)  # noqa: S101 - chosen so
    span = reading.time.span if reading.time else None
    return any(
        measures(offers, Asked(mission.name, each.quantities[0], each.species, mission.member), by.meaning.name, span)
        for each in read_request(words, reading.now).all(Measured)
    )
