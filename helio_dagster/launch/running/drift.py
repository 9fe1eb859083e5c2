"""Ask the archive whether its files changed since a pipeline's partitions were made from them. Recomputes nothing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.recording import DagsterLedger
from helio_dagster.assets.revisions import Drift, Inspected, Inspector, describe_change
from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.report import Fact
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.status import partitions_known
from helio_dagster.resources.workbench import Workbench


class FileFacts(Fact):
    """A file of the archive; `size` in bytes, null if the archive does not say."""

    name: str
    size: int | None
    last_modified: str


class ChangedFile(Fact):
    """The change of one file: `new` has no `was`, `gone` no `now`; `text` describes it for people."""

    change: Literal["new", "gone", "new version", "republished"]
    was: FileFacts | None
    now: FileFacts | None
    text: str


class PartitionDrift(Fact):
    """A partition whose files changed, or could not be compared (`error`)."""

    key: str
    changes: list[ChangedFile]
    error: str | None = None


class AssetDrift(Fact):
    """A fetch: how many of its partitions were compared, and those that differ."""

    asset: str
    asked: int
    partitions: list[PartitionDrift]


class DriftReport(Fact):
    """The result of `helio drift`."""

    pipeline: str
    start: str | None
    stop: str | None
    assets: list[AssetDrift]

    @property
    def changed(self) -> int:
        """Number of partitions made from files that the archive has changed or removed."""
        return sum(bool(each.changes) for asset in self.assets for each in asset.partitions)

    @property
    def unknown(self) -> int:
        """Number of partitions whose files could not be compared."""
        return sum(each.error is not None for asset in self.assets for each in asset.partitions)

    @property
    def exit_code(self) -> int:
        """0 if all files were compared; 1 if the archive could not answer for some."""
        return 1 if self.unknown else 0


def drift(graph: AssetGraph, pipeline: Pipeline, span: TimeRange | None, workbench: Workbench) -> DriftReport:
    """Compare the archive's listing with what a pipeline's stored partitions were made from.

    Differences are recorded as observations: from then on those partitions are stale, for helio and in Dagster.

    Parameters
    ----------
    graph
        All assets of the home.
    pipeline
        The pipeline; fetches of pipelines that it reads are included.
    span
        Whole partitions; None for all that were ever made.
    workbench
        The home's parts; stays open.
    """
    with open_instance(workbench.settings) as instance:
        ledger, inspector = DagsterLedger(instance), Inspector(workbench.archive_of, workbench.store)
        partitions = graph.partitions_of(pipeline)
        keys = partitions_known(graph, pipeline, ledger, workbench) if span is None else partitions.keys(span)
        is_of_events = pipeline.name in graph.events
        nodes = [node for node in graph.of_pipeline(pipeline).values() if not (is_of_events and node.time_grain)]
        targets = {node.name: [*keys] if node.grain else [None] for node in nodes}
        found = inspector.inspect_all(graph, targets, ledger, workbench.clock())
    span = span or (_over(partitions, keys) if keys else None)
    return DriftReport(
        pipeline=pipeline.name,
        start=format_time(span.start) if span else None,
        stop=format_time(span.stop) if span else None,
        assets=[_asset(each) for each in found],
    )


def _over(partitions: Grain | EventPartitions, keys: list[str]) -> TimeRange:
    return TimeRange(partitions.window(keys[0]).start, max(partitions.window(key).stop for key in keys))


def _asset(found: Inspected) -> AssetDrift:
    return AssetDrift(asset=found.asset, asked=found.asked, partitions=[_partition(each) for each in found.drifts])


def _partition(found: Drift) -> PartitionDrift:
    changes = [
        ChangedFile(
            change=change.change,
            was=FileFacts(**asdict(change.was)) if change.was else None,
            now=FileFacts(**asdict(change.now)) if change.now else None,
            text=describe_change(change),
        )
        for change in found.changes
    ]
    return PartitionDrift(key=found.partition, changes=changes, error=found.error.problem if found.error else None)
