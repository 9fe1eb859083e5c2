"""A request to run a pipeline over whole partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.catalog.times.phrases import read_words
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange, format_time

_LONGEST_PARTITION = timedelta(days=366)
_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True)
class RunRequest:
    """A request to run a pipeline of a graph over the whole partitions of a range.

    `asked` is the range that the person gave, which may be shorter: figures show only that. `only` is the key of the one event
    that is requested; nothing over all events is made then. `late` are events that are left out because they are not over yet.
    `spared` are partitions that `force` does not redo, because they were redone just before; results over ranges it does.
    """

    graph: AssetGraph
    pipeline: Pipeline
    span: TimeRange
    force: bool = False
    refresh: bool = False
    asked: TimeRange | None = None
    only: str | None = None
    late: frozenset[str] = frozenset()
    spared: frozenset[str] = frozenset()

    @property
    def shown(self) -> TimeRange | None:
        """The range that figures show, in whole seconds; None if it is all of the partitions, as always of events."""
        if self.asked is None or self.events is not None or not self.asked.overlaps(self.span):
            return None
        start, stop = self.asked.start.replace(microsecond=0), self.asked.stop.replace(microsecond=0)
        whole = TimeRange(start, stop if stop == self.asked.stop else stop + timedelta(seconds=1))
        part = whole.part_in(self.span)
        return None if part == self.span else part

    @property
    def targets(self) -> dict[str, list[str | None]]:
        """Asset of the pipeline to its partitions in the range."""
        keys: list[str | None] = list(self.keys)
        nodes = self.graph.of_pipeline(self.pipeline).values()
        if self.events is None:
            return {node.name: keys if node.grain else [None] for node in nodes}
        own = [node for node in nodes if node.time_grain is None and not (self.only and node.over == "range")]
        return {node.name: keys if node.grain else [None] for node in own}

    @property
    def events(self) -> EventPartitions | None:
        """The events that are the pipeline's partitions, if they are; its fetches have windows of time all the same."""
        return self.graph.events.get(self.pipeline.name)

    @property
    def keys(self) -> list[str]:
        """The requested partitions, in order of time."""
        found = self.graph.partitions_of(self.pipeline).keys(self.span)
        return [key for key in found if key == self.only] if self.only else [key for key in found if key not in self.late]


class OpenPipeline(NamedTuple):
    """A checked pipeline, and the graph of it and all others of its home."""

    pipeline: Pipeline
    graph: AssetGraph

    @property
    def opened(self) -> OpenPipeline:
        """The same, made with the last partition before it is over, as if its file said `open: true`.

        Raises
        ------
        InputError
            Its partitions are events.
        """
        if self.pipeline.is_over_events:
            problem = f"the partitions of {self.pipeline.name} are events, which are run when they are over"
            raise InputError(problem, hint="Leave --open out, or run a pipeline over days or hours.")
        return OpenPipeline(self.pipeline.model_copy(update={"open": True}), self.graph.opened(self.pipeline))

    def span(self, asked: TimeRange, now: datetime) -> TimeRange:
        """The whole partitions that cover a range; see `resolve_span`."""
        return resolve_span(self.graph, self.pipeline, asked, now)

    def request(self, asked: TimeRange, now: datetime, *, force: bool = False, refresh: bool = False) -> RunRequest:
        """A request for the partitions that cover a range, with figures showing that range; errors as in `resolve_span`."""
        span = self.span(asked, now)
        events = self.graph.events.get(self.pipeline.name)
        late = self._late(events.keys(span), now) if events is not None else frozenset()
        return RunRequest(self.graph, self.pipeline, span, force=force, refresh=refresh, asked=asked, late=late)

    def default_range(self, now: datetime) -> TimeRange | None:
        """The range that the pipeline's file gives, as whole partitions that are over; None if it gives none.

        Raises
        ------
        InputError
            None of its partitions are over.
        """
        words = self.pipeline.range
        if words is None:
            return None
        asked, grain = read_words([words], now), self.pipeline.grain
        if self.graph.events.get(self.pipeline.name) is not None:
            return asked
        last = last_stop(self.graph, self.pipeline, now)
        whole = grain.cover(asked)
        if self.pipeline.open and whole.stop == grain.floor(now):
            return TimeRange(whole.start, last)
        if whole.stop <= last:
            return whole
        if whole.start >= last:
            hint = f"The last complete one ends at {format_time(last)}. Give a longer `range:`, or START and STOP."
            raise InputError(f"`range: {words}` of {self.pipeline.name} has no {grain} partition that is over", hint=hint)
        return TimeRange(whole.start, last)

    def asked_range(self, given: TimeRange | None, now: datetime) -> TimeRange:
        """The range that a person gave, or else the pipeline's own.

        Raises
        ------
        InputError
            There is neither, or none of the partitions of the pipeline's own are over.
        """
        found = given or self.default_range(now)
        if found is None and self.pipeline.open and not self.pipeline.is_over_events:
            stop = last_stop(self.graph, self.pipeline, now)
            return self.pipeline.grain.cover(TimeRange(stop - _INSTANT, stop))
        if found is None:
            name = self.pipeline.name
            hint = f"Give a day, START and STOP, or a phrase: helio run {name} last 7 days. Or write `range:` in its file."
            raise InputError("no time range given", hint=hint)
        return found

    def event_request(
        self, key: str | None, now: datetime | None = None, *, force: bool = False, refresh: bool = False
    ) -> RunRequest:
        """A request for one event, or for all that are over by `now`.

        Raises
        ------
        InputError
            The pipeline's partitions are not events, or it has no such event, or none, or none that is over.
        """
        events = self.graph.events.get(self.pipeline.name)
        if events is None:
            problem = f"the partitions of {self.pipeline.name} are not events"
            raise InputError(problem, hint=f"Give START and STOP: helio run {self.pipeline.name} START STOP")
        events.require_usable()
        if events.hull is None:
            raise TypeError("a list that is usable has events")
        if key is not None:
            events.window(key)  # raises
        late = self._late([key] if key is not None else list(events.events), now) if now is not None else frozenset()
        return RunRequest(self.graph, self.pipeline, events.hull, force=force, refresh=refresh, only=key, late=late)

    def _late(self, keys: Sequence[str], now: datetime) -> frozenset[str]:
        """The events whose data are not complete yet.

        Raises
        ------
        InputError
            All of them.
        """
        events = self.graph.events[self.pipeline.name]
        near = [key for key in keys if events.window(key).stop + _LONGEST_PARTITION > now]
        over_at = {key: self.graph.event_over_at(self.pipeline.name, events.window(key)) for key in near}
        late = {key: moment for key, moment in over_at.items() if moment > now}
        if late and len(late) == len(keys):
            first = min(late, key=lambda key: late[key])
            problem = f"{first} is not over yet" if len(late) == 1 else f"none of {len(late)} events is over yet"
            raise InputError(problem, hint=f"Run it after {format_time(late[first])}.")
        return frozenset(late)


def has_partitions(graph: AssetGraph, pipeline: Pipeline) -> bool:
    """Whether any step of a pipeline has partitions; tables have none."""
    return any(node.grain is not None for node in graph.of_pipeline(pipeline).values())


def last_partition(pipeline: Pipeline, now: datetime) -> TimeRange:
    """The latest partition that is over; a run of a pipeline without partitions is recorded under it."""
    grain = pipeline.grain
    return grain.cover(TimeRange(grain.floor(now) - timedelta(microseconds=1), grain.floor(now)))


def last_stop(graph: AssetGraph, pipeline: Pipeline, now: datetime) -> datetime:
    """Where the last partition that can be run stops: the last that is over, of an open pipeline the last that has begun."""
    grain = pipeline.grain
    return grain.ceil(now) if pipeline.open else grain.floor(graph.all_over(graph.of_pipeline(pipeline).values(), now))


def resolve_span(graph: AssetGraph, pipeline: Pipeline, asked: TimeRange, now: datetime) -> TimeRange:
    """The whole partitions that cover a range.

    Raises
    ------
    InputError
        Some of them are before the pipeline's first partition, or not over yet; of an open pipeline, have not begun.
    """
    grain = pipeline.grain
    if (events := graph.events.get(pipeline.name)) is not None:
        events.require_usable()
        if not events.keys(asked):
            hull = f" They start in {events.hull}." if events.hull else ""
            raise InputError(f"no event of {pipeline.name} starts in {asked}", hint=f"`--all` runs every event.{hull}")
        return asked
    if not has_partitions(graph, pipeline):
        return grain.cover(asked)
    span, first = grain.cover(asked), graph.starts[grain]
    last = last_stop(graph, pipeline, now)
    if span.start < first:
        hint = f"Start at {format_time(first)} or later, or set an earlier `start:` in its file."
        raise InputError(f"{pipeline.name} has no partitions before {format_time(first)}, but {span} was requested", hint=hint)
    if span.stop > last:
        unit = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}[grain.value]
        hint = f"The last complete {unit} ends at {format_time(last)}: give that as STOP."
        if span.start < now and not pipeline.open:
            hint += " `--open` runs up to the newest data of the one that has begun."
        longer = " and reads longer ones" if last < grain.floor(now) else ""
        raise InputError(f"{span} is not over yet, and {pipeline.name} has {grain} partitions{longer}", hint=hint)
    return span
