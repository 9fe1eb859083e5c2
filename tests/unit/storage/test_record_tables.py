"""Tables whose records have axes, at rest."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.data_version import data_version
from helio_dagster.storage.tables import TableStore

SHAPE = (16, 8, 32)


@pytest.fixture(scope="module")
def distribution() -> Table:
    """Two hundred records of 16 KiB."""
    values = np.random.default_rng(3).poisson(2.0, (200, *SHAPE)).astype("f4")
    values[::7, 3] = np.nan
    energies = np.broadcast_to(np.geomspace(10, 1e4, 32).astype("f4"), (200, 32)) * (1 + np.arange(200)[:, None] % 2).astype(
        "f4"
    )
    axes = (
        RecordAxis(name="phi", size=16, values=tuple(np.arange(16.0))),
        RecordAxis(name="theta", size=8, values=(np.nan, *np.arange(7.0))),
        RecordAxis(name="energy", size=32, unit="eV", column="energy"),
    )
    columns = (ColumnMeta(name="f", unit="s^3 m^-6"), ColumnMeta(name="energy", unit="eV", role="bin"))
    time = np.datetime64("2023-01-01", "ns") + np.arange(200) * np.timedelta64(4_500, "ms")
    return Table(time, {"f": values, "energy": energies}, TableMeta(kind="nd", columns=columns, axes=axes))


def test_what_is_written_is_read_bit_for_bit(distribution: Table, store: TableStore) -> None:
    """Shape, type, axes, data version; the same bytes again."""
    stored = store.write("a", "k", distribution, {})
    again = store.read("a", "k")
    assert again.meta.axes[0] == distribution.meta.axes[0]
    for name, values in distribution.columns.items():
        assert (again.columns[name].dtype, again.columns[name].shape) == (values.dtype, values.shape)
        assert again.columns[name].tobytes() == values.tobytes()
    assert stored.data_version == data_version(distribution) == data_version(again)
    first = Path(stored.place).read_bytes()
    store.write("b", "k", again, {})
    assert store.content("b", "k") == first


def test_others_read_lists_of_the_right_length(distribution: Table, store: TableStore) -> None:
    """Parquet as pyarrow and pandas read it, without us."""
    path = Path(store.write("a", "k", distribution, {}).place)
    column = pq.read_table(path).column("f")
    assert (column.type.list_size, column.type.value_type) == (16 * 8 * 32, "float")
    frame = pd.read_parquet(path, columns=["f"])
    np.testing.assert_array_equal(np.stack(list(frame["f"])).reshape(-1, *SHAPE), distribution.columns["f"])


def test_a_slice_of_time_reads_its_groups_alone(distribution: Table, store: TableStore) -> None:
    """Groups are of 16 MiB, and of two the one that holds it is read."""
    time = np.datetime64("2023-01-01", "ns") + np.arange(1200) * np.timedelta64(1, "m")
    columns = {"f": np.zeros((1200, *SHAPE), dtype="f4"), "energy": np.ones((1200, 32), dtype="f4")}
    store.write("a", "k", Table(time, columns, distribution.meta), {})
    window = TimeRange(datetime(2023, 1, 1, 18, tzinfo=UTC), datetime(2023, 1, 1, 19, tzinfo=UTC))
    late = store.read_window("a", "k", window)
    assert late is not None
    assert len(late) == 1200 - (16 << 20) // (4 * (16 * 8 * 32 + 32))


def test_shape_counts_in_the_data_version(distribution: Table) -> None:
    """The same numbers along other axes are other data; so is one changed value; memory layout is not."""
    meta = distribution.meta
    flat = Table(
        distribution.time,
        {"f": distribution.columns["f"].reshape(200, 8, 16, 32), "energy": distribution.columns["energy"]},
        meta.model_copy(update={"axes": (meta.axes[1], meta.axes[0], meta.axes[2])}),
    )
    changed = distribution.columns["f"].copy()
    changed[199, 15, 7, 31] += 1
    strided = np.asfortranarray(distribution.columns["f"])
    with_values = [Table(distribution.time, {**distribution.columns, "f": values}, meta) for values in (changed, strided)]
    version = data_version(distribution)
    assert [data_version(each) == version for each in (flat, *with_values)] == [False, False, True]


def test_a_table_is_of_the_shape_that_it_says(distribution: Table) -> None:
    """Axes and values cannot disagree."""
    with pytest.raises(ValueError, match="a record of f has the shape"):
        Table(distribution.time, {**distribution.columns, "f": distribution.columns["f"][:, 0]}, distribution.meta)


def test_only_fills_are_all_fill(distribution: Table) -> None:
    """One valid value, wherever it is, is data."""
    values = np.full_like(distribution.columns["f"], np.nan)
    blank = Table(distribution.time, {"f": values, "energy": distribution.columns["energy"]}, distribution.meta)
    before = blank.status
    values[199, 15, 7, 31] = 0
    assert (before, blank.status) == ("all_fill", "data")
