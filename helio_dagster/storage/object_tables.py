"""Tables in an object store: one immutable object per asset, partition and data version, whose key holds that version.

A listing therefore says what is stored, and no table is opened to judge it.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pyarrow as pa

from helio_dagster.domain.errors import HelioError, StorageError
from helio_dagster.domain.table import Status, Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.bucket import Bucket, NoObject, StoredObject
from helio_dagster.storage.level_files import LEVELS_SUFFIX, Levels, levels_as_bytes, levels_from
from helio_dagster.storage.object_contents import ObjectContents
from helio_dagster.storage.object_listing import FAILED, TABLE, Listing, Version, table_name
from helio_dagster.storage.object_owner import ObjectOwner
from helio_dagster.storage.table_format import (
    StoredTable,
    damaged,
    describe,
    not_stored,
    read_none,
    read_parts,
    read_rows,
    read_table,
    write_parquet,
)
from helio_dagster.storage.table_names import asset_of_parts, failure_record, key_of_name, name_of_key, name_parts
from helio_dagster.storage.table_seal import SummedBytes
from helio_dagster.storage.tables import TableStore

FOLDER = "data"
_FRESH_S = 2.0
"""How long a listing is believed; what this process writes is added to it."""
_MOST_KNOWN = 20_000
_Found = TypeVar("_Found")


class ObjectTables(TableStore):
    """A store of tables below an address; what it raises, returns and promises is what `TableStore` does.

    What is damaged on its way or in the store is found where a table is read, not where it is judged: `stamp` believes the
    listing.

    Parameters
    ----------
    bucket
        Where the objects are.
    owner
        Makes sure, before anything is written or deleted, that the home may do so at this address.
    """

    def __init__(self, bucket: Bucket, owner: ObjectOwner) -> None:
        super().__init__(Path())
        self._bucket, self._owner = bucket, owner
        self._lock = threading.Lock()
        self._listings: dict[str, tuple[float, Listing]] = {}
        self._contents = ObjectContents(bucket)
        self._known: dict[tuple[str, str], StoredTable] = {}

    is_folder = False

    @property
    def root(self) -> str:
        """The address."""
        return self._bucket.address

    def afresh(self) -> TableStore:
        """The same tables, with nothing remembered."""
        return ObjectTables(self._bucket, self._owner)

    def path(self, asset: str, partition: str | None) -> NoReturn:
        """Objects have no path."""
        raise TypeError(f"{self.place(asset, partition)} is not a file")

    def place(self, asset: str, partition: str | None) -> str:
        """The address of a partition's table; without its version where there is none."""
        found = self._current(asset, partition)
        return self.address(found.object) if found else f"{self.root}/{_folder(asset)}/{name_of_key(partition)}{TABLE}"

    def write(self, asset: str, partition: str | None, table: Table, provenance: Mapping[str, Any]) -> StoredTable:
        """Store a table, and then delete the one it replaces."""
        stream, name = SummedBytes(), name_of_key(partition)
        version, status = write_parquet(stream, table, provenance)
        self._owner.require()
        listing, content = self._listing(asset, at_most_s=None), stream.getvalue()
        key = f"{_folder(asset)}/{table_name(name, version, status)}"
        etag = self._bucket.put(key, content)
        new = Version(StoredObject(key, len(content), time.time_ns(), etag), version, status)
        with self._lock:
            old = [each.object.key for each in listing.versions.get(name, ()) if each.object.key != key]
            listing.versions[name] = [new]
        self._bucket.delete(old)
        stored = StoredTable(self.address(new.object), len(content), len(table), status, version, table.meta, dict(provenance))
        self._remember(new, stored)
        return stored

    def read(self, asset: str, partition: str | None, names: Sequence[str] | None = None) -> Table:
        """The stored table, or some columns of it."""
        return self._used(asset, partition, lambda content, place: read_table(content, place, names))

    def read_window(self, asset: str, partition: str | None, window: TimeRange) -> Table | None:
        """At least the records of a window; None where that is most of the table."""
        return self._used(asset, partition, lambda content, place: read_rows(content, place, window))

    def parts(self, asset: str, partition: str | None) -> Iterator[Table]:
        """All records of a stored table, some at a time; the object itself is in memory."""
        yield from self._used(asset, partition, read_parts)

    def empty(self, asset: str, partition: str | None) -> Table:
        """A table without records, with the metadata and types of a stored one."""
        return self._used(asset, partition, read_none)

    def content(self, asset: str, partition: str | None) -> bytes:
        """The bytes of a partition's table."""
        return self._used(asset, partition, lambda content, _: content)

    def peek(self, asset: str, partition: str | None) -> StoredTable | None:
        """What is stored, from the end of the object alone."""
        found = self._current(asset, partition)
        if found is None:
            return None
        known = self._known.get((found.object.key, found.object.etag))
        if known is not None:
            return known
        try:
            footer = self._contents.end_of(found.object)
        except NoObject:
            return None
        try:
            stored = describe(footer, self.address(found.object), found.object.size)
        except (StorageError, ValueError, pa.ArrowException):
            return None
        self._remember(found, stored)
        return stored

    def newest(self, asset: str) -> Iterator[StoredTable]:
        """What is stored of an asset, last written first."""
        listing = self._listing(asset)
        found = [(each, name) for name in listing.versions if (each := listing.current(name)) is not None]
        for _, name in sorted(found, key=lambda pair: (pair[0].object.written_ns, pair[1]), reverse=True):
            stored = self.peek(asset, key_of_name(name))
            if stored is not None:
                yield stored

    def stamp(self, asset: str, partition: str | None) -> tuple[str, Status] | None:
        """Data version and status as the object's name has them."""
        found = self._current(asset, partition)
        return (found.version, found.status) if found is not None else None

    def has_file(self, asset: str, partition: str | None) -> bool:
        """Whether a partition has an object."""
        return name_of_key(partition) in self._listing(asset).versions

    def record_failure(self, asset: str, partition: str | None, error: HelioError, attempt: str = "") -> None:
        """Remember why a partition failed."""
        self._owner.require()
        listing, key = self._listing(asset, at_most_s=None), f"{_folder(asset)}/{name_of_key(partition)}{FAILED}"
        content = failure_record(error, attempt)
        etag = self._bucket.put(key, content)
        with self._lock:
            listing.failed[name_of_key(partition)] = StoredObject(key, len(content), time.time_ns(), etag)

    def failure(self, asset: str, partition: str | None) -> dict[str, str] | None:
        """The recorded failure of a partition."""
        found = self._listing(asset).failed.get(name_of_key(partition))
        if found is None:
            return None
        try:
            record = json.loads(self._contents.of(found))
        except (NoObject, ValueError):
            return None
        return {str(name): str(value) for name, value in record.items()} if isinstance(record, dict) else None

    def forget_failure(self, asset: str, partition: str | None) -> None:
        """The partition was made."""
        found = self._listing(asset, at_most_s=None).failed.pop(name_of_key(partition), None)
        if found is not None:
            self._bucket.delete([found.key])

    def assets(self) -> list[str]:
        """Assets of which anything is stored, in order."""
        folders = {each.key.rpartition("/")[0] for each in self._bucket.list_all(FOLDER) if each.key.endswith((TABLE, FAILED))}
        return sorted(asset_of_parts(folder.split("/")[1:]) for folder in folders)

    def files(self, asset: str, partition: str | None) -> list[Path]:  # noqa: ARG002 - the folder's question
        """None: see `objects`."""
        return []

    def objects(self, asset: str, partition: str | None) -> list[StoredObject]:
        """The objects of a partition: its table, the levels of its lines, its recorded failure."""
        return self._listing(asset).all_objects(name_of_key(partition))

    def delete(self, keys: Sequence[str]) -> None:
        """Delete objects."""
        self._owner.require()
        self._bucket.delete(keys)
        self._listings.clear()

    def has_asset(self, asset: str) -> bool:
        """Whether any table of an asset is stored."""
        return bool(self._listing(asset).versions)

    def keys(self, asset: str, suffix: str = TABLE) -> list[str | None]:
        """Partitions of an asset that have an object of this kind, in order."""
        listing = self._listing(asset)
        return [key_of_name(name) for name in sorted(listing.versions if suffix == TABLE else listing.failed)]

    def sweep(self, asset: str) -> None:
        """Delete versions that others replaced, which killed processes left; no object is unfinished."""
        listing = self._listing(asset)
        old = [
            each.object.key
            for name, versions in listing.versions.items()
            if (current := listing.current(name)) is not None
            for each in versions
            if each is not current
        ]
        if old:
            self.delete(old)

    def levels(self, asset: str, partition: str | None, version: str, make: Callable[[], Levels]) -> Levels:
        """The levels of a partition's lines: those at rest, else made and kept."""
        listing, name = self._listing(asset), name_of_key(partition)
        known = listing.levels.get(name)
        if known is not None:
            try:
                found = levels_from(BytesIO(self._contents.of(known)), version)
            except NoObject:
                found = None
            if found is not None:
                return found
        levels = make()
        content, key = levels_as_bytes(levels, version), f"{_folder(asset)}/{name}{LEVELS_SUFFIX}"
        try:
            self._owner.require()
            etag = self._bucket.put(key, content)
        except StorageError:
            return levels  # one who may only read keeps none
        with self._lock:
            listing.levels[name] = StoredObject(key, len(content), time.time_ns(), etag)
        return levels

    def size(self, asset: str, partition: str | None) -> int:
        """Bytes of a partition's table."""
        found = self._current(asset, partition)
        return found.object.size if found else 0

    def written_ns(self, asset: str, partition: str | None) -> int:
        """When a partition's table was written."""
        found = self._current(asset, partition)
        return found.object.written_ns if found else 0

    def is_version(self, asset: str, partition: str | None, version: str, *, unless_written_ns: int) -> bool:  # noqa: ARG002
        """Whether a partition's table is of a data version: its name says so, whichever clock is right."""
        found = self._current(asset, partition)
        return found is not None and found.version == version

    def state(self, asset: str, partition: str | None) -> tuple[object, ...]:
        """What changes if a partition's table is replaced."""
        found = self._current(asset, partition)
        return (found.object.key, found.object.etag) if found else ()

    def look_again(self, asset: str) -> None:
        """Another process may have written partitions of an asset."""
        self._listings.pop(asset, None)

    def shared_by(self) -> int:
        """How many other homes keep their tables at the address."""
        return self._owner.others()

    def _current(self, asset: str, partition: str | None) -> Version | None:
        return self._listing(asset).current(name_of_key(partition))

    def _listing(self, asset: str, *, at_most_s: float | None = _FRESH_S) -> Listing:
        """The listing of an asset, at most so old; None where any will do."""
        known, now = self._listings.get(asset), time.monotonic()
        if known is not None and (at_most_s is None or now - known[0] <= at_most_s):
            return known[1]
        listing = Listing.of(self._bucket.list(_folder(asset)))
        self._listings[asset] = (now, listing)
        return listing

    def _used(self, asset: str, partition: str | None, use: Callable[[bytes, str], _Found]) -> _Found:
        """What is made of a partition's content; once more if it was replaced just now."""
        for is_last in (False, True):
            found = self._current(asset, partition)
            if found is None:
                break
            try:
                return use(self._contents.of_table(found, self.address(found.object)), self.address(found.object))
            except NoObject:
                self.look_again(asset)
                if is_last:
                    break
        if self.has_file(asset, partition):
            raise damaged(self.place(asset, partition), ValueError("two versions of it were written at the same time"))
        raise not_stored(self.place(asset, partition))

    def _remember(self, version: Version, stored: StoredTable) -> None:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[version.object.key, version.object.etag] = stored


def _folder(asset: str) -> str:
    return "/".join([FOLDER, *name_parts(asset)])
