"""What is said of an offer: why it is taken, whose particles it has, predicted or measured, how stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helio_dagster.agent.drafting.lengths import spoken, spoken_alone
from helio_dagster.agent.drafting.shape_and_frame import is_lone
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_reading import whose_moment
from helio_dagster.catalog.choice.parameter_words import BY_POTENTIAL, OF_DRIFT, OF_NEUTRALS
from helio_dagster.catalog.choice.quantities import INDICES, MOMENTS, WHEREABOUTS
from helio_dagster.domain.planetary import archive_of


def whose(best: Offer, *, target: Target, offers: Offers) -> Iterator[str]:
    """What a person may take for granted and should not."""
    facts = offers.catalog.facts(archive_of(best.dataset, offers.archive), best.dataset)
    parameter = facts.parameter(best.parameter) if facts is not None else None
    described = f"{best.dataset} {parameter.description if parameter else ''}".replace("_", " ")
    if target.quantity in ("velocity", "speed") and not target.species and OF_DRIFT.search(described):
        drift = f"a drift across the magnetic field ({best.parameter})"
        yield f"The {target.name} is {drift}, not the mean of particles that were counted."
    elif target.quantity in MOMENTS and OF_NEUTRALS.search(f"{best.parameter} {parameter.description if parameter else ''}"):
        yield f"The {target.name} is that of neutral particles ({best.parameter}), not of the plasma."
    elif target.quantity == "density" and not target.species and BY_POTENTIAL.search(described):
        yield f"The density is that of the electrons ({best.parameter}), not of ions that were counted."
    elif target.quantity in MOMENTS and not target.species and not best.is_by_hand:
        yield f"The {target.name} is that of the ions or protons ({best.parameter}), not of the electrons."
    if target.quantity in MOMENTS and target.species in ("ions", "protons"):
        particles = whose_moment(parameter) if parameter is not None else ""
        if particles not in ("", target.species):
            whose = "all ions" if particles == "ions" else "the protons"
            text = f"The {target.name} of {target.who} is that of {whose} ({best.parameter}), taken for the {target.species}."
            yield text
    if best.nature == "predicted":
        yield f"{best.dataset} has predicted positions, not where {target.who} was measured to be."
    elif target.quantity in WHEREABOUTS and best.nature == "measured":
        yield f"The {target.name} is the one that {best.dataset} carries along with its measurements."
    if target.quantity == "altitude" and parameter is not None:
        yield f"The archive describes {best.parameter} as: {parameter.description.strip(' -')}."
    if target.quantity == "carrington_longitude":
        text = f"{best.parameter}, the longitude in the heliographic system that rotates with the Sun, is Carrington's."
        yield text
    if target.quantity == "kp":
        yield "Kp is stored times ten: 27 is 3-."
    if target.quantity in INDICES and best.cadence is not None:
        yield _taken_from(target.name, best)
    if target.quantity == "electric_field" and best.kind == "series" and best.axis is None and best.mission == "OMNI":
        how = "minus the speed times Bz in GSM, computed and not measured"
        yield f"The electric field of OMNI is one number, {best.parameter}: {how}."


def _taken_from(name: str, offer: Offer) -> str:
    """Where an index is taken from."""
    cadence = f", {spoken(offer.cadence)} values" if offer.cadence is not None else ""
    return f"{name} is taken from {offer.dataset}{cadence}."


def why_used(offer: Offer, target: Target, preferences: Preferences) -> str:
    """Why a dataset is taken that the request does not name."""
    used = f"{offer.dataset} ({offer.label}) is used"
    if target.lacking:
        what = target.name if target.quantity in INDICES else f"the {target.name}"
        return f"{used} for {what}, because I know none in {' or '.join(target.lacking)}, which the request names."
    named = f"{preferences.instrument} and " if preferences.instrument else ""
    return f"{used}, because the request names {named}no dataset."


def for_its_cadence(offer: Offer) -> list[str]:
    """That a parameter is denser than others of its dataset."""
    length = offer.cadence if offer.has_own_cadence else None
    return [f"{offer.parameter} is taken for its cadence of {spoken_alone(length)}."] if length is not None else []


def computed_of(offer: Offer, *, target: Target, found: Sequence[Offer]) -> Iterator[str]:
    """What a magnitude is made of, where a vector answers."""
    lone = next((each for each in found if is_lone(each) and each.dataset == offer.dataset), None)
    if offer.kind == "vector" and lone is not None and offer.quantity == "magnetic_field":
        yield f"The magnitude is computed from {offer.parameter}, not taken from the archive's {lone.parameter}."
    elif offer.kind == "vector" and target.quantity == "speed":
        yield speed_of(target)


def speed_of(target: Target) -> str:
    """What a speed is made of that no dataset has."""
    return f"The speed at {target.mission} is the magnitude of its velocity."
