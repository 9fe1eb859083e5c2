"""What each weight of the choice of datasets is good for: `python -m benchmarks.choice_weights`.

Leaves out one weight after the other. Those of the search are measured on the kept queries of `catalog_queries.yaml`; those of
the offers by the plans that the offline planner makes: how many of the kept requests that want a plan get the right one.
"""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from benchmarks.tables import print_table
from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.evaluation.known_answers import Expectation, RequestFile
from helio_dagster.agent.evaluation.request_file import read_requests
from helio_dagster.agent.evaluation.verdicts import judge
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.weights import OFFER, SEARCH, OfferWeights, SearchWeights
from helio_dagster.catalog.database import CatalogDatabase, packaged_path
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.domain.errors import HelioError
from helio_dagster.resources.operation_library import OperationLibrary

_HERE = Path(__file__).parent
_NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)


def main() -> None:
    """Print the effect of each weight."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    queries = yaml.safe_load((_HERE / "catalog_queries.yaml").read_text(encoding="utf-8"))
    folder = _HERE.parent / "tests" / "requests"
    files = [read_requests(), *(read_requests(folder / f"{name}_requests.yaml") for name in ("offline", "later", "chatty"))]
    database = CatalogDatabase(packaged_path())
    catalog = KnownCatalog(lambda: database)
    whole = find_good(queries, CatalogSearch(database))
    rows = [["all of them", *map(str, whole)]]
    for each in fields(SearchWeights):
        without = find_good(queries, CatalogSearch(database, replace(SEARCH, **{each.name: 0.0})))
        rows.append([each.name, *(f"{now:+d}" for now in (without[0] - whole[0], without[1] - whole[1]))])
    print_table(f"Search, {len(queries)} queries: without the weight", ["weight", "hit@1", "hit@5"], rows)
    search = CatalogSearch(database)
    wanted = [(each, file) for file in files for each in file.requests if each.expect == "plan" and each.given is None]
    right = _right(wanted, Offers(catalog, search, "cdaweb"))
    rows = [["all of them", str(right)]]
    for each in fields(OfferWeights):
        offers = Offers(catalog, search, "cdaweb", weights=replace(OFFER, **{each.name: 0.0}))
        rows.append([each.name, f"{_right(wanted, offers) - right:+d}"])
    print_table(f"Offers, {len(wanted)} requests: without the weight", ["weight", "right plans"], rows)


def find_good(queries: Sequence[dict[str, Any]], search: CatalogSearch) -> tuple[int, int]:
    """How many queries have a good answer first, and among the first five."""
    first = five = 0
    for query in queries:
        names = [hit.dataset.dataset for hit in search.search(query["query"], count=5).hits]
        fits = [any(fnmatch.fnmatchcase(name, accept) for accept in query["accept"]) for name in names]
        first += fits[:1] == [True]
        five += any(fits)
    return first, five


def _right(wanted: Sequence[tuple[Expectation, RequestFile]], offers: Offers) -> int:
    """How many requests get the plan that they want."""
    planner = RequestPlanner(offers, None, OperationLibrary(Path(__file__) / "none"))
    right = 0
    for expectation, file in wanted:
        with suppress(HelioError, OpenQuestion):
            now = file.now or _NOW
            plan = planner.plan(planner.read(expectation.request, now), samples=False)
            right += judge(expectation, plan, file.lists).verdict == "right"
    return right


if __name__ == "__main__":
    main()
