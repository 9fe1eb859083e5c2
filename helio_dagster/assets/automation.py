"""The conditions of `schedule: on_change`: when Dagster requests partitions by itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg

from helio_dagster.assets.dagster_project import DagsterProject
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.recording import DagsterLedger, asset_key
from helio_dagster.assets.staleness import assess
from helio_dagster.domain.due import due_span
from helio_dagster.domain.schedule import ON_CHANGE
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.tables import TableStore

RECHECK_DAYS = 7
"""Default number of recent days watched for late or revised data."""
_EVERY_HOUR = "0 * * * *"


@dataclass(frozen=True)
class Watch:
    """How an asset is watched: from which lag after a partition's stop, and over how many recent days."""

    lag: timedelta
    recheck_days: int

    def span(self, node: AssetNode, graph: AssetGraph, now: datetime) -> TimeRange | None:
        """The range whose partitions are requested even if they were never made."""
        if node.time_grain is None:
            return None
        over, start = graph.over(node.name, now - self.lag), graph.starts[node.time_grain]
        return due_span(node.time_grain, over + self.lag, start=start, lag=self.lag, recheck_days=self.recheck_days)


def watched(graph: AssetGraph) -> dict[str, Watch]:
    """The partitioned assets of pipelines that run on change, and everything they are made from.

    An asset watched by several pipelines gets the shortest lag and the largest number of days.
    """
    found: dict[str, Watch] = {}
    for pipeline in graph.pipelines.values():
        if pipeline.schedule != ON_CHANGE or pipeline.is_over_events:  # those have a sensor of their own
            continue
        lag, days = pipeline.lag or timedelta(0), RECHECK_DAYS if pipeline.recheck is None else pipeline.recheck
        for name in graph.with_ancestors(node.name for node in graph.of_pipeline(pipeline).values()):
            if graph[name].time_grain is not None:
                other = found.get(name, Watch(lag, days))
                found[name] = Watch(min(lag, other.lag), max(days, other.recheck_days))
    return found


def on_change(graph: AssetGraph, node: AssetNode, watch: Watch, store: TableStore) -> dg.AutomationCondition[Any]:
    """The condition on which Dagster requests partitions of an asset.

    A partition is requested after an input's data version changed, or when it came due and is missing. Dagster remembers this
    until the partition is requested, so changes during a run are not missed. The partition must also be behind by the same
    rule as `helio status`, so observing the same version twice requests nothing. Once an hour, everything behind is requested
    again, in case a run failed or a file was lost; but not what failed by its own code, which fails the same way until it, or
    its inputs, change.
    """
    came_due = (_Due(graph, node, watch) & dg.AutomationCondition.missing()).newly_true()
    changed = dg.AutomationCondition.any_deps_match(dg.AutomationCondition.data_version_changed())
    happened = (changed | came_due).since(dg.AutomationCondition.newly_requested())
    return (
        (happened | dg.AutomationCondition.cron_tick_passed(_EVERY_HOUR))
        & ~dg.AutomationCondition.in_progress()
        & ~dg.AutomationCondition.any_deps_in_progress()
        & _Behind(graph, node, watch, store)
    ).with_label("on change")


class _Partitions(dg.AutomationCondition[dg.AssetKey]):
    """A condition that selects some of the candidate partitions."""

    def __init__(self, graph: AssetGraph, node: AssetNode, watch: Watch) -> None:
        self._graph, self._node, self._watch = graph, node, watch

    def evaluate(self, context: dg.AutomationContext[dg.AssetKey]) -> dg.AutomationResult[dg.AssetKey]:
        """The selected candidates."""
        candidates = set(context.candidate_subset.expensively_compute_partition_keys())
        chosen = self._choose(candidates, context) if candidates else set()
        definition = context.partitions_def
        if not chosen or definition is None:
            return dg.AutomationResult(context, context.get_empty_subset())
        view = context.asset_graph_view
        return dg.AutomationResult(context, view.get_subset_from_partition_keys(context.key, definition, chosen))

    @abstractmethod
    def _choose(self, candidates: set[str], context: dg.AutomationContext[dg.AssetKey]) -> set[str]:
        """The candidates that meet the condition."""

    def _due(self, context: dg.AutomationContext[dg.AssetKey]) -> set[str]:
        span = self._watch.span(self._node, self._graph, _now(context))
        return set(self._node.grain.keys(span)) if span is not None and self._node.grain is not None else set()


class _Due(_Partitions):
    """Partitions of the recent days whose data are complete."""

    @property
    def name(self) -> str:
        """The name shown in the web UI."""
        return "due"

    def _choose(self, candidates: set[str], context: dg.AutomationContext[dg.AssetKey]) -> set[str]:
        return candidates & self._due(context)


class _Behind(_Partitions):
    """Partitions that a run would remake: made before, or due."""

    def __init__(self, graph: AssetGraph, node: AssetNode, watch: Watch, store: TableStore) -> None:
        super().__init__(graph, node, watch)
        self._store = store
        self._known: tuple[object, set[str]] = (None, set())

    @property
    def name(self) -> str:
        """The name shown in the web UI."""
        return "behind"

    def _choose(self, candidates: set[str], context: dg.AutomationContext[dg.AssetKey]) -> set[str]:
        """Judge again after every event and every hour; otherwise return the previous answer."""
        now = _now(context)
        instance = context.asset_graph_view.instance
        asked = (frozenset(candidates), context.max_storage_id, now.replace(minute=0, second=0, microsecond=0))
        if self._known[0] != asked:
            made = instance.get_materialized_partitions(asset_key(self._node.name))
            keys: list[str | None] = [*sorted(self._over(candidates & (made | self._due(context)), now))]
            ledger, project = DagsterLedger(instance), DagsterProject(context.asset_graph_view.asset_graph, instance)
            states = assess(self._graph, {self._node.name: keys}, ledger=ledger, store=self._store, now=now, project=project)
            found = states[self._node.name]
            behind = [key for key in keys if not (found[key].is_current or found[key].is_hopeless)]
            self._known = asked, {key for key in behind if key is not None}
        return set(self._known[1])

    def _over(self, keys: set[str], now: datetime) -> set[str]:
        """Those that are over: an open partition is made by those who ask for it."""
        over, grain = self._graph.over(self._node.name, now), self._node.time_grain
        return keys if grain is None else {key for key in keys if grain.window(key).stop <= over}


def _now(context: dg.AutomationContext[dg.AssetKey]) -> datetime:
    return context.evaluation_time.astimezone(UTC)


def conditions(graph: AssetGraph, store: TableStore) -> Mapping[str, dg.AutomationCondition[Any]]:
    """Asset to its condition, for watched assets."""
    return {name: on_change(graph, graph[name], watch, store) for name, watch in watched(graph).items()}
