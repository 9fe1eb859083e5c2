"""Tables as DataFrames and back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.compute.dataframes import dataframe_to_table, table_to_dataframe
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker


def _is_equal(first: Table, second: Any) -> Any:
    return (
        first.meta == second.meta
        and first.time.dtype == second.time.dtype
        and first.time.tobytes() == second.time.tobytes()
        and all(first.columns[name].dtype == second.columns[name].dtype for name in first.columns)
        and all(first.columns[name].tobytes() == second.columns[name].tobytes() for name in first.columns)
    )


def test_a_vector_survives_the_round_trip(vector: Table) -> None:
    """Bytes, dtypes and metadata."""
    assert _is_equal(dataframe_to_table(table_to_dataframe(vector)), vector)


def test_a_spectrogram_survives_the_round_trip(spectrogram: Table) -> None:
    """The bin axis too."""
    assert _is_equal(dataframe_to_table(table_to_dataframe(spectrogram)), spectrogram)


def test_an_empty_table_survives_the_round_trip(vector: Table) -> None:
    """Dtypes of no records."""
    table = Table.empty(vector.meta, dict.fromkeys(vector.columns, "float32"))
    assert _is_equal(dataframe_to_table(table_to_dataframe(table)), table)


def test_events_survive_the_round_trip(make_table: TableMaker) -> None:
    """Text and times as columns."""
    stops = np.array(["2023-01-02T01", "2023-01-02T02"], dtype="datetime64[ns]")
    table = make_table({"name": np.array(["shock", "cloud"]), "stop": stops}, kind="events")
    assert _is_equal(dataframe_to_table(table_to_dataframe(table)), table)


def test_the_index_is_utc_and_attrs_tell_units_and_frame(vector: Table) -> None:
    """What a notebook needs first."""
    dataframe = table_to_dataframe(vector)
    assert str(dataframe.index.dtype) == "datetime64[ns, UTC]"
    assert dataframe.index.name == "time"
    assert dataframe.attrs["units"] == {"bx": "nT", "by": "nT", "bz": "nT"}
    assert (dataframe.attrs["unit"], dataframe.attrs["frame"], dataframe.attrs["label"]) == ("nT", "GSE", "BGSEc")


def test_attrs_can_be_written_as_json(vector: Table) -> None:
    """Else pandas could not write the DataFrame to Parquet."""
    assert json.dumps(table_to_dataframe(vector).attrs)


def test_a_derived_dataframe_takes_its_columns_from_itself(vector: Table) -> None:
    """Metadata that no longer fit are not claimed; the synthetic mark stays."""
    derived = table_to_dataframe(vector)[["bx"]].rename(columns={"bx": "speed"})
    meta = dataframe_to_table(derived).meta
    assert (meta.kind, meta.data_names, meta.unit, meta.synthetic) == ("series", ("speed",), "", True)


def test_an_unsorted_index_in_another_zone_becomes_sorted_utc(make_table: TableMaker) -> None:
    """One record a time, in order."""
    index = pd.to_datetime(["2023-01-02T03:00", "2023-01-02T02:00"]).tz_localize("Etc/GMT-1")
    table = dataframe_to_table(pd.DataFrame({"v": [2.0, 1.0]}, index=index))
    assert table.time.tolist() == np.array(["2023-01-02T01", "2023-01-02T02"], dtype="datetime64[ns]").tolist()
    assert table.columns["v"].tolist() == [1.0, 2.0]


def test_a_coarser_index_becomes_nanoseconds() -> None:
    """Pandas may carry seconds."""
    index = pd.DatetimeIndex(np.array(["2023-01-02"], dtype="datetime64[s]"))
    assert dataframe_to_table(pd.DataFrame({"v": [1.0]}, index=index)).time.dtype == np.dtype("datetime64[ns]")


def test_nullable_columns_become_nan() -> None:
    """A table knows no other missing value."""
    index = pd.DatetimeIndex(["2023-01-02", "2023-01-03"])
    table = dataframe_to_table(pd.DataFrame({"v": pd.array([1, None], dtype="Int64")}, index=index))
    np.testing.assert_array_equal(table.columns["v"], [1.0, np.nan])


_TWICE = pd.DatetimeIndex(["2023-01-02", "2023-01-02"])


@pytest.mark.parametrize(
    ("dataframe", "problem"),
    [
        (pd.DataFrame({"v": [1.0]}), "not by time"),
        (pd.DataFrame({"v": [1.0]}, index=pd.DatetimeIndex([pd.NaT])), "without a time"),
        (pd.DataFrame({"v": [1.0, 2.0]}, index=_TWICE), "two records at 2023-01-02"),
        (pd.DataFrame([[1.0, 2.0]], columns=["v", "v"], index=_TWICE[:1]), "two columns"),
    ],
)
def test_what_is_no_table_is_refused(dataframe: Any, problem: str) -> None:
    """With what to do about it."""
    with pytest.raises(ComputeError, match=problem) as caught:
        dataframe_to_table(dataframe)
    assert caught.value.hint


def test_other_columns_than_asked_for_are_refused(vector: Table) -> None:
    """A step's result must be what its metadata say."""
    with pytest.raises(ComputeError, match="bx, by"):
        dataframe_to_table(table_to_dataframe(vector)[["bx", "by"]], vector.meta)
