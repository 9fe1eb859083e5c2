"""Data with several axes as DataFrames and xarray Datasets, and back."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from helio_dagster.compute.dataframes import dataframe_to_table, record_array, table_to_dataframe
from helio_dagster.compute.datasets import table_to_dataset
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta


@pytest.fixture
def table() -> Table:
    """Six records over pitch angle and an energy that varies."""
    axes = (
        RecordAxis(
            name="pitch", label="Pitch angle", unit="deg", size=3, values=(18.0, 90.0, 162.0), widths=(36.0, 108.0, 36.0)
        ),
        RecordAxis(name="energy", label="Energy", unit="eV", scale="log", size=2, column="energy"),
    )
    columns = (ColumnMeta(name="flux", label="Flux", unit="cm^-2"), ColumnMeta(name="energy", unit="eV", role="bin"))
    meta = TableMeta(kind="nd", columns=columns, label="Flux", unit="cm^-2", axes=axes)
    values = np.arange(36, dtype="f4").reshape(6, 3, 2)
    values[2] = np.nan
    time = np.datetime64("2023-01-01", "ns") + np.arange(6) * np.timedelta64(4, "s")
    return Table(time, {"flux": values, "energy": np.arange(12.0).reshape(6, 2)}, meta)


def test_a_dataframe_holds_lists_over_the_same_memory(table: Table) -> None:
    """Nothing is copied, also in a part of the rows; NaN is not a missing record."""
    frame = table_to_dataframe(table)
    found = record_array(frame["flux"], (3, 2))
    assert np.shares_memory(found, table.columns["flux"])
    part = record_array(frame.loc["2023-01-01T00:00:04":"2023-01-01T00:00:12", "flux"], (3, 2))
    np.testing.assert_array_equal(part, table.columns["flux"][1:4])
    assert np.shares_memory(part, table.columns["flux"])


def test_pandas_can_cut_sort_and_join_them(table: Table) -> None:
    """And what comes of it is the table again."""
    frame = table_to_dataframe(table)
    mixed = pd.concat([frame.iloc[3:], frame.iloc[:3]])
    mixed.attrs = frame.attrs
    again = dataframe_to_table(mixed)
    assert again.meta == table.meta
    for name, values in table.columns.items():
        assert again.columns[name].tobytes() == values.tobytes()


def test_what_holds_no_lists_is_refused(table: Table) -> None:
    """With the name of the column."""
    frame = table_to_dataframe(table)
    with pytest.raises(ComputeError, match="'flux' does not hold lists"):
        record_array(pd.Series(np.arange(3.0), name="flux"))
    gap = frame["flux"].reindex(frame.index.union(frame.index + pd.Timedelta("1s")))
    with pytest.raises(ComputeError, match="does not hold lists"):
        record_array(gap)


def test_a_dataset_has_the_axes_as_coordinates(table: Table) -> None:
    """Values by name of the axis; units where xarray looks for them; what varies over time and bin."""
    dataset = table_to_dataset(table)
    assert dataset["flux"].dims == ("time", "pitch", "energy_number")
    assert np.shares_memory(dataset["flux"].values, table.columns["flux"])
    assert float(dataset["flux"].sel(pitch=100, method="nearest").isel(time=1, energy_number=1)) == 9.0
    np.testing.assert_array_equal(dataset["flux"].coords["energy"], table.columns["energy"])
    assert dataset["pitch_width"].values.tolist() == [36, 108, 36]
    assert (dataset["flux"].attrs["units"], dataset["pitch"].attrs["units"], dataset.attrs["kind"]) == ("cm^-2", "deg", "nd")
    np.testing.assert_array_equal(dataset["time"], table.time)


def test_without_xarray_it_says_what_to_install(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra that brings it."""
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(InputError, match="xarray is not installed") as caught:
        table_to_dataset(table)
    assert "helio-dagster[netcdf]" in caught.value.hint
