"""Try one step on one partition in a temporary home: nothing is recorded and only downloads are kept."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from helio_dagster.assets.description import describe_table
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.memory_ledger import MemoryLedger
from helio_dagster.assets.outcomes import Materialization, Outcome
from helio_dagster.assets.result_spans import stored_key
from helio_dagster.assets.run_scope import build_materializer
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.named_tables import unpack_table
from helio_dagster.domain.table import Table, concatenate
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.settings import Settings


@dataclass(frozen=True)
class Tried:
    """What a step made of a partition, and the metadata that its materialization would have."""

    table: Table
    description: dict[str, Any]


@dataclass(frozen=True)
class Trial(Tried):
    """The result of trying a step on a partition.

    `results` are the named results of the step's code, empty where it has one; `is_twice_the_same` is None if the step has no
    code or there was nothing to compute. `inputs` are the tables it was made from, by the names that the step uses.
    """

    asset: str
    partition: str
    printed: str
    is_twice_the_same: bool | None
    inputs: Mapping[str, Table]
    results: Mapping[str, Tried]


def try_step(graph: AssetGraph, node: AssetNode, partition: str, workbench: Workbench) -> Trial:
    """Make a partition of a step, and everything it needs, in a temporary folder.

    Code is run twice more, in different environments, and must give the same result.

    Parameters
    ----------
    graph
        The graph, including the draft's pipeline.
    node
        A fetch or compute step.
    partition
        Its key.
    workbench
        The home's parts; only its download cache is written.

    Raises
    ------
    InputError
        The step is a figure or a table of events.
    HelioError
        Why the step, or one that it reads, failed.
    """
    if node.kind not in ("fetch", "compute") or node.grain is None:
        raise InputError(f"{node.name} is a {node.kind}", hint="Try a step that fetches or computes.")
    with tempfile.TemporaryDirectory(prefix="helio-try-") as folder:
        settings = _temporary_settings(workbench.settings, Path(folder))
        scratch = Workbench(settings, clock=workbench.clock, transfers=workbench.transfers, workers=workbench.workers)
        outcomes: dict[tuple[str, str | None], Outcome] = {}
        ledger = _DescribingLedger()
        try:
            materializer = build_materializer(
                graph, scratch, ledger, progress=lambda *each: outcomes.update({each[:2]: each[2]})
            )
            outcome = materializer.materialize(node.name, [partition])[partition]
            if outcome.error is not None:
                raise _first_cause(outcomes) or outcome.error
            table = scratch.store.read(node.name, stored_key(node, partition))
            inputs = {name: _read(graph, node, asset, partition, scratch) for name, asset in node.data_inputs.items()}
        finally:
            scratch.close()
    window = node.grain.window(partition)
    parts = {each.id: unpack_table(table, each.id) for each in node.step.named_results}
    words = ledger.metadata[node.name, partition]
    return Trial(
        table,
        describe_table(table, table.status, window),
        node.name,
        partition,
        str(words.get("printed", "")),
        True if words.get("is_twice_the_same") else None,
        inputs,
        {name: Tried(part, describe_table(part, part.status, window)) for name, part in parts.items()},
    )


class _DescribingLedger(MemoryLedger):
    """Also keeps the description of each partition."""

    def __init__(self) -> None:
        super().__init__()
        self.metadata: dict[tuple[str, str | None], Mapping[str, Any]] = {}

    def record(self, materialization: Materialization) -> None:
        """Keep one partition's record."""
        super().record(materialization)
        self.metadata[materialization.asset, materialization.partition] = materialization.metadata


def _temporary_settings(settings: Settings, folder: Path) -> Settings:
    """Settings of a separate home that shares the downloads."""
    settings.cache.mkdir(parents=True, exist_ok=True)
    (folder / "cache").symlink_to(settings.cache)
    return replace(settings, home=folder, tables=None)


def _first_cause(outcomes: dict[tuple[str, str | None], Outcome]) -> HelioError | None:
    return next((outcome.error for outcome in outcomes.values() if outcome.state == "failed"), None)


def _read(graph: AssetGraph, node: AssetNode, asset: str, partition: str, scratch: Workbench) -> Table:
    keys = graph.needs(node, partition, scratch.clock())[asset]
    tables = [scratch.store.read(asset, stored_key(graph[asset], key)) for key in keys]
    if graph[asset].grain is None or graph[asset].over == "range" or node.grain is None:
        return concatenate(tables)
    return concatenate([node.read_part(table, node.grain.window(partition)) for table in tables])
