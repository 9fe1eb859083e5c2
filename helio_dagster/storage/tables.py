"""Tables at rest: one Parquet file per asset and partition at a computed path. When and by whom it was made is not in it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from helio_dagster.domain.errors import HelioError, StorageError
from helio_dagster.domain.table import Status, Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.atomic import atomic_path, storage_error, sweep, write_bytes
from helio_dagster.storage.bucket import StoredObject
from helio_dagster.storage.level_files import Levels, levels_path, stored_levels
from helio_dagster.storage.table_format import (
    OTHER_CONTENT,
    StoredTable,
    damaged,
    describe,
    read_none,
    read_parts,
    read_rows,
    read_table,
    stamp_of,
    write_parquet,
)
from helio_dagster.storage.table_names import asset_of_parts, failure_record, key_of_name, name_of_key, name_parts
from helio_dagster.storage.table_seal import SummedFile, content_of

_TABLE, _FAILED = ".parquet", ".failed.json"
_MOST_STAMPS = 50_000
"""Files of which it is remembered what they were stamped with; some 25 MB."""


class TableStore:
    """Tables of assets and partitions under one folder.

    An asset is named by its key's parts joined with `/`, a partition by its key; None for an asset without partitions.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._folders: dict[str, Path] = {}
        self._stamps: dict[str, tuple[tuple[int, int, int], tuple[str, Status]]] = {}

    is_folder = True
    """Whether tables are files, which `write_file` writes from any process."""

    @property
    def root(self) -> str:
        """Where the tables are."""
        return str(self.folder)

    def afresh(self) -> TableStore:
        """The same tables, with nothing remembered."""
        return TableStore(self.folder)

    def path(self, asset: str, partition: str | None) -> Path:
        """The file of an asset's partition; every part is quoted, so that no name leads outside the folder."""
        if asset not in self._folders:
            self._folders[asset] = self.folder.joinpath(*name_parts(asset))
        return self._folders[asset] / f"{name_of_key(partition)}{_TABLE}"

    def place(self, asset: str, partition: str | None) -> str:
        """Where a partition's table is or would be, for messages."""
        return str(self.path(asset, partition))

    def write(self, asset: str, partition: str | None, table: Table, provenance: Mapping[str, Any]) -> StoredTable:
        """Store a table with what determined its content.

        Raises
        ------
        StorageError
            The folder cannot be written; an earlier file stays as it was.
        """
        return self.write_file(self.path(asset, partition), table, provenance)

    @staticmethod
    def write_file(path: Path, table: Table, provenance: Mapping[str, Any]) -> StoredTable:
        """Write a table to any Parquet file; raises as `write`."""
        with atomic_path(path) as temporary:
            with SummedFile(temporary) as file:
                version, status = write_parquet(file, table, provenance)
            size = temporary.stat().st_size
        return StoredTable(str(path), size, len(table), status, version, table.meta, dict(provenance))

    def read(self, asset: str, partition: str | None, names: Sequence[str] | None = None) -> Table:
        """The stored table.

        Parameters
        ----------
        names
            Columns to read beside the times and extents; all where not given.

        Raises
        ------
        StorageError
            There is none, or the file is damaged.
        """
        path = self.path(asset, partition)
        if names is None:
            return self.read_file(path)
        table = read_table(path, str(path), names)
        if self.stamp(asset, partition) is None:  # of the whole file, once
            raise damaged(str(path), ValueError(OTHER_CONTENT))
        return table

    @staticmethod
    def read_file(path: Path) -> Table:
        """The table in any Parquet file that `write_file` has written; raises as `read`."""
        return read_table(path, str(path))

    def read_window(self, asset: str, partition: str | None, window: TimeRange) -> Table | None:
        """At least the records of a window, from the part of the file that holds them; None where that is most of the file.

        Raises
        ------
        StorageError
            There is none, or the file is damaged.
        """
        path = self.path(asset, partition)
        if self.stamp(asset, partition) is None:
            raise damaged(str(path), ValueError(OTHER_CONTENT))
        return read_rows(path, str(path), window)

    def parts(self, asset: str, partition: str | None) -> Iterator[Table]:
        """All records of a stored table, some at a time, so that not all of them are held.

        Raises
        ------
        StorageError
            There is none, or the file is damaged.
        """
        path = self.path(asset, partition)
        if self.stamp(asset, partition) is None:
            raise damaged(str(path), ValueError(OTHER_CONTENT))
        yield from read_parts(path, str(path))

    def empty(self, asset: str, partition: str | None) -> Table:
        """A table without records, with the metadata and types of a stored one; raises as `read`."""
        path = self.path(asset, partition)
        return read_none(path, str(path))

    def peek(self, asset: str, partition: str | None) -> StoredTable | None:
        """What is stored, from the file's footer alone; None where nothing usable is."""
        path = self.path(asset, partition)
        try:
            return describe(path, str(path), path.stat().st_size)
        except (StorageError, OSError, ValueError):
            return None

    def newest(self, asset: str) -> Iterator[StoredTable]:
        """What is stored of an asset, last written first; only what is asked for is opened."""
        written = [(path.stat().st_mtime_ns, path.name) for path in self.path(asset, None).parent.glob(f"[!.]*{_TABLE}")]
        for _, name in sorted(written, reverse=True):
            found = self.peek(asset, key_of_name(name.removesuffix(_TABLE)))
            if found is not None:
                yield found

    def stamp(self, asset: str, partition: str | None) -> tuple[str, Status] | None:
        """Data version and status of a stored file as its footer says; None where there is none, or any byte of it changed.

        Of a file of an earlier release only the footer is looked at: it has no checksum over all. A file that was not written
        to since is not read again, as long as this object remembers it.
        """
        path = self.path(asset, partition)
        try:
            state = path.stat()
            written = (state.st_ino, state.st_mtime_ns, state.st_size)
            known = self._stamps.get(str(path))
            if known is not None and known[0] == written:
                return known[1]
            stamp = stamp_of(content_of(path), str(path))
        except (StorageError, OSError, pa.ArrowException, ValueError):
            return None
        if stamp is None:
            return None
        if len(self._stamps) >= _MOST_STAMPS:
            self._stamps.clear()
        self._stamps[str(path)] = (written, stamp)
        return stamp

    def has_file(self, asset: str, partition: str | None) -> bool:
        """Whether a partition has a file, whole or not."""
        return self.path(asset, partition).is_file()

    def record_failure(self, asset: str, partition: str | None, error: HelioError, attempt: str = "") -> None:
        """Remember why a partition failed; `attempt` says what it would have been made from."""
        write_bytes(self._failure_path(self.path(asset, partition)), failure_record(error, attempt))

    def failure(self, asset: str, partition: str | None) -> dict[str, str] | None:
        """The recorded failure (`error`, `where`, `hint`, `kind`, `attempt`) of a partition, if its last attempt failed."""
        try:
            found = json.loads(self._failure_path(self.path(asset, partition)).read_bytes())
        except (OSError, ValueError):
            return None
        return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else None

    def failures(self, asset: str) -> dict[str | None, dict[str, str]]:
        """The recorded failures of an asset's partitions, as `failure` gives them, from one look at its folder."""
        return {key: failure for key in self.keys(asset, _FAILED) if (failure := self.failure(asset, key)) is not None}

    def forget_failure(self, asset: str, partition: str | None) -> None:
        """The partition was made."""
        self._failure_path(self.path(asset, partition)).unlink(missing_ok=True)

    def assets(self) -> list[str]:
        """Assets of which anything is stored, a recorded failure included, in order."""
        found = set()
        for folder, _, names in os.walk(self.folder):
            if any(name.endswith((_TABLE, _FAILED)) and not name.startswith(".") for name in names):
                found.add(asset_of_parts(Path(folder).relative_to(self.folder).parts))
        return sorted(found)

    def files(self, asset: str, partition: str | None) -> list[Path]:
        """The files of a partition: its table, the levels of its lines, its recorded failure."""
        path = self.path(asset, partition)
        return [each for each in (path, levels_path(path), self._failure_path(path)) if each.is_file()]

    def objects(self, asset: str, partition: str | None) -> list[StoredObject]:  # noqa: ARG002 - the object store's question
        """The objects of a partition: none in a folder."""
        return []

    def address(self, item: StoredObject) -> str:
        """Where an object is, for messages."""
        return f"{self.root}/{item.key}"

    def delete(self, keys: Sequence[str]) -> None:
        """Delete objects: there are none in a folder."""

    def has_asset(self, asset: str) -> bool:
        """Whether any table of an asset is stored."""
        return any(self.path(asset, None).parent.glob(f"*{_TABLE}"))

    def keys(self, asset: str, suffix: str = _TABLE) -> list[str | None]:
        """Partitions of an asset that have a file, whole or not, in order; None for the one without partitions."""
        try:
            with os.scandir(self.path(asset, None).parent) as entries:
                found = [each.name for each in entries if each.name.endswith(suffix) and not each.name.startswith(".")]
        except OSError:
            return []
        return [key_of_name(name) for name in sorted(name.removesuffix(suffix) for name in found)]

    def partitions(self, asset: str) -> list[str]:
        """Partitions of an asset that have a file, whole or not, in order."""
        return [key for key in self.keys(asset) if key is not None]

    def sweep(self, asset: str) -> None:
        """Delete what killed processes left unfinished of an asset."""
        sweep(self.path(asset, None).parent)

    def failed_partitions(self, asset: str) -> list[str]:
        """Partitions of an asset whose last attempt failed, in order."""
        return [key for key in self.keys(asset, _FAILED) if key is not None]

    def all_keys(self, asset: str) -> list[str | None]:
        """Partitions of an asset of which anything is stored, a recorded failure included."""
        return list(dict.fromkeys([*self.keys(asset), *self.keys(asset, _FAILED)]))

    def levels(self, asset: str, partition: str | None, version: str, make: Callable[[], Levels]) -> Levels:
        """The levels of a partition's lines, as `stored_levels` keeps them."""
        return stored_levels(self.path(asset, partition), version, make)

    def size(self, asset: str, partition: str | None) -> int:
        """Bytes of a partition's table; 0 where there is none."""
        try:
            return self.path(asset, partition).stat().st_size
        except OSError:
            return 0

    def written_ns(self, asset: str, partition: str | None) -> int:
        """When a partition's table was written, in ns since 1970; 0 where there is none."""
        try:
            return self.path(asset, partition).stat().st_mtime_ns
        except OSError:
            return 0

    def is_version(self, asset: str, partition: str | None, version: str, *, unless_written_ns: int) -> bool:
        """Whether a partition's table is of a data version; one that was not written since is not looked into."""
        written_ns = self.written_ns(asset, partition)
        if not written_ns or written_ns < unless_written_ns:
            return bool(written_ns)
        found = self.peek(asset, partition)
        return found is not None and found.data_version == version

    def state(self, asset: str, partition: str | None) -> tuple[object, ...]:
        """What changes if a partition's table is replaced; empty where there is none."""
        try:
            found = self.path(asset, partition).stat()
        except OSError:
            return ()
        return found.st_ino, found.st_size, found.st_mtime_ns

    def content(self, asset: str, partition: str | None) -> bytes:
        """The bytes of a partition's table; StorageError where there is none."""
        path = self.path(asset, partition)
        try:
            return path.read_bytes()
        except OSError as error:
            raise storage_error(error, path) from error

    def look_again(self, asset: str) -> None:
        """Another process may have written partitions of an asset; a folder is looked at anew each time anyway."""

    def shared_by(self) -> int:
        """How many other homes keep their tables here: none, in a folder of the home."""
        return 0

    @staticmethod
    def _failure_path(path: Path) -> Path:
        return path.with_suffix(_FAILED)
