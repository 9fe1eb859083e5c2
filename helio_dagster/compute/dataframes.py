"""Tables as pandas DataFrames and back, nothing lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import ValidationError

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

META_KEY = "helio"


def table_to_dataframe(table: Table) -> pd.DataFrame:
    """A table as a DataFrame.

    Parameters
    ----------
    table
        Any table.

    Returns
    -------
    pandas.DataFrame
        Index `time`: `datetime64[ns, UTC]`; columns and their dtypes as in the table (text becomes `object`). A column whose
        records have axes is one of Arrow's lists of fixed size, not copied; `record_array` gives the array. `attrs` holds
        `kind`, `label`, `unit`, `units` (column to unit), `frame`, `synthetic`, `extent` (how far each record reaches before
        and after its time, in s, where that is known and the same for all), and under `helio` the whole metadata, all of plain
        values that JSON can hold.
    """
    index = pd.DatetimeIndex(table.time.astype("datetime64[ns]"), name="time").tz_localize("UTC")
    columns = {name: values if values.ndim == 1 else _lists(values) for name, values in table.columns.items()}
    dataframe = pd.DataFrame(columns, index=index, copy=False)
    dataframe.attrs.update(meta_to_attrs(table.meta))
    return dataframe


def _lists(values: NDArray[Any]) -> pd.api.extensions.ExtensionArray:
    """Records with axes as one list each, over the same memory."""
    flat = pa.array(np.ascontiguousarray(values).reshape(-1), from_pandas=False)
    size = int(np.prod(values.shape[1:]))
    kind = pa.list_(flat.type, size)
    return pd.arrays.ArrowExtensionArray(pa.FixedSizeListArray.from_arrays(flat, type=kind))


def record_array(column: pd.Series[Any], shape: tuple[int, ...] = (-1,)) -> NDArray[Any]:
    """A column of Arrow's lists of fixed size as an array, shape (record, *shape); not copied where it is in one piece.

    Raises
    ------
    ComputeError
        The column holds no such lists, or a record is missing.
    """
    kind = column.dtype.pyarrow_dtype if isinstance(column.dtype, pd.ArrowDtype) else None
    if kind is None or not pa.types.is_fixed_size_list(kind) or column.hasnans:
        hint = "Give it records of several values as `helio.read` and a step's inputs have them."
        raise ComputeError(f"the column {column.name!r} does not hold lists of one size", hint=hint)
    chunks = pa.chunked_array(column.array.__arrow_array__()).chunks
    parts = [chunk.flatten().to_numpy(zero_copy_only=False).reshape(len(chunk), kind.list_size) for chunk in chunks]
    values = parts[0] if len(parts) == 1 else np.concatenate(parts or [np.empty((0, kind.list_size))])
    return values.reshape(len(values), *(shape if len(values) or -1 not in shape else (kind.list_size,)))


def meta_to_attrs(meta: TableMeta) -> dict[str, Any]:
    """The `attrs` of a table's DataFrame: plain values that JSON can hold, so that pandas can write them to any file."""
    return {
        "kind": meta.kind,
        "label": meta.label,
        "unit": meta.unit,
        "units": {column.name: column.unit for column in meta.columns},
        "frame": meta.frame,
        "synthetic": meta.synthetic,
        **({"extent": [meta.extent.before_ns / 1e9, meta.extent.after_ns / 1e9]} if meta.extent else {}),
        META_KEY: meta.model_dump(),
    }


def dataframe_to_table(dataframe: pd.DataFrame, meta: TableMeta | None = None) -> Table:
    """A DataFrame as a table: the inverse of `table_to_dataframe`.

    Parameters
    ----------
    dataframe
        Time index in any order; a naive one is taken as UTC. Missing values of nullable columns become NaN.
    meta
        What the columns mean; by default what `attrs` say, where they still fit the columns, else the column names alone.

    Returns
    -------
    Table
        Records in order of time, in the units of the columns; numbers are not converted.

    Raises
    ------
    ComputeError
        The index is not a time, has missing or repeated times, or the columns are not those of `meta`.
    """
    time = _index_to_time(dataframe.index)
    order = np.argsort(time, kind="stable")
    time = time[order]
    may_repeat = meta is not None and meta.has_rows_of_intervals
    if not may_repeat and (np.diff(time) == np.timedelta64(0, "ns")).any():
        repeated = time[:-1][np.diff(time) == np.timedelta64(0, "ns")][0]
        hint = "Keep one record per time, for example with ~index.duplicated()."
        raise ComputeError(f"the result has two records at {repeated}Z", hint=hint)
    names = [str(name) for name in dataframe.columns]
    if len(set(names)) != len(names):
        raise ComputeError(f"the result has two columns of one name: {', '.join(names)}", hint="Rename one of them.")
    meta = meta or _meta_of(dataframe, names)
    columns = {name: _column_to_array(dataframe.iloc[:, place], meta.shape_of(name))[order] for place, name in enumerate(names)}
    if tuple(names) != tuple(column.name for column in meta.columns):
        wanted = ", ".join(column.name for column in meta.columns)
        raise ComputeError(f"the result has the columns {', '.join(names)}", hint=f"Expected are {wanted}.")
    return Table(time, columns, meta)


def _index_to_time(index: pd.Index[Any]) -> NDArray[np.datetime64]:
    if not isinstance(index, pd.DatetimeIndex):
        hint = "Keep the time index of the inputs in the result."
        raise ComputeError(f"the result is indexed by {index.dtype}, not by time", hint=hint)
    if index.hasnans:
        raise ComputeError("the result has records without a time", hint="Drop them: result[result.index.notna()].")
    naive = index.tz_convert("UTC").tz_localize(None) if index.tz is not None else index
    return naive.to_numpy().astype("datetime64[ns]")


def _column_to_array(column: pd.Series[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if shape:
        return record_array(column, shape)
    if pd.api.types.is_extension_array_dtype(column.dtype):
        if pd.api.types.is_numeric_dtype(column.dtype):
            return column.to_numpy(dtype="float64", na_value=np.nan)
        if isinstance(column.dtype, pd.DatetimeTZDtype):
            return np.asarray(column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    values: NDArray[Any] = column.to_numpy()
    return values.astype(str) if values.dtype.kind == "O" else values


def _meta_of(dataframe: pd.DataFrame, names: list[str]) -> TableMeta:
    known = dataframe.attrs.get(META_KEY)
    if isinstance(known, dict):
        try:
            meta = TableMeta.model_validate(known)
        except ValidationError:
            meta = None
        if meta is not None and [column.name for column in meta.columns] == names:
            return meta
    columns = tuple(ColumnMeta(name=name) for name in names)
    return TableMeta(kind="series" if len(names) == 1 else "vector", columns=columns, synthetic=is_synthetic(dataframe))


def is_synthetic(dataframe: pd.DataFrame) -> bool:
    """Whether a DataFrame's `attrs` mark it as made from synthetic data."""
    return dataframe.attrs.get("synthetic") is True
