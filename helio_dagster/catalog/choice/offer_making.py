"""How an offer is made of what the catalog tells of a parameter, from the snapshot or from an entry made by hand."""

from __future__ import annotations

from dataclasses import replace
from textwrap import shorten

from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.catalog.choice.parameter_reading import find_frame
from helio_dagster.catalog.choice.silences import silences_of
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.planetary import with_usual_kind
from helio_dagster.domain.catalog_entry import CatalogDataset, CatalogParameter, Quantity
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import Kind

_LONGEST_LABEL = 100


def offer_of(facts: DatasetFacts, parameter: ParameterFacts, quantity: Quantity, kind: Kind, axis: str | None = None) -> Offer:
    """The offer of a parameter of the snapshot."""
    offer = Offer(
        with_usual_kind(facts.dataset),
        facts.mission,
        facts.instrument,
        shorten(facts.label, _LONGEST_LABEL, placeholder=" …"),
        facts.start,
        None if facts.is_current else facts.stop,
        parameter.cadence or facts.cadence,
        Grain(facts.grain.value),
        parameter.name,
        quantity,
        kind,
        parameter.unit,
        find_frame(facts, parameter, is_directed=kind == "vector" or axis is not None),
        axis,
        "log" if quantity == "temperature" or kind == "spectrogram" else "linear",
        nature=facts.nature,
        has_own_cadence=parameter.cadence is not None,
    )
    return _as_far_as_heard(offer)


def offer_by_hand(dataset: CatalogDataset, parameter: CatalogParameter, archive: str) -> Offer:
    """The offer of a parameter of an entry made by hand."""
    offer = Offer(
        dataset.dataset,
        dataset.mission,
        dataset.instrument,
        dataset.label,
        dataset.starts(archive),
        dataset.stops(archive),
        dataset.cadence,
        dataset.grain,
        parameter.name,
        parameter.quantity,
        parameter.kind,
        parameter.unit,
        parameter.frame,
        None,
        parameter.scale,
        is_by_hand=True,
    )
    return _as_far_as_heard(offer)


def aligned(offer: Offer, entry: CatalogDataset | None) -> Offer:
    """An offer of a dataset that has an entry made by hand takes what that says of it."""
    if entry is None:
        return offer
    cadence = offer.cadence if offer.has_own_cadence else entry.cadence
    whole = replace(offer, label=entry.label, start=entry.start, stop=entry.stop, cadence=cadence, grain=entry.grain)
    return _as_far_as_heard(whole)


def _as_far_as_heard(offer: Offer) -> Offer:
    """The offer with the times in which its instrument gave no data; where these have no end, it ends there."""
    start, stop = offer.start, offer.stop
    for each in (silences := silences_of(offer.dataset, offer.parameter)):
        if each.start is not None and each.stop is None:
            stop = each.start if stop is None else min(stop, each.start)
        elif each.start is None and each.stop is not None:
            start = each.stop if start is None else max(start, each.stop)
    return replace(offer, start=start, stop=stop, silences=silences) if silences else offer
