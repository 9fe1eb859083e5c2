"""What is wanted of particles that a request only names, where their instrument tells it: `HET electrons` are a flux."""

from __future__ import annotations

from dataclasses import replace

from helio_dagster.agent.offline.clauses import clauses
from helio_dagster.agent.offline.meanings import Instrument, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading, read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.instrument_roles import measures
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.quantities import MOMENTS

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


def with_the_particles_of(reading: Reading, offers: Offers) -> Reading:
    """The reading in which moments without their particles are those of electrons, where their instrument has only these."""
    missions, changed = reading.all(Mission), dict[Mention, Mention]()
    span = reading.time.span if reading.time else None
    for clause in clauses(reading) if len(missions) == 1 else ():
        names = [each.meaning.name for each in clause if isinstance(each.meaning, Instrument)]
        for each in clause if len(names) == 1 else ():
            meaning = each.meaning
            if not isinstance(meaning, Measured) or meaning.species or not MOMENTS.issuperset(meaning.quantities):
                continue
            asked = Asked(missions[0].name, meaning.quantities[0], "", missions[0].member)
            of_electrons = replace(asked, species="electrons")
            if not measures(offers, asked, names[0], span) and measures(offers, of_electrons, names[0], span):
                changed[each] = replace(each, meaning=replace(meaning, species="electrons"))
    mentions = tuple(changed.get(each, each) for each in reading.mentions)
    return replace(reading, mentions=mentions, heard=reading.heard or reading.mentions) if changed else reading


def _is_measured(words: str, by: Mention, mission: Mission, reading: Reading, offers: Offers) -> bool:
    """Whether an instrument measures what words say."""
    assert isinstance(by.meaning, Instrument)  # noqa: S101 - chosen so
    span = reading.time.span if reading.time else None
    return any(
        measures(offers, Asked(mission.name, each.quantities[0], each.species, mission.member), by.meaning.name, span)
        for each in read_request(words, reading.now).all(Measured)
    )
