"""Tables kept in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.table import Table
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


def test_the_first_goes_first(store: TableStore, table: Table) -> None:
    """Room for two: a step that goes through its inputs in order loses what it has read, not what it will read."""
    cache = TableCache(store, limit_bytes=2 * (table.time.nbytes * 4), least=1)
    for key in ("1", "2"):
        cache.keep("a/b", key, "v", table)
    assert cache.read("a/b", "1", "v") is table
    cache.keep("a/c", "1", "v", table)
    assert cache.read("a/b", "2", "v") is table
    with pytest.raises(StorageError):
        cache.read("a/b", "1", "v")


def test_the_newest_stay_however_large(store: TableStore, table: Table) -> None:
    """A halo of tables that are larger than the limit is read once."""
    cache = TableCache(store, limit_bytes=1, least=2)
    for key in ("1", "2", "3"):
        cache.keep("a/b", key, "v", table)
    assert cache.read("a/b", "2", "v") is cache.read("a/b", "3", "v") is table
    with pytest.raises(StorageError):
        cache.read("a/b", "1", "v")


def test_a_kept_table_lets_go_of_what_it_was_cut_out_of(store: TableStore, table: Table) -> None:
    """What is counted is all that is held: a record of a table does not hold the others."""
    cut = replace(table, time=table.time[:1], columns={name: values[:1] for name, values in table.columns.items()})
    kept = TableCache(store).keep("a/b", "2023", "v", cut)
    assert kept.columns["bz"] == cut.columns["bz"]
    assert not any(np.shares_memory(kept.columns[name], values) for name, values in table.columns.items())
    assert not np.shares_memory(kept.time, table.time)


def test_tables_read_back_hold_nothing_of_arrows_memory(store: TableStore, table: Table) -> None:
    """A run that reads what it wrote keeps one pool of memory, not two; what was read is still not to be written to."""
    cache, before = TableCache(store), pa.total_allocated_bytes()
    versions = {key: store.write("a/b", key, table, {}).data_version for key in ("1", "2", "3")}
    read = [cache.read("a/b", key, version) for key, version in versions.items()]
    assert pa.total_allocated_bytes() == before
    np.testing.assert_array_equal(read[0].columns["bx"], table.columns["bx"])
    assert not read[0].columns["by"].flags.writeable
