"""Several instruments of one spacecraft for the same quantity: `MagEIS and REPT electron flux` is drawn from each."""

from __future__ import annotations

import re
from itertools import pairwise

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.meanings import Asks, Compare, Dataset, Instrument, Mission
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Pairing, Transform
from helio_dagster.catalog.choice.instrument_roles import measures
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers

_JOINT = re.compile(r"\s*(?:,|and|,\s*and|&|\+|plus|as well as)\s*(?:the\s+|from\s+)*", re.IGNORECASE)
_OTHERS = (Asks, Compare, Dataset, Derived, Pairing, Transform)


def by_each_instrument(reading: Reading, offers: Offers) -> dict[str, str]:
    """The request for each of the instruments alone, by their names; empty where they are not for one and the same thing."""
    named = reading.of(Instrument)
    missions, measured = reading.all(Mission), reading.all(Measured)
    if len(named) < 2 or len(missions) != 1 or len(measured) != 1 or any(map(reading.all, _OTHERS)):
        return {}
    if not all(_JOINT.fullmatch(reading.request[one.last : other.first]) for one, other in pairwise(named)):
        return {}
    quantity, mission, span = measured[0], missions[0], reading.span
    asked = Asked(mission.name, quantity.quantities[0], quantity.species, mission.member)
    names = {each: each.meaning.name for each in named if isinstance(each.meaning, Instrument)}
    if len(quantity.quantities) != 1 or not all(measures(offers, asked, name, span) for name in names.values()):
        return {}
    whole = Mention(named[0].meaning, named[0].first, named[-1].last, reading.request[named[0].first : named[-1].last])
    return {name: reworded(reading, {whole: each.words}) for each, name in names.items()}


def of_both(reading: Reading, requests: dict[str, str], plans: dict[str, Plan]) -> tuple[str, str] | None:
    """The request with the parameters of the plans in place of the instruments, and a note; None if one computes something.

    Where all plans fetch the same, as of `SWEAP/SPC`, it is the request for the last of the instruments alone.
    """
    found: dict[str, str] = {}
    for name, plan in plans.items():
        made = [step for step in plan.pipeline.steps if step.figure is None]
        if len(made) != 1 or made[0].fetch is None:
            return None
        found[name] = f"{made[0].fetch.parameter} of {made[0].fetch.dataset}"
    alike = {*found.values()}
    if len(alike) == 1:
        return [*requests.values()][-1], f"The data of {' and '.join(found)} are the same: {alike.pop()}."
    gone = reading.of(Instrument)
    quantity = reading.of(Measured)[0]
    request = reworded(reading, {**dict.fromkeys(gone, ""), quantity: " and ".join(found.values())})
    return request, "; ".join(f"{name} is {words}" for name, words in found.items()) + "."
