"""Asset checks of what a run made: coverage, order of time, fill, and columns against their dagster-pandas type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg
import pandas as pd
from dagster_pandas import PandasColumn, create_dagster_pandas_dataframe_type
from dagster_pandas.constraints import (
    ConstraintViolationException,
    DataFrameConstraint,
    DataFrameConstraintViolationException,
    StrictColumnsConstraint,
)

from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.recording import asset_key
from helio_dagster.domain.coverage import coverage
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.storage.table_cache import TableCache

CHECKS = {
    "coverage": "Whether the partitions hold data at all, and how much of their time it covers",
    "time_in_order": "Whether time is unique and increasing within each partition",
    "not_all_fill": "Whether the partitions with records hold any valid value",
    "columns": "Whether the columns are those of the table's type",
}
_MOST_LISTED = 20


def check_specs(node: AssetNode) -> list[dg.AssetCheckSpec]:
    """The checks of a fetched or computed asset; none of them blocks what comes after."""
    if node.kind not in ("fetch", "compute"):
        return []
    return [dg.AssetCheckSpec(name, asset=asset_key(node.name), description=text) for name, text in CHECKS.items()]


def check_results(node: AssetNode, outcomes: Mapping[str | None, Outcome], tables: TableCache) -> Iterator[dg.AssetCheckResult]:
    """One result per check over all partitions of the run that were made or reused."""
    if not check_specs(node):
        return
    covered: dict[str, float] = {}
    unordered: list[str] = []
    faults: list[str] = []
    fault_of: dict[object, str] = {}
    for key, outcome in outcomes.items():
        if not outcome.is_usable or key is None or node.grain is None:
            continue
        if outcome.state == "reused" or outcome.data_version is None:
            continue
        table = tables.read(node.name, key, outcome.data_version)
        covered[key] = coverage(table, node.grain.window(key))
        if not (table.time[1:] > table.time[:-1]).all():
            unordered.append(key)
        form = tuple((name, values.dtype) for name, values in table.columns.items())
        if form not in fault_of:  # the order of time apart, the type looks at nothing else
            fault_of[form] = column_fault(table)
        if fault_of[form]:
            faults.append(f"{key}: {fault_of[form]}")
    empty = [str(key) for key, outcome in outcomes.items() if outcome.status == "empty"]
    all_fill = [str(key) for key, outcome in outcomes.items() if outcome.status == "all_fill"]
    failed = [str(key) for key, outcome in outcomes.items() if not outcome.is_usable]
    mean = round(sum(covered.values()) / len(covered), 4) if covered else None
    yield _result(node, "coverage", [*empty, *failed], mean_coverage=mean, empty=len(empty), failed=len(failed))
    yield _result(node, "time_in_order", unordered, is_error=True)
    yield _result(node, "not_all_fill", all_fill)
    yield _result(node, "columns", faults, is_error=True)


class TimeInOrder(DataFrameConstraint):
    """The time column is `datetime64[ns]`, unique and increasing."""

    def __init__(self) -> None:
        text = "time is datetime64[ns], unique and increasing"
        super().__init__(error_description=text, markdown_description=text)

    def validate(self, dataframe: pd.DataFrame) -> None:
        """Raise where it is not."""
        time = dataframe["time"].to_numpy()
        if time.dtype != "datetime64[ns]" or not (time[1:] > time[:-1]).all():
            raise DataFrameConstraintViolationException(self.name, self.error_description)


def column_fault(table: Table) -> str:
    """What the table's dagster-pandas type has against it; empty where nothing."""
    dataframe = _with_time(table)
    try:
        for constraint in _constraints(table.meta):
            constraint.validate(dataframe)
    except ConstraintViolationException as violation:
        return str(violation).splitlines()[0]
    return ""


def table_type(meta: TableMeta, name: str = "HelioTable") -> dg.DagsterType:
    """The dagster-pandas type of tables with this metadata: for an asset of one's own that takes or yields one.

    The data frame has a `time` column, unique and increasing, and just the columns of the metadata, numeric unless it holds
    events.
    """
    columns = [PandasColumn(column.name) for column in meta.columns]
    found: dg.DagsterType = create_dagster_pandas_dataframe_type(
        name,
        description=f"{meta.label or meta.kind}{f' in {meta.unit}' if meta.unit else ''}",
        columns=[PandasColumn("time"), *columns],
        dataframe_constraints=_constraints(meta),
    )
    return found


def _constraints(meta: TableMeta) -> list[DataFrameConstraint]:
    names = ["time", *(column.name for column in meta.columns)]
    return [StrictColumnsConstraint(names, enforce_ordering=True), TimeInOrder()]


def _with_time(table: Table) -> pd.DataFrame:
    return pd.DataFrame({"time": table.time, **table.columns}, copy=False)


def _result(
    node: AssetNode, check: str, concerned: Sequence[str], *, is_error: bool = False, **facts: Any
) -> dg.AssetCheckResult:
    listed: dict[str, Any] = {name: value for name, value in facts.items() if value is not None}
    if concerned:
        listed["partitions"] = ", ".join(concerned[:_MOST_LISTED]) + (" …" if len(concerned) > _MOST_LISTED else "")
    return dg.AssetCheckResult(
        asset_key=asset_key(node.name),
        check_name=check,
        passed=not concerned,
        severity=dg.AssetCheckSeverity.ERROR if is_error else dg.AssetCheckSeverity.WARN,
        metadata=listed,
    )
