"""Columns against their dagster-pandas type."""

from __future__ import annotations

import dagster as dg
import numpy as np
import pandas as pd
import pytest

from helio_dagster.assets.checks import column_fault, table_type
from helio_dagster.domain.table import ColumnMeta, TableMeta

META = TableMeta(kind="series", columns=(ColumnMeta(name="b", unit="nT"),), unit="nT", label="B")
TIME = np.datetime64("2023-01-02", "ns") + np.arange(3) * np.timedelta64(1, "m")


def test_wanted_columns_are_no_fault() -> None:
    """Nothing to say."""
    assert column_fault(["bx", "by"], ["bx", "by"]) == ""


@pytest.mark.parametrize("columns", [["bx"], ["by", "bx"], ["bx", "by", "bz"], ["bx", "B_Y"]])
def test_other_columns_are_a_fault(columns: list[str]) -> None:
    """Missing, reordered, further or renamed ones."""
    assert column_fault(columns, ["bx", "by"])


@pytest.mark.parametrize(
    ("dataframe", "fits"),
    [
        (pd.DataFrame({"time": TIME, "b": np.zeros(3)}), True),
        (pd.DataFrame({"time": TIME, "c": np.zeros(3)}), False),
        (pd.DataFrame({"time": TIME[::-1], "b": np.zeros(3)}), False),
        (pd.DataFrame({"b": np.zeros(3)}), False),
    ],
)
def test_the_dagster_type_takes_just_such_data_frames(dataframe: pd.DataFrame, fits: bool) -> None:
    """For assets of one's own that declare it: other columns or unordered times are refused."""
    kind = table_type(META, "BTable")
    with dg.DagsterInstance.ephemeral() as instance, dg.build_op_context(instance=instance) as context:
        checked = kind.type_check(context, dataframe)
    assert checked.success is fits
