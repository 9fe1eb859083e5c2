"""The page of the catalog names the weights of the choice as the code has them, and the queries that they are measured on."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from benchmarks.choice_weights import find_good
from helio_dagster.catalog.choice.weights import OfferWeights, SearchWeights
from helio_dagster.catalog.searching import CatalogSearch
from tests.shipped_catalog import shipped_database

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "catalog.md").read_text(encoding="utf-8")
QUERIES = yaml.safe_load((ROOT / "benchmarks" / "catalog_queries.yaml").read_text(encoding="utf-8"))


def table(kind: str) -> tuple[list[int], dict[str, list[int]]]:
    """The totals in the header of a table, and the differences in its rows by the weight that is left out."""
    lines = PAGE.partition(f"| {kind}, without |")[2].split("\n\n")[0].splitlines()
    rows: dict[str, list[int]] = {}
    for line in lines[2:]:
        names, *numbers = line.strip("|").split("|")
        for name in re.findall(r"`(\w+)`", names):
            assert name not in rows, f"{name} has two rows"
            rows[name] = [int(number) for number in numbers]
    return [int(total) for total in re.findall(r"\((\d+)\)", lines[0])], rows


@pytest.mark.parametrize(("kind", "weights"), [("search", SearchWeights), ("offers", OfferWeights)])
def test_the_table_names_weights_that_there_are(kind: str, weights: type) -> None:
    """Each once, the greatest effect first; a number for each of the totals, none of them without effect."""
    totals, rows = table(kind)
    assert rows
    assert rows.keys() - {each.name for each in fields(weights)} == set()
    assert {name for name, numbers in rows.items() if len(numbers) != len(totals) or not any(numbers)} == set()
    assert [numbers[0] for numbers in rows.values()] == sorted(numbers[0] for numbers in rows.values())


def test_every_weight_in_the_text_is_one() -> None:
    """What is said below the tables of single weights too."""
    known = {each.name for weights in (SearchWeights, OfferWeights) for each in fields(weights)}
    section = PAGE.partition("## What the weights contribute")[2]
    assert set(re.findall(r"`(\w+_\w+)`", section)) <= known


@pytest.mark.slow
def test_the_totals_are_those_of_the_queries() -> None:
    """With all weights, measured anew: a good dataset first, and among the first five, of as many queries as the page says."""
    totals, _ = table("search")
    assert int(re.search(r"the (\d+) kept queries", PAGE)[1]) == len(QUERIES)  # type: ignore[index]
    assert totals == list(find_good(QUERIES, CatalogSearch(shipped_database())))
