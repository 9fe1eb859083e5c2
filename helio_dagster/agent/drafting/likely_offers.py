"""What may be meant where the catalog has nothing that surely is: by an instrument, a dataset or words that are named."""

from __future__ import annotations

from helio_dagster.agent.drafting.assumptions import Assumptions
from helio_dagster.agent.drafting.product_levels import of_level
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.descriptors import best_described, describing
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.quantities import VECTORS
from helio_dagster.domain.planetary import archive_of
from helio_dagster.domain.time_range import TimeRange


def likely_offer(target: Target, asked: Asked, preferences: Preferences, offers: Offers) -> Offer | None:
    """What may be meant where nothing surely is: by an instrument or in words that are named; None where nothing is."""
    if not (asked.instrument or asked.dataset or preferences.described):
        return None
    found = [each for each in offers.likely(asked, span=preferences.span) if _covers(each, preferences.span)]
    if target.axis:  # of the one vector in a frame that has this axis
        of_axis = [each for each in found if each.kind == "vector" and (each.frame == "RTN") == (target.axis in "rtn")]
        found = [each for each in of_axis if each.frame is not None and preferences.frame in (None, each.frame)]
    words = describing(preferences.described, found, offers.catalog, offers.archive)
    found = of_level(found, target, preferences, offers, Assumptions()) if found else found
    lone = target.quantity in VECTORS and all(each.kind == "series" for each in found)
    if not found or (lone and not words):
        return None
    return best_described(words, found, offers.catalog, offers.archive)[0]


def _covers(offer: Offer, span: TimeRange | None) -> bool:
    return span is None or offer.share(span) > 0


def why_taken(offer: Offer, target: Target, offers: Offers) -> str:
    """What was taken for a quantity, in the archive's words."""
    known = offers.catalog.describe(archive_of(offer.dataset, offers.archive), offer.dataset, offer.parameter)
    text = f" ({known.parameter})" if known and known.parameter else ""
    return f"{offer.parameter} of {offer.dataset}{text} is taken as the {target.words}: the catalog has nothing nearer."
