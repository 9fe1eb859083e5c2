"""Build one graph of assets from all pipelines: names, inputs, halos, code versions, starts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property, reduce
from graphlib import TopologicalSorter
from typing import Any

import numpy as np
from pydantic import ValidationError

from helio_dagster.compute.operation import Operation, get_operation
from helio_dagster.domain.catalog_entry import FetchDescription
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Fetch, Pipeline, Step
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import LATEST, TimeRange

FETCH_VERSION = 2
"""Increase whenever the same archive files can yield a different table."""
FIGURE_VERSION = 1
"""Increase whenever the same tables can yield a different figure."""
FILES = "files"
"""Last part of the name of a dataset's files asset; a parameter of this name is escaped."""
SPACE_AGE = datetime(1960, 1, 1, tzinfo=UTC)
"""Where partitions begin if neither the pipeline nor the catalog says."""

_EARLIEST = SPACE_AGE - timedelta(days=3660)
"""No partition begins earlier, however many halos add up."""

DatasetStart = Callable[[str, str], datetime | None]
GetOperation = Callable[[str], Operation[Any]]
"""Returns the operation that a pipeline names; raises InputError if there is none."""


@dataclass(frozen=True)
class AssetNode:
    """One asset: a step of a pipeline, or a fetch shared by all pipelines of a grain.

    `inputs` maps the name that a step uses (an operation's input, a figure's reference) to the asset that provides it. `grain`
    is None for a table, which has no partitions. `files` names the asset that represents the archive's files of a fetch, by
    partitions of the same grain; empty for other kinds. `described` is the catalog's description of a fetch, if any.
    """

    name: str
    group: str
    grain: Grain | None
    step: Step
    pipeline: str = ""
    title: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)
    lookback: timedelta = timedelta(0)
    lookahead: timedelta = timedelta(0)
    code_version: str = ""
    files: str = ""
    described: FetchDescription | None = None

    @property
    def kind(self) -> str:
        """Fetch, compute, table or figure."""
        return self.step.kind

    def reads(self, window: TimeRange) -> TimeRange:
        """The range of its inputs that the partition `window` is made from."""
        return window.widened(self.lookback, self.lookahead)

    def read_part(self, table: Table, window: TimeRange) -> Table:
        """The records of an input that the partition of `window` is made from, to the nanosecond."""
        start, stop = window.bounds_ns()
        before, after = (np.timedelta64(duration_ns(reach), "ns") for reach in (self.lookback, self.lookahead))
        return table.clip_ns(start - before, stop + after)


@dataclass(frozen=True)
class AssetGraph:
    """All assets of a home, ordered so that inputs come first.

    `starts` maps each grain to the start of its single partitions definition; `pipelines` are those the graph was built from;
    `operation` looks up the operations that their steps name.
    """

    nodes: Mapping[str, AssetNode]
    starts: Mapping[Grain, datetime]
    pipelines: Mapping[str, Pipeline] = field(default_factory=dict)
    operation: GetOperation = get_operation

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
        names = {asset_name(pipeline, step): step.id for step in pipeline.steps}
        return {names[name]: node for name, node in self.nodes.items() if name in names}

    def with_ancestors(self, names: Iterable[str]) -> list[str]:
        """The assets and everything they are made from, in the graph's order."""
        wanted = set(names)
        for name in reversed(list(self.nodes)):
            if name in wanted:
                wanted.update(self.nodes[name].inputs.values())
        return [name for name in self.nodes if name in wanted]

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
            if grain is None or node.grain is None or key is None:
                needed[name] = [None]
            else:
                needed[name] = list(self.existing_keys(grain, node.reads(node.grain.window(key)), self.over(name, now)))
        return needed

    def over(self, name: str, now: datetime) -> datetime:
        """The time up to which an asset's partitions, and the longer ones they are made from, are over by `now`."""
        return min(reduce(lambda moment, grain: grain.floor(moment), reversed(chain), now) for chain in self._grains[name])

    def all_over(self, nodes: Iterable[AssetNode], now: datetime) -> datetime:
        """The time up to which partitions of several assets are over; `now` if none has partitions."""
        return min((self.over(node.name, now) for node in nodes if node.grain is not None), default=now)

    def over_at(self, name: str, window: TimeRange) -> datetime:
        """When a partition is over, together with the longer ones it is made from."""
        return max(reduce(lambda moment, grain: grain.ceil(moment), chain, window.stop) for chain in self._grains[name])

    @cached_property
    def _grains(self) -> Mapping[str, frozenset[tuple[Grain, ...]]]:
        """Asset to its chains of grains, its own first; a grain that subdivides the one before it is left out."""
        found: dict[str, frozenset[tuple[Grain, ...]]] = {}
        for name, node in self.nodes.items():
            own = () if node.grain is None else (node.grain,)
            chains = {own}
            for chain in (chain for parent in node.inputs.values() for chain in found[parent]):
                chains.add((*own, *(chain[1:] if own and chain and chain[0].is_part_of(own[0]) else chain)))
            found[name] = frozenset(chains)
        return found


def fetch_name(fetch: Fetch, grain: Grain) -> str:
    """Asset name of a fetch; its last part is the grain unless that is daily."""
    parameter = "_x66iles" if fetch.parameter == FILES else key_part(fetch.parameter)
    return _by_grain([key_part(fetch.archive), key_part(fetch.dataset), parameter], grain)


def files_name(fetch: Fetch, grain: Grain) -> str:
    """Name of the asset that represents the archive's files of a dataset."""
    return _by_grain([key_part(fetch.archive), key_part(fetch.dataset), FILES], grain)


def _by_grain(parts: list[str], grain: Grain) -> str:
    return "/".join(parts if grain is Grain.DAILY else [*parts, grain.value])


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


def key_part(text: str) -> str:
    """An archive's name as part of an asset key: characters Dagster refuses are escaped, so `Rot#` becomes `Rot_x23`."""
    return re.sub(r"[^A-Za-z0-9_.-]|^\.", lambda found: f"_x{ord(found[0]):02x}", text)


def asset_name(pipeline: Pipeline, step: Step) -> str:
    """Asset name of a pipeline's step."""
    return fetch_name(step.fetch, pipeline.partitions) if step.fetch else f"{pipeline.name}/{step.id}"


def build_graph(
    pipelines: Iterable[Pipeline],
    dataset_start: DatasetStart,
    describe: Callable[[str, str, str], FetchDescription | None] | None = None,
    operation: GetOperation = get_operation,
) -> AssetGraph:
    """The graph of checked pipelines.

    Parameters
    ----------
    pipelines
        Pipelines in which `examine_pipelines` found no problem.
    dataset_start
        (archive, dataset) to the start of its data, None if unknown.
    describe
        (archive, dataset, parameter) to what is known of it before it is fetched.
    operation
        Looks up the operation that a step names; by default shipped ones only.
    """
    by_name = {pipeline.name: pipeline for pipeline in pipelines}
    nodes: dict[str, AssetNode] = {}
    for pipeline in by_name.values():
        for step in pipeline.steps:
            node = _build_node(pipeline, step, by_name, operation)
            nodes.setdefault(node.name, node)
    order = TopologicalSorter({name: set(node.inputs.values()) for name, node in sorted(nodes.items())}).static_order()
    ordered = {name: _with_description(nodes[name], describe) for name in order}
    return AssetGraph(ordered, _starts(by_name.values(), ordered, dataset_start), by_name, operation)


def _with_description(node: AssetNode, describe: Callable[[str, str, str], FetchDescription | None] | None) -> AssetNode:
    fetch = node.step.fetch
    return replace(node, described=describe(fetch.archive, fetch.dataset, fetch.parameter)) if fetch and describe else node


def _build_node(pipeline: Pipeline, step: Step, by_name: Mapping[str, Pipeline], get_operation: GetOperation) -> AssetNode:
    name = asset_name(pipeline, step)
    if step.fetch:
        code = _sha("fetch", FETCH_VERSION, step.fetch.model_dump())
        group, files = re.sub(r"\W", "_", step.fetch.archive), files_name(step.fetch, pipeline.partitions)
        return AssetNode(name, group, pipeline.partitions, step, code_version=code, files=files)
    references = dict.fromkeys(reference for _, reference in step.references)
    resolved = {reference: _resolve(pipeline, reference, by_name) for reference in references}
    title = pipeline.title or pipeline.name
    if step.table:
        code = _sha("table", 1, step.table.model_dump())
        return AssetNode(name, pipeline.name, None, step, pipeline.name, title, code_version=code)
    if step.figure:
        code = _sha("figure", FIGURE_VERSION, [step.figure.model_dump(mode="json"), title, resolved, *_unusual(pipeline)])
        return AssetNode(name, pipeline.name, pipeline.partitions, step, pipeline.name, title, resolved, code_version=code)
    assert step.compute is not None  # noqa: S101 - the model allows no fifth kind
    compute = step.compute
    inputs = {input_name: resolved[reference] for input_name, reference in compute.inputs.items()}
    if compute.operation is not None:
        operation = get_operation(compute.operation)
        options = operation.read_options(compute.options)
        lookback, lookahead = operation.halo(options)
        body: Any = [*operation.identity, options.model_dump(mode="json"), step.id]
    else:
        lookback, lookahead = compute.lookback or timedelta(0), compute.lookahead or timedelta(0)
        body = [compute.code, compute.unit, compute.frame]
    code = _sha("compute", 1, [body, inputs, lookback.total_seconds(), lookahead.total_seconds(), *_unusual(pipeline)])
    return AssetNode(name, pipeline.name, pipeline.partitions, step, pipeline.name, title, inputs, lookback, lookahead, code)


def _unusual(pipeline: Pipeline) -> list[str]:
    """The grain, unless it is daily: partitions of two grains can share a key and must not be confused."""
    return [] if pipeline.partitions is Grain.DAILY else [pipeline.partitions.value]


def _resolve(pipeline: Pipeline, reference: str, by_name: Mapping[str, Pipeline]) -> str:
    other, _, step_id = reference.rpartition("/")
    owner = by_name.get(other) if other else pipeline
    if owner is None:
        raise InputError(f"there is no pipeline {other!r}", where=pipeline.name, hint="Run `helio check` for the details.")
    try:
        return asset_name(owner, owner.step(step_id))
    except KeyError:
        hint = "Run `helio check` for the details."
        raise InputError(f"pipeline {owner.name} has no step {step_id!r}", where=pipeline.name, hint=hint) from None


def _starts(
    pipelines: Iterable[Pipeline], nodes: Mapping[str, AssetNode], dataset_start: DatasetStart
) -> dict[Grain, datetime]:
    """The start of each grain's definition, early enough for all inputs of a partition from its pipeline's start on to exist.

    Inputs are whole partitions, so the search goes back to the start of each. The result does not depend on other pipelines.
    """
    first: dict[str, datetime] = {}
    for pipeline in pipelines:
        own = [nodes[asset_name(pipeline, step)] for step in pipeline.steps]
        start = pipeline.start or _data_start(own, nodes, dataset_start)
        for node in own:
            if node.grain is not None:
                first[node.name] = min(node.grain.floor(max(start, _EARLIEST)), first.get(node.name, LATEST))
    for name in reversed(list(nodes)):
        for parent in nodes[name].inputs.values():
            grain = nodes[parent].grain
            if grain is not None and name in first:
                reached = max(first[name] - nodes[name].lookback, _EARLIEST)
                first[parent] = min(first[parent], grain.floor(reached))
    starts: dict[Grain, datetime] = {}
    for name, begin in first.items():
        grain = nodes[name].grain
        if grain is not None:
            starts[grain] = min(begin, starts.get(grain, LATEST))
    for pipeline in pipelines:  # a pipeline of tables only has a grain but no partitions
        starts.setdefault(pipeline.partitions, pipeline.partitions.floor(pipeline.start or SPACE_AGE))
    return starts


def _data_start(own: Iterable[AssetNode], nodes: Mapping[str, AssetNode], dataset_start: DatasetStart) -> datetime:
    """Where the data of assets begin: the earliest dataset start, or the start of the space age if one is unknown."""
    wanted = {node.name for node in own}
    for name in reversed(list(nodes)):
        if name in wanted:
            wanted.update(nodes[name].inputs.values())
    fetches = [nodes[name].step.fetch for name in wanted]
    found = [dataset_start(fetch.archive, fetch.dataset) for fetch in fetches if fetch is not None]
    known = [start for start in found if start is not None]
    return min(known) if known and len(known) == len(found) else SPACE_AGE


def _sha(kind: str, version: int, body: Any) -> str:
    text = json.dumps([kind, version, body], sort_keys=True, default=str, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
