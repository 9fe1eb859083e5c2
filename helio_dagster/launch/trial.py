"""One step tried on one partition beside the home: nothing is recorded, nothing stays but downloads."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from helio_dagster.assets.description import describe_table
from helio_dagster.assets.factory import build_materializer
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.memory_ledger import MemoryLedger
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.table import Table, concatenate
from helio_dagster.resources.workbench import Workbench
from helio_dagster.sandbox.determinism import check_determinism, differing_sandboxes
from helio_dagster.sandbox.static_check import check_code
from helio_dagster.storage.home import Settings


@dataclass(frozen=True)
class Trial:
    """What a step gave for a partition.

    `description` is what its materialization would say of it; `is_twice_the_same` is None of what is no code. `inputs` are the
    tables it was made of, by the names that the step has for them.
    """

    asset: str
    partition: str
    table: Table
    description: dict[str, Any]
    printed: str
    is_twice_the_same: bool | None
    inputs: Mapping[str, Table]


def try_step(graph: AssetGraph, node: AssetNode, partition: str, workbench: Workbench) -> Trial:
    """Make a partition of a step, and all that it needs, in a temporary folder.

    Code is run twice more on a sample, in surroundings that differ, and must give the same.

    Parameters
    ----------
    graph
        With the draft's pipeline in it.
    node
        A fetch or compute step.
    partition
        Its key.
    workbench
        The home's parts: downloads go to its cache, nothing else is written.

    Raises
    ------
    InputError
        The step is a figure or a table of events.
    HelioError
        What the step, or one that it reads, failed of.
    """
    if node.kind not in ("fetch", "compute") or node.grain is None:
        raise InputError(f"{node.name} is a {node.kind}", hint="Try a step that fetches or computes.")
    with tempfile.TemporaryDirectory(prefix="helio-try-") as folder:
        settings = _beside(workbench.settings, Path(folder))
        scratch = Workbench(settings, clock=workbench.clock, transfers=workbench.transfers)
        told: dict[tuple[str, str | None], Outcome] = {}
        ledger = _Remembering()
        try:
            materializer = build_materializer(graph, scratch, ledger, progress=lambda *each: told.update({each[:2]: each[2]}))
            outcome = materializer.materialize(node.name, [partition])[partition]
            if outcome.error is not None:
                raise _first_cause(told) or outcome.error
            table = scratch.store.read(node.name, partition)
            inputs = {name: _read(graph, node, asset, partition, scratch) for name, asset in node.inputs.items()}
            is_same = _require_twice_the_same(graph, node, inputs, scratch)
        finally:
            scratch.close()
    description = describe_table(table, table.status, node.grain.window(partition))
    return Trial(node.name, partition, table, description, ledger.printed.get((node.name, partition), ""), is_same, inputs)


class _Remembering(MemoryLedger):
    """Keeps what code printed, too."""

    def __init__(self) -> None:
        super().__init__()
        self.printed: dict[tuple[str, str | None], str] = {}

    def record(self, materialization: Any) -> None:
        """Remember one partition."""
        super().record(materialization)
        self.printed[materialization.asset, materialization.partition] = str(materialization.metadata.get("printed", ""))


def _beside(settings: Settings, folder: Path) -> Settings:
    """Settings of a home of its own that shares the downloads."""
    settings.cache.mkdir(parents=True, exist_ok=True)
    (folder / "cache").symlink_to(settings.cache)
    return replace(settings, home=folder)


def _first_cause(told: dict[tuple[str, str | None], Outcome]) -> HelioError | None:
    return next((outcome.error for outcome in told.values() if outcome.state == "failed"), None)


def _require_twice_the_same(graph: AssetGraph, node: AssetNode, inputs: Mapping[str, Table], scratch: Workbench) -> bool | None:
    compute = node.step.compute
    operation = graph.operation(compute.operation) if compute is not None and compute.operation is not None else None
    if compute is None or (operation is not None and not isinstance(operation, CodeOperation)):
        return None
    options: dict[str, Any] = {}
    if isinstance(operation, CodeOperation):
        inputs, options = operation.code_inputs(inputs), operation.code_options(operation.read_options(compute.options))
    body = operation.file.code if isinstance(operation, CodeOperation) else compute.code or ""
    if not len(next(iter(inputs.values()))):
        return None
    settings = scratch.settings
    one, other = differing_sandboxes(settings.code_limits, allow_weak=settings.allow_weak_sandbox, check_code=check_code)
    with one, other:
        frames = {name: table_to_dataframe(table) for name, table in inputs.items()}
        check_determinism(body, frames, name=node.step.id, options=options, sandboxes=(one, other))
    return True


def _read(graph: AssetGraph, node: AssetNode, asset: str, partition: str, scratch: Workbench) -> Table:
    keys = graph.needs(node, partition, scratch.clock())[asset]
    tables = [scratch.store.read(asset, key) for key in keys]
    if graph[asset].grain is None or node.grain is None:
        return concatenate(tables)
    reads = node.reads(node.grain.window(partition))
    return concatenate([table.clip(reads) for table in tables])
