"""Dagster-pandas types of generated assets: series, curve, map, points, facts, events, as far as known before a run.

Bodies store their tables themselves and return nothing, so Dagster has no value to check: the `columns` check applies the
type to each table that is stored.
"""

from __future__ import annotations

import re

import dagster as dg
import pandas as pd
from dagster_pandas import PandasColumn, create_dagster_pandas_dataframe_type
from dagster_pandas.constraints import DataFrameConstraint, DataFrameConstraintViolationException

from helio_dagster.assets.dataframe_type import TimeInOrder
from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.recording import NO_VALUE
from helio_dagster.assets.result_metas import MOST_COLUMNS, SAMPLES, kind_of, kinds_allowed
from helio_dagster.domain.catalog_entry import has_names
from helio_dagster.domain.table import TableMeta
from helio_dagster.resources.dagster_internals import DagsterTypeKind

KIND = "kind"
"""The attribute of a data frame that says which kind of result it is."""


class OfKind(DataFrameConstraint):
    """The data frame is a result of one of these kinds."""

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self._kinds = kinds
        text = f"the result is of kind {' or '.join(kinds)}"
        super().__init__(error_description=text, markdown_description=text)

    def validate(self, dataframe: pd.DataFrame) -> None:
        """Check the kind that a data frame's attributes name.

        Raises
        ------
        DataFrameConstraintViolationException
            It is none of these kinds.
        """
        if dataframe.attrs.get(KIND) not in self._kinds:
            raise DataFrameConstraintViolationException(self.name, f"a result of kind {dataframe.attrs.get(KIND)}")


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
    kind = kind_of(node, meta)
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


def _constraints(kind: str | None) -> list[DataFrameConstraint]:
    allowed = kinds_allowed(kind)
    return [OfKind(allowed), *([TimeInOrder()] if allowed == SAMPLES else [])]
