"""The store of tables: what comes back, what stays when a write fails, what a person reads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helio_dagster.domain.errors import ArchiveUnavailable, StorageError
from helio_dagster.domain.extent import Extent, Extents
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.storage.data_version import data_version
from helio_dagster.storage.table_format import is_crowded
from helio_dagster.storage.tables import TableStore
from tests.tiers import example_count

KEY = "2023-01-02"
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A table of up to twenty records and four columns, numbers or text, with any names, units and labels."""
    rows = draw(st.integers(0, 20))
    steps = draw(hnp.arrays("int64", rows, elements=st.integers(1, 10**15)))
    time = (np.int64(-(10**17)) + np.cumsum(steps)).astype("datetime64[ns]")
    names = draw(st.lists(TEXTS.filter(lambda name: name != "time"), min_size=1, max_size=4, unique=True))
    columns: dict[str, Any] = {}
    for name in names:
        dtype = draw(st.sampled_from(["float64", "float32", "int32", "int64", "uint8", "text"]))
        if dtype == "text":
            columns[name] = np.array(draw(st.lists(TEXTS, min_size=rows, max_size=rows)), dtype=object)
        else:
            columns[name] = draw(hnp.arrays(dtype, rows))
    meta = TableMeta(
        kind=draw(st.sampled_from(["series", "vector", "spectrogram"])),
        columns=tuple(ColumnMeta(name=name, label=draw(TEXTS), unit=draw(st.sampled_from(["nT", ""]))) for name in names),
        label=draw(TEXTS),
        unit=draw(st.sampled_from(["nT", "cm⁻³", ""])),
        frame=draw(st.sampled_from([None, "GSE", "RTN"])),
        bins=draw(st.sampled_from([None, BinAxis(unit="eV", scale="log", centers=(1.5, 1e9))])),
        synthetic=draw(st.booleans()),
        attributes={"CATDESC": draw(TEXTS), "VALIDMIN": [1.0, -1e31]},
    )
    return Table(time, columns, meta)


@given(tables())
@settings(max_examples=example_count(40), deadline=None)
def test_what_is_written_is_read(table: Table) -> None:
    """Times, values, dtypes and metadata come back as they were, and with them the data version."""
    with TemporaryDirectory() as folder:
        store = TableStore(Path(folder))
        stored = store.write("pipe/step", KEY, table, {})
        again = store.read("pipe/step", KEY)
    np.testing.assert_array_equal(again.time, table.time)
    assert again.time.dtype == np.dtype("datetime64[ns]")
    assert list(again.columns) == list(table.columns)
    for name, values in table.columns.items():
        assert again.columns[name].dtype == values.dtype
        np.testing.assert_array_equal(again.columns[name], values)
    assert again.meta == table.meta
    assert data_version(again) == data_version(table) == stored.data_version


@given(tables())
@settings(max_examples=example_count(15), deadline=None)
def test_equal_tables_are_equal_bytes(table: Table) -> None:
    """Two writes of one content differ in no byte, in whatever folder."""
    with TemporaryDirectory() as one, TemporaryDirectory() as other:
        paths = [TableStore(Path(folder)).write("a/b", KEY, table, {"code": "x"}).path for folder in (one, other)]
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_pandas_reads_the_file_without_us(store: TableStore, table: Table) -> None:
    """A file is plain Parquet: a `time` column of naive nanoseconds and one column per component."""
    path = store.write("pipe/step", KEY, table, {}).path
    dataframe = pd.read_parquet(path)
    assert dataframe.dtypes["time"] == np.dtype("datetime64[ns]")
    assert list(dataframe.columns) == ["time", "bx", "by", "bz"]
    np.testing.assert_array_equal(dataframe["bx"], table.columns["bx"])


def test_the_schema_metadata_hold_units_and_provenance(store: TableStore, table: Table) -> None:
    """Unit, frame, status, data version and provenance stand as JSON in the file, for any reader of Parquet."""
    stored = store.write("pipe/step", KEY, table, {"sources": [{"name": "a.cdf"}]})
    record = json.loads(pq.read_metadata(stored.path).metadata[b"helio"])
    assert (record["meta"]["unit"], record["meta"]["frame"], record["status"]) == ("nT", "GSE", "data")
    assert record["data_version"] == data_version(table)
    assert record["provenance"] == {"sources": [{"name": "a.cdf"}]}


def test_what_is_stored_is_known_without_reading_it(store: TableStore, table: Table) -> None:
    """Rows, status, version and provenance come from the footer."""
    stored = store.write("pipe/step", KEY, table, {"code": "x"})
    assert store.peek("pipe/step", KEY) == stored
    assert store.stamp("pipe/step", KEY) == (stored.data_version, "data")


def test_what_was_written_last_comes_first(store: TableStore, table: Table) -> None:
    """Whatever the partition's name; a damaged file is passed over, and an asset without files has nothing."""
    for age, key in ((30, "2023-01-02"), (10, "2023-01-01"), (20, "2023-01-03"), (0, "2023-01-04")):
        path = store.write("pipe/step", key, table, {"code": key}).path
        os.utime(path, (1_700_000_000 - age,) * 2)
    path.write_bytes(b"no table")
    assert [found.provenance["code"] for found in store.newest("pipe/step")] == ["2023-01-01", "2023-01-03", "2023-01-02"]
    assert list(store.newest("pipe/other")) == []


def test_empty_and_all_fill_are_told_apart(store: TableStore, table: Table) -> None:
    """No records is `empty`; records without one valid value are `all_fill`."""
    fill = Table(table.time, {name: np.full(4, np.nan) for name in table.columns}, table.meta)
    assert store.write("pipe/step", KEY, fill, {}).status == "all_fill"
    assert store.write("pipe/step", KEY, Table.empty(table.meta), {}).status == "empty"


@pytest.mark.parametrize("asset", ["../evil", "a/../../evil", "", "a//b", "."])
def test_no_asset_name_leads_outside_the_folder(store: TableStore, table: Table, asset: str) -> None:
    """Names with empty parts or dots are refused."""
    with pytest.raises(StorageError, match="is not an asset name"):
        store.write(asset, KEY, table, {})


@given(st.text(min_size=1, max_size=40), st.text(min_size=1, max_size=20))
@settings(max_examples=example_count(100), deadline=None)
def test_a_path_is_inside_the_folder_or_refused(asset: str, partition: str) -> None:
    """Whatever the name, with slashes, percent signs, NUL: its file lies in the folder."""
    folder = Path("/somewhere/data")
    try:
        path = TableStore(folder).path(asset, partition)
    except (StorageError, UnicodeEncodeError):  # lone surrogates are no text
        return
    assert ".." not in path.parts
    assert path.is_relative_to(folder)
    assert "\0" not in str(path)


def test_different_names_have_different_paths(store: TableStore) -> None:
    """An escaped slash and a slash are two assets."""
    paths = {store.path(asset, key) for asset in ("a/b", "a%2Fb", "a b", "a+b") for key in ("2023-01-02-00:00", "2023", None)}
    assert len(paths) == 12


def test_a_write_that_fails_leaves_the_old_file_and_no_other(store: TableStore, table: Table) -> None:
    """Atomic: a table that Parquet refuses half-way does not touch what was stored."""
    path = store.write("pipe/step", KEY, table, {}).path
    before = path.read_bytes()
    with pytest.raises(TypeError):
        store.write("pipe/step", KEY, table, {"unspeakable": object()})
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.slow
def test_a_full_disk_is_told_and_leaves_the_old_file(store: TableStore, table: Table, tmp_path: Path) -> None:
    """The operating system refuses to let a file grow: StorageError with a remedy, the old bytes, nothing half-written."""
    path = store.write("pipe/step", KEY, table, {}).path
    before = path.read_bytes()
    script = """
        import resource, signal, sys
        from pathlib import Path
        import numpy as np
        from helio_dagster.domain.errors import StorageError
        from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
        from helio_dagster.storage.tables import TableStore
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        time = np.arange(100_000).astype("datetime64[ns]")
        values = np.random.default_rng(0).normal(size=100_000)
        table = Table(time, {"b": values}, TableMeta(kind="series", columns=(ColumnMeta(name="b"),)))
        try:
            TableStore(Path(sys.argv[1])).write("pipe/step", "2023-01-02", table, {})
        except StorageError as error:
            print(error.hint)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(store.folder)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    assert said.stdout.strip()
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_file_where_a_folder_is_needed_is_told(store: TableStore, table: Table) -> None:
    """A home that cannot be written gives a StorageError that names it and offers HELIO_HOME; this holds for root too."""
    store.folder.parent.write_text("in the way")
    with pytest.raises(StorageError, match="home") as caught:
        store.write("pipe/step", KEY, table, {})
    assert "HELIO_HOME" in caught.value.hint


def test_what_was_never_stored_is_told(store: TableStore) -> None:
    """Reading it names the partition's file and says what to do; peeking finds nothing."""
    with pytest.raises(StorageError, match=r"2023-01-02\.parquet is not stored") as caught:
        store.read("pipe/step", KEY)
    assert "Materialize" in caught.value.hint
    assert store.peek("pipe/step", KEY) is None
    assert store.stamp("pipe/step", KEY) is None


@pytest.mark.parametrize("damage", ["truncated", "zeroed", "empty", "text", "foreign"])
def test_a_damaged_file_is_told_and_is_not_stored(store: TableStore, table: Table, damage: str) -> None:
    """Reading a damaged file is a StorageError with a remedy; its stamp says that nothing usable is there."""
    path = store.write("pipe/step", KEY, table, {}).path
    content = path.read_bytes()
    match damage:
        case "truncated":
            path.write_bytes(content[: len(content) // 2])
        case "zeroed":
            path.write_bytes(bytes(len(content)))
        case "empty":
            path.write_bytes(b"")
        case "text":
            path.write_bytes(b"this is not Parquet at all")
        case _:
            pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(StorageError, match="is damaged") as caught:
        store.read("pipe/step", KEY)
    assert "Run the same range again" in caught.value.hint
    assert store.stamp("pipe/step", KEY) is None
    assert store.peek("pipe/step", KEY) is None


def test_a_flipped_byte_is_never_another_value(store: TableStore, table: Table) -> None:
    """A byte that rots makes a StorageError, or does not matter; never a crash, never other numbers.

    The stamp, which decodes nothing, misses none in the pages or in our record.
    """
    written = store.write("pipe/step", KEY, table, {})
    path = written.path
    content = path.read_bytes()
    pages = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    ours = range(content.rindex(b'{"crc32"'), content.rindex(b"}") + 1)
    for place in range(0, len(content), 7):
        rotten = bytearray(content)
        rotten[place] ^= 0x81
        path.write_bytes(rotten)
        store.peek("pipe/step", KEY)
        stamp = store.stamp("pipe/step", KEY)
        assert stamp is None or (stamp == (written.data_version, written.status) and place >= pages and place not in ours)
        with suppress(StorageError):
            again = store.read("pipe/step", KEY)
            np.testing.assert_array_equal(again.time, table.time)
            np.testing.assert_array_equal(list(again.columns.values()), list(table.columns.values()))


def test_a_file_without_a_checksum_is_held_to_its_data_version(store: TableStore, table: Table) -> None:
    """Those of earlier releases are read as ever; one whose footer belongs to other values is damaged."""
    written = store.write("pipe/step", KEY, table, {})
    for version, is_read in ((written.data_version, True), ("0" * 64, False)):
        arrow = pq.read_table(written.path)
        record = json.loads(arrow.schema.metadata[b"helio"])
        kept = {name: value for name, value in record.items() if name != "crc32"} | {"data_version": version}
        pq.write_table(arrow.replace_schema_metadata({b"helio": json.dumps(kept)}), written.path)
        assert store.stamp("pipe/step", KEY) == (version, "data")
        if is_read:
            np.testing.assert_array_equal(store.read("pipe/step", KEY).time, table.time)
        else:
            with pytest.raises(StorageError, match="not what was written"):
                store.read("pipe/step", KEY)


def test_a_failure_is_remembered_until_forgotten(store: TableStore) -> None:
    """Problem, place, hint and kind of a failed partition; listed by partition, gone once it was made."""
    store.record_failure("pipe/step", KEY, ArchiveUnavailable("no answer", where="http://a", hint="later"))
    store.record_failure("pipe/step", "2023-01-02-05:00", ArchiveUnavailable("no answer"))
    assert store.failure("pipe/step", KEY) == {
        "error": "no answer",
        "where": "http://a",
        "hint": "later",
        "kind": "ArchiveUnavailable",
    }
    assert store.failed_partitions("pipe/step") == [KEY, "2023-01-02-05:00"]
    assert store.failures("pipe/step") == {key: store.failure("pipe/step", key) for key in (KEY, "2023-01-02-05:00")}
    store.forget_failure("pipe/step", KEY)
    assert store.failure("pipe/step", KEY) is None
    assert store.failed_partitions("pipe/step") == ["2023-01-02-05:00"]


def test_the_failure_of_an_asset_without_partitions_is_listed_as_such(store: TableStore) -> None:
    """Under None, as it was recorded."""
    store.record_failure("pipe/storms", None, ArchiveUnavailable("no answer"))
    assert store.failures("pipe/storms") == {None: store.failure("pipe/storms", None)}


def test_what_is_stored_can_be_listed(store: TableStore) -> None:
    """Assets with a table or a failure, however deep their names; partitions in order; the one without partitions as None."""
    table = Table(
        np.array([1], dtype="datetime64[ns]"), {"x": np.array([1.0])}, TableMeta(kind="series", columns=(ColumnMeta(name="x"),))
    )
    store.write("pipe/step", KEY, table, {})
    store.write("pipe/step", "2023-01-02-05:00", table, {})
    store.write("pipe/rows", None, table, {})
    store.write("arch/DATA/B x", KEY, table, {})
    store.write("arch/DATA/B x/monthly", KEY, table, {})
    store.record_failure("pipe/failed", KEY, ArchiveUnavailable("no answer"))
    (store.folder / "pipe" / "step" / ".2023.1234.part").write_text("unfinished")
    assert store.assets() == ["arch/DATA/B x", "arch/DATA/B x/monthly", "pipe/failed", "pipe/rows", "pipe/step"]
    assert store.keys("pipe/step") == [KEY, "2023-01-02-05:00"]
    assert (store.keys("pipe/rows"), store.partitions("pipe/rows")) == ([None], [])
    assert (store.keys("pipe/failed"), store.all_keys("pipe/failed")) == ([], [KEY])
    assert [path.name for path in store.files("pipe/failed", KEY)] == [f"{KEY}.failed.json"]


@given(tables(), st.integers(0, 2))
@settings(max_examples=example_count(30), deadline=None)
def test_extents_are_stored_and_count(table: Table, way: int) -> None:
    """One for all records, or one each, some unknown: they come back, and are another data version than none."""
    count = len(table)
    given_extents = [
        Extents.constant(Extent(before_ns=5), count),
        Extents(np.arange(count), np.full(count, 10**9), np.ones(count, np.bool_)),
        Extents(np.zeros(count, np.int64), np.full(count, 10**9), np.arange(count) > 0),
    ][way]
    stated = table.with_extents(given_extents)
    with TemporaryDirectory() as folder:
        store = TableStore(Path(folder))
        store.write("a/b", KEY, stated, {})
        found = store.read("a/b", KEY)
    assert found.meta == stated.meta
    assert (data_version(found) == data_version(table)) == (not given_extents.is_known.any())
    assert data_version(found.with_extents(None)) == data_version(table)
    if given_extents.is_known.any():
        assert found.extents is not None
        np.testing.assert_array_equal(found.extents.is_known, given_extents.is_known)
        known = given_extents.is_known
        np.testing.assert_array_equal(found.extents.before_ns[known], given_extents.before_ns[known])
        np.testing.assert_array_equal(found.extents.after_ns[known], given_extents.after_ns[known])


@given(hnp.arrays("float64", st.integers(0, 12), elements=st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, np.inf, np.nan])))
@settings(max_examples=example_count(100))
def test_a_column_is_crowded_if_most_values_differ(values: np.ndarray) -> None:
    """As numpy counts them: both zeros are one value, and so are all NaNs."""
    assert is_crowded(values) is bool(len(np.unique(values)) > len(values) // 2)
