"""What each weight of the choice of datasets is good for: `python -m benchmarks.choice_weights`.

Leaves out one weight after the other. Those of the search are measured on the kept queries of `catalog_queries.yaml`; those of
the offers on the questions of `tests/requests/dataset_questions.yaml`, by how many have the right parameter first.
"""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import yaml

from benchmarks.tables import print_table
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.questions import best_offers, read_questions
from helio_dagster.catalog.choice.weights import OFFER, SEARCH, OfferWeights, SearchWeights
from helio_dagster.catalog.database import CatalogDatabase, packaged_path
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.time_range import LATEST

_HERE = Path(__file__).parent


def main() -> None:
    """Print the effect of each weight."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    queries = yaml.safe_load((_HERE / "catalog_queries.yaml").read_text(encoding="utf-8"))
    path = _HERE.parent / "tests" / "requests" / "dataset_questions.yaml"
    questions = yaml.safe_load(path.read_text(encoding="utf-8"))["questions"]
    database = CatalogDatabase(packaged_path())
    catalog = KnownCatalog(lambda: database)
    whole = _found(queries, CatalogSearch(database))
    rows = [["all of them", *map(str, whole)]]
    for each in fields(SearchWeights):
        without = _found(queries, CatalogSearch(database, replace(SEARCH, **{each.name: 0.0})))
        rows.append([each.name, *(f"{now:+d}" for now in (without[0] - whole[0], without[1] - whole[1]))])
    print_table(f"Search, {len(queries)} queries: without the weight", ["weight", "hit@1", "hit@5"], rows)
    search = CatalogSearch(database)
    right = _right(questions, Offers(catalog, search, "cdaweb"))
    rows = [["all of them", str(right)]]
    for each in fields(OfferWeights):
        offers = Offers(catalog, search, "cdaweb", weights=replace(OFFER, **{each.name: 0.0}))
        rows.append([each.name, f"{_right(questions, offers) - right:+d}"])
    print_table(f"Offers, {len(questions)} questions: without the weight", ["weight", "right first"], rows)


def _found(queries: Sequence[dict[str, Any]], search: CatalogSearch) -> tuple[int, int]:
    """How many queries have a good answer first, and among the first five."""
    first = five = 0
    for query in queries:
        names = [hit.dataset.dataset for hit in search.search(query["query"], count=5).hits]
        fits = [any(fnmatch.fnmatchcase(name, accept) for accept in query["accept"]) for name in names]
        first += fits[:1] == [True]
        five += any(fits)
    return first, five


def _right(questions: Sequence[dict[str, Any]], offers: Offers) -> int:
    """How many questions have the right parameter of each quantity first."""
    right = 0
    for question in questions:
        found = find_span(question["time"], LATEST)
        best = best_offers(offers, question["words"], span=found.span if found else None)
        count = len(read_questions(question["words"]))
        names = [f"{offer.dataset}/{offer.parameter}" for offer in best[:count]]
        right += bool(names) and all(_fits(names, group) for group in question["fetch"])
    return right


def _fits(names: Sequence[str], patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in patterns)


if __name__ == "__main__":
    main()
