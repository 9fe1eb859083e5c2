"""What results are, as far as known before a run: their columns and kind, and whether a stored table is of that kind."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import dagster as dg

from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.outcomes import Quality
from helio_dagster.compute.operation import UNKNOWN_META
from helio_dagster.domain.catalog_entry import has_names
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.event_table import read_events
from helio_dagster.domain.table import TableMeta

MOST_COLUMNS = 16
"""Maximum number of columns that a type lists; a spectrogram has more."""
SAMPLES = ("series", "vector", "spectrogram", "nd")


def result_metas(graph: AssetGraph) -> Mapping[str, TableMeta]:
    """Asset to the metadata of its results as far as known before a run; without columns where nothing is."""
    found: dict[str, TableMeta] = {}
    for name, node in graph.nodes.items():
        meta = UNKNOWN_META
        with suppress(HelioError):  # reported by the check, or by the run
            meta = _meta(node, graph, found)
        found[name] = meta
    return found


def column_schema(meta: TableMeta) -> dict[str, dg.TableSchemaMetadataValue]:
    """The columns that are known before a run, as the web UI shows them."""
    known = meta.columns[:MOST_COLUMNS] if has_names(meta) else ()
    if not known:
        return {}
    dtypes = {"stop": "timestamp[ns]", "id": "string", "count": "int64"}
    columns = [dg.TableColumn(each.name, dtypes.get(each.role, "float64"), description=each.unit) for each in known]
    schema = dg.TableSchema([dg.TableColumn("time", "timestamp[ns]", description="UTC"), *columns])
    return {"dagster/column_schema": dg.MetadataValue.table_schema(schema)}


def type_fault(node: AssetNode, meta: TableMeta, quality: Quality) -> str:
    """Why a stored table is not of its asset's type, by its form; empty if it is, or if it has no columns.

    Of samples in time, the catalog may not know more than that; whether their times are in order is a check of its own.
    """
    if quality.form is None or quality.form.kind in kinds_allowed(kind_of(node, meta)):
        return ""
    return f"a result of kind {quality.form.kind}"


def kinds_allowed(kind: str | None) -> tuple[str, ...]:
    """The kinds of result that pass for one that is known, or not known, before a run."""
    return SAMPLES if kind is None or kind in SAMPLES else (kind,)


def kind_of(node: AssetNode, meta: TableMeta) -> str | None:
    """The kind of an asset's results as far as known before a run."""
    if meta.columns:
        return meta.kind
    compute = node.step.compute
    if compute is not None and compute.results is not None:
        return "results"
    return compute.kind if compute is not None else "events" if node.kind == "table" else None


def _meta(node: AssetNode, graph: AssetGraph, metas: Mapping[str, TableMeta]) -> TableMeta:
    if node.step.fetch is not None and node.excluded:
        return metas[node.inputs["data"]]
    if node.step.fetch is not None:
        return (node.described.meta if node.described else None) or UNKNOWN_META
    if node.given is not None:
        return read_events(node.given).meta
    compute = node.step.compute
    if compute is None or compute.operation is None:
        return UNKNOWN_META
    operation = graph.operation(compute.operation)
    inputs = {name: metas[asset] for name, asset in node.data_inputs.items()}
    return operation.result_meta(inputs, operation.read_options(compute.options), node.step.id)
