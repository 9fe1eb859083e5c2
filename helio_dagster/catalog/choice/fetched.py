"""What a fetch of a pipeline yields, by the catalog: whose data, and which quantity."""

from __future__ import annotations

from collections.abc import Mapping

from helio_dagster.catalog.choice.quantities import QUANTITIES
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.missions import mission_of
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.planetary import is_planetary

_OF_UNIT: Mapping[str, Quantity] = {"nT": "magnetic_field", "km/s": "velocity", "mV/m": "electric_field"}
"""What a vector of a unit is."""


def mission_of_fetch(catalog: KnownCatalog, fetch: Fetch) -> str:
    """Whose data a fetch yields; empty where that is not known."""
    entry = catalog.dataset(fetch.archive, fetch.dataset)
    owner = mission_of(fetch.dataset)
    if entry is None and owner is None and is_planetary(fetch.dataset):
        facts = catalog.facts(fetch.archive, fetch.dataset)
        return facts.mission if facts else ""
    return entry.mission if entry else owner.name if owner else ""


def quantity_of_fetch(catalog: KnownCatalog, fetch: Fetch) -> Quantity | None:
    """What a fetch measures; None where that is not known. Of a file of one's own, vectors are known by their unit."""
    if fetch.is_own:
        meta = fetch.table_meta
        return _OF_UNIT.get(meta.unit) if meta.kind == "vector" else None
    entry = catalog.dataset(fetch.archive, fetch.dataset)
    by_hand = entry.parameter(fetch.parameter) if entry else None
    if by_hand is not None:
        return by_hand.quantity
    facts = catalog.facts(fetch.archive, fetch.dataset)
    known_parameter = facts.parameter(fetch.parameter) if facts else None
    for quantity, known in QUANTITIES.items():
        is_named = known.name is None or known.name.search(fetch.parameter)
        if known_parameter is not None and is_named and str(known_parameter.quantity) == (known.catalogued or ("",))[0]:
            return quantity
    return None
