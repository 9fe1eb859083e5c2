"""Requests for where a spacecraft is: its latitude, and a position that is catalogued in heliographic coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.offline.meanings import Compare, Derived, Measured, Pairing, Transform
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.targets import AnyTarget, Target
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.quantities import WHEREABOUTS
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.time_range import TimeRange

_ANGLES: dict[str, Quantity] = {"latitude": "heliographic_latitude", "longitude": "heliographic_longitude"}


def of_the_spacecraft(reading: Reading) -> Reading:
    """The reading in which a latitude is the spacecraft's, where no vector is named that it could be of."""
    if any(isinstance(each.meaning, Measured | Derived | Pairing | Compare) for each in reading.mentions):
        return reading
    mentions = tuple(_of_it(each) for each in reading.mentions)
    return reading if mentions == reading.mentions else replace(reading, mentions=mentions)


def _of_it(mention: Mention) -> Mention:
    meaning = mention.meaning
    if not isinstance(meaning, Transform) or meaning.operation != "direction":
        return mention
    quantity = _ANGLES.get(str(meaning.options.get("angle")))
    return replace(mention, meaning=Measured((quantity,))) if quantity else mention


def heliographic(
    targets: Sequence[AnyTarget], offers: Offers, span: TimeRange | None, assumptions: list[str]
) -> list[AnyTarget]:
    """The targets; a position that no dataset has as a vector becomes distance, latitude and longitude, where one has these."""
    found: list[AnyTarget] = []
    for target in targets:
        parts = _parts(target, offers, span) if isinstance(target, Target) else []
        if parts:
            words = f"The position of {target.who} is catalogued as distance from the Sun, heliographic latitude and longitude."
            assumptions.append(words)
        found += parts or [target]
    return list(dict.fromkeys(found))


def _parts(target: Target, offers: Offers, span: TimeRange | None) -> list[Target]:
    if target.quantity != "position" or target.axis or target.shape or target.parameter:
        return []
    asked = Asked(target.mission, "position", member=target.member, dataset=target.dataset)
    if any(_has_data(each, span) for each in offers.find(asked, span=span, all_datasets=True)):
        return []
    parts = [replace(target, quantity=quantity) for quantity in WHEREABOUTS[1:]]
    held = [offers.find(replace(asked, quantity=each.quantity), span=span) for each in parts]
    return parts if all(any(_has_data(offer, span) for offer in each) for each in held) else []


def _has_data(offer: Offer, span: TimeRange | None) -> bool:
    return span is None or offer.share(span) > 0
