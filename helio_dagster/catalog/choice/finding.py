"""Find datasets by words, with what the planners would choose first."""

from __future__ import annotations

from dataclasses import replace

from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.questions import best_offers, read_questions
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import CatalogSearch, Facets, Found, Hit, covers
from helio_dagster.domain.planetary import archive_of

_LOOKED_AT = 40


class DatasetFinder:
    """Search over one catalog for people and the tools of a language model, in the order of the offline planner.

    A question for quantities of missions and nothing else is answered by the offers, as a plan is; the datasets that hold the
    words come after. With a cadence, an instrument or an id beside it, the words decide alone.

    Parameters
    ----------
    catalog
        The entries made by hand, and the snapshot behind them.
    search
        Finds datasets of the snapshot by words.
    """

    def __init__(self, catalog: KnownCatalog, search: CatalogSearch) -> None:
        self._search = search
        self._offers = Offers(catalog, search, "cdaweb")

    def search(self, query: str, *, facets: Facets | None = None, count: int = 10) -> Found:
        """The datasets that answer a query best; see `CatalogSearch.search`."""
        facets = facets or Facets()
        questions = read_questions(query, facets.mission)
        if not questions or facets != Facets(mission=facets.mission, span=facets.span):
            return self._search.search(query, facets=facets, count=count)
        found = self._search.search(query, facets=facets, count=max(count, _LOOKED_AT))
        best = best_offers(self._offers, query, mission=facets.mission, span=facets.span)[: len(questions)]
        first = [hit for offer in best if (hit := self._hit(offer, found, facets)) is not None]
        chosen = {hit.dataset.dataset for hit in first}
        hits = [*first, *(hit for hit in found.hits if hit.dataset.dataset not in chosen)]
        return Found(tuple(hits[:count]), found.instead)

    def _hit(self, offer: Offer, found: Found, facets: Facets) -> Hit | None:
        """The hit of an offer's dataset, its parameter first; None where the snapshot does not have it."""
        facts = self._offers.catalog.facts(archive_of(offer.dataset, "cdaweb"), offer.dataset)
        parameter = facts.parameter(offer.parameter) if facts is not None else None
        if facts is None or parameter is None:
            return None
        hit = next((each for each in found.hits if each.dataset.dataset == offer.dataset), None)
        if hit is None:
            score = found.hits[0].score if found.hits else 0.0
            return Hit(facts, score, (parameter,), covers(facts, facets.span) if facets.span else None)
        others = tuple(each for each in hit.parameters if each.name != parameter.name)
        return replace(hit, parameters=(parameter, *others)[: max(1, len(hit.parameters))])
