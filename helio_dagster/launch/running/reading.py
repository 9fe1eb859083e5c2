"""Read stored tables, whole or a partition at a time, and as DataFrames. Data that is not materialized is an error."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helio_dagster.assets.asset_names import asset_name, key_part
from helio_dagster.assets.graph import AssetGraph, AssetNode, fetch_node
from helio_dagster.assets.result_spans import asked_span, stored_spans
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.large_arrays import MOST_HELD_BYTES
from helio_dagster.domain.named_results import single_result_fault
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.span_key import span_key
from helio_dagster.domain.table import Table, concatenate
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.storage.tables import TableStore

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

_log = logging.getLogger(__name__)
_OTHER_CODE = (
    "%s: stored data were made by another version of its step, or for other `partitions:` (%d partitions, such as %s); "
    "`helio run` remakes them"
)


def find_asset(
    graph: AssetGraph, asset_or_step: str, pipeline: Pipeline | None = None, *, store: TableStore | None = None
) -> AssetNode:
    """Find an asset by its name, by `<pipeline>/<step>`, or by a step id of the given pipeline.

    A stored fetch is found even if no pipeline of the library has it.

    Raises
    ------
    InputError
        There is none; the hint lists the nearest names.
    """
    if pipeline is not None:
        return _step_of(graph, pipeline, asset_or_step)
    for name in (asset_or_step, "/".join(key_part(part) for part in asset_or_step.split("/"))):
        if name in graph.nodes:
            return graph[name]
        stored = fetch_node(name)
        if stored is not None and store is not None and store.has_asset(name):
            return stored
    owner, _, step = asset_or_step.partition("/")
    if owner in graph.pipelines:
        return _step_of(graph, graph.pipelines[owner], step)
    hint = remedy(asset_or_step, graph.nodes, what="assets")
    raise InputError(f"there is no asset {asset_or_step!r}", hint=hint)


def _step_of(graph: AssetGraph, pipeline: Pipeline, step_id: str) -> AssetNode:
    try:
        return graph[asset_name(pipeline, pipeline.step(step_id))]
    except KeyError:
        hint = remedy(step_id, [step.id for step in pipeline.nodes], what="its steps")
        raise InputError(f"pipeline {pipeline.name} has no step {step_id!r}", hint=hint) from None


@dataclass(frozen=True)
class StoredParts:
    """The stored partitions of an asset that a range is read from.

    Parameters
    ----------
    store, node
        The asset, and where its tables are.
    keys
        Its partitions in order of time; None stands for the whole of an asset without partitions.
    span
        The records that are wanted; None for all.
    """

    store: TableStore
    node: AssetNode
    keys: Sequence[str | None]
    span: TimeRange | None

    def tables(self) -> Iterator[Table]:
        """Each partition's records inside the range, one partition in memory at a time.

        Raises
        ------
        StorageError
            A stored file is damaged.
        """
        for key in self.keys:
            yield self._inside(self.store.read(self.node.name, key))

    def pieces(self) -> Iterator[Table]:
        """The same records; those of a partition over several axes that is very large in several tables. Raises as `tables`."""
        for key in self.keys:
            stored = self.store.peek(self.node.name, key)
            if stored is not None and stored.least_bytes > MOST_HELD_BYTES:
                yield from map(self._inside, self.store.parts(self.node.name, key))
            else:
                yield self._inside(self.store.read(self.node.name, key))

    def _inside(self, table: Table) -> Table:
        return table.clip(self.span) if self.span is not None else table


def find_parts(
    store: TableStore, node: AssetNode, span: TimeRange | None, keys: Sequence[str | None] | None = None
) -> StoredParts:
    """What a range of an asset is read from; None for the whole of a table, which has no partitions.

    With `keys`, these partitions instead of all that the range covers; events whole.

    Raises
    ------
    InputError
        The asset is a figure, or a partition of the range was never materialized.
    StorageError
        A stored file is damaged.
    """
    if node.kind == "figure":
        raise InputError(f"{node.name} is a figure and has no table", hint="Export one of the steps it draws.")
    if several := single_result_fault(node.step, node.pipeline):
        raise InputError(several[0], hint=several[1])
    if node.over == "range":
        return StoredParts(store, node, [_key_over_range(store, node, span)], None)
    cut = span if keys is None or node.events is None else None
    if keys is None:
        if node.grain is not None and span is None:
            raise InputError(f"{node.name} has partitions, so a range is needed", hint="Give START and STOP.")
        keys = list(node.grain.keys(span)) if node.grain is not None and span is not None else [None]
    stored = {key: store.peek(node.name, key) for key in keys}
    missing = [key for key, found in stored.items() if found is None]
    for key in missing:
        if store.has_file(node.name, key):
            store.read(node.name, key)  # raises with the reason
    if missing:
        shown = ", ".join(str(key) for key in missing[:5]) + (" …" if len(missing) > 5 else "")
        name = node.pipeline or "PIPELINE"
        when = f" {span.start:%Y-%m-%d} {span.stop:%Y-%m-%d}" if span else ""
        hint = f"Materialize it first: helio run {name}{when}"
        raise InputError(f"{node.name} is not materialized{'' if missing == [None] else f' for {shown}'}", hint=hint)
    other = [key for key, found in stored.items() if found and found.provenance.get("code") != node.code_version]
    if other and node.code_version:
        _log.warning(_OTHER_CODE, node.name, len(other), other[0] or "all of it")
    return StoredParts(store, node, keys, cut)


def read_table(store: TableStore, node: AssetNode, span: TimeRange | None) -> Table:
    """The stored records of an asset inside a range; raises as `find_parts`, and ComputeError if partitions do not fit."""
    return join_tables(node, find_parts(store, node, span).tables())


def join_tables(node: AssetNode, tables: Iterable[Table]) -> Table:
    """Consecutive partitions of an asset as one table.

    Raises
    ------
    ComputeError
        They differ in their columns, units or bins, or overlap.
    """
    try:
        return concatenate(list(tables), of_events=node.events is not None)
    except ValueError as error:
        raise unlike_parts(node, str(error)) from error


def unlike_parts(node: AssetNode, reason: str) -> ComputeError:
    """The error for partitions that are no single table."""
    hint = "Read shorter ranges." if node.events is None else "Take one event, with --event KEY, or a range that holds one."
    return ComputeError(f"partitions of {node.name} do not fit together: {reason}", hint=hint)


def _key_over_range(store: TableStore, node: AssetNode, span: TimeRange | None) -> str:
    """The key of the result over exactly a range; InputError where it was never made for that."""
    stored = stored_spans(node.name, store)
    span = span and asked_span(node, span)
    if span is None and len(stored) == 1:
        return span_key(stored[0])
    if span is not None and span in stored:
        return span_key(span)
    known = f" It is stored for {', '.join(str(each) for each in stored[:5])}." if stored else ""
    when = f" {format_time(span.start)} {format_time(span.stop)}" if span else " START STOP"
    problem = f"{node.name} has one result for exactly the range that was run" + (f", and none for {span}" if span else "")
    raise InputError(problem, hint=f"Make it first: helio run {node.pipeline}{when}.{known}")


def read_dataframe(store: TableStore, node: AssetNode, span: TimeRange) -> pd.DataFrame:
    """Like `read_table`, but as a DataFrame with a UTC index and unit, frame and label in `.attrs`."""
    from helio_dagster.compute.dataframes import table_to_dataframe  # loads pandas, which tables do without

    return table_to_dataframe(read_table(store, node, span))


def readable(table: Table) -> pd.DataFrame | xr.Dataset:
    """A table as people read it: a DataFrame, or where its records have several axes, an xarray Dataset."""
    if table.meta.kind == "nd":
        from helio_dagster.compute.datasets import table_to_dataset

        return table_to_dataset(table)
    from helio_dagster.compute.dataframes import table_to_dataframe

    return table_to_dataframe(table)
