"""Of offers that would do alike, those first that are known to reach into the range."""

from __future__ import annotations

from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_words import MINOR
from helio_dagster.domain.time_range import TimeRange


def reaching(ranked: list[Offer], target: Target, span: TimeRange | None, offers: Offers) -> list[Offer]:
    """The offers, those alike first that are known to reach into the range, where the best is known to end before it.

    This is of data that still go on: of others it is known that there are none. Where none reaches it, the one comes first of
    which the latest data are known.
    """
    best = ranked[0]
    if span is None or target.dataset is not None or best.stop is not None or not _ends_before(best, span, offers):
        return ranked
    alike = [each for each in ranked if each == best or (_likeness(each) == _likeness(best) and not _is_lesser(each, best))]
    reaching = [each for each in alike if not _ends_before(each, span, offers)]
    first = reaching or [max(alike, key=lambda each: offers.last_known(each) or span.stop)]
    return [*first, *(each for each in ranked if each not in first)]


def _is_lesser(offer: Offer, best: Offer) -> bool:
    """Whether an offer is of a lesser kind: key parameters, or not chosen by hand where the best is."""
    return MINOR.search(offer.dataset) is not None or (best.is_by_hand and not offer.is_by_hand)


def _likeness(offer: Offer) -> tuple[object, ...]:
    """What two offers have in common of which either would do."""
    return offer.kind, offer.quantity, offer.cadence, offer.axis, offer.frame


def _ends_before(offer: Offer, span: TimeRange, offers: Offers) -> bool:
    known = offers.last_known(offer)
    return known is not None and known <= span.start
