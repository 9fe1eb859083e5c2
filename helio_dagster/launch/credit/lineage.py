"""Trace a stored partition back to the archive's files, using its file and Dagster's record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import dagster as dg
from pydantic import BaseModel, ConfigDict

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.recording import asset_key
from helio_dagster.assets.rediscovery import FILE_TIME
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Approval
from helio_dagster.domain.records import axis_words
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.table import TableMeta
from helio_dagster.domain.time_range import format_time
from helio_dagster.launch.credit.sources import trace_sources
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.expectations import tell_expectations
from helio_dagster.resources.record_tags import DATA_VERSION_TAG
from helio_dagster.resources.workbench import Workbench


class Origin(BaseModel):
    """One partition and everything it was made from.

    `made_at` and `run_id` come from its last record; `inputs` maps an asset to the partitions that were read and their data
    versions; `extent` says how far its records reach, where that is known; `axes` along what the values of a record lie, where
    that is more than one; `sources` are all archive files behind it, directly or
    through its inputs; `printed` is what a step's code printed. `maturity` is that of data that are not definitive,
    `open_until` says up to when a table to which more may be added is complete, `replaced` which less mature data it replaced.
    `warnings` say what is wrong with a file's description of itself.
    """

    model_config = ConfigDict(extra="forbid")

    asset: str
    partition: str | None
    status: str
    rows: int
    unit: str
    frame: str | None
    data_version: str
    code_version: str
    made_at: str | None
    run_id: str | None
    printed: str
    made_by: dict[str, Any]
    inputs: dict[str, dict[str, str | None]]
    sources: list[dict[str, Any]]
    approved: Approval | None
    versions: dict[str, str]
    expected: list[str] = []
    extent: str | None = None
    axes: list[str] = []
    maturity: str = ""
    warnings: list[str] = []
    open_until: str | None = None
    replaced: str = ""


def origin(
    graph: AssetGraph, node: AssetNode, partition: str | None, workbench: Workbench, approved: Approval | None = None
) -> Origin:
    """The origin of a stored partition.

    Raises
    ------
    InputError
        The asset is a figure, or the partition was never materialized.
    StorageError
        Its file is damaged.
    """
    if node.kind == "figure":
        hint = "Show one of the steps it draws: " + ", ".join(dict.fromkeys(node.inputs.values()))
        raise InputError(f"{node.name} is a figure and has no table", hint=hint)
    stored = workbench.store.peek(node.name, partition)
    if workbench.store.has_file(node.name, partition) and workbench.store.stamp(node.name, partition) is None:
        workbench.store.read(node.name, partition)  # raises with the reason
    if stored is None:
        raise InputError(f"{node.name} is not materialized for {partition}", hint="`helio status` shows what is materialized.")
    with open_instance(workbench.settings, is_reading=True) as instance:
        record = _last_record(instance, node.name, stored.provenance.get("partitions") or [partition], stored.data_version)
    provenance = dict(stored.provenance)
    inputs = provenance.pop("inputs", {})
    provenance.pop("sources", None)
    provenance.pop("masters", None)
    traced = trace_sources(workbench.store, node.name, [partition])
    known = [files for asset, files in traced.items() if asset in graph.nodes or asset == node.name]
    sources = {key: source for files in known for key, source in files.items()}
    return Origin(
        asset=node.name,
        partition=partition,
        status=stored.status,
        rows=stored.rows,
        unit=stored.meta.unit,
        frame=stored.meta.frame,
        extent=_extent_words(stored.meta),
        axes=[axis_words(axis) for axis in stored.meta.axes],
        data_version=stored.data_version,
        code_version=str(provenance.pop("code", "")),
        made_at=record.made_at,
        run_id=record.run_id,
        printed=record.printed,
        maturity=stored.meta.maturity,
        warnings=[str(each) for each in stored.meta.attributes.get(WARNINGS, ())],
        open_until=format_time(stored.meta.open_until) if stored.meta.open_until is not None else None,
        replaced=record.replaced,
        versions=provenance.pop("versions", {}),
        made_by=provenance,
        inputs=inputs,
        sources=sorted(sources.values(), key=lambda source: str(source["name"])),
        approved=approved,
        expected=tell_expectations(node.pipeline, node, partition, stored.data_version, workbench),
    )


_MOST_RECORDS = 50
"""How many records of a partition are searched for that of a table."""


@dataclass(frozen=True)
class _Record:
    made_at: str | None = None
    run_id: str | None = None
    printed: str = ""
    replaced: str = ""


def _last_record(instance: dg.DagsterInstance, asset: str, partitions: Iterable[str | None], data_version: str) -> _Record:
    """When and in which run a table was last recorded, and what its code printed then.

    A result over a range is recorded on each of its partitions, as those over other ranges are: its data version says which
    record is its own.
    """
    named = [partition for partition in partitions if partition is not None][-1:]
    wanted = dg.AssetRecordsFilter(asset_key(asset), asset_partitions=named or None)
    records = instance.fetch_materializations(wanted, limit=_MOST_RECORDS).records
    made = next((each for each in records if _version_of(each) == data_version), None)
    if made is None or made.asset_materialization is None:
        return _Record()
    metadata = made.asset_materialization.metadata
    written = metadata.get(FILE_TIME)
    if written is not None:  # recovered from the file: the run that made it is unknown
        return _Record(str(written.value))
    moment = datetime.fromtimestamp(made.timestamp, UTC)
    printed, replaced = metadata.get("printed"), metadata.get("replaced")
    made_at = moment.isoformat(timespec="seconds").replace("+00:00", "Z")
    words = [str(each.value) if each else "" for each in (printed, replaced)]
    return _Record(made_at, made.run_id, *words)


def _version_of(record: dg.EventLogRecord) -> str | None:
    made = record.asset_materialization
    return made.tags.get(DATA_VERSION_TAG) if made is not None and made.tags is not None else None


def _extent_words(meta: TableMeta) -> str | None:
    if meta.has_extents_by_record:
        return "differs from record to record"
    return meta.extent.words if meta.extent else None
