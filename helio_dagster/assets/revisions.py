"""Compare the archive's files with those that partitions were made from, and record changes.

The files of a dataset are an asset of their own, which is only observed. An observation of a partition carries the revision of
its files and is recorded only if it differs from the known one, so each observation marks a partition to be remade.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from helio_dagster.archives.archive import Archive, HasMasters, Listed, SourceFile
from helio_dagster.archives.files.selection import newest_revision, split_version
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.outcomes import Ledger, Observation
from helio_dagster.assets.staleness import demand
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.table_format import StoredTable
from helio_dagster.storage.tables import TableStore

Change = Literal["new", "gone", "new version", "republished"]


@dataclass(frozen=True)
class FileState:
    """An archive file as it was when a table was made, or as listed now; `size` in bytes, None if the listing has none."""

    name: str
    size: int | None
    last_modified: str


@dataclass(frozen=True)
class FileChange:
    """The change of one file: `new` has no `was`, `gone` no `now`; `republished` keeps the name."""

    change: Change
    was: FileState | None
    now: FileState | None


@dataclass(frozen=True)
class Drift:
    """How a partition's files at the archive differ from those it was made from.

    `error` says why the archive could not be asked; the changes are then unknown.
    """

    partition: str
    changes: tuple[FileChange, ...] = ()
    error: HelioError | None = None


@dataclass(frozen=True)
class Inspected:
    """A fetch: how many of its partitions were compared with the archive, and those that differ or could not be compared."""

    asset: str
    asked: int
    drifts: Sequence[Drift]


class Inspector:
    """Compare the archive's listing with what stored partitions were made from, and record differences.

    The archive is asked only once about a window of a dataset, however many of its parameters are inspected.

    Parameters
    ----------
    archive
        Opens the archive of a fetch.
    store
        Stores the tables; their provenance names the files they were made from.
    """

    def __init__(self, archive: Callable[[Fetch], Archive], store: TableStore) -> None:
        self._archive, self._store = archive, store
        self._answers: dict[tuple[str, str], dict[TimeRange, Listed]] = {}
        self._masters: dict[tuple[str, str], SourceFile | HelioError | None] = {}

    def inspect(self, node: AssetNode, keys: Iterable[str], ledger: Ledger) -> list[Drift]:
        """The stored partitions of a fetch whose files changed or could not be compared, in time order.

        Afterwards the ledger has the current revision of every changed one.
        """
        stored = {key: found for key in sorted(keys) if (found := self._store.peek(node.name, key)) is not None}
        known = ledger.observed(node.files, list(stored))
        drifts: list[Drift] = []
        unchanged: list[str] = []
        observations: dict[str, Observation] = {}
        for key, listed in self._listed(node, stored).items():
            if listed.error is not None:
                drifts.append(Drift(key, error=listed.error))
                continue
            changes = changes_of(stored[key].provenance, listed)
            if changes:
                drifts.append(Drift(key, changes))
            elif key in known:
                unchanged.append(key)
            revision = newest_revision(known.get(key), listed.revision)
            if known.get(key) != revision and (changes or key in known):
                observations[key] = Observation(revision, {"changes": [describe_change(change) for change in changes]})
        ledger.observe(node.files, observations)
        ledger.confirm(node.name, node.files, unchanged)
        return drifts

    def compare(self, node: AssetNode, keys: Iterable[str]) -> list[Drift]:
        """The same as `inspect`, except that nothing is recorded."""
        stored = {key: found for key in sorted(keys) if (found := self._store.peek(node.name, key)) is not None}
        drifts = []
        for key, listed in self._listed(node, stored).items():
            changes = () if listed.error else changes_of(stored[key].provenance, listed)
            if changes or listed.error:
                drifts.append(Drift(key, changes, listed.error))
        return drifts

    def inspect_all(
        self, graph: AssetGraph, targets: Mapping[str, Sequence[str | None]], ledger: Ledger, now: datetime
    ) -> list[Inspected]:
        """Inspect every fetch that targets are made from, in the partitions made before; see `inspect`."""
        found = []
        for name, wanted in demand(graph, targets, now).items():
            if graph[name].files:
                made = [key for key in ledger.latest(name, wanted) if key is not None]
                found.append(Inspected(name, len(made), self.inspect(graph[name], made, ledger)))
        return found

    def _listed(self, node: AssetNode, stored: Mapping[str, StoredTable]) -> dict[str, Listed]:
        """What the archive has now for stored partitions, with the master of those that were made with it."""
        fetch, grain = node.fetch, node.time_grain
        if fetch is None or grain is None:
            raise TypeError(f"{node.name} is not a fetch")
        windows = {key: grain.window(key) for key in stored}
        known = self._answers.setdefault((fetch.archive, fetch.dataset), {})
        unknown = [window for window in windows.values() if window not in known]
        try:
            answers = list(self._archive(fetch).listed(fetch.dataset, unknown)) if unknown else []
        except HelioError as error:
            answers = [Listed(window, (), error) for window in unknown]
        known.update({answer.window: answer for answer in answers})
        return {
            key: self._with_master(fetch, known[window]) if stored[key].provenance.get("masters") else known[window]
            for key, window in windows.items()
        }

    def _with_master(self, fetch: Fetch, listed: Listed) -> Listed:
        if listed.error is not None:
            return listed
        dataset = fetch.archive, fetch.dataset
        if dataset not in self._masters:
            try:
                archive = self._archive(fetch)
                self._masters[dataset] = archive.master(fetch.dataset) if isinstance(archive, HasMasters) else None
            except HelioError as error:
                self._masters[dataset] = error
        found = self._masters[dataset]
        if isinstance(found, HelioError):
            return replace(listed, error=found)
        return replace(listed, masters=(found,) if found is not None else ())


def changes_of(provenance: Mapping[str, Any], listed: Listed) -> tuple[FileChange, ...]:
    """The differences between what an archive has now and what a table was made from.

    Parameters
    ----------
    provenance
        The table's: `sources` and `masters` have `name`, `size` and `last_modified` of each file.
    listed
        The archive's current files, with its master where the table was made with one.
    """
    sources = [*provenance.get("sources", []), *provenance.get("masters", [])]
    was = {str(each["name"]): FileState(each["name"], each["size"], each["last_modified"]) for each in sources}
    now = {file.name: FileState(file.name, file.length, file.last_modified) for file in listed.files}
    now |= {file.name: FileState(file.name, file.size, file.last_modified) for file in listed.masters}
    changes = [
        FileChange("republished", was[name], now[name]) for name in was if name in now and not _is_same(was[name], now[name])
    ]
    old = {split_version(name)[0]: was[name] for name in was if name not in now}
    new = {split_version(name)[0]: now[name] for name in now if name not in was}
    changes += [FileChange("new version", old[name], new[name]) for name in old if name in new]
    changes += [FileChange("gone", old[name], None) for name in old if name not in new]
    changes += [FileChange("new", None, new[name]) for name in new if name not in old]
    return tuple(changes)


def describe_change(change: FileChange) -> str:
    """One line for people: the file and how it differs."""
    was, now = change.was, change.now
    if was is None:
        return f"{now.name if now else ''}: new"
    if now is None:
        return f"{was.name}: gone"
    if change.change == "new version":
        return f"{now.name}: new version, was {was.name}"
    facts = []
    if _is_hash(was.last_modified):
        return f"{now.name}: content changed, sha256 {now.last_modified[:16]}, was {was.last_modified[:16]}"
    if was.last_modified != now.last_modified:
        facts.append(f"dated {now.last_modified}, was {was.last_modified}")
    if now.size not in (None, was.size):
        facts.append(f"{now.size:,} bytes, was {was.size:,}")
    return f"{now.name}: republished, {'; '.join(facts)}"


def _is_hash(date: str) -> bool:
    """Whether a file's date is its hash, as that of a master is."""
    return re.fullmatch("[0-9a-f]{64}", date) is not None


def _is_same(was: FileState, now: FileState) -> bool:
    return was.last_modified == now.last_modified and now.size in (None, was.size)
