"""Tables at rest: one Parquet file per asset and partition at a computed path. When and by whom it was made is not in it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from helio_dagster.domain.errors import HelioError, StorageError
from helio_dagster.domain.table import Status, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.arrow_columns import column_to_numpy, table_to_arrow
from helio_dagster.storage.atomic import atomic_path, storage_error, sweep, write_bytes
from helio_dagster.storage.data_version import data_version
from helio_dagster.storage.level_files import levels_path
from helio_dagster.storage.table_seal import SummedFile, has_seal, is_sealed, is_sealed_text, seal

_META_KEY = b"helio"
_SAMPLE = 4096
_GROUP_ROWS = 2**17
"""Records of a table's file that are read at once: a zoom into a day needs some minutes of it."""
_TABLE, _FAILED = ".parquet", ".failed.json"
_WHOLE = "table"
"""Stands for the partition of an asset without partitions."""
_MOST_STAMPS = 50_000
"""Files of which it is remembered what they were stamped with; some 25 MB."""
_OTHER_CONTENT = "its content is not what was written"


@dataclass(frozen=True)
class StoredTable:
    """What is known of one file without reading its values."""

    path: Path
    size: int
    rows: int
    status: Status
    data_version: str
    meta: TableMeta
    provenance: dict[str, Any]


class TableStore:
    """Tables of assets and partitions under one folder.

    An asset is named by its key's parts joined with `/`, a partition by its key; None for an asset without partitions.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._folders: dict[str, Path] = {}
        self._stamps: dict[str, tuple[tuple[int, int, int], tuple[str, Status]]] = {}

    def path(self, asset: str, partition: str | None) -> Path:
        """The file of an asset's partition; every part is quoted, so that no name leads outside the folder."""
        if asset not in self._folders:
            parts = [quote(part, safe=" +@-_.") for part in asset.split("/")]
            if any(part in ("", ".", "..") for part in parts):
                raise StorageError(f"{asset!r} is not an asset name", hint="Its parts must not be empty, '.' or '..'.")
            self._folders[asset] = self.folder.joinpath(*parts)
        return self._folders[asset] / f"{quote(partition or _WHOLE, safe='-')}{_TABLE}"

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
        version, status = data_version(table), table.status
        record = {
            "meta": table.meta.model_dump(mode="json"),
            "status": status,
            "data_version": version,
            "provenance": dict(provenance),
        }
        crowded = [name for name, values in table.columns.items() if _is_crowded(values)]
        dictionary = [name for name in table.columns if name not in crowded]
        arrow = table_to_arrow(table)
        with atomic_path(path) as temporary:
            with (
                SummedFile(temporary) as file,
                pq.ParquetWriter(
                    file,
                    arrow.schema,
                    compression="zstd",
                    compression_level=3,
                    use_dictionary=dictionary,
                    column_encoding={"time": "DELTA_BINARY_PACKED"} | dict.fromkeys(crowded, "BYTE_STREAM_SPLIT"),
                    store_schema=False,
                    write_page_checksum=True,  # a rotten byte shall be an error, not another value
                ) as writer,
            ):
                writer.write_table(arrow, row_group_size=_GROUP_ROWS)
                writer.add_key_value_metadata({_META_KEY: seal(record, file.crc32)})
            size = temporary.stat().st_size
        return StoredTable(path, size, len(table), status, version, table.meta, dict(provenance))

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
        with _open(path) as file:
            table = _table_of(file, _record(file, path), path, names)
        if self.stamp(asset, partition) is None:  # of the whole file, once
            raise _damaged(path, ValueError(_OTHER_CONTENT))
        return table

    @staticmethod
    def read_file(path: Path) -> Table:
        """The table in any Parquet file that `write_file` has written; raises as `read`."""
        with _open(path) as file:
            record = _record(file, path)
            table = _table_of(file, record, path)
        if not (is_sealed(path, record) if has_seal(record) else data_version(table) == record["data_version"]):
            raise _damaged(path, ValueError(_OTHER_CONTENT))
        return table

    def read_window(self, asset: str, partition: str | None, window: TimeRange) -> Table | None:
        """At least the records of a window, from the part of the file that holds them; None where that is most of the file.

        Raises
        ------
        StorageError
            There is none, or the file is damaged.
        """
        path = self.path(asset, partition)
        if self.stamp(asset, partition) is None:
            raise _damaged(path, ValueError("its content is not what was written"))
        with _open(path) as file:
            first, last = (int(edge.astype(np.int64)) for edge in window.bounds_ns())
            bounds = [_group_bounds(file, index) for index in range(file.metadata.num_row_groups)]
            groups = [index for index, each in enumerate(bounds) if each is None or (each[0] < last and each[1] >= first)]
            if 2 * len(groups) > len(bounds):
                return None
            return _table_of(file, _record(file, path), path, groups=groups)

    def empty(self, asset: str, partition: str | None) -> Table:
        """A table without records, with the metadata and types of a stored one; raises as `read`."""
        path = self.path(asset, partition)
        with _open(path) as file:
            return _table_of(file, _record(file, path), path, groups=())

    def peek(self, asset: str, partition: str | None) -> StoredTable | None:
        """What is stored, from the file's footer alone; None where nothing usable is."""
        path = self.path(asset, partition)
        try:
            with _open(path) as file:
                record = _record(file, path)
                return StoredTable(
                    path,
                    path.stat().st_size,
                    file.metadata.num_rows,
                    record["status"],
                    record["data_version"],
                    TableMeta.model_validate(record["meta"]),
                    record["provenance"],
                )
        except (StorageError, OSError, ValueError):
            return None

    def newest(self, asset: str) -> Iterator[StoredTable]:
        """What is stored of an asset, last written first; only what is asked for is opened."""
        written = [(path.stat().st_mtime_ns, path.name) for path in self.path(asset, None).parent.glob(f"[!.]*{_TABLE}")]
        for _, name in sorted(written, reverse=True):
            found = self.peek(asset, self._key_of(name.removesuffix(_TABLE)))
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
            content = path.read_bytes()
            with pq.ParquetFile(pa.BufferReader(content)) as file:
                record = _record(file, path)
                if has_seal(record) and not is_sealed_text(content, file.metadata.metadata[_META_KEY]):
                    return None
        except (StorageError, OSError, pa.ArrowException, ValueError):
            return None
        stamp = (record["data_version"], record["status"])
        if len(self._stamps) >= _MOST_STAMPS:
            self._stamps.clear()
        self._stamps[str(path)] = (written, stamp)
        return stamp

    def has_file(self, asset: str, partition: str | None) -> bool:
        """Whether a partition has a file, whole or not."""
        return self.path(asset, partition).is_file()

    def record_failure(self, asset: str, partition: str | None, error: HelioError, attempt: str = "") -> None:
        """Remember why a partition failed; `attempt` says what it would have been made from."""
        record = {"error": error.problem, "where": error.where, "hint": error.hint, "kind": type(error).__name__}
        record |= {"attempt": attempt} if attempt else {}
        write_bytes(self._failure_path(self.path(asset, partition)), json.dumps(record, sort_keys=True).encode())

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
                found.add("/".join(unquote(part) for part in Path(folder).relative_to(self.folder).parts))
        return sorted(found)

    def files(self, asset: str, partition: str | None) -> list[Path]:
        """The files of a partition: its table, the levels of its lines, its recorded failure."""
        path = self.path(asset, partition)
        return [each for each in (path, levels_path(path), self._failure_path(path)) if each.is_file()]

    def has_asset(self, asset: str) -> bool:
        """Whether any table of an asset is stored."""
        return any(self.path(asset, None).parent.glob(f"*{_TABLE}"))

    def keys(self, asset: str, suffix: str = _TABLE) -> list[str | None]:
        """Partitions of an asset that have a file, whole or not, in order; None for the one without partitions."""
        names = [path.name.removesuffix(suffix) for path in self.path(asset, None).parent.glob(f"[!.]*{suffix}")]
        return [self._key_of(name) for name in sorted(names)]

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

    @staticmethod
    def _key_of(name: str) -> str | None:
        return None if name == _WHOLE else unquote(name)

    @staticmethod
    def _failure_path(path: Path) -> Path:
        return path.with_suffix(_FAILED)


def _group_bounds(file: pq.ParquetFile, index: int) -> tuple[int, int] | None:
    """First and last time of a group of records, ns since 1970; None where the file does not say."""
    group = file.metadata.row_group(index)
    found = next(
        (group.column(place) for place in range(group.num_columns) if group.column(place).path_in_schema == "time"), None
    )
    statistics = found.statistics if found is not None else None
    return (statistics.min_raw, statistics.max_raw) if statistics is not None and statistics.has_min_max else None


def _table_of(
    file: pq.ParquetFile,
    record: Mapping[str, Any],
    path: Path,
    names: Sequence[str] | None = None,
    *,
    groups: Sequence[int] | None = None,
) -> Table:
    """The table of an open file: all of it, some of its columns, or some groups of its records."""
    try:
        meta = TableMeta.model_validate(record["meta"])
        if names is not None:
            kept = tuple(each for each in meta.columns if each.name in names or each.role in ("before", "after"))
            meta = meta.model_copy(update={"columns": kept})
        columns = [column.name for column in meta.columns]
        wanted = ["time", *columns] if names is not None else None
        if groups is None:
            arrow = file.read(columns=wanted, use_threads=False)
        else:
            arrow = file.read_row_groups(list(groups), columns=wanted, use_threads=False)
        return Table(column_to_numpy(arrow, "time"), {name: column_to_numpy(arrow, name) for name in columns}, meta)
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(path, error) from error


def _open(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path, page_checksum_verification=True)
    except FileNotFoundError:
        raise StorageError(f"{path.name} is not stored", where=str(path.parent), hint="Materialize it first.") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(path, error) from error


def _record(file: pq.ParquetFile, path: Path) -> dict[str, Any]:
    try:
        record = json.loads((file.metadata.metadata or {})[_META_KEY])
    except (KeyError, ValueError) as error:
        raise _damaged(path, error) from error
    if not isinstance(record, dict) or not {"meta", "status", "data_version", "provenance"} <= record.keys():
        raise _damaged(path, ValueError("its metadata is not ours"))
    return record


def _damaged(path: Path, error: Exception) -> StorageError:
    if isinstance(error, OSError) and error.errno:
        return storage_error(error, path)
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return StorageError(f"{path} is damaged: {reason}", hint="Run the same range again: it will be remade.")


def _is_crowded(values: NDArray[Any]) -> bool:
    """Whether most values of a float column differ, so that a dictionary would only cost."""
    if values.dtype.kind != "f":
        return False
    sample = values[:: max(1, len(values) // _SAMPLE)]
    return bool(len(sample)) and len(np.unique(sample)) > len(sample) // 2
