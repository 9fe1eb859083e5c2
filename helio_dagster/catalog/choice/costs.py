"""What speaks against an offer: a guess, a browse product, odd frames, records too dense or too rare, a time without data."""

from __future__ import annotations

import math
import re
from datetime import timedelta

from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.parameter_reading import whose_moment
from helio_dagster.catalog.choice.parameter_words import MAGNETOMETERS, MINOR, OF_A_PART, OF_NEUTRALS, SHORT_LIFE
from helio_dagster.catalog.choice.quantities import INDICES, MOMENTS, OF_THE_ORBIT
from helio_dagster.catalog.choice.weights import OfferWeights
from helio_dagster.catalog.deriving import is_view
from helio_dagster.catalog.facts import ParameterFacts
from helio_dagster.domain.time_range import TimeRange

_LONG, _MANY = timedelta(days=1000), 10_000
_FEW, _FEWEST = 60, 12
"""Records below which a range is not shown well, and hardly at all."""
_OF_A_SENSOR = re.compile(r"_(?:VFM|FGM\d?)$")
_RARE_MODE = re.compile("_fg[he]_|_edi_|_ps[ie][fb]_|_p[et][ie]b+_")
_OF_A_MODEL = re.compile(r"_EPHT(?!89D)")
_FLAGGED = re.compile(r"including (?:the )?flagged", re.IGNORECASE)
_FOR_A_PLOT = re.compile(r"orbit (?:display|plot)|\(orbit\)|, orbit plot", re.IGNORECASE)


def offer_cost(offer: Offer, parameter: ParameterFacts, asked: Asked, span: TimeRange | None, weights: OfferWeights) -> float:
    """The cost of an offer for a question, the less the better; each part is one of the weights."""
    is_sure = parameter.quantity is not None and parameter.quantity.certainty != "guess"
    cost = 0.0 if is_sure else weights.guess
    cost += weights.minor * bool(MINOR.search(offer.dataset))
    cost += weights.no_unit * (not offer.unit and offer.quantity not in ("alpha_ratio", *INDICES))
    if asked.quantity in MOMENTS and asked.species in ("ions", "protons"):
        cost += weights.other_particles * (whose_moment(parameter) not in ("", asked.species))
    if asked.quantity in MOMENTS:
        text = f"{parameter.name} {parameter.description}"
        is_other = OF_A_PART.search(f"{text} {offer.dataset}".replace("_", " ")) or OF_NEUTRALS.search(text)
        cost += weights.other_population * (is_other is not None)
    if offer.kind == "vector":
        cost += _frame(offer.frame, weights)
    cost += weights.view * is_view(parameter.name) + weights.slow_mode * ("SLOW" in offer.dataset)
    cost += weights.flagged * bool(_FLAGGED.search(parameter.description))
    if asked.quantity in OF_THE_ORBIT:
        cost += _whereabouts(offer, parameter, weights)
    else:
        cost += _cadence(offer.cadence, asked.cadence, span, weights)
        cost += weights.rare_mode * bool(_RARE_MODE.search(parameter.name))
        cost += weights.of_a_sensor * bool(_OF_A_SENSOR.search(parameter.name))
        cost += weights.ground_moments * ("GMOM" in offer.dataset or (offer.kind == "vector" and asked.quantity == "speed"))
    if offer.quantity == "magnetic_field" and not MAGNETOMETERS.search(f"{offer.dataset} {offer.instrument}"):
        cost += weights.not_magnetometer
    if offer.start and offer.stop and offer.stop - offer.start < SHORT_LIFE:
        cost += weights.short_life
    if span is not None:
        cost += weights.not_covered * (1.0 - offer.share(span))
    return cost


def _whereabouts(offer: Offer, parameter: ParameterFacts, weights: OfferWeights) -> float:
    """An ephemeris is taken before a file of measurements that carries positions along, and both before what is predicted."""
    nature = {"orbit": 0.0, "predicted": weights.predicted}.get(offer.nature, weights.carried_along)
    drawn = weights.view * bool(_FOR_A_PLOT.search(parameter.description))
    drawn += weights.rotating * ("rotating" in parameter.description.casefold())
    return nature + drawn + weights.of_a_model * bool(_OF_A_MODEL.search(offer.dataset))


def _frame(frame: str | None, weights: OfferWeights) -> float:
    if frame is None:
        return weights.frame_unknown
    return {"GSE": 0.0, "RTN": 0.0, "GSM": weights.frame_gsm}.get(frame, weights.frame_other)


def is_too_sparse(cadence: timedelta | None, span: TimeRange | None) -> bool:
    """Whether a range has so few records that others with more come first, those entered by hand not excepted."""
    return cadence is not None and span is not None and span.duration < _FEWEST * cadence


def _cadence(cadence: timedelta | None, wanted: timedelta | None, span: TimeRange | None, weights: OfferWeights) -> float:
    """What a cadence costs; over years the number of records counts, not the cadence."""
    if wanted is not None:
        return weights.cadence_other * (cadence != wanted)
    if cadence is None:
        return weights.cadence_unknown
    if span is not None and span.duration > _LONG:
        return weights.too_dense * max(0.0, math.log10(span.duration / cadence / _MANY))
    seconds = cadence.total_seconds()
    sparse = weights.too_sparse * max(0.0, math.log10(_FEW * cadence / span.duration)) if span is not None else 0.0
    if 0.9 <= seconds <= 150:
        return sparse
    if 150 < seconds <= 300:
        return weights.cadence_minutes + sparse
    return (weights.cadence_hour if 300 < seconds <= 3600 else weights.cadence_fine) + sparse
