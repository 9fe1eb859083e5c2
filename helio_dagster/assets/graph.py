"""The graph of assets that all pipelines of a home make together: assets, inputs, partitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property, partial, reduce
from typing import Any, Literal

import numpy as np
from pydantic import ValidationError

from helio_dagster.assets.asset_names import FILES, asset_name
from helio_dagster.assets.stored_events import StoredEvents, no_stored_events
from helio_dagster.compute.operation import OPERATION_IDS, Operation, get_operation
from helio_dagster.domain.catalog_entry import FetchDescription
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.event_check import no_lists
from helio_dagster.domain.event_partitions import EventPartitions, partitions_of_list
from helio_dagster.domain.event_table import event_source
from helio_dagster.domain.exclusions import Exclusion
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import EventTable, EventWindows, Fetch, Pipeline, ProjectAsset, Step
from helio_dagster.domain.span_key import span_of
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

EXCLUDED_INPUT = "exclude "
"""How the names of inputs begin that list excluded intervals; no step can use such a name."""
ReadListOf = Callable[[str, str], str]
"""The text of a list that a pipeline (its name) reads from a file beside it; InputError if it cannot be read."""
GetOperation = Callable[[str], Operation[Any]]
"""Returns the operation that a pipeline names; raises InputError if there is none."""


@dataclass(frozen=True)
class Expected:
    """What a step of a pipeline expects of its results, and the name of the asset check that says whether it is so."""

    pipeline: str
    step: str
    expect: Expectation
    check: str


@dataclass(frozen=True)
class AssetNode:
    """One asset: a step of a pipeline, or a fetch shared by all pipelines of a grain.

    `inputs` maps the name that a step uses (an operation's input, a figure's reference) to the asset that provides it. `grain`
    is None for a table, which has no partitions; the events of a list for a step with one partition for each. `files` names the
    asset that represents the archive's files of a fetch, by partitions of the same grain; empty for other kinds. `described` is
    the catalog's description of a fetch, if any; `given` are the rows of a table. `over` says whether a step is evaluated over
    each partition or over the whole range that is asked for. `excluded` maps the assets that list excluded intervals, which are
    among the inputs, to what they exclude from its samples, or hatch in a figure; there, `excluded_of` maps each reference to
    those lists that its data leave out. `expected` is what is expected of its results; of a fetch, by
    every pipeline that shares it. `spacecraft` maps references of a figure to whose data they are. `project` maps names of
    inputs to assets of the Dagster project around, which are not in the graph.
    """

    name: str
    group: str
    grain: Grain | EventPartitions | None
    step: Step
    pipeline: str = ""
    title: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    lookback: timedelta = timedelta(0)
    lookahead: timedelta = timedelta(0)
    code_version: str = ""
    files: str = ""
    described: FetchDescription | None = None
    given: EventTable | None = None
    over: Literal["partition", "range"] = "partition"
    excluded: Mapping[str, Exclusion] = field(default_factory=dict)
    excluded_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    expected: tuple[Expected, ...] = ()
    spacecraft: Mapping[str, str] = field(default_factory=dict)
    project: Mapping[str, ProjectAsset] = field(default_factory=dict)

    @property
    def is_over_range(self) -> bool:
        """Whether there is one result for a range, recorded on the partitions that it covers; of an event, for its window."""
        return self.over == "range" or self.kind == "figure"

    @property
    def events(self) -> EventPartitions | None:
        """The events that are its partitions, if they are."""
        return self.grain if isinstance(self.grain, EventPartitions) else None

    @property
    def time_grain(self) -> Grain | None:
        """The length of its partitions, if they are windows of time."""
        return self.grain if isinstance(self.grain, Grain) else None

    @property
    def kind(self) -> str:
        """Fetch, compute, table or figure; what a pipeline keeps of a fetch after its exclusions is computed."""
        return "compute" if self.step.fetch and self.excluded else self.step.kind

    @property
    def has_record_per_event(self) -> bool:
        """Whether it gives a record for each event of a list, so that there is none where there is no event."""
        operation = self.step.compute.operation if self.step.compute is not None else None
        return operation in OPERATION_IDS and get_operation(operation).has_record_per_event

    @property
    def fetch(self) -> Fetch | None:
        """What a fetch asks of the archive; None for other assets, also for what is left of a fetch after exclusions."""
        return self.step.fetch if self.kind == "fetch" else None

    @property
    def is_own(self) -> bool:
        """Whether it reads files of one's own."""
        return self.fetch is not None and self.fetch.is_own

    @property
    def project_names(self) -> tuple[str, ...]:
        """The assets of the Dagster project around that it reads."""
        return tuple(dict.fromkeys(each.asset for each in self.project.values()))

    @property
    def data_inputs(self) -> Mapping[str, str]:
        """Those of its inputs that are computed with or drawn: all but the lists of excluded intervals."""
        return {name: asset for name, asset in self.inputs.items() if not name.startswith(EXCLUDED_INPUT)}

    @property
    def parted_lists(self) -> frozenset[str]:
        """Those of its inputs of which a partition is made from its own rows alone."""
        given = {name for name, exclusion in self.excluded.items() if exclusion.packed is not None}
        own = {self.events.list_asset} if self.events is not None and self.over != "range" else set()
        return frozenset(given | own)

    def reach_back(self, asset: str) -> timedelta:
        """How far before a partition it reads an input."""
        return max(self.lookback, self.excluded[asset].reach) if asset in self.excluded else self.lookback

    def window(self, key: str) -> TimeRange | None:
        """The time range of a partition, or of a result over a range, by its key; None without partitions.

        Raises
        ------
        InputError
            It has no such partition.
        """
        span = span_of(key) if self.over == "range" else None
        return span or (self.grain.window(key) if self.grain is not None else None)

    def read_part(self, table: Table, window: TimeRange) -> Table:
        """The records of an input that the partition of `window` is made from, to the nanosecond."""
        start, stop = window.bounds_ns()
        before, after = (np.timedelta64(duration_ns(reach), "ns") for reach in (self.lookback, self.lookahead))
        return table.clip_ns(start - before, stop + after)


@dataclass(frozen=True)
class AssetGraph:
    """All assets of a home, ordered so that inputs come first.

    `starts` maps each grain to the start of its single partitions definition; `pipelines` are those the graph was built from;
    `operation` looks up the operations that their steps name; `events` maps each pipeline over events to its partitions;
    `read_list` and `stored_events` read their lists again. Of `open_grains`, partitions exist as soon as they begin; of others
    only when they are over. Partitions that are over are made from others that are over in either case.
    """

    nodes: Mapping[str, AssetNode]
    starts: Mapping[Grain, datetime]
    pipelines: Mapping[str, Pipeline] = field(default_factory=dict)
    operation: GetOperation = get_operation
    events: Mapping[str, EventPartitions] = field(default_factory=dict)
    read_list: ReadListOf = no_lists
    stored_events: StoredEvents = no_stored_events
    open_grains: frozenset[Grain] = frozenset()

    def __getitem__(self, name: str) -> AssetNode:
        """The asset of this name."""
        return self.nodes[name]

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """Asset to the assets that read it."""
        found: dict[str, list[str]] = {name: [] for name in self.nodes}
        for node in self.nodes.values():
            for parent in dict.fromkeys(node.inputs.values()):
                found[parent].append(node.name)
        return {name: tuple(children) for name, children in found.items()}

    def of_pipeline(self, pipeline: Pipeline) -> dict[str, AssetNode]:
        """Step id to asset, in the graph's order."""
        names = {asset_name(pipeline, step): step.id for step in pipeline.nodes}
        return {names[name]: node for name, node in self.nodes.items() if name in names}

    def with_ancestors(self, names: Iterable[str]) -> list[str]:
        """The assets and everything they are made from, in the graph's order."""
        wanted = set(names)
        for name in reversed(list(self.nodes)):
            if name in wanted:
                wanted.update(self.nodes[name].inputs.values())
        return [name for name in self.nodes if name in wanted]

    def partitions_of(self, pipeline: Pipeline) -> Grain | EventPartitions:
        """The partitions of a pipeline's steps."""
        return self.events.get(pipeline.name) or pipeline.grain

    def reread_events(self, name: str) -> EventPartitions:
        """The events of a pipeline as its list is now.

        Raises
        ------
        InputError, EventTableError
            The list cannot be read any more.
        """
        pipeline = self.pipelines[name]
        if not isinstance(pipeline.partitions, EventWindows):
            raise TypeError(f"the partitions of {name} are not events")
        return events_of(pipeline, pipeline.partitions, self.pipelines, self.nodes, self.read_list, self.stored_events)

    def existing_keys(self, grain: Grain, span: TimeRange, now: datetime) -> list[str]:
        """Keys of the grain's partitions that overlap `span`, are complete by `now` and not before the definition's start."""
        start = max(span.start, self.starts.get(grain, span.start))
        stop = min(span.stop, grain.floor(now))
        return grain.keys(TimeRange(start, stop)) if start < stop else []

    def needs(self, node: AssetNode, key: str | None, now: datetime) -> dict[str, list[str | None]]:
        """Input asset to the partitions that one partition of `node` is made from, in time order."""
        needed: dict[str, list[str | None]] = {}
        for name in dict.fromkeys(node.inputs.values()):
            grain = self.nodes[name].grain
            if node.events is not None and name == node.events.list_asset and grain is not None:
                needed[name] = []  # another pipeline computes the list; its rows were read with the graph
            elif grain is None or node.grain is None or key is None:
                needed[name] = [None]
            elif isinstance(grain, EventPartitions):
                needed[name] = [key]
            else:
                read = node.grain.window(key).widened(node.reach_back(name), node.lookahead)
                moment = grain.ceil(now) if self.is_open(node, key, now) else self.over(name, now)
                needed[name] = list(self.existing_keys(grain, read, moment))
        return needed

    def is_open(self, node: AssetNode, key: str | None, now: datetime) -> bool:
        """Whether a partition has begun and is not over, and exists all the same."""
        if node.time_grain is None or key is None or node.time_grain not in self.open_grains:
            return False
        window = node.time_grain.window(key)
        return window.start < now < window.stop

    def opened(self, pipeline: Pipeline) -> AssetGraph:
        """The same graph, in which the partitions of a pipeline, and those it is made from, exist as soon as they begin."""
        names = self.with_ancestors(node.name for node in self.of_pipeline(pipeline).values())
        grains = {grain for name in names if (grain := self.nodes[name].time_grain) is not None}
        return replace(self, open_grains=self.open_grains | grains)

    def over(self, name: str, now: datetime) -> datetime:
        """The time up to which an asset's partitions, and the longer ones they are made from, are over by `now`."""
        return min(reduce(lambda moment, grain: grain.floor(moment), reversed(chain), now) for chain in self._grains[name])

    def all_over(self, nodes: Iterable[AssetNode], now: datetime) -> datetime:
        """The time up to which partitions of several assets are over; `now` if none has partitions."""
        return min((self.over(node.name, now) for node in nodes if node.grain is not None), default=now)

    def over_at(self, name: str, window: TimeRange) -> datetime:
        """When a partition is over, together with the longer ones it is made from."""
        return max(reduce(lambda moment, grain: grain.ceil(moment), chain, window.stop) for chain in self._grains[name])

    def event_over_at(self, pipeline: str, window: TimeRange) -> datetime:
        """When the data of an event of a pipeline are complete: its window is over, and the days below it are."""
        names = [node.name for node in self.of_pipeline(self.pipelines[pipeline]).values() if node.events is not None]
        return max((self.over_at(name, window) for name in names), default=window.stop)

    @cached_property
    def _grains(self) -> Mapping[str, frozenset[tuple[Grain | EventPartitions, ...]]]:
        """Asset to its chains of grains, its own first; a grain that subdivides the one before it is left out."""
        found: dict[str, frozenset[tuple[Grain | EventPartitions, ...]]] = {}
        for name, node in self.nodes.items():
            own: tuple[Grain | EventPartitions, ...] = () if node.grain is None else (node.grain,)
            chains = {own}
            for chain in (chain for parent in node.inputs.values() for chain in found[parent]):
                chains.add((*own, *(chain[1:] if own and chain and _is_part_of(chain[0], own[0]) else chain)))
            found[name] = frozenset(chains)
        return found


def _is_part_of(inner: Grain | EventPartitions, outer: Grain | EventPartitions) -> bool:
    """Whether every window of one is made of whole windows of the other; an event's inputs are those of the same event."""
    if isinstance(inner, EventPartitions) or isinstance(outer, EventPartitions):
        return inner is outer
    return inner.is_part_of(outer)


def fetch_node(name: str) -> AssetNode | None:
    """The fetch that an asset name describes, for data whose pipeline is not available; None if it is not a fetch's name."""
    parts = name.split("/")
    grain = Grain(parts[-1]) if len(parts) == 4 and parts[-1] in set(Grain) else Grain.DAILY
    if len(parts) != (3 if grain is Grain.DAILY else 4) or parts[2] == FILES:
        return None
    try:
        archive = re.sub(r"_x([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), parts[0])  # no archive name contains this
        step = Step(id="fetch", fetch=Fetch(archive=archive, dataset=parts[1], parameter=parts[2]))
    except ValidationError:
        return None
    return AssetNode(name, parts[0], grain, step, files="/".join([parts[0], parts[1], FILES, *parts[3:]]))


def events_of(
    pipeline: Pipeline,
    windows: EventWindows,
    pipelines: Mapping[str, Pipeline],
    nodes: Mapping[str, AssetNode],
    read_list: ReadListOf,
    stored: StoredEvents,
) -> EventPartitions:
    """The partitions of a pipeline over events.

    Parameters
    ----------
    pipeline, windows
        The pipeline and what it says of its partitions.
    pipelines, nodes
        Name to pipeline and to asset: those that the list may be from.
    read_list
        Reads a list of events beside a pipeline.
    stored
        Reads the events that another pipeline computed.

    Raises
    ------
    InputError, EventTableError
        A list beside the pipelines cannot be read, or makes no partitions.
    """
    other, _, step_id = windows.events.rpartition("/")
    owner = pipelines[other] if other else pipeline
    step = owner.step(step_id)
    name = asset_name(owner, step)
    if step.kind == "compute" and owner.name != pipeline.name:
        return stored(nodes[name], pipeline.name, windows.before, windows.after)
    given = event_source(step, partial(read_list, owner.name))
    if given is None:
        raise InputError(
            f"{windows.events!r} lists no events", where=pipeline.name, hint="Name a step with `table` or `events`."
        )
    return partitions_of_list(pipeline.name, name, given, windows.before, windows.after)
