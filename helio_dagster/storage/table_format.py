"""One table as a Parquet file: what is written into it, and what is read back. Where files are does not matter here."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.large_arrays import MOST_HELD_BYTES, copy_into, new_array, release
from helio_dagster.domain.table import Status, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.arrow_columns import column_to_numpy, table_to_arrow
from helio_dagster.storage.atomic import storage_error
from helio_dagster.storage.data_version import data_version
from helio_dagster.storage.table_seal import content_of, has_seal, is_sealed_text, seal

_META_KEY = b"helio"
_TIME = "time"
_SAMPLE = 4096
_LEAST_REAL_BYTES = 4
_GROUP_ROWS = 2**17
"""Records of a table's file that are read at once: a zoom into a day needs some minutes of it."""
_GROUP_BYTES = 16 * 2**20
"""Of records with several axes that are read at once."""
OTHER_CONTENT = "its content is not what was written"

Source = Path | bytes | memoryview
"""A file, or its whole content."""


class SummedStream(Protocol):
    """A stream for writing that knows the CRC-32 of what was written so far."""

    crc32: int


@dataclass(frozen=True)
class StoredTable:
    """What is known of one stored table without reading its values; `place` is its path, or its address in an object store."""

    place: str
    size: int
    rows: int
    status: Status
    data_version: str
    meta: TableMeta
    provenance: dict[str, Any]

    @property
    def path(self) -> Path:
        """The file of a table in a folder."""
        return Path(self.place)

    @property
    def least_bytes(self) -> int:
        """Bytes that its values over several axes take in memory, at least; 0 of any other table."""
        return self.rows * math.prod(self.meta.shape) * _LEAST_REAL_BYTES if self.meta.axes else 0


def write_parquet(stream: SummedStream, table: Table, provenance: Mapping[str, Any]) -> tuple[str, Status]:
    """Write a table with what determined its content; returns its data version and status."""
    version, status = data_version(table), table.status
    record = {
        "meta": table.meta.model_dump(mode="json"),
        "status": status,
        "data_version": version,
        "provenance": dict(provenance),
    }
    lists = [name for name, values in table.columns.items() if values.ndim > 1]
    crowded = [name for name, values in table.columns.items() if name not in lists and is_crowded(values)]
    dictionary = [name for name in table.columns if name not in (*crowded, *lists)]
    arrow = table_to_arrow(table)
    with pq.ParquetWriter(
        stream,
        arrow.schema,
        compression="zstd",
        compression_level=3,
        use_dictionary=dictionary,
        column_encoding={"time": "DELTA_BINARY_PACKED"} | dict.fromkeys(crowded, "BYTE_STREAM_SPLIT"),
        store_schema=bool(lists),  # Parquet itself has no lists of fixed size
        write_page_checksum=True,  # a rotten byte shall be an error, not another value
    ) as writer:
        rows = _group_rows(table)
        for first in range(0, max(1, len(table)), rows):
            writer.write_table(arrow.slice(first, rows), row_group_size=rows)
            for name in lists:
                release(table.columns[name][first : first + rows])
        writer.add_key_value_metadata({_META_KEY: seal(record, stream.crc32)})
    return version, status


def read_table(source: Source, place: str, names: Sequence[str] | None = None) -> Table:
    """The table; all of it is compared with its checksum unless only some columns are read.

    Raises
    ------
    StorageError
        There is none, or it is damaged.
    """
    with open_parquet(source, place) as file:
        record = record_of(file, place)
        table = _table_of(file, record, place, names)
    if names is None and not (_is_sealed(source, file) if has_seal(record) else data_version(table) == record["data_version"]):
        raise damaged(place, ValueError(OTHER_CONTENT))
    return table


def read_rows(source: Source, place: str, window: TimeRange) -> Table | None:
    """At least the records of a window, from the groups of records that hold them; None where those are most of the file.

    Raises
    ------
    StorageError
        There is none, or it is damaged.
    """
    with open_parquet(source, place) as file:
        first, last = (int(edge.astype(np.int64)) for edge in window.bounds_ns())
        bounds = [_group_bounds(file, index) for index in range(file.metadata.num_row_groups)]
        groups = [index for index, each in enumerate(bounds) if each is None or (each[0] < last and each[1] >= first)]
        if 2 * len(groups) > len(bounds):
            return None
        return _table_of(file, record_of(file, place), place, groups=groups)


def read_parts(source: Source, place: str) -> Iterator[Table]:
    """All records, in the groups that they were written in; only each group's own checksums are looked at.

    Raises
    ------
    StorageError
        There is none, or it is damaged.
    """
    with open_parquet(source, place) as file:
        record = record_of(file, place)
        for index in range(file.metadata.num_row_groups):
            yield _table_of(file, record, place, groups=(index,))


def read_none(source: Source, place: str) -> Table:
    """A table without records, with the metadata and types of a stored one; raises as `read_table`."""
    with open_parquet(source, place) as file:
        return _table_of(file, record_of(file, place), place, groups=())


def describe(source: Source, place: str, size: int) -> StoredTable:
    """What the footer says; raises as `read_table`, or a ValueError."""
    with open_parquet(source, place) as file:
        record = record_of(file, place)
        meta = TableMeta.model_validate(record["meta"])
        rows = file.metadata.num_rows
    return StoredTable(place, size, rows, record["status"], record["data_version"], meta, record["provenance"])


def stamp_of(content: bytes | memoryview, place: str) -> tuple[str, Status] | None:
    """Data version and status of a file's content as its footer says; None where any byte changed.

    Of a file of an earlier release only the footer is looked at: it has no checksum over all.
    """
    with pq.ParquetFile(pa.BufferReader(content)) as file:
        record = record_of(file, place)
        if has_seal(record) and not _is_sealed(content, file):
            return None
    return record["data_version"], record["status"]


def open_parquet(source: Source, place: str) -> pq.ParquetFile:
    """The open file; raises as `read_table`."""
    try:
        opened = source if isinstance(source, Path) else pa.BufferReader(source)
        return pq.ParquetFile(opened, page_checksum_verification=True)
    except FileNotFoundError:
        raise not_stored(place) from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged(place, error) from error


def record_of(file: pq.ParquetFile, place: str) -> dict[str, Any]:
    """What an open file says of its table; StorageError where it was not written here."""
    try:
        record = json.loads((file.metadata.metadata or {})[_META_KEY])
    except (KeyError, ValueError) as error:
        raise damaged(place, error) from error
    if not isinstance(record, dict) or not {"meta", "status", "data_version", "provenance"} <= record.keys():
        raise damaged(place, ValueError("its metadata is not ours"))
    return record


def not_stored(place: str) -> StorageError:
    """There is no such table."""
    folder, _, name = place.rpartition("/")
    return StorageError(f"{name} is not stored", where=folder, hint="Materialize it first.")


def damaged(place: str, error: Exception) -> StorageError:
    """The error a person reads for a file that cannot be read."""
    if isinstance(error, OSError) and error.errno:
        return storage_error(error, Path(place))
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return StorageError(f"{place} is damaged: {reason}", hint="Run the same range again: it will be remade.")


def _is_sealed(source: Source, file: pq.ParquetFile) -> bool:
    content = content_of(source) if isinstance(source, Path) else source
    return is_sealed_text(content, file.metadata.metadata[_META_KEY])


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
    place: str,
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
        if groups is None and _values_bytes(file, meta) > MOST_HELD_BYTES:
            return _joined_groups(file, meta, columns, wanted)
        if groups is None:
            arrow = file.read(columns=wanted, use_threads=False)
        else:
            arrow = file.read_row_groups(list(groups), columns=wanted, use_threads=False)
        return _shaped(arrow, meta, columns)
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(place, error) from error


def _shaped(arrow: pa.Table, meta: TableMeta, columns: Sequence[str]) -> Table:
    arrays = {name: column_to_numpy(arrow, name) for name in columns}
    shaped = {name: values.reshape(len(values), *meta.shape_of(name)) for name, values in arrays.items()}
    return Table(column_to_numpy(arrow, "time"), shaped, meta)


def _values_bytes(file: pq.ParquetFile, meta: TableMeta) -> int:
    """Bytes that all values of a table over several axes take, at least; 0 of any other table."""
    return file.metadata.num_rows * math.prod(meta.shape) * _LEAST_REAL_BYTES if meta.axes else 0


def _joined_groups(file: pq.ParquetFile, meta: TableMeta, columns: Sequence[str], wanted: Sequence[str] | None) -> Table:
    """The whole table, of which no more than a group of records is in memory twice."""
    rows, place = file.metadata.num_rows, 0
    arrays: dict[str, NDArray[Any]] = {}
    for index in range(file.metadata.num_row_groups):
        part = _shaped(file.read_row_group(index, columns=wanted, use_threads=False), meta, columns)
        for name, values in {_TIME: part.time, **part.columns}.items():
            if name not in arrays:
                arrays[name] = new_array((rows, *values.shape[1:]), values.dtype)
            copy_into(arrays[name][place : place + len(part)], values)
        place += len(part)
    for values in arrays.values():
        values.flags.writeable = False  # others may hold the same table
    return Table(arrays.pop(_TIME), arrays, meta)


def _group_rows(table: Table) -> int:
    """Records of a group: fewer of those that hold many values, so that a slice of time reads little."""
    record_bytes = sum(values[:1].nbytes for values in table.columns.values() if values.ndim > 1)
    return max(1, min(_GROUP_ROWS, _GROUP_BYTES // record_bytes)) if record_bytes else _GROUP_ROWS


def is_crowded(values: NDArray[Any]) -> bool:
    """Whether most values of a float column, shape (record, ...), differ, so that a dictionary would only cost."""
    if values.dtype.kind != "f":
        return False
    sample = np.sort(values[:: max(1, len(values) // _SAMPLE)])
    known = sample[: len(sample) - int(np.count_nonzero(np.isnan(sample)))]
    different = bool(len(known)) + int(np.count_nonzero(known[1:] != known[:-1])) + (len(known) < len(sample))
    return different > len(sample) // 2
