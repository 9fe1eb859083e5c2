"""Explain why a remade partition differs from the stored one, by comparing what the two files record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.table import Table
from helio_dagster.storage.data_version import data_version
from helio_dagster.storage.tables import TableStore

MOST_NAMED = 3
"""Maximum number of files and partitions named in one reason."""


def explain(stored: Mapping[str, Any], redone: Mapping[str, Any]) -> list[str]:
    """The reasons for a difference, from the provenance of two tables."""
    return list(_reasons(stored, redone))


def explain_figures(stored: Mapping[str, Any], redone: Mapping[str, Any]) -> list[str]:
    """The reasons for a difference, from the provenance of two figures."""
    return list(_reasons(*(_with_merged_inputs(each) for each in (stored, redone))))


def damage(store: TableStore, asset: str, partition: str | None) -> str | None:
    """What is wrong with a stored file: it cannot be read, or its values differ from those that were written."""
    try:
        table: Table = store.read(asset, partition)
    except StorageError as error:
        return error.problem
    stamp = store.stamp(asset, partition)
    if stamp is None or data_version(table) != stamp[0]:
        return f"{store.place(asset, partition)} is damaged: its values differ from those that were written"
    return None


def _reasons(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    if was.get("code") != now.get("code"):
        yield f"its code was {was.get('code', 'unknown')} and is now {now.get('code', 'unknown')}"
    before, after = was.get("versions", {}), now.get("versions", {})
    for package in sorted(before.keys() | after.keys()):
        if before.get(package) != after.get(package):
            yield f"made by {package} {before.get(package, 'unknown')}, made again by {after.get(package, 'unknown')}"
    yield from _source_reasons(_by_url(was), _by_url(now))
    yield from _input_reasons(was.get("inputs", {}), now.get("inputs", {}))


def _with_merged_inputs(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """A figure's provenance in the form of a table's: the inputs of all its partitions together."""
    inputs: dict[str, dict[str, Any]] = {}
    for made_from in provenance.get("partitions", {}).values():
        for asset, versions in made_from.items():
            inputs.setdefault(asset, {}).update(versions)
    return {"code": provenance.get("code"), "inputs": inputs}


def _by_url(provenance: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {source["url"]: source for source in [*provenance.get("sources", []), *provenance.get("masters", [])]}


def _source_reasons(was: Mapping[str, dict[str, Any]], now: Mapping[str, dict[str, Any]]) -> Iterator[str]:
    both = [(was[url], now[url]) for url in was if url in now]
    changed = [new["name"] for old, new in both if old["sha256"] != new["sha256"]]
    dated = [new["name"] for old, new in both if old["sha256"] == new["sha256"] and old != new]
    gone = [source["name"] for url, source in was.items() if url not in now]
    added = [source["name"] for url, source in now.items() if url not in was]
    for names, what in (
        (changed, "the archive changed the content of"),
        (dated, "the archive republished, without changes,"),
        (gone, "the archive no longer lists"),
        (added, "the archive now has"),
    ):
        if names:
            yield f"{what} {_some(names)}"


def _input_reasons(was: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for asset in sorted(was.keys() | now.keys()):
        before, after = was.get(asset, {}), now.get(asset, {})
        differing = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
        if differing:
            shown = [key for key in differing if key != "null"]
            yield f"its input {asset} differs" + (f" ({_some(shown)})" if shown else "")


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
