"""Instruments, each with the quantities that it measures: `temperature from LEP and Bz from MGF`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.intent import Own
from helio_dagster.agent.offline.clauses import asked_in, clauses, measured_in
from helio_dagster.agent.offline.meanings import Instrument
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.instrument_roles import bind_instruments, measures
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.quantities import MOMENTS


def own_instruments(reading: Reading, questions: Sequence[Asked], offers: Offers) -> tuple[Own, ...]:
    """Instruments, each with what it measures; empty if one measures everything, or if that is not clear."""
    instruments = [each.name for each in reading.all(Instrument)]
    if not instruments:
        return ()
    span = reading.span
    bound = bind_instruments(offers, questions, instruments, span=span)
    if len(instruments) == 1 and _stands_in_a_list(reading):
        return _by_clause(reading, questions, offers)
    if len(instruments) == 1 and bound.idle:
        return ()  # it is that of everything
    if not bound.is_clear:
        return _by_clause(reading, questions, offers)
    plasma = [each for each in bound.questions if each.quantity in MOMENTS]
    name = next((each.instrument for each in plasma if each.instrument), None) if len(instruments) == 1 else None
    whose = {each: each.instrument or (name if each in plasma else None) for each in bound.questions}
    if len(instruments) == 1:
        apart = _by_their_own(bound.questions, instruments[0], offers)
        whose = {each: None if each in apart else by for each, by in whose.items()}
    return tuple(Own(each.mission, each.quantity, instrument) for each, instrument in whose.items() if instrument)


def _by_their_own(questions: Sequence[Asked], instrument: str, offers: Offers) -> list[Asked]:
    """Fields beside what an instrument measures, which another one measures better: files of plasma hold them only."""
    fields = [each for each in questions if each.quantity == "magnetic_field"]
    if not any(measures(offers, each, instrument) for each in questions if each not in fields):
        return []
    found = {each: offers.find(replace(each, instrument=None)) for each in fields}
    own = {each: {offer.dataset for offer in offers.find(replace(each, instrument=instrument))} for each in fields}
    return [each for each, best in found.items() if best and best[0].dataset not in own[each]]


def _by_clause(reading: Reading, questions: Sequence[Asked], offers: Offers) -> tuple[Own, ...]:
    """Instruments that each stand in one clause with what they measure: `temperature from LEP and Bz from MGF`.

    What stands without one is by the one before it, if that measures it: `SPAN-I density and velocity`.
    """
    own: list[Own] = []
    last = ""
    for clause in clauses(reading):
        names = [each.meaning.name for each in clause if isinstance(each.meaning, Instrument)]
        if len(names) > 1 or (names and not measured_in(clause)):
            return ()
        asked = asked_in(clause, questions)
        by_it = asked if names else [each for each in asked if last and measures(offers, each, last)]
        own += [Own(each.mission, each.quantity, (names or [last])[0]) for each in by_it]
        last = names[0] if names else last
    return tuple(own)


def _stands_in_a_list(reading: Reading) -> bool:
    """Whether an instrument stands right before one quantity, and another one before it: `magnetic field and ESA density`."""
    found = [each for each in clauses(reading) if measured_in(each) or any(isinstance(one.meaning, Instrument) for one in each)]
    at = next((n for n, each in enumerate(found) if any(isinstance(one.meaning, Instrument) for one in each)), 0)
    if at == 0 or not all(measured_in(each) for each in found):
        return False
    kinds = [type(each.meaning) for each in found[at] if isinstance(each.meaning, Instrument | Measured)]
    return kinds[0] is Instrument
