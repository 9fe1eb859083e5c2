"""Several tables in one, byte-stable: the named results of one evaluation of a step's code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

_FILLS: dict[str, Any] = {"f": np.nan, "i": 0, "M": np.datetime64("NaT", "ns")}


def pack_tables(tables: Mapping[str, Table], start: np.datetime64) -> Table:
    """One table of kind `results`.

    Parameters
    ----------
    tables
        Name to table, with columns of floats, whole numbers and times.
    start
        Start of the window that they are results of.

    Returns
    -------
    Table
        A row for each row of the longest table, all at `start`. Of each table there is a column `name.time`, which says by its
        valid times how many of the rows are the table's, and `name.column` for each column; the rest is NaN, 0 or NaT.
    """
    length = max(map(len, tables.values()))
    columns: dict[str, NDArray[Any]] = {}
    metas: list[ColumnMeta] = []
    for name, table in tables.items():
        columns[f"{name}.time"] = _filled(table.time, length)
        metas.append(ColumnMeta(name=f"{name}.time", label=name))
        for column in table.meta.columns:
            columns[f"{name}.{column.name}"] = _filled(table.columns[column.name], length)
            metas.append(column.model_copy(update={"name": f"{name}.{column.name}"}))
    meta = TableMeta(
        kind="results",
        columns=tuple(metas),
        parts={name: table.meta for name, table in tables.items()},
        synthetic=any(table.meta.synthetic for table in tables.values()),
        predicted=any(table.meta.predicted for table in tables.values()),
    )
    return Table(np.full(length, start, dtype="datetime64[ns]"), columns, meta)


def unpack_table(packed: Table, name: str) -> Table:
    """One of the tables that `pack_tables` put together; KeyError if there is none of that name."""
    meta = packed.meta.parts[name]
    if not len(packed):
        dtypes = {column.name: packed.columns[f"{name}.{column.name}"].dtype.str for column in meta.columns}
        return Table.empty(meta, dtypes)
    times = packed.columns[f"{name}.time"]
    length = int(np.count_nonzero(~np.isnat(times)))
    return Table(times[:length], {each.name: packed.columns[f"{name}.{each.name}"][:length] for each in meta.columns}, meta)


def _filled(values: NDArray[Any], length: int) -> NDArray[Any]:
    """The values, and fill values after them up to a length."""
    whole = np.full((length, *values.shape[1:]), _FILLS[values.dtype.kind], dtype=values.dtype)
    whole[: len(values)] = values
    return whole
