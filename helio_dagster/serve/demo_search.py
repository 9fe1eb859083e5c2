"""Search the synthetic datasets as the catalog is searched: they have the ids and facts of those that they resemble."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from helio_dagster.archives.demo.datasets import SPAN
from helio_dagster.catalog.choice.finding import DatasetFinder
from helio_dagster.catalog.documents import hit_as_json
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import Facets, Hit
from helio_dagster.domain.time_range import format_time

_COUNT = 5
_ARCHIVE = "demo"


def search_demo(known: KnownCatalog, finder: DatasetFinder, words: str, facets: Facets, count: int) -> dict[str, Any]:
    """The synthetic datasets that fulfil the facets, those that fit the words best first, as `helio catalog search --json`.

    They have data at all times of the demo, whatever those that they resemble have.
    """
    has_data = facets.span is None or (SPAN.start < facets.span.stop and facets.span.start < SPAN.stop)
    lasting = replace(facets, span=None)
    found = []
    for entry in known.datasets(_ARCHIVE) if has_data else ():
        hit, alone = (_hit(finder, entry.dataset, f"{entry.dataset} {more}", lasting) for more in (words, ""))
        if hit is None or alone is None or (words and hit.score <= alone.score):
            continue  # a facet leaves it out, or no word is of it
        names = {each.name for each in entry.parameters}
        own = tuple(each for each in hit.parameters if each.name in names)
        document = hit_as_json(replace(hit, score=round(hit.score - alone.score, 2), parameters=own))
        covers = facets.span.start >= SPAN.start and facets.span.stop <= SPAN.stop if facets.span is not None else None
        times = {"start": format_time(SPAN.start), "stop": format_time(SPAN.stop)}
        found.append({**document, **times, "label": entry.label, "archive": _ARCHIVE, "fetchable": True, "covers": covers})
    instead = dict(finder.search(words, facets=facets, count=1).instead) if words else {}
    return {"datasets": sorted(found, key=lambda each: -each["score"])[:count], "instead": instead}


def _hit(finder: DatasetFinder, dataset: str, query: str, facets: Facets) -> Hit | None:
    found = finder.search(query.strip(), facets=facets, count=_COUNT).hits
    return next((each for each in found if each.dataset.dataset == dataset), None)
