"""Build one graph of assets from all pipelines: names, inputs, halos, code versions, starts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial, reduce
from graphlib import TopologicalSorter
from typing import Any, Literal

from helio_dagster.assets.asset_names import asset_name, fetch_name, files_name
from helio_dagster.assets.excluded_parts import with_exclusions
from helio_dagster.assets.graph import EXCLUDED_INPUT, AssetGraph, AssetNode, Expected, GetOperation, ReadListOf, events_of
from helio_dagster.assets.spacecraft import spacecraft_of_figure
from helio_dagster.assets.stored_events import StoredEvents, no_stored_events
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.catalog_entry import FetchDescription
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.event_check import no_lists
from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.domain.event_table import event_source
from helio_dagster.domain.exclusions import Exclusion, exclusion_of_list
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Compute, EventWindows, Fetch, NamedResult, Pipeline, Step
from helio_dagster.domain.time_range import LATEST
from helio_dagster.resources.record_tags import EXPECTED

FETCH_VERSION = 5
"""Increase whenever the same archive files can yield a different table."""
FIGURE_VERSION = 7
"""Increase whenever the same tables can yield a different figure."""
SPACE_AGE = datetime(1960, 1, 1, tzinfo=UTC)
"""Where partitions begin if neither the pipeline nor the catalog says."""

_EARLIEST = SPACE_AGE - timedelta(days=3660)
"""No partition begins earlier, however many halos add up."""

DatasetStart = Callable[[str, str], datetime | None]


def build_graph(
    pipelines: Iterable[Pipeline],
    dataset_start: DatasetStart,
    describe: Callable[[str, str, str], FetchDescription | None] | None = None,
    operation: GetOperation = get_operation,
    read_list: ReadListOf = no_lists,
    stored: StoredEvents = no_stored_events,
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
    read_list
        Reads a list of events beside the pipelines.
    stored
        Reads the events that a pipeline computed.

    Raises
    ------
    InputError, EventTableError
        The events of a list cannot be read, or make no partitions.
    """
    by_name = {pipeline.name: pipeline for pipeline in pipelines}
    nodes: dict[str, AssetNode] = {}
    events: dict[str, EventPartitions] = {}
    for pipeline in sorted(by_name.values(), key=lambda each: each.is_over_events):  # those that compute lists first
        if isinstance(pipeline.partitions, EventWindows):
            events[pipeline.name] = events_of(pipeline, pipeline.partitions, by_name, nodes, read_list, stored)
        for step in pipeline.nodes:
            node = _build_node(pipeline, step, by_name, operation, events.get(pipeline.name), read_list)
            if isinstance(step, NamedResult):  # other code is another version of each of its results
                made_by = nodes[node.inputs["code"]].code_version
                node = replace(node, code_version=_sha("result", 1, [node.code_version, made_by]))
            nodes.setdefault(node.name, node)
            if step.fetch and step.exclude:
                shared = _fetch_node(pipeline, step.model_copy(update={"exclude": None}), step.fetch)
                nodes.setdefault(shared.name, shared)
    order = TopologicalSorter({name: tuple(node.inputs.values()) for name, node in sorted(nodes.items())}).static_order()
    ordered = {name: _with_description(nodes[name], describe) for name in order}
    ordered = _with_expectations(with_exclusions(_with_ranges(ordered)), by_name.values())
    ordered = {name: _with_spacecraft(node, ordered) for name, node in ordered.items()}
    starts = _starts(by_name.values(), ordered, dataset_start)
    graph = AssetGraph(ordered, starts, by_name, operation, events, read_list, stored)
    return reduce(AssetGraph.opened, (pipeline for pipeline in by_name.values() if pipeline.open), graph)


def _with_ranges(nodes: Mapping[str, AssetNode]) -> dict[str, AssetNode]:
    """Figures over events of what is over a range are over that range too."""
    found: dict[str, AssetNode] = {}
    for name, node in nodes.items():
        is_over_range = (
            node.kind == "figure" and node.events and any(found[each].over == "range" for each in node.inputs.values())
        )
        found[name] = replace(node, over="range") if is_over_range else node
    return found


def _with_spacecraft(node: AssetNode, nodes: Mapping[str, AssetNode]) -> AssetNode:
    """A figure that names spacecraft is another where they are called differently."""
    spacecraft = spacecraft_of_figure(nodes, node)
    if not spacecraft:
        return node
    return replace(node, spacecraft=spacecraft, code_version=_sha("figure", FIGURE_VERSION, [node.code_version, spacecraft]))


def _with_expectations(nodes: Mapping[str, AssetNode], pipelines: Iterable[Pipeline]) -> dict[str, AssetNode]:
    """What all pipelines expect of their steps; a fetch that they share has a check for each."""
    found = dict(nodes)
    for pipeline in pipelines:
        for step in pipeline.nodes:
            if step.expect is not None:
                name = asset_name(pipeline, step)
                check = f"{EXPECTED}_{pipeline.name}_{step.id}" if found[name].fetch else EXPECTED
                expected = Expected(pipeline.name, step.id, step.expect, check)
                found[name] = replace(found[name], expected=(*found[name].expected, expected))
    return found


def _with_description(node: AssetNode, describe: Callable[[str, str, str], FetchDescription | None] | None) -> AssetNode:
    fetch = node.fetch
    return replace(node, described=describe(fetch.archive, fetch.dataset, fetch.parameter)) if fetch and describe else node


def _build_node(
    pipeline: Pipeline,
    step: Step,
    by_name: Mapping[str, Pipeline],
    get_operation: GetOperation,
    events: EventPartitions | None,
    read_list: ReadListOf,
) -> AssetNode:
    partitions = events or pipeline.grain
    name = asset_name(pipeline, step)
    if step.fetch and not step.exclude:
        return _fetch_node(pipeline, step, step.fetch)
    references = dict.fromkeys(reference for _, reference in step.references)
    resolved = {reference: _resolve(pipeline, reference, by_name) for reference in references}
    title = pipeline.title or pipeline.name
    excluded = {EXCLUDED_INPUT + reference: resolved[reference] for _, reference in step.exclusions}
    if step.fetch:
        inputs = {"data": fetch_name(step.fetch, pipeline.grain), **excluded}
        code = _sha("exclude", 1, [inputs, *_unusual(pipeline)])
        node = AssetNode(name, pipeline.name, partitions, step, pipeline.name, title, inputs, code_version=code)
        return replace(node, excluded=_exclusions(step, resolved, by_name, pipeline, read_list, get_operation))
    if given := event_source(step, partial(read_list, pipeline.name)):
        code = _sha("table", 1, given.model_dump())
        return AssetNode(name, pipeline.name, None, step, pipeline.name, title, code_version=code, given=given)
    if step.figure:
        code = _sha(
            "figure",
            FIGURE_VERSION,
            [step.figure.model_dump(mode="json", exclude={"print"}), title, resolved, *_unusual(pipeline)],
        )
        return AssetNode(name, pipeline.name, partitions, step, pipeline.name, title, resolved, code_version=code)
    assert step.compute is not None  # noqa: S101 - the model allows no fifth kind
    compute = step.compute
    inputs = {input_name: resolved[reference] for input_name, reference in compute.step_inputs.items()} | excluded
    project = compute.project_inputs
    lookback, lookahead = _halo(compute, get_operation)
    if compute.operation is not None:
        operation = get_operation(compute.operation)
        options = operation.read_options(compute.options)
        body: Any = [*operation.identity, options.model_dump(mode="json"), step.id]
    elif isinstance(step, NamedResult):
        body = ["result", step.id]
    elif compute.results is not None:
        body = [compute.code, [[name, result.model_dump()] for name, result in compute.results.items()]]
    else:
        body = [compute.code, compute.unit, compute.frame]
        body += [{"kind": compute.kind, "units": compute.units}] if compute.kind or compute.units else []
    over: Literal["partition", "range"] = "range" if step.over == "range" else "partition"
    if over == "range":
        lookback = lookahead = timedelta(0)
    unusual: list[Any] = [*_unusual(pipeline), *([over] if over == "range" else [])]
    unusual += [{name: each.model_dump(mode="json") for name, each in project.items()}] if project else []
    code = _sha("compute", 1, [body, inputs, lookback.total_seconds(), lookahead.total_seconds(), *unusual])
    node = AssetNode(name, pipeline.name, partitions, step, pipeline.name, title, inputs, lookback, lookahead, code)
    excluding = _exclusions(step, resolved, by_name, pipeline, read_list, get_operation)
    return replace(node, over=over, excluded=excluding, project=project)


def _fetch_node(pipeline: Pipeline, step: Step, fetch: Fetch) -> AssetNode:
    code = _sha("fetch", FETCH_VERSION, fetch.model_dump())
    group, files = re.sub(r"\W", "_", fetch.archive), files_name(fetch, pipeline.grain)
    return AssetNode(fetch_name(fetch, pipeline.grain), group, pipeline.grain, step, code_version=code, files=files)


def _halo(compute: Compute, get_operation: GetOperation) -> tuple[timedelta, timedelta]:
    """How far before and after its partition a step reads."""
    if compute.operation is None:
        return compute.lookback or timedelta(0), compute.lookahead or timedelta(0)
    operation = get_operation(compute.operation)
    return operation.halo(operation.read_options(compute.options))


def _exclusions(
    step: Step,
    resolved: Mapping[str, str],
    by_name: Mapping[str, Pipeline],
    pipeline: Pipeline,
    read_list: ReadListOf,
    get_operation: GetOperation,
) -> dict[str, Exclusion]:
    """Asset of each list of excluded intervals to what it excludes."""
    found = {}
    for _, reference in step.exclusions:
        other, _, step_id = reference.rpartition("/")
        owner = by_name[other] if other else pipeline
        listing = owner.step(step_id)
        listing = owner.step(listing.made_by) if isinstance(listing, NamedResult) else listing
        if given := event_source(listing, partial(read_list, owner.name)):
            found[resolved[reference]] = exclusion_of_list(given, reference)
        else:
            reach = _halo(listing.compute, get_operation)[1] if listing.compute else timedelta(0)
            found[resolved[reference]] = Exclusion(None, reach)
    return found


def _unusual(pipeline: Pipeline) -> list[str]:
    """The grain, unless it is daily: partitions of two grains can share a key and must not be confused."""
    if isinstance(pipeline.partitions, EventWindows):
        return ["event"]
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
        own = [nodes[asset_name(pipeline, step)] for step in pipeline.nodes]
        start = pipeline.start or _data_start(own, nodes, dataset_start)
        for node in own:
            if node.events is not None and (earliest := node.events.earliest):
                first[node.name] = earliest
            elif node.time_grain is not None:
                first[node.name] = min(node.time_grain.floor(max(start, _EARLIEST)), first.get(node.name, LATEST))
    for name in reversed(list(nodes)):
        for parent in nodes[name].inputs.values():
            grain = nodes[parent].grain
            events = nodes[name].events
            if grain is not None and name in first and not (events and events.list_asset == parent):
                reached = max(first[name] - nodes[name].lookback, _EARLIEST)
                first[parent] = min(first.get(parent, LATEST), grain.floor(reached))
    starts: dict[Grain, datetime] = {}
    for name, begin in first.items():
        grain = nodes[name].time_grain
        if grain is not None:
            starts[grain] = min(begin, starts.get(grain, LATEST))
    for pipeline in pipelines:  # a pipeline of tables only has a grain but no partitions
        starts.setdefault(pipeline.grain, pipeline.grain.floor(pipeline.start or SPACE_AGE))
    return starts


def _data_start(own: Iterable[AssetNode], nodes: Mapping[str, AssetNode], dataset_start: DatasetStart) -> datetime:
    """Where the data of assets begin: the earliest dataset start, or the start of the space age if one is unknown."""
    wanted = {node.name for node in own}
    for name in reversed(list(nodes)):
        if name in wanted:
            wanted.update(nodes[name].inputs.values())
    fetches = [nodes[name].fetch for name in wanted]
    found = [dataset_start(fetch.archive, fetch.dataset) for fetch in fetches if fetch is not None]
    known = [start for start in found if start is not None]
    return min(known) if known and len(known) == len(found) else SPACE_AGE


def _sha(kind: str, version: int, body: Any) -> str:
    text = json.dumps([kind, version, body], sort_keys=True, default=str, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
