"""Tables to Arrow and back, column by column, without pandas: `pa.array` imports it to ask whether the values are its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from helio_dagster.domain.table import Table


def table_to_arrow(table: Table) -> pa.Table:
    """Times and columns in order; only missing times are null."""
    arrays = [_times(table.time), *(_array(values) for values in table.columns.values())]
    return pa.Table.from_arrays(arrays, names=["time", *table.columns])


def column_to_numpy(arrow: pa.Table, name: str) -> NDArray[Any]:
    """The values of a column, shape (record,), or (record, value) where records hold several; texts as objects."""
    column = arrow.column(name)
    if pa.types.is_fixed_size_list(column.type):
        return _records(column)
    if pa.types.is_string(column.type):
        return np.array(column.to_pylist(), dtype=object)
    if column.null_count or not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type) or _is_time(column)):
        values: NDArray[Any] = column.to_numpy()
        return values
    parts = [_values(chunk) for chunk in column.chunks]
    values = parts[0] if len(parts) == 1 else np.concatenate(parts or [np.empty(0, _dtype(column.type))])
    values.flags.writeable = False  # others may hold the same table
    return values


def _records(column: pa.ChunkedArray) -> NDArray[Any]:
    """Records of several values, shape (record, value): a view of Arrow's memory where it is in one piece."""
    if column.null_count:
        raise ValueError("a record is missing")
    size = column.type.list_size
    parts = [_values(chunk.flatten()).reshape(len(chunk), size) for chunk in column.chunks]
    values = parts[0] if len(parts) == 1 else np.concatenate(parts or [np.empty((0, size), _dtype(column.type.value_type))])
    values.flags.writeable = False  # others may hold the same table
    return values


def _values(chunk: pa.Array) -> NDArray[Any]:
    """The memory of an array without nulls, which is not copied."""
    dtype = _dtype(chunk.type)
    buffer = chunk.buffers()[1]
    return np.frombuffer(buffer, dtype, len(chunk), chunk.offset * dtype.itemsize) if len(chunk) else np.empty(0, dtype)


def _dtype(kind: pa.DataType) -> np.dtype[Any]:
    return np.dtype("datetime64[ns]" if pa.types.is_timestamp(kind) else kind.to_pandas_dtype())


def _is_time(column: pa.ChunkedArray) -> bool:
    return bool(column.type == pa.timestamp("ns"))


def _array(values: NDArray[Any]) -> pa.Array:
    if values.ndim > 1:  # one list of fixed size per record
        size = int(np.prod(values.shape[1:]))
        flat = _array(np.ascontiguousarray(values).reshape(-1))
        return pa.FixedSizeListArray.from_arrays(flat, type=pa.list_(pa.field("element", flat.type, nullable=False), size))
    if values.dtype.kind in "OUT":
        return _texts([str(value).encode() for value in values])
    if values.dtype == np.dtype("datetime64[ns]"):
        return _times(values)
    if values.dtype.kind in "fi" and values.dtype.isnative:
        return _of_buffers(pa.from_numpy_dtype(values.dtype), values)
    return pa.array(np.ascontiguousarray(values), from_pandas=False)


def _times(values: NDArray[np.datetime64]) -> pa.Array:
    known = ~np.isnat(values)
    valid = None if known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
    return _of_buffers(pa.timestamp("ns"), values, valid=valid)


def _texts(encoded: list[bytes]) -> pa.Array:
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    if offsets[-1] > np.iinfo(np.int32).max:
        return pa.array([text.decode() for text in encoded], type=pa.string())
    return _of_buffers(pa.string(), offsets.astype(np.int32), pa.py_buffer(b"".join(encoded)), length=len(encoded))


def _of_buffers(
    kind: pa.DataType, values: NDArray[Any], *more: pa.Buffer, valid: pa.Buffer | None = None, length: int | None = None
) -> pa.Array:
    """An array over the memory of numpy's, without a copy."""
    count = len(values) if length is None else length
    return pa.Array.from_buffers(kind, count, [valid, pa.py_buffer(np.ascontiguousarray(values)), *more])
