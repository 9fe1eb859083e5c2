"""Tables kept in memory."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.tables import TableStore


def test_a_kept_table_is_not_read_again(store: TableStore, table: Table) -> None:
    """It is served after its file has gone."""
    cache = TableCache(store)
    stored = store.write("a/b", "2023", table, {})
    cache.keep("a/b", "2023", stored.data_version, table)
    stored.path.unlink()
    assert cache.read("a/b", "2023", stored.data_version) is table


def test_another_version_is_read_anew(store: TableStore, table: Table) -> None:
    """A rewritten partition is never served old."""
    cache = TableCache(store)
    first = store.write("a/b", "2023", table, {})
    cache.read("a/b", "2023", first.data_version)
    second = store.write("a/b", "2023", replace(table, columns={**table.columns, "by": np.zeros(4)}), {})
    assert cache.read("a/b", "2023", second.data_version).columns["by"].sum() == 0


def test_the_first_written_stay_for_the_step_that_reads_them_in_order(store: TableStore, table: Table) -> None:
    """Room for three of five: the next step finds the first three in memory, whatever it writes meanwhile."""
    cache = TableCache(store, limit_bytes=3 * _size(table), least=0)
    for key in "12345":
        cache.keep("a/b", key, "v", table)
    found = []
    for key in "12345":
        found.append(cache.held("a/b", key, "v") is not None)
        if found[-1]:
            cache.read("a/b", key, "v")
        cache.keep("a/c", key, "v", table)
    assert found == [True, True, True, False, False]
    assert [cache.held("a/c", key, "v") is not None for key in "12345"] == [True, True, True, False, False]


def test_what_was_read_goes_before_what_will_be(store: TableStore, table: Table) -> None:
    """Of the inputs that a step has gone through only the last stay, as many as a halo needs."""
    cache = TableCache(store, limit_bytes=4 * _size(table), least=2)
    for key in "1234":
        cache.keep("a/b", key, "v", table)
    for key in "123":
        cache.read("a/b", key, "v")
    for key in "123":
        cache.keep("a/c", key, "v", table)
    assert [cache.held("a/b", key, "v") is not None for key in "1234"] == [False, True, True, False]
    assert [cache.held("a/c", key, "v") is not None for key in "123"] == [True, True, False]


def test_less_is_kept_from_the_next_table_on(store: TableStore, table: Table) -> None:
    """And a larger limit than before changes nothing."""
    cache = TableCache(store, limit_bytes=4 * _size(table), least=0)
    for key in "1234":
        cache.keep("a/b", key, "v", table)
    cache.keep_less(2 * _size(table))
    cache.keep_less(9 * _size(table))
    cache.keep("a/b", "5", "v", table)
    assert [cache.held("a/b", key, "v") is not None for key in "12345"] == [True, True, False, False, False]


def test_looking_at_a_table_is_not_reading_it(store: TableStore, table: Table) -> None:
    """What judges a result before the next step reads it does not make it the first to go."""
    cache = TableCache(store, limit_bytes=2 * _size(table), least=0)
    cache.keep("a/b", "1", "v", table)
    cache.keep("a/b", "2", "v", table)
    assert cache.held("a/b", "1", "v") is cache.held("a/b", "2", "v") is table
    cache.keep("a/b", "3", "v", table)
    assert cache.held("a/b", "1", "v") is cache.held("a/b", "2", "v") is table
    assert cache.held("a/b", "3", "v") is None


def test_some_stay_however_large(store: TableStore, table: Table) -> None:
    """A halo of tables that are larger than the limit is read once."""
    cache = TableCache(store, limit_bytes=1, least=2)
    versions = {key: store.write("a/b", key, table, {}).data_version for key in "123"}
    read = [cache.read("a/b", key, version) for key, version in versions.items()]
    assert [cache.held("a/b", key, version) for key, version in versions.items()] == [None, *read[1:]]
    assert cache.read("a/b", "2", versions["2"]) is read[1]


@pytest.mark.parametrize("limit", [1, 9_000, 25_000])
def test_never_more_than_the_limit_or_the_least(store: TableStore, table: Table, limit: int) -> None:
    """Whatever is written and read in which order, and every table that is read is the stored one."""
    cache, draw = TableCache(store, limit_bytes=limit, least=3), np.random.default_rng(limit)
    tables = {(asset, key): _scaled(table, place) for place, (asset, key) in enumerate(product(("a/b", "a/c"), "123456789"))}
    versions = {place: store.write(*place, each, {}).data_version for place, each in tables.items()}
    for place in draw.permutation(sorted(tables) * 20):
        asset, key = map(str, place)
        if draw.integers(2):
            cache.keep(asset, key, versions[asset, key], tables[asset, key])
        else:
            found = cache.read(asset, key, versions[asset, key])
            np.testing.assert_array_equal(found.columns["by"], tables[asset, key].columns["by"])
        held = [each for each in tables if cache.held(*each, versions[each]) is not None]
        assert len(held) <= max(3, limit // _size(table))


def test_tables_of_one_asset_share_their_metadata(store: TableStore, table: Table) -> None:
    """Thousands of events have thousands of tables that say the same of themselves."""
    cache = TableCache(store)
    versions = {key: store.write("a/b", key, table, {}).data_version for key in "123"}
    read = [cache.read("a/b", key, version) for key, version in versions.items()]
    assert read[0].meta == table.meta
    assert read[0].meta is read[1].meta is read[2].meta


def test_metadata_of_its_own_counts(store: TableStore, table: Table) -> None:
    """What a table says only of itself takes memory as values do."""
    own = [replace(table, meta=table.meta.model_copy(update={"label": f"{place} {'x' * 10_000}"})) for place in range(4)]
    cache = TableCache(store, limit_bytes=250_000, least=0)
    for place, each in enumerate(own):
        cache.keep("a/b", str(place), "v", each)
    assert [cache.held("a/b", str(place), "v") is not None for place in range(4)] == [True, True, True, False]
    assert cache.read("a/b", "1", "v").meta == own[1].meta


def test_a_kept_table_lets_go_of_what_it_was_cut_out_of(store: TableStore, table: Table) -> None:
    """What is counted is all that is held: a record of a table does not hold the others."""
    cut = replace(table, time=table.time[:1], columns={name: values[:1] for name, values in table.columns.items()})
    cache = TableCache(store)
    cache.keep("a/b", "2023", "v", cut)
    kept = cache.read("a/b", "2023", "v")
    assert kept.columns["bz"] == cut.columns["bz"]
    assert not any(np.shares_memory(kept.columns[name], values) for name, values in table.columns.items())
    assert not np.shares_memory(kept.time, table.time)


def test_tables_read_back_hold_nothing_of_arrows_memory(store: TableStore, table: Table) -> None:
    """A run that reads what it wrote keeps one pool of memory, not two; what was read is still not to be written to."""
    time = table.time[0] + np.arange(10_000) * np.timedelta64(1, "s")
    table = replace(table, time=time, columns={name: np.arange(10_000.0) for name in table.columns})
    cache, before = TableCache(store), pa.total_allocated_bytes()
    versions = {key: store.write("a/b", key, table, {}).data_version for key in ("1", "2", "3")}
    read = [cache.read("a/b", key, version) for key, version in versions.items()]
    assert pa.total_allocated_bytes() - before < time.nbytes // 10  # Arrow keeps a few hundred bytes now and then
    np.testing.assert_array_equal(read[0].columns["bx"], table.columns["bx"])
    assert not read[0].columns["by"].flags.writeable


def _size(table: Table) -> int:
    """What a table weighs that shares its metadata: its values, and 2 KiB for its objects."""
    return int(table.time.nbytes + sum(values.nbytes for values in table.columns.values())) + 2048


def _scaled(table: Table, by: int) -> Table:
    return replace(table, columns={**table.columns, "by": np.full(len(table), float(by))})


def test_one_huge_table_is_not_kept(store: TableStore, table: Table) -> None:
    """It is read again: a few of them would take all memory, however few others there are."""
    axis = RecordAxis(name="energy", size=2**25)
    meta = TableMeta(kind="nd", columns=(ColumnMeta(name="v"),), axes=(axis,))
    huge = Table(table.time, {"v": np.broadcast_to(np.zeros(1, "f4"), (len(table), axis.size))}, meta)
    cache = TableCache(store)
    cache.keep("a", "k", "1", huge)
    assert cache.held("a", "k", "1") is None
