"""Decide which partitions are up to date, and why the others are not.

A partition is fresh if its code version and the data versions of all its inputs match its last record, its file is intact, and
no input will change. The time it was made does not matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.outcomes import Record, RecordReader
from helio_dagster.domain.table import Status
from helio_dagster.storage.tables import TableStore

PartitionState = Literal["fresh", "stale", "missing", "empty", "failed"]
Versions = tuple[tuple[str | None, str | None], ...]
"""(partition, data version) in time order; a partition without data version is absent."""


@dataclass(frozen=True)
class Assessment:
    """State of one partition, the reasons for it, and its record."""

    state: PartitionState
    why: tuple[str, ...] = ()
    data_version: str | None = None
    code_version: str | None = None

    @property
    def is_current(self) -> bool:
        """Whether a run would reuse it."""
        return self.state in ("fresh", "empty")


@dataclass(frozen=True)
class Stored:
    """A partition that can be reused."""

    status: Status
    data_version: str


def fingerprint(upstream: Mapping[str, Versions]) -> str:
    """One hash over the data versions of a partition's inputs."""
    return hashlib.sha256(repr(sorted(upstream.items())).encode()).hexdigest()[:32] if upstream else "none"


def fetch_fingerprint(node: AssetNode, key: str | None, revision: str | None, record: Record | None) -> str:
    """Fingerprint of the archive's files that a fetch would be made from, as far as known.

    Unless the files of a partition were observed to differ, they count as those it was made from.
    """
    if revision is None:
        return record.inputs if record else "none"
    return fingerprint({node.files: ((key, revision),)})


def combined_version(versions: Versions) -> str:
    """One version over the partitions of an input: that of a single partition, else a hash over all."""
    if len(versions) == 1:
        return versions[0][1] or "none"
    return hashlib.sha256(repr(versions).encode()).hexdigest()[:32]


def differs(
    node: AssetNode, key: str | None, inputs: str, record: Record | None, store: TableStore, *, has_failed: bool
) -> str | Stored:
    """Why a partition cannot be reused, or what can be; `has_failed` says whether its last attempt failed."""
    if record is None:
        return "not materialized"
    if record.code_version != node.code_version:
        return "its code changed"
    if record.inputs != inputs:
        return "the archive's files changed" if node.kind == "fetch" else "its inputs changed"
    if has_failed:
        return "its last attempt failed"
    if node.kind == "figure":
        return Stored("data", record.data_version)
    stamp = store.stamp(node.name, key)
    if stamp is None:
        return "its file is damaged" if store.has_file(node.name, key) else "its file is missing"
    return Stored(stamp[1], stamp[0]) if stamp[0] == record.data_version else "its file differs from the recorded one"


def demand(graph: AssetGraph, targets: Mapping[str, Sequence[str | None]], now: datetime) -> dict[str, list[str | None]]:
    """The partitions of every asset that the targets need, halos and other grains included; inputs first."""
    wanted: dict[str, dict[str | None, None]] = {name: dict.fromkeys(keys) for name, keys in targets.items()}
    for name in reversed(graph.with_ancestors(targets)):
        for key in list(wanted.get(name, ())):
            for upstream, keys in graph.needs(graph[name], key, now).items():
                wanted.setdefault(upstream, {}).update(dict.fromkeys(keys))
    return {name: sorted(wanted[name], key=str) for name in graph.with_ancestors(targets) if name in wanted}


def assess(
    graph: AssetGraph,
    targets: Mapping[str, Sequence[str | None]],
    *,
    ledger: RecordReader,
    store: TableStore,
    now: datetime,
) -> dict[str, dict[str | None, Assessment]]:
    """State of all partitions that the targets need, from one bulk read per asset.

    Returns
    -------
    dict
        Asset to partition to assessment, inputs first; includes the assets that the targets are made from.
    """
    wanted = demand(graph, targets, now)
    found: dict[str, dict[str | None, Assessment]] = {}
    for name, keys in wanted.items():
        node, recorded, failures = graph[name], ledger.latest(name, keys), store.failures(name)
        revisions = (
            ledger.observed(node.files, [key for key in keys if key in recorded and key is not None]) if node.files else {}
        )
        found[name] = {
            key: _assess_one(
                graph,
                node,
                key,
                recorded.get(key),
                found,
                revision=revisions.get(key or ""),
                failure=failures.get(key),
                store=store,
                now=now,
            )
            for key in keys
        }
    return found


def _assess_one(
    graph: AssetGraph,
    node: AssetNode,
    key: str | None,
    record: Record | None,
    found: Mapping[str, Mapping[str | None, Assessment]],
    *,
    revision: str | None,
    failure: Mapping[str, str] | None,
    store: TableStore,
    now: datetime,
) -> Assessment:
    needs = graph.needs(node, key, now)
    upstream = {name: tuple((each, found[name][each].data_version) for each in keys) for name, keys in needs.items()}
    inputs = fetch_fingerprint(node, key, revision, record) if node.files else fingerprint(upstream)
    version = record.data_version if record else None
    code = record.code_version if record else None
    if failure is not None:
        return Assessment("failed", (failure["error"],), version, code)
    reason = differs(node, key, inputs, record, store, has_failed=False)
    if isinstance(reason, Stored):
        changing = _changing(needs, found)
        if changing:
            return Assessment("stale", changing, version, code)
        why = ("all values are fill",) if reason.status == "all_fill" else ()
        return Assessment("empty" if reason.status == "empty" else "fresh", why, version, code)
    if record is None:
        return Assessment("missing", (reason,), None, None)
    return Assessment("stale", (_precise(reason, needs, found), *_changing(needs, found)), version, code)


def _changing(
    needs: Mapping[str, Sequence[str | None]], found: Mapping[str, Mapping[str | None, Assessment]]
) -> tuple[str, ...]:
    """One line per input that will change, by the last part of its name."""
    return tuple(
        f"{name.rsplit('/', 1)[-1]} will change"
        for name, keys in needs.items()
        if any(not found[name][key].is_current for key in keys)
    )


def _precise(
    reason: str, needs: Mapping[str, Sequence[str | None]], found: Mapping[str, Mapping[str | None, Assessment]]
) -> str:
    if reason != "its inputs changed":
        return reason
    current: Iterable[str] = [name for name, keys in needs.items() if all(found[name][key].is_current for key in keys)]
    names = ", ".join(name.rsplit("/", 1)[-1] for name in current)
    return f"its inputs changed ({names})" if names else reason
