"""A request to run a pipeline over whole partitions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange, format_time


@dataclass(frozen=True)
class RunRequest:
    """A request to run a pipeline of a graph over the whole partitions of a range.

    `asked` is the range that the person gave, which may be shorter: figures show only that.
    """

    graph: AssetGraph
    pipeline: Pipeline
    span: TimeRange
    force: bool = False
    refresh: bool = False
    asked: TimeRange | None = None

    @property
    def shown(self) -> TimeRange | None:
        """The range that figures show, in whole seconds; None if it is all of the partitions."""
        if self.asked is None or not self.asked.overlaps(self.span):
            return None
        start, stop = self.asked.start.replace(microsecond=0), self.asked.stop.replace(microsecond=0)
        whole = TimeRange(start, stop if stop == self.asked.stop else stop + timedelta(seconds=1))
        part = whole.part_in(self.span)
        return None if part == self.span else part

    @property
    def targets(self) -> dict[str, list[str | None]]:
        """Asset of the pipeline to its partitions in the range."""
        keys: list[str | None] = list(self.pipeline.partitions.keys(self.span))
        return {node.name: keys if node.grain else [None] for node in self.graph.of_pipeline(self.pipeline).values()}


class OpenPipeline(NamedTuple):
    """A checked pipeline, and the graph of it and all others of its home."""

    pipeline: Pipeline
    graph: AssetGraph

    def span(self, asked: TimeRange, now: datetime) -> TimeRange:
        """The whole partitions that cover a range; see `resolve_span`."""
        return resolve_span(self.graph, self.pipeline, asked, now)

    def request(self, asked: TimeRange, now: datetime, *, force: bool = False, refresh: bool = False) -> RunRequest:
        """A request for the partitions that cover a range, with figures showing that range; errors as in `resolve_span`."""
        return RunRequest(self.graph, self.pipeline, self.span(asked, now), force=force, refresh=refresh, asked=asked)


def has_partitions(graph: AssetGraph, pipeline: Pipeline) -> bool:
    """Whether any step of a pipeline has partitions; tables have none."""
    return any(node.grain is not None for node in graph.of_pipeline(pipeline).values())


def last_partition(pipeline: Pipeline, now: datetime) -> TimeRange:
    """The latest partition that is over; a run of a pipeline without partitions is recorded under it."""
    grain = pipeline.partitions
    return grain.cover(TimeRange(grain.floor(now) - timedelta(microseconds=1), grain.floor(now)))


def resolve_span(graph: AssetGraph, pipeline: Pipeline, asked: TimeRange, now: datetime) -> TimeRange:
    """The whole partitions that cover a range.

    Raises
    ------
    InputError
        Some of them are before the pipeline's first partition, or not over yet.
    """
    grain = pipeline.partitions
    if not has_partitions(graph, pipeline):
        return grain.cover(asked)
    span, first = grain.cover(asked), graph.starts[grain]
    last = grain.floor(graph.all_over(graph.of_pipeline(pipeline).values(), now))
    if span.start < first:
        hint = f"Start at {format_time(first)} or later, or set an earlier `start:` in its file."
        raise InputError(f"{pipeline.name} has no partitions before {format_time(first)}, but {span} was requested", hint=hint)
    if span.stop > last:
        unit = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}[grain.value]
        hint = f"The last complete {unit} ends at {format_time(last)}: give that as STOP."
        longer = " and reads longer ones" if last < grain.floor(now) else ""
        raise InputError(f"{span} is not over yet, and {pipeline.name} has {grain} partitions{longer}", hint=hint)
    return span
