"""Where a spacecraft was, on which the axes of RTN depend: by kernels, or by a dataset of the catalog."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from helio_dagster.agent.drafting.lone_components import composed_vectors
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers, overlapping
from helio_dagster.compute.frame_axes import GEOCENTRIC, HELIOCENTRIC
from helio_dagster.domain.bodies import find_body
from helio_dagster.domain.ephemeris import SPICE_ARCHIVE
from helio_dagster.domain.errors import UnknownDataset
from helio_dagster.domain.planetary import archive_of
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.unit_conversion import can_convert
from helio_dagster.domain.units import normalize_unit

TO_AND_FROM_RTN = ("GSE", "GSM", "SM", "GEO", "GEI", "J2000", "HCI", "HAE", "HEE", "HEEQ")
"""Frames that a vector of RTN can be rotated into, and out of, where the spacecraft's position is known."""
_CADENCE = "PT10M"
_LEAST_GAP, _UNKNOWN_GAP = timedelta(minutes=30), timedelta(days=1)


@dataclass(frozen=True)
class Place:
    """The fetch of a spacecraft's positions, where they come from in words, and how far apart its samples may be."""

    who: str
    fetch: tuple[tuple[str, str], ...]
    source: str
    gap: str
    parts: tuple[str, ...] = ()
    frame: str = "HCI"


def place_of(target: Target, preferences: Preferences, offers: Offers) -> Place | None:
    """Where positions of the spacecraft of a target come from; None where none are known over the time asked for."""
    if offers.archive == "demo" or target.quantity == "position":
        return None
    for name in dict.fromkeys((target.who, target.mission)):
        try:
            body = find_body(name, of_demo=False)
        except UnknownDataset:
            continue
        keys = {"archive": SPICE_ARCHIVE, "target": body.name, "observer": "SUN", "frame": "HCI", "cadence": _CADENCE}
        return Place(target.who, tuple(keys.items()), "SPICE kernels of its mission", format_duration(_LEAST_GAP))
    asked = Asked(target.mission, "position", member=target.member)
    found = overlapping(offers.find(asked, span=preferences.span, all_datasets=True), preferences.span)
    whole = Target(target.mission, "position", "vector", member=target.member)
    vectors = [*(each for each in found if each.kind == "vector"), *composed_vectors(found, whole, None)]
    fitting = [each for each in vectors if _is_usable(each, preferences)]
    if not fitting:
        return None
    best = fitting[0]
    keys = {"archive": archive_of(best.dataset, offers.archive), "dataset": best.dataset, "parameter": best.parameter}
    gap = max(_LEAST_GAP, 2 * best.cadence) if best.cadence else _UNKNOWN_GAP
    source = f"{best.dataset} ({best.label})"
    return Place(target.who, tuple(keys.items()), source, format_duration(gap), best.parts, best.frame or "")


def _is_usable(offer: Offer, preferences: Preferences) -> bool:
    """Whether positions have a frame and unit that rotations know, over the whole time asked for."""
    is_length = bool(offer.unit) and (can_convert(offer.unit, "km") or normalize_unit(offer.unit) == "R_E")
    is_there = preferences.span is None or offer.share(preferences.span) >= 1
    return offer.frame in (*GEOCENTRIC, *HELIOCENTRIC) and is_length and is_there
