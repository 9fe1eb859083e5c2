"""A position that the catalog has in heliographic coordinates only: distance, latitude and longitude take its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.drafting.assumptions import Assumptions, topics_of
from helio_dagster.agent.targets import AnyTarget, Target
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.quantities import HELIOGRAPHIC
from helio_dagster.domain.time_range import TimeRange


def heliographic(
    targets: Sequence[AnyTarget], offers: Offers, span: TimeRange | None, assumptions: Assumptions
) -> list[AnyTarget]:
    """The targets; a position that no dataset has as a vector becomes distance, latitude and longitude, where one has these."""
    found: list[AnyTarget] = []
    for target in targets:
        parts = _parts(target, offers, span) if isinstance(target, Target) else []
        if parts:
            words = f"The position of {target.who} is catalogued as distance from the Sun, heliographic latitude and longitude."
            assumptions.say(words, *topics_of(target))
        found += parts or [target]
    return list(dict.fromkeys(found))


def _parts(target: Target, offers: Offers, span: TimeRange | None) -> list[Target]:
    if target.quantity != "position" or target.axis or target.shape or target.parameter:
        return []
    asked = Asked(target.mission, "position", member=target.member, dataset=target.dataset)
    vectors = [each for each in offers.find(asked, span=span, all_datasets=True) if each.frame != "RTN"]
    if any(_has_data(each, span) for each in vectors):  # the axes of RTN go with the spacecraft: R is all that it has there
        return []
    parts = [replace(target, quantity=quantity) for quantity in HELIOGRAPHIC]
    held = [offers.find(replace(asked, quantity=each.quantity), span=span) for each in parts]
    return parts if all(any(_has_data(offer, span) for offer in each) for each in held) else []


def _has_data(offer: Offer, span: TimeRange | None) -> bool:
    return span is None or offer.share(span) > 0
