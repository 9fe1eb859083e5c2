"""The archive files, masters and list sources behind stored partitions, from files at rest: no graph, no record of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from helio_dagster.storage.tables import TableStore

Sources = Mapping[str, dict[str, Any]]
"""What tells a file apart to what is known of it: its name, size, time of change and hash."""


def source_key(source: Mapping[str, Any]) -> str:
    """What tells sources apart: days of a file of one's own have its address in common."""
    return f"{source['url']} {source['name']}"


def trace_sources(store: TableStore, asset: str, keys: Iterable[str | None]) -> dict[str, dict[str, dict[str, Any]]]:
    """The archive files behind partitions of an asset, directly or through what they were made from.

    Returns
    -------
    dict
        The asset of each fetch, in order, to its files. What is no longer stored names none.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    waiting: list[tuple[str, str | None]] = [(asset, key) for key in keys]
    seen = set(waiting)
    while waiting:
        name, key = waiting.pop()
        stored = store.peek(name, key)
        if stored is None:
            continue
        sources = [*stored.provenance.get("sources", []), *stored.provenance.get("masters", [])]
        if sources:
            found.setdefault(name, {}).update({source_key(source): source for source in sources})
        for upstream, partitions in stored.provenance.get("inputs", {}).items():
            further = [(upstream, None if part == "null" else part) for part in partitions]
            waiting += [each for each in further if each not in seen]
            seen.update(further)
    return dict(sorted(found.items()))
