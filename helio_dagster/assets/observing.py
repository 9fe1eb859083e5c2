"""Build the observable source assets that represent the archive's files of a dataset."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import dagster as dg

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.mounting import Mounting
from helio_dagster.assets.partitions import definition_of_grain
from helio_dagster.assets.recording import DagsterLedger, asset_key
from helio_dagster.assets.run_scope import RunScope

_Body = Callable[[dg.AssetExecutionContext], Iterator[dg.ObserveResult]]


def build_files_assets(graph: AssetGraph, names: Iterable[str], mounting: Mounting) -> list[dg.AssetsDefinition]:
    """One source asset for each dataset and grain that the named assets fetch.

    Observing it compares the archive's listing with the files that stored partitions were made from: the run's partitions, or
    all stored ones in a run without partitions. Each difference is an observation with the new revision as data version.
    """
    fetches: dict[str, list[AssetNode]] = {}
    for name in names:
        if graph[name].files:
            fetches.setdefault(graph[name].files, []).append(graph[name])
    return [_files_asset(graph, name, nodes, mounting) for name, nodes in fetches.items()]


def _files_asset(graph: AssetGraph, name: str, nodes: Sequence[AssetNode], mounting: Mounting) -> dg.AssetsDefinition:
    fetch, grain = nodes[0].fetch, nodes[0].time_grain
    if fetch is None or grain is None:
        raise TypeError(f"{nodes[0].name} is not a fetch")

    spec = dg.AssetSpec(
        asset_key(name),
        group_name=re.sub(r"\W", "_", nodes[0].group),
        description=f"Files of {fetch.dataset} at {fetch.archive}: observed, never made.",
        metadata={"archive": fetch.archive, "dataset": fetch.dataset},
        tags={**mounting.tags, "helio/step": "files"},
        owners=mounting.owners,
        skippable=True,  # the body logs its own observations, by partition
    )

    as_observed: Callable[[_Body], dg.AssetsDefinition] = dg.multi_observable_source_asset(
        name=re.sub(r"\W", "_", name),
        specs=[spec],
        partitions_def=definition_of_grain(grain, graph),
        required_resource_keys={mounting.resource},
    )

    def body(context: dg.AssetExecutionContext) -> Iterator[dg.ObserveResult]:
        scope: RunScope = context.resources.original_resource_dict[mounting.resource]
        ledger = DagsterLedger(context.instance, context)
        has_keys = context.has_partition_key or context.has_partition_key_range
        errors = []
        for node in nodes:
            keys = context.partition_keys if has_keys else scope.workbench.store.partitions(node.name)
            errors += [drift for drift in scope.inspector.inspect(node, keys, ledger) if drift.error is not None]
        if errors and errors[0].error is not None:
            text = (
                f"{fetch.archive} could not list the files of {len(errors)} partitions, the first being {errors[0].partition}: "
            )
            raise dg.Failure(text + str(errors[0].error), allow_retries=False)
        yield from ()

    return as_observed(body)
