"""Build Dagster assets from pipelines: keys, partitions, descriptions, and whether a step failed."""

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import dagster as dg

from helio_dagster.assets.admission import ASSET_TAG
from helio_dagster.assets.checks import check_results, check_specs
from helio_dagster.assets.dagster_project import project_of
from helio_dagster.assets.expectation_checks import evaluations, expectation_specs
from helio_dagster.assets.failing import failure
from helio_dagster.assets.graph import AssetGraph, AssetNode, Expected
from helio_dagster.assets.materialize import Materializer, Request
from helio_dagster.assets.mounting import Mounting, column_lineage, freshness_of
from helio_dagster.assets.observing import build_files_assets
from helio_dagster.assets.outcomes import Outcome, usable_versions
from helio_dagster.assets.partitions import definition_of, partition_mapping
from helio_dagster.assets.recording import DagsterLedger, asset_key, quiet_result
from helio_dagster.assets.result_metas import column_schema, result_metas, type_fault
from helio_dagster.assets.run_scope import RunScope
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.table import TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.resources.dagster_internals import BACKFILL_ID_TAG

FORCE_TAG = "helio/force"
"""Run tag: `true` remakes every partition of the run."""
SPARED_TAG = "helio/spared"
"""Run tag: the partitions that `helio/force` does not remake as a JSON list, because they were remade just before."""
REFRESH_TAG = "helio/refresh"
"""Run tag: `true` asks the archive whether its files changed."""
SHOWN_TAG = "helio/shown"
"""Run tag: the range that figures show if it is shorter than the run's partitions; START/STOP in ISO 8601."""
EVENTS_TAG = "helio/events"
"""Run tag: the events of the run as a JSON list, if they are not all from its first to its last."""
OWN_RUN_TAG = "helio/pipeline"
"""Run tag of `helio run`: the pipeline that is run."""
BEGUN_BY_TAG = "helio/begun_by"
"""Run tag of `helio run`: the command line, Python, HTTP, or a conversation with its id."""
_MOST_LISTED = 20
_KINDS = {"fetch": "cdf", "compute": "pandas", "table": "table", "figure": "plotly"}


def build_assets(
    graph: AssetGraph,
    names: Iterable[str] | None = None,
    conditions: Mapping[str, dg.AutomationCondition[Any]] | None = None,
    mounting: Mounting | None = None,
) -> list[dg.AssetsDefinition]:
    """One Dagster asset per node, or per named node, and one for the files of each fetched dataset.

    Each is built once, however many pipelines share it. `conditions` says when Dagster requests an asset by itself, `mounting`
    what a project says of them; without it, the assets are those of one run.
    """
    wanted = list(graph.nodes if names is None else names)
    metas = result_metas(graph)
    shown = _Shown(
        graph, mounting or Mounting(), metas, freshness_of(graph) if mounting else {}, is_project=mounting is not None
    )
    assets = [_build_asset(shown, graph[name], metas[name], (conditions or {}).get(name)) for name in wanted]
    return [*assets, *build_files_assets(graph, wanted, shown.mounting)]


@dataclass(frozen=True)
class _Shown:
    """What an asset's definition is built from, beside the asset; a run needs nothing of what only a project's page shows."""

    graph: AssetGraph
    mounting: Mounting
    metas: Mapping[str, TableMeta]
    freshness: Mapping[str, dg.FreshnessPolicy]
    is_project: bool

    def metadata(self, node: AssetNode) -> dict[str, Any]:
        """The definition's metadata."""
        found = {**_definition_metadata(node, self.graph), **column_schema(self.metas[node.name])}
        if self.is_project:
            if node.fetch is None:  # fetched data are of no one pipeline
                found["page"] = dg.MetadataValue.url(f"/pipelines/{node.pipeline}")  # a path: `helio ui` serves both
            found |= {**column_lineage(node, self.metas), **self.mounting.place_of(node.name)}
            found |= {"dagster/storage_kind": "parquet"} if node.kind != "figure" else {}
        return found

    def type_of(self, node: AssetNode, meta: TableMeta) -> dg.DagsterType | None:
        """The type that a project shows of the results; a run stores them itself and returns none."""
        if not self.is_project:
            return None
        from helio_dagster.assets.result_types import result_type  # it imports pandas, for which a run need not wait

        return result_type(node, meta)


def _build_asset(
    shown: _Shown, node: AssetNode, meta: TableMeta, condition: dg.AutomationCondition[Any] | None
) -> dg.AssetsDefinition:
    graph, mounting = shown.graph, shown.mounting
    inputs = [graph[name] for name in dict.fromkeys(node.inputs.values())]
    mappings = {each.name: partition_mapping(node, each, is_of_run=not shown.is_project) for each in inputs}
    deps = [dg.AssetDep(asset_key(name), partition_mapping=mapping) for name, mapping in mappings.items()]
    deps += [dg.AssetDep(asset_key(name)) for name in node.project_names]  # mapped by what Dagster finds them partitioned by
    partitions = definition_of(node, graph)
    specs = expectation_specs(node, partitions)

    as_asset = dg.asset(
        key=asset_key(node.name),
        deps=[*deps, dg.AssetDep(asset_key(node.files))] if node.files else deps,
        partitions_def=partitions,
        code_version=node.code_version,
        group_name=re.sub(r"\W", "_", node.group),
        description=_description(node, graph),
        kinds={_KINDS[node.kind]},
        tags={**mounting.tags, "helio/step": node.kind},
        owners=list(mounting.owners) or None,
        metadata=shown.metadata(node),
        dagster_type=shown.type_of(node, meta),
        io_manager_key=mounting.io_manager,
        pool=_pool(node),
        backfill_policy=mounting.backfill_policy,
        freshness_policy=shown.freshness.get(node.name),
        check_specs=[*check_specs(node), *specs],
        automation_condition=condition,
        required_resource_keys={mounting.resource},
        op_tags={ASSET_TAG: node.name, **mounting.marks, **mounting.code_mark(node.name)},
    )

    def body(context: dg.AssetExecutionContext) -> Iterator[Any]:
        scope: RunScope = context.resources.original_resource_dict[mounting.resource]
        scope.admit(context, graph)
        ledger = DagsterLedger(context.instance, context)
        materializer = scope.materializer(graph, _request(context.run.tags), ledger, project_of(graph, context))
        keys: list[str | None] = _requested(context) if node.grain else [None]
        outcomes = materializer.materialize(node.name, keys, beside=_needed_later(graph, node, keys, scope, context))
        is_backfill = (
            BACKFILL_ID_TAG in context.run.tags
        )  # it counts only what its runs record; others' `eager()` would fire on it
        lists = [name for name in node.parted_lists if graph[name].grain is None]
        if is_backfill or (lists and OWN_RUN_TAG not in context.run.tags):
            ledger.repeat(node.name, [key for key, outcome in outcomes.items() if outcome.state == "reused"], lists=lists)
        yield from check_results(node, outcomes, lambda quality: type_fault(node, meta, quality))
        stopping: list[str] = []
        for spec, expected in zip(specs, node.expected, strict=True):
            verdicts = scope.judgements.of(node, expected, usable_versions(outcomes), shown=_shown(context.run.tags))
            yield from evaluations(node, expected, verdicts, context.instance)
            yield dg.Output(None, output_name=spec.get_python_identifier())
            scope.judgements.keep(node, expected, verdicts.values())
            if expected.expect.is_blocking and _is_for(expected, node, context):
                stopping += [f"{key}: {each.text}" for key, each in verdicts.items() if each.unmet]
        try:
            _judge(graph, node, outcomes, materializer.causes(), context)
            _stop(graph, node, stopping, context)
        except dg.Failure:
            _spare_reused(graph, keys, materializer, ledger, context)
            raise
        yield quiet_result()

    body.__signature__ = _BODY  # type: ignore[attr-defined]
    return as_asset(body)


def _pool(node: AssetNode) -> str | None:
    """The pool of an archive, so that a limit on it holds for the fetches of all runs."""
    return f"archive_{re.sub(r'[^A-Za-z0-9_]', '_', node.fetch.archive)}" if node.fetch is not None else None


_BODY = inspect.Signature([inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)])
"""The signature of all bodies, shared because Dagster inspects it a dozen times for each."""


def _request(tags: Mapping[str, str]) -> Request:
    return Request(
        force=tags.get(FORCE_TAG) == "true",
        refresh=tags.get(REFRESH_TAG) == "true",
        shown=_shown(tags),
        spared=frozenset(json.loads(tags.get(SPARED_TAG, "[]"))),
    )


def _requested(context: dg.AssetExecutionContext) -> list[str | None]:
    """The partitions of the run: of events only those that its tag names, where it has one."""
    named = context.run.tags.get(EVENTS_TAG)
    wanted = set(json.loads(named)) if named else None
    return [key for key in context.partition_keys if wanted is None or key in wanted]


def _shown(tags: Mapping[str, str]) -> TimeRange | None:
    start, _, stop = tags.get(SHOWN_TAG, "").partition("/")
    return TimeRange(datetime.fromisoformat(start), datetime.fromisoformat(stop)) if stop else None


def _needed_later(
    graph: AssetGraph, node: AssetNode, keys: Sequence[str | None], scope: RunScope, context: dg.AssetExecutionContext
) -> list[str | None]:
    """The partitions of an asset that later steps of the run will read, halos included.

    All partitioned assets of a run have its partitions. A table has none and must not be asked for them.
    """
    if node.grain is None:
        return []
    running = context.job_def.asset_layer.executable_asset_keys
    targets = {name: keys if each.grain else [None] for name, each in graph.nodes.items() if asset_key(name) in running}
    return scope.needed(graph, targets).get(node.name, [])


def _judge(
    graph: AssetGraph,
    node: AssetNode,
    outcomes: Mapping[str | None, Outcome],
    causes: Mapping[str, HelioError],
    context: dg.AssetExecutionContext,
) -> None:
    """Fail the step if none of its partitions was made, or if some are missing and no later critical step will report it.

    A failing step also stops everything downstream of its good partitions, so a partly successful step leaves it to the last
    critical steps of the run to fail. Dagster then shows exactly the partitions without an event as failed.
    """
    missing = {key: outcome for key, outcome in outcomes.items() if not outcome.is_usable}
    if not missing:
        return
    text = f"{node.name}: {len(missing)} of {counted(len(outcomes), 'partition')} not made:\n{_why(node, missing, causes)}"
    if not node.step.critical:
        context.log.warning(text)
        return
    running = context.job_def.asset_layer.executable_asset_keys
    is_followed = any(graph[child].step.critical and asset_key(child) in running for child in graph.children[node.name])
    if is_followed and len(missing) < len(outcomes):
        context.log.error(text)
        return
    errors = [*(outcome.error for outcome in missing.values()), *causes.values()]
    raise failure(context, text, errors, partitions=list(missing))


def _spare_reused(
    graph: AssetGraph,
    keys: Sequence[str | None],
    materializer: Materializer,
    ledger: DagsterLedger,
    context: dg.AssetExecutionContext,
) -> None:
    """Record what a run that fails has reused: Dagster shows as failed what was planned and has no event of the run."""
    if BACKFILL_ID_TAG in context.run.tags:
        return  # recorded already
    running = context.job_def.asset_layer.executable_asset_keys
    for name, node in graph.nodes.items():
        if asset_key(name) in running:
            ledger.repeat(name, materializer.reused(name, keys if node.grain else [None]))


def _is_for(expected: Expected, node: AssetNode, context: dg.AssetExecutionContext) -> bool:
    """Whether an expectation is of the pipeline that is run; of a fetch, other pipelines expect something too."""
    return node.kind != "fetch" or context.run.tags.get(OWN_RUN_TAG, expected.pipeline) == expected.pipeline


def _stop(graph: AssetGraph, node: AssetNode, stopping: Sequence[str], context: dg.AssetExecutionContext) -> None:
    """Fail the step if results that must not be read are read by no later critical step, which would skip them and fail."""
    running = context.job_def.asset_layer.executable_asset_keys
    is_followed = any(graph[child].step.critical and asset_key(child) in running for child in graph.children[node.name])
    if stopping and node.step.critical and not is_followed:
        listed = "\n".join(stopping[:_MOST_LISTED])
        raise failure(context, f"{len(stopping)} partitions of {node.name} are not as expected:\n{listed}", [])


def _why(node: AssetNode, missing: Mapping[str | None, Outcome], causes: Mapping[str, HelioError]) -> str:
    """A line for each missing partition, and what made the run fail if that was reported by another step."""
    lines = [
        f"{key or node.name}: {outcome.state}: {outcome.error.problem if outcome.error else 'unknown cause'}"
        for key, outcome in list(missing.items())[:_MOST_LISTED]
    ]
    said = {outcome.error.problem for outcome in missing.values() if outcome.error}
    for place, error in list(causes.items())[:_MOST_LISTED]:
        lines += [] if error.problem in said else [f"{place}: {error.problem}"]
        lines += [f"    {line}" for line in (*error.details.splitlines(), *error.hint.splitlines())]
    return "\n".join(lines)


def _description(node: AssetNode, graph: AssetGraph) -> str:
    fetch = node.fetch
    if fetch is not None:
        texts = [text for text in (node.described.parameter, node.described.dataset) if text] if node.described else []
        words = [f"{fetch.parameter} of {fetch.dataset} from {fetch.archive}", *texts, node.step.intent]
        return ". ".join(text.rstrip(". ") for text in words if text)
    if node.step.intent:
        return node.step.intent
    compute = node.step.compute
    return (
        graph.operation(compute.operation).summary if compute and compute.operation else f"Step {node.step.id} of {node.title}"
    )


def _definition_metadata(node: AssetNode, graph: AssetGraph) -> dict[str, Any]:
    step = node.step
    if step.fetch is not None:
        meta = node.described.meta if node.described else None
        stated = {"unit": meta.unit, "frame": meta.frame} if meta else {}
        fetched = {"archive": step.fetch.archive, "dataset": step.fetch.dataset, "parameter": step.fetch.parameter}
        return {**fetched, **{name: value for name, value in stated.items() if value}}
    found: dict[str, Any] = {"pipeline": node.pipeline, "step": step.id}
    if step.compute is not None and step.compute.operation is not None:
        operation = graph.operation(step.compute.operation)
        found |= {
            "operation": operation.id,
            "formula": operation.reference,
            "options": dg.MetadataValue.json(step.compute.options),
        }
    if step.compute is not None and step.compute.code is not None:
        found["code"] = dg.MetadataValue.md(f"```python\n{step.compute.code.rstrip()}\n```")
    if node.given is not None:
        found["source"] = node.given.source
    return found
