"""Find the dataset of another mission that measures what a fetch measures, and list what does not carry over."""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import timedelta
from difflib import SequenceMatcher

from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.questions import best_offers
from helio_dagster.catalog.choice.weights import FORK
from helio_dagster.catalog.deriving import is_view
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import CatalogSearch, Facets
from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.units import is_same_unit
from helio_dagster.launch.library.dataset_facts import Measured, find_measured, measured_by_entry, measured_by_facts

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))
_TWIN = 0.9
"""Likeness of names from which on they are those of twins."""
_LOOKED_AT = 40
"""Maximum number of a mission's datasets that are compared."""


@dataclass(frozen=True)
class Replacement:
    """Another dataset for a fetch.

    `losses` are what does not carry over (quantity, shape, unit, frame, or that the catalog does not have it); `remarks` are
    other differences.
    """

    step: str
    old: Measured
    new: Measured

    @property
    def words(self) -> str:
        """What replaces what, for people."""
        return f"{self.step}: {_name(self.old)} -> {_name(self.new)}"

    @property
    def is_magnitude(self) -> bool:
        """Whether the magnitude of the new data replaces the old: a speed, from a velocity."""
        return _is_velocity_of(self.old, self.new)

    @property
    def losses(self) -> list[str]:
        """What does not carry over, as text."""
        return list(_losses(self.old, self.new))

    @property
    def remarks(self) -> list[str]:
        """Differences that do not change the meaning: cadence, and the time that has data."""
        return list(_remarks(self.old, self.new))


def _name(measured: Measured) -> str:
    stated = ", ".join(part for part in (measured.quantity, measured.frame, measured.unit) if part)
    return f"{measured.fetch.dataset} {measured.fetch.parameter}{f' ({stated})' if stated else ''}"


def propose(
    old: Measured, mission: str, catalog: KnownCatalog, search: CatalogSearch, *, beside: Set[str] = frozenset()
) -> Measured | None:
    """The parameter of a mission that is most like the one fetched: same quantity and shape, then frame, unit and cadence.

    If the mission has no parameter for a speed, its velocity is proposed, whose magnitude is the speed.

    Parameters
    ----------
    old
        What is fetched now; without a known quantity nothing is proposed.
    mission
        The other mission's name in the catalog.
    catalog, search
        What is known.
    beside
        Datasets that replace the same dataset in other steps; they are preferred.
    """
    if not old.quantity:
        return None
    for quantity in (old.quantity, "velocity") if old.quantity == "speed" else (old.quantity,):
        found = [
            (each, rank + FORK.beside * (each.fetch.dataset in beside))
            for each, rank in _candidates(old, quantity, mission, catalog, search)
            if (_is_alike(old, each) if quantity == old.quantity else _is_velocity_of(old, each))
        ]
        if found:
            return min(found, key=lambda each: _cost(old, each[0], each[1]))[0]
    return None


def _candidates(
    old: Measured, quantity: str, mission: str, catalog: KnownCatalog, search: CatalogSearch
) -> Iterator[tuple[Measured, float]]:
    """Parameters of the mission in datasets with a quantity, each with what argues against it."""
    archive = old.fetch.archive
    by_hand = [entry for entry in catalog.datasets(archive) if entry.mission == mission]
    if archive == DEMO_ARCHIVE:
        for entry in by_hand:
            for given in entry.parameters:
                yield measured_by_entry(_fetch(archive, entry.dataset, given.name), entry, given), 0.0
        return
    preferred = {(entry.dataset, given.name) for entry in by_hand for given in entry.parameters}
    offers = best_offers(Offers(catalog, search, archive), f"{mission} {quantity} {old.species}")
    places = {(offer.dataset, offer.parameter): place for place, offer in enumerate(offers)}
    facets = Facets(mission=mission, quantity=quantity)
    found = search.search(f"{mission} {quantity} {old.frame}", facets=facets, count=_LOOKED_AT)
    for rank, hit in enumerate(found.hits):
        if not hit.dataset.is_fetchable or hit.dataset.archive != archive:
            continue
        facts = catalog.facts(archive, hit.dataset.dataset) or hit.dataset  # a hit has only the parameters that match the query
        for parameter in facts.parameters:
            extra = 0.0 if (hit.dataset.dataset, parameter.name) in preferred else FORK.not_by_hand
            extra += FORK.view * is_view(parameter.name)
            place = places.get((hit.dataset.dataset, parameter.name), rank + len(places))
            fetch = _fetch(archive, hit.dataset.dataset, parameter.name)
            yield measured_by_facts(fetch, facts, parameter), place * FORK.rank + extra


def replaced(step: str, old: Fetch, dataset: str, parameter: str, catalog: KnownCatalog) -> Replacement:
    """The replacement that a person names, from the same archive."""
    return Replacement(step, find_measured(old, catalog), find_measured(_fetch(old.archive, dataset, parameter), catalog))


def _fetch(archive: str, dataset: str, parameter: str) -> Fetch:
    return Fetch(archive=archive, dataset=dataset, parameter=parameter)


def _is_alike(old: Measured, new: Measured) -> bool:
    return old.quantity == new.quantity and _shape(old) == _shape(new)


def _is_velocity_of(old: Measured, new: Measured) -> bool:
    """Whether a speed is the magnitude of the new data."""
    return (old.quantity, _shape(old)) == ("speed", "series") and (new.quantity, _shape(new)) == ("velocity", "vector")


def _shape(measured: Measured) -> str:
    if measured.size is None or len(measured.size) > 1:
        return "array"
    if not measured.size:
        return "series"
    return "vector" if measured.size == (3,) and measured.frame else "array"


def _id_of(measured: Measured) -> str:
    return f"{measured.fetch.dataset} {measured.fetch.parameter}"


def _likeness(one: str, other: str) -> float:
    """From 0 to 1."""
    return SequenceMatcher(None, one, other).ratio()


def _cost(old: Measured, new: Measured, rank: float) -> tuple[float, str]:
    """How different the other is, and its name to break ties."""
    cost = rank + FORK.other_name * (1 - _likeness(old.fetch.parameter, new.fetch.parameter))
    cost += FORK.twin * (_likeness(_id_of(old), _id_of(new)) >= _TWIN)
    cost += FORK.other_frame * (old.frame != new.frame and not _is_velocity_of(old, new))
    cost += FORK.other_unit * (not _is_same_unit(old, new))
    if old.cadence and new.cadence:
        cost += abs(math.log10(new.cadence / old.cadence))
    else:
        cost += FORK.cadence_unknown
    cost += FORK.other_species * (old.species != new.species)
    cost += FORK.not_in_time * (not _overlaps(old, new))
    return round(cost, 6), f"{new.fetch.dataset} {new.fetch.parameter}"


def _is_same_unit(old: Measured, new: Measured) -> bool:
    return old.unit == new.unit or (bool(old.unit and new.unit) and is_same_unit(old.unit, new.unit))


def _overlaps(old: Measured, new: Measured) -> bool:
    over = [(one.stop, other.start) for one, other in ((old, new), (new, old))]
    return not any(stop is not None and start is not None and stop <= start for stop, start in over)


def _losses(old: Measured, new: Measured) -> Iterator[str]:
    for each in (old, new):
        if not each.is_known:
            name = f"{each.fetch.dataset} {each.fetch.parameter}"
            yield f"{name} is not in the catalog: quantity, unit and frame are not compared"
            return
    is_magnitude = _is_velocity_of(old, new)
    if old.quantity != new.quantity and not is_magnitude:
        nameless = "a quantity the catalog cannot name"
        yield f"it measures {new.quantity or nameless}, not {old.quantity or nameless}"
    if old.species != new.species:
        bulk = "protons or all ions"
        yield f"it is of {new.species or bulk}, not {old.species or bulk}"
    if _shape(old) != _shape(new) and not is_magnitude:
        yield f"it is {_with_article(_shape(new))}, not {_with_article(_shape(old))}"
    if not _is_same_unit(old, new):
        yield f"its unit is {new.unit or 'not known'}, not {old.unit or 'known'}"
    if old.frame != new.frame and not is_magnitude:
        yield f"its frame is {new.frame or 'not known'}, not {old.frame or 'known'}"


def _with_article(shape: str) -> str:
    return f"an {shape}" if shape == "array" else f"a {shape}"


def _remarks(old: Measured, new: Measured) -> Iterator[str]:
    if _is_velocity_of(old, new):
        yield "the speed is computed as the magnitude of the velocity"
    if new.cadence != old.cadence and (new.cadence or old.cadence):
        yield f"every {_every(new.cadence)}, not {_every(old.cadence)}"
    if new.start is not None and (old.start is None or new.start > old.start):
        yield f"data begin {new.start:%Y-%m-%d}"
    if new.stop is not None:
        yield f"data end {new.stop:%Y-%m-%d}"


def _every(cadence: timedelta | None) -> str:
    if cadence is None:
        return "unknown interval"
    seconds = cadence.total_seconds()
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds % size == 0), (1, "s"))
    return f"{seconds / size:g} {unit}"
