"""Dagster-pandas types of generated assets: series, curve, map, points, facts, events, as far as known before a run.

Bodies store their tables themselves and return nothing, so Dagster has no value to check: the `columns` check applies the
type to each table that is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache

import dagster as dg
import pandas as pd
from dagster_pandas import PandasColumn, create_dagster_pandas_dataframe_type
from dagster_pandas.constraints import (
    ConstraintViolationException,
    DataFrameConstraint,
    DataFrameConstraintViolationException,
)
from dagster_pandas.validation import validate_constraints

from helio_dagster.assets.dataframe_type import TimeInOrder
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.outcomes import Quality
from helio_dagster.assets.recording import NO_VALUE
from helio_dagster.compute.operation import UNKNOWN_META
from helio_dagster.domain.catalog_entry import has_names
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.event_table import read_events
from helio_dagster.domain.table import TableMeta
from helio_dagster.resources.dagster_internals import DagsterTypeKind

KIND = "kind"
"""The attribute of a data frame that says which kind of result it is."""
MOST_COLUMNS = 16
"""Maximum number of columns that a type lists; a spectrogram has more."""
_SAMPLES = ("series", "vector", "spectrogram")


class OfKind(DataFrameConstraint):
    """The data frame is a result of one of these kinds."""

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self._kinds = kinds
        text = f"the result is of kind {' or '.join(kinds)}"
        super().__init__(error_description=text, markdown_description=text)

    def validate(self, dataframe: pd.DataFrame) -> None:
        """Raise unless the kind that the data frame's attributes name is one of them."""
        if dataframe.attrs.get(KIND) not in self._kinds:
            raise DataFrameConstraintViolationException(self.name, f"a result of kind {dataframe.attrs.get(KIND)}")


def result_metas(graph: AssetGraph) -> Mapping[str, TableMeta]:
    """Asset to the metadata of its results as far as known before a run; without columns where nothing is."""
    found: dict[str, TableMeta] = {}
    for name, node in graph.nodes.items():
        meta = UNKNOWN_META
        with suppress(HelioError):  # reported by the check, or by the run
            meta = _meta(node, graph, found)
        found[name] = meta
    return found


def result_type(node: AssetNode, meta: TableMeta) -> dg.DagsterType | None:
    """The type of an asset's results; None for a figure.

    Parameters
    ----------
    node
        The asset.
    meta
        Its entry of `result_metas`.
    """
    if node.kind == "figure":
        return None
    kind = _kind(node, meta)
    known = meta.columns[:MOST_COLUMNS] if has_names(meta) else ()
    lines = [f"{column.name}{f' ({column.unit})' if column.unit else ''}" for column in known]
    lines = ["time (UTC)", *lines] if lines else ["time (UTC)", f"columns in {meta.unit}" if meta.unit else "columns as made"]
    word = (kind or "samples").capitalize()
    found: dg.DagsterType = create_dagster_pandas_dataframe_type(
        f"{word}_{re.sub(r'[^A-Za-z0-9_]', '_', node.name)}",
        description=f"{word} of {node.name}: {', '.join(lines)}.",
        columns=[PandasColumn(column.name) for column in known],
        dataframe_constraints=_constraints(kind),
    )
    return dg.DagsterType(
        name=found.unique_name or word,
        type_check_fn=lambda context, value: value is NO_VALUE or found.type_check(context, value),
        description=found.description,
        typing_type=pd.DataFrame,
        kind=DagsterTypeKind.ANY,  # of a body that yields no value, Dagster then calls no IO manager, which would have nothing
    )


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
    """Why a stored table is not of its asset's type, by its form; empty if it is, or if it has no columns."""
    return _fault(quality.columns, quality.form.kind, _kind(node, meta)) if quality.form is not None else ""


@lru_cache(maxsize=256)
def _fault(columns: tuple[str, ...], kind: str, wanted: str | None) -> str:
    """Why a table with these columns is not of a type; cached: a millisecond, and the same for all partitions of an asset."""
    empty = pd.DataFrame(columns=list(columns), index=pd.DatetimeIndex([], tz="UTC"))
    empty.attrs[KIND] = kind
    try:
        validate_constraints(empty, dataframe_constraints=_constraints(wanted))
    except ConstraintViolationException as violation:
        return str(violation).splitlines()[0]
    return ""


def _constraints(kind: str | None) -> list[DataFrameConstraint]:
    """Of samples in time, the catalog may not know more than that; whether their times are in order is a check of its own."""
    is_samples = kind is None or kind in _SAMPLES
    return [OfKind(_SAMPLES if kind is None or is_samples else (kind,)), *([TimeInOrder()] if is_samples else [])]


def _kind(node: AssetNode, meta: TableMeta) -> str | None:
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
