"""Several tables in one, and back."""

from __future__ import annotations

import numpy as np
import pytest

from helio_dagster.domain.extent import Extents
from helio_dagster.domain.named_tables import pack_tables, unpack_table
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.storage.data_version import data_version

START = np.datetime64("2024-01-01", "ns")
TIMES = START + np.arange(3) * np.timedelta64(1, "h")
SERIES = Table(
    TIMES,
    {"x": np.array([1.0, np.nan, 3.0])},
    TableMeta(kind="series", columns=(ColumnMeta(name="x", unit="nT"),), unit="nT", frame="GSE", synthetic=True),
)
STOPS = np.array(["2024-01-01T02", "NaT"], dtype="datetime64[ns]")
EVENTS = Table(TIMES[:2], {"stop": STOPS}, TableMeta(kind="events", columns=(ColumnMeta(name="stop", role="stop"),)))
CURVE = Table(
    np.full(1, START),
    {"f": np.array([0.5]), "p": np.array([2.0])},
    TableMeta(kind="curve", columns=(ColumnMeta(name="f", role="axis"), ColumnMeta(name="p")), bins=BinAxis(label="f")),
)
FACTS = Table(
    np.full(1, START),
    {"r": np.array([0.8]), "pairs": np.array([12])},
    TableMeta(kind="facts", columns=(ColumnMeta(name="r"), ColumnMeta(name="pairs", role="count"))),
)
NONE = Table.empty(EVENTS.meta, EVENTS.meta.dtypes)
UNCALLED = Table.empty(TableMeta(kind="series", columns=(), unit="nT"))


@pytest.mark.parametrize(
    "tables",
    [{"a": SERIES, "b": EVENTS, "c": CURVE, "d": NONE, "n": FACTS}, {"d": NONE}, {"e": UNCALLED, "f": UNCALLED}],
    ids=["of every length", "without rows", "of code that was not called"],
)
def test_each_table_comes_back_bit_for_bit(tables: dict[str, Table]) -> None:
    """By its data version, which covers names, dtypes, units, bins and values; all rows are at the start of the window."""
    packed = pack_tables(tables, START)
    assert set(packed.time.tolist()) <= {START.astype(int)}
    assert len(packed) == max(map(len, tables.values()))
    assert {name: data_version(unpack_table(packed, name)) for name in tables} == {
        name: data_version(table) for name, table in tables.items()
    }


def test_what_the_parts_mean_is_part_of_the_version() -> None:
    """Another unit of one of them is another version; a table of one kind says nothing of parts, as before there were any."""
    other = Table(SERIES.time, SERIES.columns, SERIES.meta.model_copy(update={"frame": "GSM"}))
    assert data_version(pack_tables({"a": SERIES}, START)) != data_version(pack_tables({"a": other}, START))
    assert "parts" not in SERIES.meta.model_dump(mode="json")


def test_extents_of_results_are_theirs() -> None:
    """They come back with each result, and say nothing of the table that holds them all."""
    known = np.ones(3, np.bool_)
    differing = SERIES.with_extents(Extents(np.zeros(3, np.int64), np.arange(3) * 10**9, known))
    same = SERIES.with_extents(Extents(np.zeros(3, np.int64), np.full(3, 10**9), known))
    packed = pack_tables({"a": differing, "b": same, "c": SERIES}, START)
    assert packed.extents is None
    assert packed.with_extents(None) is packed
    for name, table in {"a": differing, "b": same, "c": SERIES}.items():
        found = unpack_table(packed, name)
        assert found.meta == table.meta
        assert data_version(found) == data_version(table)
