"""Dagster's partitions definitions and mappings for each grain. `domain.grain` decides which window a key names."""

from __future__ import annotations

import math
from datetime import datetime

import dagster as dg

from helio_dagster.assets.graph import AssetNode
from helio_dagster.domain.grain import Grain

_SCHEDULES = {
    Grain.HOURLY: "0 * * * *",
    Grain.DAILY: "0 0 * * *",
    Grain.WEEKLY: "0 0 * * 1",
    Grain.MONTHLY: "0 0 1 * *",
    Grain.YEARLY: "0 0 1 1 *",
}


def partitions_definition(grain: Grain, start: datetime) -> dg.TimeWindowPartitionsDefinition:
    """The only definition of a grain: its keys and windows are those of `Grain`, from `start` to the last complete window."""
    return dg.TimeWindowPartitionsDefinition(
        cron_schedule=_SCHEDULES[grain],
        start=grain.floor(start).strftime(grain.key_format),
        fmt=grain.key_format,
        timezone="UTC",
    )


def partition_mapping(node: AssetNode, upstream: AssetNode) -> dg.PartitionMapping | None:
    """The input partitions that Dagster considers a partition to be made from: never fewer than `AssetGraph.needs`.

    Dagster counts a halo in whole windows, so months and mixed grains can map to one partition more than is read.
    """
    if node.grain is None or upstream.grain is None:
        return None
    before, after = math.ceil(node.lookback / node.grain.shortest), math.ceil(node.lookahead / node.grain.shortest)
    return dg.TimeWindowPartitionMapping(start_offset=-before, end_offset=after, allow_nonexistent_upstream_partitions=True)
