"""Finding datasets by a scientist's words: `python -m benchmarks.catalog_search`.

The queries in `catalog_queries.yaml` were written from the literature's vocabulary before any ranking existed, each with the
datasets that answer it. Glossary and weights were worked on with every other query in sight (*seen*); the rest (*unseen*)
were looked at when those were settled, and what they showed to be wrong was then mended too. Beside ours: full-text search
over the same texts without glossary or ranking, and counting the words of a query that stand in id, label or mission.
"""

from __future__ import annotations

import argparse
import fnmatch
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from benchmarks.tables import print_table
from benchmarks.trial import run_trial
from helio_dagster.catalog.database import CatalogDatabase, packaged_path
from helio_dagster.catalog.missions import missions
from helio_dagster.catalog.searching import CatalogSearch

Search = Callable[[str], Sequence[str]]
_COUNT = 10


def main() -> None:
    """Print how well each contender does, how long it takes, and what ours does not find."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=Path, default=Path(__file__).with_name("catalog_queries.yaml"))
    given = parser.parse_args()
    queries = yaml.safe_load(given.queries.read_text(encoding="utf-8"))
    database = CatalogDatabase(packaged_path())
    ours = CatalogSearch(database)
    contenders: dict[str, Search] = {
        "helio catalog search": lambda query: [hit.dataset.dataset for hit in ours.search(query, count=_COUNT).hits],
        "full text alone": _full_text(database),
        "counting words": _counting(database),
    }
    rows = []
    for name, search in contenders.items():
        search("warm up")
        ranks, times = _ranks(queries, search)
        for part, chosen in (("all", ranks), ("seen", ranks[0::2]), ("unseen", ranks[1::2])):
            if part == "all" or name == "helio catalog search":
                rows.append([name, part, str(len(chosen)), *_figures(chosen), *(_times(times) if part == "all" else ("", ""))])
        if name == "helio catalog search":
            missed = [query["query"] for query, rank in zip(queries, ranks, strict=True) if rank is None or rank >= 5]
            kinds: dict[str, list[int | None]] = {query["kind"]: [] for query in queries}
            for query, rank in zip(queries, ranks, strict=True):
                kinds[query["kind"]].append(rank)
    print_table("Queries", ["search", "queries", "number", "hit@1", "hit@5", "MRR", "median ms", "slowest ms"], rows)
    print_table(
        "By kind", ["kind", "number", "hit@1", "hit@5", "MRR"], [[k, str(len(r)), *_figures(r)] for k, r in kinds.items()]
    )
    print("\nNot among the first five: " + "; ".join(missed))
    cold = [_cold() for _ in range(3)]
    print(f"\nCold start: {min(cold):.2f} s of CPU beyond the interpreter for `helio catalog search`")


def _ranks(queries: Sequence[dict[str, Any]], search: Search) -> tuple[list[int | None], list[float]]:
    ranks, times = [], []
    for query in queries:
        began = time.process_time()
        names = search(query["query"])
        times.append(time.process_time() - began)
        fits = [any(fnmatch.fnmatchcase(name, accept) for accept in query["accept"]) for name in names]
        ranks.append(fits.index(True) if True in fits else None)
    return ranks, times


def _figures(ranks: Sequence[int | None]) -> tuple[str, str, str]:
    first = sum(rank == 0 for rank in ranks) / len(ranks)
    five = sum(rank is not None and rank < 5 for rank in ranks) / len(ranks)
    reciprocal = sum(1 / (rank + 1) for rank in ranks if rank is not None) / len(ranks)
    return f"{first:.1%}", f"{five:.1%}", f"{reciprocal:.3f}"


def _times(times: Sequence[float]) -> tuple[str, str]:
    ordered = sorted(times)
    return f"{ordered[len(ordered) // 2] * 1000:.1f}", f"{ordered[-1] * 1000:.1f}"


def _texts(database: CatalogDatabase) -> list[tuple[str, str, str]]:
    """(id, what names a dataset, what its parameters say) of every dataset."""
    called = {mission.name: " ".join(mission.names) for mission in missions()}
    found = [facts for name in database.names() if (facts := database.dataset(name)) is not None]
    return [
        (
            facts.dataset,
            f"{facts.dataset.replace('_', ' ')} {facts.label} {called[facts.mission]} {facts.instrument}",
            " ".join(f"{each.name} {each.description}" for each in facts.parameters),
        )
        for facts in found
    ]


def _full_text(database: CatalogDatabase) -> Search:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE plain USING fts5(id UNINDEXED, named, told, tokenize='porter unicode61')")
    connection.executemany("INSERT INTO plain VALUES (?, ?, ?)", _texts(database))

    def search(query: str) -> Sequence[str]:
        words = re.findall(r"[A-Za-z0-9]+", query)
        expression = " OR ".join(f'"{word}"' for word in words) or '""'
        rows = connection.execute(
            "SELECT id FROM plain WHERE plain MATCH ? ORDER BY bm25(plain, 0, 5.0, 1.0) LIMIT ?", [expression, _COUNT]
        )
        return [name for (name,) in rows]

    return search


def _counting(database: CatalogDatabase) -> Search:
    texts = [(name, f" {named.casefold()} ") for name, named, _ in _texts(database)]

    def search(query: str) -> Sequence[str]:
        words = [word.casefold() for word in re.findall(r"[A-Za-z0-9]+", query)]
        scored = [(-sum(f" {word} " in text for word in words), name) for name, text in texts]
        return [name for count, name in sorted(scored)[:_COUNT] if count]

    return search


def _cold() -> float:
    bare = run_trial(sys.executable, "benchmarks.catalog_start", ["bare"])
    whole = run_trial(sys.executable, "benchmarks.catalog_start", ["search"])
    return float(whole["process_cpu_s"]) - float(bare["process_cpu_s"])


if __name__ == "__main__":
    main()
