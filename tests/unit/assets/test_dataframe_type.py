"""Data frames against their dagster-pandas type."""

from __future__ import annotations

import dagster as dg
import numpy as np
import pandas as pd
import pytest

from helio_dagster.assets.dataframe_type import column_fault, dataframe_type

TIME = pd.date_range("2023-01-02", periods=3, freq="min", tz="UTC")


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
        (pd.DataFrame({"b": np.zeros(3)}, index=TIME), True),
        (pd.DataFrame({"c": np.zeros(3)}, index=TIME), False),
        (pd.DataFrame({"b": np.zeros(3), "c": 0.0}, index=TIME), False),
        (pd.DataFrame({"b": np.zeros(3)}, index=TIME[::-1]), False),
        (pd.DataFrame({"b": np.zeros(3)}, index=TIME.tz_localize(None)), False),
        (pd.DataFrame({"b": np.zeros(3)}), False),
    ],
)
def test_the_dagster_type_takes_just_such_data_frames(dataframe: pd.DataFrame, fits: bool) -> None:
    """For assets of one's own that declare it: other columns or unordered times are refused."""
    kind = dataframe_type("BTable", ["b"])
    with dg.DagsterInstance.ephemeral() as instance, dg.build_op_context(instance=instance) as context:
        checked = kind.type_check(context, dataframe)
    assert checked.success is fits
