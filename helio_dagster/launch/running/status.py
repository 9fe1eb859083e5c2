"""Report the state of a pipeline's partitions, with reasons."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.judgements import judgements_of
from helio_dagster.assets.outcomes import RecordReader
from helio_dagster.assets.range_results import RangeResults
from helio_dagster.assets.staleness import Assessment, assess
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.report import AssetStatus, PartitionStatus, StatusReport
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.launch.record.history import open_history
from helio_dagster.launch.record.lost_record import mention_lost_record
from helio_dagster.launch.running.expectations import judge_states
from helio_dagster.launch.running.list_notes import list_notes
from helio_dagster.launch.running.own_changes import observe_own_files
from helio_dagster.resources.workbench import Workbench

_log = logging.getLogger(__name__)


def status(
    graph: AssetGraph, pipeline: Pipeline, span: TimeRange | None, workbench: Workbench, *, shown: TimeRange | None = None
) -> StatusReport:
    """State of each partition of a pipeline's assets.

    Parameters
    ----------
    graph
        All assets of the home.
    pipeline
        The pipeline whose assets are reported.
    span
        Whole partitions; None for those in which a final step was ever made or any step failed.
    workbench
        The home's parts.
    shown
        The range of results over ranges if it is shorter than the partitions.
    """
    graph = graph if pipeline.is_over_events else graph.opened(pipeline)  # what was made while open is told like all else
    nodes = graph.of_pipeline(pipeline)
    own_files = [node.name for node in nodes.values() if node.is_own]
    made: dict[str, list[str | None]] = {name: [*workbench.store.partitions(name)] for name in own_files}
    observe_own_files(graph, made, workbench, workbench.clock())
    with open_history(workbench.settings) as history:
        mention_lost_record(nodes.values(), history, workbench)
        known = partitions_known(graph, pipeline, history, workbench) if span is None else None
        keys = graph.partitions_of(pipeline).keys(span) if span is not None else known or []
        is_of_events = pipeline.name in graph.events
        own = [node for node in nodes.values() if not (is_of_events and node.time_grain)]
        targets: dict[str, list[str | None]] = {node.name: [*keys] if node.grain else [None] for node in own}
        ranges = RangeResults(workbench.store, workbench.figures, shown) if span is not None else None
        judgements = judgements_of(workbench)
        found = assess(
            graph,
            targets,
            ledger=history,
            store=workbench.store,
            now=workbench.clock(),
            ranges=ranges,
            judgements=judgements,
            shown=shown,
        )
    unmet = {node.name: judge_states(pipeline, node, found.get(node.name, {}), judgements, shown) for node in nodes.values()}
    return StatusReport(
        pipeline=pipeline.name,
        assets=[
            _asset_status(
                step,
                node,
                targets.get(node.name) or list(found.get(node.name, {})),
                found.get(node.name, {}),
                unmet[node.name],
            )
            for step, node in nodes.items()
        ],
        notes=list(list_notes(graph, pipeline, workbench.store)),
    )


def status_of_all(graph: AssetGraph, pipeline: Pipeline, workbench: Workbench) -> StatusReport:
    """The status of every event of a list, those never run included; of windows of time, which have no end, of those made."""
    events = graph.events.get(pipeline.name)
    return status(graph, pipeline, events.hull if events is not None and events.trouble is None else None, workbench)


def partitions_known(graph: AssetGraph, pipeline: Pipeline, history: RecordReader, workbench: Workbench) -> list[str]:
    """Partitions in which a final step of a pipeline was ever made or any step failed, in time order."""
    is_of_events = pipeline.name in graph.events
    nodes = [node for node in graph.of_pipeline(pipeline).values() if (node.events if is_of_events else node.grain)]
    names = {node.name for node in nodes}
    last = [node for node in nodes if not names.intersection(graph.children[node.name])]
    made = {key for node in last for key in history.partitions(node.name)}
    failed = {key for node in nodes for key in workbench.store.failed_partitions(node.name)}
    return _existing(graph, pipeline, made | failed, workbench.clock())


def _existing(graph: AssetGraph, pipeline: Pipeline, known: Iterable[str], now: datetime) -> list[str]:
    """The recorded keys that are partitions of the pipeline as it is now, up to now; others are logged."""
    if (events := graph.events.get(pipeline.name)) is not None:
        return [key for key in events.events if key in set(known)]
    grain = pipeline.grain
    keys = sorted(key for key in known if grain.has_key(key))
    start = graph.starts[grain]
    early = [key for key in keys if grain.window(key).start < start]
    late = [key for key in keys if grain.window(key).start >= now]  # one that has begun may be open
    if late:
        _log.warning(
            "%s: %d recorded partitions are later than this machine's clock (%s), such as %s. They are kept; check the clock.",
            *(pipeline.name, len(late), format_time(now.replace(microsecond=0)), late[-1]),
        )
    if early:
        _log.warning("%s: %d recorded partitions are before its start, such as %s", pipeline.name, len(early), early[0])
    return [key for key in keys if key not in {*early, *late}]


def _asset_status(
    step: str, node: AssetNode, keys: list[str | None], found: dict[str | None, Assessment], unmet: dict[str | None, list[str]]
) -> AssetStatus:
    partitions = [
        PartitionStatus(
            key=key,
            state=found[key].state,
            why=list(found[key].why),
            data_version=found[key].data_version,
            code_version=found[key].code_version,
            unmet=unmet.get(key, []),
        )
        for key in keys
    ]
    return AssetStatus(asset=node.name, step=step, partitions=partitions)
