"""Tables in an object store: the answers of a folder, the same bytes, and no request too many."""

from __future__ import annotations

import inspect
import socket
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError, StorageError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.bucket import Bucket, ObjectExists
from helio_dagster.storage.data_version import data_version
from helio_dagster.storage.object_owner import ObjectOwner
from helio_dagster.storage.object_tables import ObjectTables
from helio_dagster.storage.table_stores import tables_at
from helio_dagster.storage.tables import TableStore
from tests.object_store import ObjectService, contents

KEY, ASSET = "2023-01-02", "hapi:x/A + b/c@d"


@pytest.fixture
def address(objects: ObjectService) -> str:
    """A folder of a bucket of its own."""
    made = objects.new_bucket()
    objects.gate.requests.clear()
    return made


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home whose tables are in the bucket."""
    return tmp_path / "owner"


@pytest.fixture
def remote(address: str, home: Path) -> TableStore:
    """An empty store."""
    return tables_at(home, home / "data", address)


def other(table: Table) -> Table:
    """The same records with other values."""
    return replace(table, columns={**table.columns, "by": np.full(len(table), 7.0)})


def use_all(store: TableStore, table: Table) -> dict[str, Any]:
    """What a store answers to one history of writing, failing, replacing and reading."""
    store.write(ASSET, KEY, table, {"code": "one"})
    store.write(ASSET, "2023-01-03", other(table), {"code": "two"})
    store.write("pipe/list", None, table, {})
    store.write("pipe/step/monthly", "2023-01", table, {})
    store.record_failure(ASSET, "2023-01-04", ComputeError("too short", hint="Wait."), "attempt")
    store.record_failure(ASSET, KEY, ComputeError("too long", hint="Go."))
    store.forget_failure(ASSET, KEY)
    store.write(ASSET, KEY, other(table), {"code": "three"})
    window = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 2, 0, 0, 20, tzinfo=UTC))
    found: dict[str, Any] = {
        "assets": store.assets(),
        "keys": [store.keys(each) for each in (ASSET, "pipe/list", "nothing/here")],
        "all keys": store.all_keys(ASSET),
        "partitions": store.partitions("pipe/step/monthly"),
        "failed": (store.failed_partitions(ASSET), store.failures(ASSET), store.failure(ASSET, KEY)),
        "stamps": [store.stamp(ASSET, key) for key in (KEY, "2023-01-03", "2023-01-05", None)],
        "has": [store.has_file(ASSET, KEY), store.has_file(ASSET, "x"), store.has_asset(ASSET), store.has_asset("pipe")],
        "sizes": [store.size(ASSET, key) for key in (KEY, "x")],
        "version": [
            store.is_version(ASSET, key, version, unless_written_ns=0)
            for key in (KEY, "x")
            for version in (data_version(table), data_version(other(table)))
        ],
        "written": [bool(store.written_ns(ASSET, key)) for key in (KEY, "x")],
        "content": store.content(ASSET, KEY),
        "window": store.read_window(ASSET, KEY, window),
        "dtypes": {name: values.dtype for name, values in store.empty(ASSET, KEY).columns.items()},
        "columns": [*store.read(ASSET, KEY, ["by"]).columns],
        "by": store.read(ASSET, KEY).columns["by"].tolist(),
    }
    peeked = [store.peek(ASSET, key) for key in (KEY, "2023-01-03", "x")]
    found["peeked"] = [replace(each, place="") if each else None for each in peeked]
    found["newest"] = {each.provenance.get("code") for each in store.newest(ASSET)}
    return found


def test_it_answers_as_a_folder_does(remote: TableStore, store: TableStore, table: Table) -> None:
    """The same history gives the same answers, whether remembered or asked anew, and the same bytes."""
    expected = use_all(store, table)
    assert use_all(remote, table) == expected
    afresh = remote.afresh()
    assert afresh.peek(ASSET, KEY) == remote.peek(ASSET, KEY)
    assert afresh.failures(ASSET) == store.failures(ASSET)
    assert afresh.content("pipe/step/monthly", "2023-01") == store.content("pipe/step/monthly", "2023-01")
    assert afresh.stamp("pipe/list", None) == store.stamp("pipe/list", None)


def test_it_answers_every_question(remote: TableStore) -> None:
    """No question that reads or writes a file is left to the folder's answer."""
    asked = {name for name, each in vars(TableStore).items() if not name.startswith("_") and inspect.isfunction(each)}
    derived = {"partitions", "failed_partitions", "all_keys", "failures", "address"}  # from answers to others
    assert asked - derived <= set(vars(ObjectTables))


def test_a_listing_is_enough_to_judge(objects: ObjectService, remote: TableStore, table: Table) -> None:
    """Each partition is written with one request, and all of an asset are judged with one listing, which opens no table."""
    days = [f"2023-01-{day:02d}" for day in range(1, 31)]
    for day in days:
        remote.write("pipe/step", day, table, {})
    assert objects.gate.count("PUT") == len(days) + 1  # and whose address it is
    assert objects.gate.count("GET") == 1  # whether somebody has it
    objects.gate.requests.clear()
    afresh = remote.afresh()
    assert {afresh.stamp("pipe/step", day) for day in days} == {remote.stamp("pipe/step", KEY)}
    assert (objects.gate.count("GET"), objects.gate.count("GET", listing=True)) == (0, 1)


def test_what_is_replaced_is_deleted_afterwards(address: str, remote: TableStore, table: Table) -> None:
    """A partition has one object; one that a killed process left beside a newer one is not read, and goes with the next run."""
    first = remote.write("pipe/step", KEY, table, {})
    old = contents(address)
    remote.write("pipe/step", KEY, other(table), {})
    assert len(contents(address)) == 1
    bucket = Bucket(address)
    _written_before(bucket, old, remote)
    afresh = remote.afresh()
    assert len(contents(address)) == 2
    assert afresh.stamp("pipe/step", KEY) != (first.data_version, first.status)
    assert afresh.read("pipe/step", KEY).columns["by"].tolist() == [7.0] * 4
    afresh.sweep("pipe/step")
    assert old.keys() & contents(address).keys() == set()


def _written_before(bucket: Bucket, old: dict[str, bytes], store: TableStore) -> None:
    """Put back what was replaced, as if the newer object had been written a second later."""
    newer = [each.key for each in bucket.list("data/pipe/step")]
    for key, content in old.items():
        bucket.put(key, content)
    before = max(each.written_ns for each in bucket.list("data/pipe/step"))
    while True:
        for key in newer:
            bucket.put(key, bucket.get(key))
        if all(each.written_ns > before for each in bucket.list("data/pipe/step") if each.key in newer):
            return


def test_two_versions_of_the_same_moment_are_made_again(address: str, remote: TableStore, table: Table) -> None:
    """Where nobody can see which of two objects is newer, neither is used."""
    remote.write("pipe/step", KEY, table, {})
    old = contents(address)
    remote.write("pipe/step", KEY, other(table), {})
    bucket = Bucket(address)
    while True:
        for key, content in {**old, **contents(address)}.items():
            bucket.put(key, content)
        if len({each.written_ns for each in bucket.list("data/pipe/step")}) == 1:
            break
    afresh = remote.afresh()
    assert (afresh.stamp("pipe/step", KEY), afresh.has_file("pipe/step", KEY)) == (None, True)
    with pytest.raises(StorageError, match="damaged"):
        afresh.read("pipe/step", KEY)
    afresh.write("pipe/step", KEY, table, {})
    assert len(contents(address)) == 1


def test_a_changed_byte_is_found_where_it_is_read(address: str, remote: TableStore, table: Table) -> None:
    """The checksum of the whole file is compared before a value is used."""
    remote.write("pipe/step", KEY, table, {})
    [(key, content)] = contents(address).items()
    middle = len(content) // 3
    Bucket(address).put(key, content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    window = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
    reads: list[Callable[[TableStore], object]] = [
        lambda store: store.read("pipe/step", KEY),
        lambda store: store.read("pipe/step", KEY, ["by"]),
        lambda store: store.read_window("pipe/step", KEY, window),
    ]
    for read in reads:
        with pytest.raises(StorageError, match="is damaged"):
            read(remote.afresh())


def test_a_table_under_another_name_is_not_used(address: str, remote: TableStore, table: Table) -> None:
    """What was copied to the name of another version is found where it is read."""
    remote.write("pipe/step", KEY, table, {})
    [key] = contents(address)
    remote.write("pipe/step", KEY, other(table), {})
    Bucket(address).put(key, remote.content("pipe/step", KEY))
    Bucket(address).delete([each.key for each in remote.objects("pipe/step", KEY)])
    with pytest.raises(StorageError, match="is damaged"):
        remote.afresh().read("pipe/step", KEY)


def test_a_table_that_another_process_replaces_is_read(remote: TableStore, table: Table) -> None:
    """A listing that is no longer true is asked for again."""
    remote.write("pipe/step", KEY, table, {})
    reader = remote.afresh()
    assert reader.has_file("pipe/step", KEY)
    remote.write("pipe/step", KEY, other(table), {})
    assert reader.read("pipe/step", KEY).columns["by"].tolist() == [7.0] * 4


def test_levels_are_kept(remote: TableStore, table: Table) -> None:
    """Levels are made once for a version."""
    remote.write("pipe/step", KEY, table, {})
    made: list[str] = []

    def make(name: str) -> Callable[[], dict[str, Any]]:
        return lambda: (made.append(name), {"bx": np.arange(3.0)})[1]  # type: ignore[func-returns-value]

    for store, version in ((remote, "1 a"), (remote, "1 a"), (remote.afresh(), "1 a"), (remote.afresh(), "1 b")):
        assert store.levels("pipe/step", KEY, version, make(version))["bx"].tolist() == [0.0, 1.0, 2.0]
    assert made == ["1 a", "1 b"]


def test_an_address_belongs_to_one_home(address: str, remote: TableStore, tmp_path: Path, table: Table) -> None:
    """Another home may read, and is refused before it writes or deletes; a copy of the home may do both."""
    remote.write("pipe/step", KEY, table, {})
    stranger = tables_at(tmp_path / "stranger", tmp_path, address)
    assert stranger.stamp("pipe/step", KEY) is not None
    for attempt in (
        lambda: stranger.write("pipe/step", KEY, table, {}),
        lambda: stranger.delete([each.key for each in stranger.objects("pipe/step", KEY)]),
        lambda: stranger.record_failure("pipe/step", KEY, ComputeError("x")),
    ):
        with pytest.raises(StorageError, match="the tables of another home"):
            attempt()
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / ".identity").write_bytes((tmp_path / "owner" / ".identity").read_bytes())
    tables_at(copy, tmp_path, address).write("pipe/step", KEY, other(table), {})


def test_homes_share_an_address(address: str, remote: TableStore, home: Path, tmp_path: Path, table: Table) -> None:
    """Those with one record, also at the address that one of them had alone; not another home, record, or one in SQLite."""
    remote.write("pipe/step", KEY, table, {})
    homes = [home, tmp_path / "second", tmp_path / "third"]
    owner, second, third = (ObjectOwner(Bucket(address), each) for each in homes)
    with pytest.raises(StorageError, match="another home"):
        second.share("a" * 32)
    owner.share("a" * 32)
    assert owner.others() == 0
    second.share("a" * 32)
    second.share("a" * 32)
    assert (owner.others(), second.others()) == (1, 1)
    with pytest.raises(StorageError, match="another record"):
        third.share("b" * 32)
    with pytest.raises(StorageError, match="another home"):
        third.require()
    for each in homes[:2]:
        tables_at(each, each, address).write("pipe/step", KEY, table, {})
        alone = tables_at(each, each, address, may_share=False)
        with pytest.raises(StorageError, match="homes that share a record"):
            alone.write("pipe/step", KEY, table, {})
        assert alone.shared_by() == 1


def test_an_address_is_shared_from_the_start(address: str, tmp_path: Path) -> None:
    """Where nobody had it before; a killed process leaves it so that the next one goes on."""
    one, other = (ObjectOwner(Bucket(address), tmp_path / name) for name in ("one", "other"))
    one.share("a" * 32)
    Bucket(address).delete([*contents(address, "homes")])
    with pytest.raises(StorageError, match="another home"):
        one.require()
    one.share("a" * 32)
    other.share("a" * 32)
    for each in (one, other):
        each.require()
        assert each.others() == 1


def test_homes_that_share_are_told_apart_and_forgotten(address: str, tmp_path: Path) -> None:
    """Each says where it is; one that left, or was forgotten, is no longer counted, and is again when it goes on."""
    one, other = (ObjectOwner(Bucket(address), tmp_path / name) for name in ("one", "other"))
    for each in (one, other):
        each.share("a" * 32)
    (found,) = one.sharing()
    assert found.place == f"{socket.gethostname()} {tmp_path / 'other'}"
    assert (tmp_path / "other" / ".identity").read_text() == found.name
    one.leave(found.name)
    assert (one.others(), one.sharing()) == (0, [])
    other.share("a" * 32)
    assert one.others() == 1
    other.leave()
    assert one.others() == 0
    assert not other.is_among()


def test_a_home_notes_once_a_day_that_it_is_in_use(objects: ObjectService, address: str, tmp_path: Path) -> None:
    """Not for each run; what an earlier release noted, without the place, counts until then."""
    owner = ObjectOwner(Bucket(address), tmp_path)
    owner.share("a" * 32)
    bucket, (key,) = Bucket(address), contents(address, "homes")
    bucket.put(key, b"record " + b"a" * 32)
    objects.gate.requests.clear()
    owner.share("a" * 32)
    owner.require()
    assert [path for method, path in objects.gate.requests if method == "PUT" and "homes" in path] == []
    assert owner.is_among()


def test_only_one_creates(address: str) -> None:
    """A conditional write is refused where the object exists."""
    bucket = Bucket(address)
    bucket.put("x", b"1", is_new=True)
    with pytest.raises(ObjectExists):
        bucket.put("x", b"2", is_new=True)
    assert bucket.get("x") == b"1"
