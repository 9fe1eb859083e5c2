"""The inputs of a call out of shared memory, as DataFrames and distributions that code may change."""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from helio_dagster.sandbox.distributions import Distribution, distribution_of


def unpack_inputs(mapping: mmap.mmap, inputs: Sequence[Mapping[str, Any]]) -> dict[str, pd.DataFrame | Distribution]:
    """DataFrames over the mapped memory itself; what code writes into them stays in this process.

    Records over several axes are a `Distribution`.

    Parameters
    ----------
    mapping
        Private and writable: pages are copied when they are first written.
    inputs
        Name, offset, size and attrs of each.
    """
    whole = pa.py_buffer(mapping)
    found: dict[str, pd.DataFrame | Distribution] = {}
    for each in inputs:
        stream = whole.slice(each["offset"], each["size"])
        table = pa.ipc.open_stream(stream, options=pa.ipc.IpcReadOptions(use_threads=False)).read_all()
        columns = {name: _to_array(table.column(name), mapping, whole.address) for name in table.column_names}
        time = columns.pop("time").view("datetime64[ns]")
        index = pd.DatetimeIndex(time, name="time").tz_localize("UTC")
        axes = each["attrs"].get("helio", {}).get("axes")
        if axes:
            found[each["name"]] = distribution_of(columns, index, each["attrs"], axes)
            continue
        frame = pd.DataFrame(columns, index=index, copy=False)
        frame.attrs.update(each["attrs"])
        found[each["name"]] = frame
    return found


def _to_array(column: pa.ChunkedArray, mapping: mmap.mmap, base: int) -> NDArray[Any]:
    if column.num_chunks != 1:
        return np.asarray(column.to_numpy())
    values = column.chunk(0)
    if pa.types.is_fixed_size_list(values.type):
        flat = _to_array(pa.chunked_array([values.flatten()]), mapping, base)
        return flat.reshape(len(values), values.type.list_size)
    if values.null_count or not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        return np.array(values.to_numpy(zero_copy_only=False))
    if not len(values):
        return np.empty(0, dtype=values.type.to_pandas_dtype())
    dtype = np.dtype(values.type.to_pandas_dtype())
    address = values.buffers()[1].address
    return np.frombuffer(mapping, dtype=dtype, count=len(values), offset=address - base + values.offset * dtype.itemsize)
