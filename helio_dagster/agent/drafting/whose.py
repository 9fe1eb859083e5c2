"""Say of an offer what a person may take for granted and should not: whose particles, predicted or measured, how stored."""

from __future__ import annotations

from helio_dagster.agent.drafting.lengths import spoken
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_reading import whose_moment
from helio_dagster.catalog.choice.parameter_words import BY_POTENTIAL, OF_DRIFT, OF_NEUTRALS
from helio_dagster.catalog.choice.quantities import INDICES, MOMENTS, WHEREABOUTS
from helio_dagster.domain.planetary import archive_of


def say_whose(best: Offer, target: Target, offers: Offers, assumptions: list[str]) -> None:
    """Say what a person may take for granted and should not."""
    facts = offers.catalog.facts(archive_of(best.dataset, offers.archive), best.dataset)
    parameter = facts.parameter(best.parameter) if facts is not None else None
    described = f"{best.dataset} {parameter.description if parameter else ''}".replace("_", " ")
    if target.quantity in ("velocity", "speed") and not target.species and OF_DRIFT.search(described):
        drift = f"a drift across the magnetic field ({best.parameter})"
        assumptions.append(f"The {target.name} is {drift}, not the mean of particles that were counted.")
    elif target.quantity in MOMENTS and OF_NEUTRALS.search(f"{best.parameter} {parameter.description if parameter else ''}"):
        assumptions.append(f"The {target.name} is that of neutral particles ({best.parameter}), not of the plasma.")
    elif target.quantity == "density" and not target.species and BY_POTENTIAL.search(described):
        assumptions.append(f"The density is that of the electrons ({best.parameter}), not of ions that were counted.")
    elif target.quantity in MOMENTS and not target.species and not best.is_by_hand:
        assumptions.append(f"The {target.name} is that of the ions or protons ({best.parameter}), not of the electrons.")
    if target.quantity in MOMENTS and target.species in ("ions", "protons"):
        particles = whose_moment(parameter) if parameter is not None else ""
        if particles not in ("", target.species):
            whose = "all ions" if particles == "ions" else "the protons"
            text = f"The {target.name} of {target.who} is that of {whose} ({best.parameter}), taken for the {target.species}."
            assumptions.append(text)
    if best.nature == "predicted":
        assumptions.append(f"{best.dataset} has predicted positions, not where {target.who} was measured to be.")
    elif target.quantity in WHEREABOUTS and best.nature == "measured":
        assumptions.append(f"The {target.name} is the one that {best.dataset} carries along with its measurements.")
    if target.quantity == "altitude" and parameter is not None:
        assumptions.append(f"The archive describes {best.parameter} as: {parameter.description.strip(' -')}.")
    if target.quantity == "carrington_longitude":
        text = f"{best.parameter}, the longitude in the heliographic system that rotates with the Sun, is Carrington's."
        assumptions.append(text)
    if target.quantity == "kp":
        assumptions.append("Kp is stored times ten: 27 is 3-.")
    if target.quantity in INDICES and best.cadence is not None:
        assumptions.append(taken_from(target.name, best))
    if target.quantity == "electric_field" and best.kind == "series" and best.axis is None and best.mission == "OMNI":
        how = "minus the speed times Bz in GSM, computed and not measured"
        assumptions.append(f"The electric field of OMNI is one number, {best.parameter}: {how}.")


def taken_from(name: str, offer: Offer) -> str:
    """Where an index is taken from."""
    cadence = f", {spoken(offer.cadence)} values" if offer.cadence is not None else ""
    return f"{name} is taken from {offer.dataset}{cadence}."
