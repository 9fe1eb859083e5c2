"""Values of assets of a Dagster project as tables: what is taken, and what is refused with one message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.compute.project_table import table_of_value
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import ProjectAsset
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

WHERE = "the asset a/b 2023-01-01"
INDEX = pd.DatetimeIndex(["2023-01-01T01:00", "2023-01-01T00:00"])


class Columns:
    """A table of another library, which knows pandas."""

    def to_pandas(self) -> pd.DataFrame:
        """As polars and Arrow have it."""
        return pd.DataFrame({"time": INDEX, "x": [2, 1]})


def table(value: Any, **said: Any) -> Table:
    """The value as a table, with what a step says of it."""
    return table_of_value(value, ProjectAsset(asset="a/b", **said), WHERE)


@pytest.mark.parametrize(
    "value",
    [
        pd.DataFrame({"x": [2, 1]}, index=INDEX),
        pd.DataFrame({"x": [2.0, 1.0]}, index=INDEX.tz_localize("UTC")),
        pd.DataFrame({"x": [2.0, 1.0]}, index=(INDEX + pd.Timedelta("2h")).tz_localize("Etc/GMT-2")),
        pd.DataFrame({"time": INDEX, "x": [2.0, 1.0]}),
        pd.DataFrame({"time": ["2023-01-01T01:00Z", "2023-01-01T00:00Z"], "x": [2.0, 1.0]}),
        pd.Series([2.0, 1.0], index=INDEX, name="x"),
        Columns(),
    ],
)
def test_tables_over_time_are_taken(value: Any) -> None:
    """In order of time, UTC, as numbers; whatever holds them."""
    found = table(value, unit="nT")
    assert list(found.time) == list(np.array(["2023-01-01T00:00", "2023-01-01T01:00"], dtype="datetime64[ns]"))
    assert list(found.columns["x"]) == [1.0, 2.0]
    assert found.columns["x"].dtype == np.float64
    assert (found.meta.kind, found.meta.unit) == ("series", "nT")


def test_the_step_says_what_the_columns_mean() -> None:
    """Units of single columns before the one of all; a frame; a column of times by its name."""
    value = pd.DataFrame({"moment": INDEX, "bx": [1, 2], "t": [3, None]})
    found = table(value, time="moment", unit="nT", units={"t": "deg K"}, frame="GSE")
    assert [(each.name, each.unit) for each in found.meta.columns] == [("bx", "nT"), ("t", "K")]
    assert (found.meta.kind, found.meta.unit, found.meta.frame) == ("vector", "", "GSE")
    assert np.isnan(found.columns["t"][0])


def test_what_helio_stored_says_so_itself() -> None:
    """The metadata of its own IO manager are kept, and what the step says counts more."""
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="x", unit="nT"),), unit="nT", frame="GSE", label="Bx")
    value = table_to_dataframe(Table(np.array(["2023-01-01"], dtype="datetime64[ns]"), {"x": np.ones(1)}, meta))
    assert table(value).meta == meta
    assert table(value, unit="pT").meta.unit == "pT"
    assert table(value, unit="pT").meta.label == "Bx"


@pytest.mark.parametrize(
    ("value", "said", "words"),
    [
        ([1, 2], {}, "is of type list, not a DataFrame"),
        (pd.DataFrame({"x": [1]}), {}, "has no times: its index is int64, its columns are x"),
        (pd.DataFrame({"x": [1]}), {"time": "t"}, "has no column 't' for the time"),
        (pd.DataFrame({"t": [1672531200], "x": [1]}), {"time": "t"}, "the times of the asset a/b 2023-01-01 are numbers"),
        (pd.DataFrame({"time": ["soon"], "x": [1]}), {}, "cannot be read"),
        (pd.DataFrame({"x": ["a", "b"]}, index=INDEX), {}, "x holds no numbers"),
        (pd.DataFrame({"x": [1j, 2j]}, index=INDEX), {}, "holds complex numbers"),
        (pd.DataFrame(index=INDEX), {}, "has times and no other columns"),
        (pd.DataFrame({"x": [1, 2]}, index=INDEX[[0, 0]]), {}, "it has two records at 2023-01-01T01:00"),
        (pd.DataFrame({"x": [1]}, index=pd.DatetimeIndex([None])), {}, "it has records without a time"),
        (
            pd.DataFrame({"x": [1, 2]}, index=INDEX),
            {"units": {"y": "nT"}},
            "has no column 'y', for which the step gives a unit",
        ),
    ],
)
def test_everything_else_is_refused(value: Any, said: dict[str, Any], words: str) -> None:
    """One message that names the asset, with what to do."""
    with pytest.raises(InputError) as caught:
        table(value, **said)
    assert words in caught.value.problem
    assert "a/b" in caught.value.problem
    assert caught.value.hint
