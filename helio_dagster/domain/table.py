"""A table of measurements and its metadata: what every step yields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from helio_dagster.domain.time_range import TimeRange

Kind = Literal["series", "vector", "spectrogram", "events"]
Status = Literal["data", "empty", "all_fill"]
Scale = Literal["linear", "log"]
Times = NDArray[np.datetime64]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="constants")  # NaN centers cross as JSON


class ColumnMeta(_Value):
    """One column: its name in the table, the label to print, its unit as normalized text.

    `role` is `bin` for the companion columns that hold a bin axis which varies per record.
    """

    name: str
    label: str = ""
    unit: str = ""
    role: Literal["data", "bin"] = "data"


class BinAxis(_Value):
    """The second axis of a spectrogram.

    `centers` holds one value per data column, in column order, when the axis is fixed; it is empty when the axis varies per
    record, and the columns of role `bin`, one per data column in the same order, hold it instead.
    """

    label: str = ""
    unit: str = ""
    scale: Scale = "linear"
    centers: tuple[float, ...] = ()

    @property
    def is_fixed(self) -> bool:
        """Whether one set of centers serves all records."""
        return bool(self.centers)


class TableMeta(_Value):
    """What a table means: kind, columns, unit, frame, bin axis, and the archive's own attributes.

    `unit` is the unit of the data columns when they share one. `frame` is the coordinate frame (GSE, RTN, …) or None.
    `attributes` keeps the archive's ISTP attributes of the variable as given. `synthetic` marks the demo archive's data and
    all that is derived from it.
    """

    kind: Kind
    columns: tuple[ColumnMeta, ...]
    label: str = ""
    unit: str = ""
    frame: str | None = None
    scale: Scale = "linear"
    bins: BinAxis | None = None
    synthetic: bool = False
    attributes: dict[str, Any] = {}

    @property
    def data_names(self) -> tuple[str, ...]:
        """Names of the data columns, in order."""
        return tuple(column.name for column in self.columns if column.role == "data")

    @property
    def bin_names(self) -> tuple[str, ...]:
        """Names of the companion columns of a varying bin axis, in order."""
        return tuple(column.name for column in self.columns if column.role == "bin")


@dataclass(frozen=True)
class Table:
    """Columns over a time axis.

    Parameters
    ----------
    time
        `datetime64[ns]`, naive UTC, shape (record,), strictly increasing.
    columns
        Name to array, shape (record,) each, in the order of `meta.columns`. Floats are NaN where there is no valid value;
        integer and string columns have no missing values.
    meta
        What the columns mean.
    """

    time: Times
    columns: Mapping[str, NDArray[Any]]
    meta: TableMeta

    def __post_init__(self) -> None:
        named = tuple(column.name for column in self.meta.columns)
        if named != tuple(self.columns):
            raise ValueError(f"columns {tuple(self.columns)} are not those of the metadata {named}")
        if any(len(values) != len(self.time) for values in self.columns.values()):
            raise ValueError("columns and time differ in length")

    def __len__(self) -> int:
        return len(self.time)

    @property
    def status(self) -> Status:
        """`empty` without records, `all_fill` when no data column holds a valid value, else `data`."""
        if not len(self):
            return "empty"
        floats = [self.columns[name] for name in self.meta.data_names if self.columns[name].dtype.kind == "f"]
        is_all_fill = len(floats) == len(self.meta.data_names) and all(np.isnan(values).all() for values in floats)
        return "all_fill" if floats and is_all_fill else "data"

    def clip(self, window: TimeRange) -> Table:
        """The records inside `[start, stop)`."""
        return self.clip_ns(*window.bounds_ns())

    def clip_ns(self, start: np.datetime64, stop: np.datetime64) -> Table:
        """The records inside `[start, stop)`, naive UTC to the nanosecond."""
        first, last = np.searchsorted(self.time, [start, stop], side="left")
        if first == 0 and last == len(self.time):
            return self
        inside = slice(first, last)
        return replace(self, time=self.time[inside], columns={name: values[inside] for name, values in self.columns.items()})

    @classmethod
    def empty(cls, meta: TableMeta, dtypes: Mapping[str, str] | None = None) -> Table:
        """A table without records; columns are float64 unless `dtypes` says otherwise."""
        columns = {column.name: np.empty(0, dtype=(dtypes or {}).get(column.name, "float64")) for column in meta.columns}
        return cls(np.empty(0, dtype="datetime64[ns]"), columns, meta)


def concatenate(tables: Sequence[Table]) -> Table:
    """Consecutive partitions of one asset as one table; empty ones do not count.

    The last one with a valid value gives the metadata: what holds fills alone, as a quotient by what is not there, has no unit.

    Raises
    ------
    ValueError
        The tables' columns, units, frames or bins differ, or they are not in order of time.
    """
    filled = [table for table in tables if len(table)]
    if len(filled) < 2:
        return filled[0] if filled else next((table for table in reversed(tables) if table.meta.columns), tables[-1])
    names = tuple(filled[-1].columns)
    if any(tuple(table.columns) != names for table in filled):
        raise ValueError("the partitions' columns differ: " + "; ".join(sorted({", ".join(table.columns) for table in filled})))
    time = np.concatenate([table.time for table in filled])
    if (np.diff(time) <= np.timedelta64(0, "ns")).any():
        raise ValueError("the partitions are not in order of time")
    telling = [table.meta for table in filled if table.status == "data"] or [filled[-1].meta]
    for meta in telling[:-1]:
        difference = mismatch(meta, telling[-1])
        if difference:
            raise ValueError(f"the partitions differ in {difference}")
    columns = {name: np.concatenate([table.columns[name] for table in filled]) for name in names}
    return Table(time, columns, telling[-1])


def mismatch(one: TableMeta, other: TableMeta) -> str:
    """In what two tables differ so that they are not one series, in words; empty where in nothing."""
    if one.kind != other.kind:
        return f"kind ({one.kind}, {other.kind})"
    if [column.role for column in one.columns] != [column.role for column in other.columns]:
        return f"number of columns ({len(one.columns)}, {len(other.columns)})"
    if [column.unit for column in one.columns] != [column.unit for column in other.columns]:
        return f"units ({one.unit}, {other.unit})"
    if one.frame != other.frame:
        return f"coordinate frame ({one.frame}, {other.frame})"
    own, others = (np.array(meta.bins.centers if meta.bins else ()) for meta in (one, other))
    return "" if np.array_equal(own, others, equal_nan=True) else "energies or other bins"
