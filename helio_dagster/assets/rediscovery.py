"""Recover materializations from stored files after a record was lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from helio_dagster.archives.files.selection import ListedFile, revision_of, revision_with
from helio_dagster.assets.description import describe_figure, describe_table, quality_of
from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.open_partitions import open_inputs
from helio_dagster.assets.outcomes import Materialization, Outcome, Record
from helio_dagster.assets.project_assets import Versions
from helio_dagster.assets.range_results import range_stamp
from helio_dagster.assets.staleness import input_fingerprint, recorded_upstream
from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.hapi_servers import HAPI_PREFIX
from helio_dagster.domain.real_time import SWPC_ARCHIVE
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange
from helio_dagster.storage.data_version import data_version
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.table_format import StoredTable
from helio_dagster.storage.tables import TableStore

FILE_TIME = "file_time"
"""Metadata of a recovered materialization: when the file was written."""


@dataclass(frozen=True)
class Damaged:
    """A file that cannot be trusted, and why."""

    asset: str
    partition: str | None
    problem: str


@dataclass(frozen=True)
class Rediscovered:
    """A materialization recovered from a file, and what the checks need to know of its table."""

    materialization: Materialization
    outcome: Outcome


def stored_inputs(node: AssetNode, partition: str | None, provenance: Mapping[str, Any]) -> dict[str, Versions]:
    """The inputs of a partition as fingerprinted when it was made: other assets, or the archive's files.

    Parameters
    ----------
    provenance
        The provenance of a stored table, or of one partition of a figure.
    """
    if node.files:
        return {node.files: ((partition, _revision(node, provenance)),)}
    return {
        asset: tuple((None if key == "null" else key, version) for key, version in sorted(versions.items()))
        for asset, versions in provenance.get("inputs", {}).items()
    }


def rediscover(node: AssetNode, partition: str | None, store: TableStore) -> Rediscovered | Damaged:
    """Recover the materialization of a table's file; reads the whole file and verifies it against its footer."""
    try:
        table = store.read(node.name, partition)
    except StorageError as error:
        return Damaged(node.name, partition, error.problem)
    stored = store.peek(node.name, partition)
    window = node.window(partition) if partition is not None else None
    problem = _problem(table, stored, window)
    if stored is None or problem:
        return Damaged(node.name, partition, f"{store.place(node.name, partition)} {problem}")
    inputs = stored_inputs(node, partition, stored.provenance)
    until, made_from = stored.meta.open_until, input_fingerprint(node, partition, inputs)
    made_from = open_inputs(until, made_from) if node.files and until is not None else made_from
    record = Record(stored.data_version, str(stored.provenance["code"]), made_from)
    upstream = recorded_upstream(node, inputs, partial(_version_of_list, store))
    excluded = stored.provenance.get("excluded", {}).get("intervals", [])
    described = describe_table(table, stored.status, window, sum(stop - start for start, stop in excluded) / 1e9)
    outcome = Outcome("reused", stored.status, stored.data_version, quality=quality_of(table, described))
    written = _moment(store.written_ns(node.name, partition))
    metadata = {**described, **_metadata(node, partition, stored), FILE_TIME: written}
    return Rediscovered(Materialization(node.name, partition, record, upstream, metadata), outcome)


def rediscover_over_range(node: AssetNode, key: str, store: TableStore) -> Iterator[Rediscovered | Damaged]:
    """Recover the materializations of a result over a range: one for each partition that it covers."""
    found = rediscover(node, key, store)
    stored = store.peek(node.name, key)
    parts = stored.provenance.get("partitions") if stored else None
    if isinstance(found, Damaged) or stored is None:
        yield found
    elif not isinstance(parts, dict):
        yield Damaged(node.name, key, f"{stored.place} does not say which partitions it covers")
    else:
        for partition, inputs_of in sorted(parts.items()):
            inputs = stored_inputs(node, partition, {"inputs": inputs_of})
            record = Record(stored.data_version, str(stored.provenance["code"]), input_fingerprint(node, partition, inputs))
            upstream = recorded_upstream(node, inputs, partial(_version_of_list, store))
            made = Materialization(node.name, partition, record, upstream, found.materialization.metadata)
            yield Rediscovered(made, found.outcome)


def _version_of_list(store: TableStore, asset: str) -> str | None:
    stamp = store.stamp(asset, None)
    return stamp[0] if stamp else None


def rediscover_figures(node: AssetNode, files: FigureFiles, store: TableStore) -> Iterator[Rediscovered | Damaged]:
    """Recover the materializations of a figure's files; for each partition, the last one drawn comes last."""
    for span in sorted(files.spans(node.name), key=lambda span: _written(files.brought(node.name, span))):
        provenance = files.provenance(node.name, span)
        html = files.html(node.name, span)
        if not isinstance(provenance.get("partitions"), dict):
            yield Damaged(node.name, str(span), f"{html} does not say what it was drawn from")
            continue
        drawn = replace(node, code_version=str(provenance.get("code", "")))
        metadata = {**describe_figure(html, files.png(node.name, span), span), FILE_TIME: _written(html)}
        for key, made_from in sorted(provenance["partitions"].items()):
            inputs = stored_inputs(node, key, {"inputs": made_from})
            version = range_stamp(drawn, [(key, input_fingerprint(node, key, inputs))])
            upstream = recorded_upstream(node, inputs, partial(_version_of_list, store))
            record = Record(version, drawn.code_version, input_fingerprint(node, key, inputs))
            yield Rediscovered(Materialization(node.name, key, record, upstream, metadata), Outcome("reused"))


def _revision(node: AssetNode, provenance: Mapping[str, Any]) -> str:
    """The revision of the archive's files that a fetch was made from; some archives do not give their length in advance."""
    has_sizes = node.fetch is not None and not node.fetch.archive.startswith((HAPI_PREFIX, SWPC_ARCHIVE))
    of_files = revision_of(
        ListedFile(each["url"], each["name"], EARLIEST, LATEST, each["size"] if has_sizes else None, each["last_modified"])
        for each in provenance.get("sources", [])
    )
    return revision_with(of_files, (each["sha256"] for each in provenance.get("masters", [])))


def _problem(table: Table, stored: StoredTable | None, window: TimeRange | None) -> str:
    """Why a readable table is not trusted; empty if it is."""
    if stored is None or "code" not in stored.provenance:
        return "does not say how it was made"
    if data_version(table) != stored.data_version:
        return "is damaged: its values differ from those that were written"
    if window is not None and len(table.clip(window)) != len(table):
        return f"contains records outside {window}: it belongs to another partition"
    return ""


def _metadata(node: AssetNode, partition: str | None, stored: StoredTable) -> dict[str, Any]:
    """A maker's metadata for a partition, read from its file."""
    provenance = stored.provenance
    origin: dict[str, Any] = {name: provenance[name] for name in ("sources", "masters", "source") if name in provenance}
    if "inputs" in provenance:
        inputs = stored_inputs(node, partition, provenance)
        origin["made_from"] = {asset: [key for key, _ in versions] for asset, versions in inputs.items()}
    return {**origin, "path": stored.place, "size_bytes": stored.size}


def _written(path: Path) -> str:
    return _moment(path.stat().st_mtime_ns)


def _moment(written_ns: int) -> str:
    moment = datetime.fromtimestamp(written_ns / 1e9, UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
