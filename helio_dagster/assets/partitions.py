"""Dagster's partitions definitions and mappings for each grain. `domain.grain` decides which window a key names."""

from __future__ import annotations

import math
from datetime import datetime

import dagster as dg

from helio_dagster.assets.dynamic_events import events_definition
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.domain.grain import Grain

_SCHEDULES = {
    Grain.HOURLY: "0 * * * *",
    Grain.DAILY: "0 0 * * *",
    Grain.WEEKLY: "0 0 * * 1",
    Grain.MONTHLY: "0 0 1 * *",
    Grain.YEARLY: "0 0 1 1 *",
}


def partitions_definition(grain: Grain, start: datetime, *, is_open: bool = False) -> dg.TimeWindowPartitionsDefinition:
    """The only definition of a grain: its keys and windows are those of `Grain`, from `start` to the last complete window.

    One that is open has the window that has begun as well.
    """
    return dg.TimeWindowPartitionsDefinition(
        cron_schedule=_SCHEDULES[grain],
        start=grain.floor(start).strftime(grain.key_format),
        fmt=grain.key_format,
        timezone="UTC",
        end_offset=int(is_open),
    )


def definition_of(node: AssetNode, graph: AssetGraph) -> dg.PartitionsDefinition[str] | None:
    """The partitions definition of an asset; None without partitions."""
    if node.events is not None:
        return events_definition(node.events)
    return definition_of_grain(node.time_grain, graph) if node.time_grain else None


def definition_of_grain(grain: Grain, graph: AssetGraph) -> dg.TimeWindowPartitionsDefinition:
    """The definition that all assets of a grain share."""
    return partitions_definition(grain, graph.starts[grain], is_open=grain in graph.open_grains)


def partition_mapping(node: AssetNode, upstream: AssetNode, *, is_of_run: bool = False) -> dg.PartitionMapping | None:
    """The input partitions that Dagster considers a partition to be made from: never fewer than `AssetGraph.needs`.

    Dagster counts a halo in whole windows, so months and mixed grains can map to one partition more than is read. To a run it
    makes no difference which days events are made from, and listing all of them takes longer than making an event: there they
    are none.
    """
    if node.grain is None or upstream.grain is None:
        return None
    if node.time_grain is None or upstream.time_grain is None:
        if node.events is upstream.events:
            return dg.IdentityPartitionMapping()
        return dg.SpecificPartitionsPartitionMapping([]) if is_of_run else dg.AllPartitionMapping()
    before, after = (
        math.ceil(node.reach_back(upstream.name) / node.time_grain.shortest),
        math.ceil(node.lookahead / node.time_grain.shortest),
    )
    return dg.TimeWindowPartitionMapping(start_offset=-before, end_offset=after, allow_nonexistent_upstream_partitions=True)
