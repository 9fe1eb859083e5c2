"""Whose moments are wanted, where the instrument tells it: those of electrons by one that measures no others."""

from __future__ import annotations

from dataclasses import replace

from helio_dagster.agent.offline.clauses import clauses
from helio_dagster.agent.offline.meanings import Instrument, Mission
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.instrument_roles import measures
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.quantities import MOMENTS

OPEN = "What of the "
"""How the question begins what of particles is wanted that are only named."""


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
