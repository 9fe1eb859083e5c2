"""A table of measurements and its metadata: what every step yields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from helio_dagster.domain.axes import RecordAxis, axis_mismatch
from helio_dagster.domain.extent import EXTENT_NAMES, Extent, Extents
from helio_dagster.domain.large_arrays import joined, record_blocks
from helio_dagster.domain.time_range import TimeRange

Kind = Literal["series", "vector", "spectrogram", "events", "curve", "map", "points", "facts", "results", "nd"]
Role = Literal["data", "bin", "axis", "uncertainty", "lower", "upper", "count", "stop", "id", "before", "after", "width"]
Status = Literal["data", "empty", "all_fill"]
Maturity = Literal["", "real-time", "quicklook", "preliminary", "provisional", "quasi-definitive"]
"""How far from definitive data are, the least mature first; empty where they are definitive, or nobody says otherwise."""
MATURITIES = tuple(each for each in get_args(Maturity) if each)
Scale = Literal["linear", "log"]
Times = NDArray[np.datetime64]
_COMPANIONS: tuple[Role, ...] = ("uncertainty", "lower", "upper")
_REACHES: tuple[Role, ...] = ("before", "after")


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="constants")  # NaN centers cross as JSON


class ColumnMeta(_Value):
    """One column: its name in the table, the label to print, its unit as normalized text.

    `role` is `data`, or says what a companion column holds: `bin`, a bin axis that varies per record; `axis`, the values of a
    curve's axis or of one of the two of a map; `uncertainty` (one standard deviation), `lower` and `upper` (ends of a spread or
    of a map's bin), each of the last column of data or of an axis before it; `count`, how many values the data of a row are
    made of, a whole number; `width`, how wide the bins are of an axis that varies per record; `stop` and `id`, where the
    interval of a row stops and what it is called; `before` and `after`, how far a record reaches before and after its time, in
    s, where that differs from record to record.
    """

    name: str
    label: str = ""
    unit: str = ""
    role: Role = "data"


class BinAxis(_Value):
    """The second axis of a spectrogram, or the axis of a curve or map, whose values stand in its column of role `axis`.

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

    Kinds whose rows are samples in time: `series`, `vector`, `spectrogram` and `points` (two or three data columns: pairs or
    triples with their times). Kinds whose rows belong to an interval, which begins at the row's time: `events` (with a `stop`
    where they last), `facts` (one row of named numbers for each interval, its `stop` beside them), `curve` (one row for each
    value of its axis, all at the start of the interval) and `map` (one row for each pair of values of its two axes, in order of
    the first, then of the second). `bins` describes a spectrogram's bins, a curve's axis or the second axis of a map, whose
    first is `first_axis`. `nd`: records with several axes, which `axes` describe, in one column of data, shape (record, *axes).
    A table of kind `results` holds several tables, whose metadata are `parts`; see
    `named_tables`.

    `unit` is the unit of the data columns when they share one. `frame` is the coordinate frame (GSE, RTN, …) or None.
    `attributes` keeps the archive's ISTP attributes of the variable as given. `synthetic` marks the demo archive's data and
    all that is derived from it; `predicted` marks positions that are not reconstructed yet, and all that is derived from them.
    `maturity` says of data that are not definitive what they are, and of all that is derived from them. `open_until` is set
    where more records may still come: up to that time (aware UTC) they are complete.
    `extent` is how far each record reaches before and after its time: its bin, its integration time. None says
    that it is unknown, or differs from record to record and is in columns; `Table.extents` knows of both.
    """

    kind: Kind
    columns: tuple[ColumnMeta, ...]
    label: str = ""
    unit: str = ""
    frame: str | None = None
    scale: Scale = "linear"
    bins: BinAxis | None = None
    first_axis: BinAxis | None = Field(default=None, exclude_if=lambda axis: axis is None)  # no other kind's version has it
    axes: tuple[RecordAxis, ...] = Field(default=(), exclude_if=lambda axes: not axes)  # nor has it of fewer axes
    synthetic: bool = False
    predicted: bool = Field(default=False, exclude_if=lambda predicted: not predicted)  # no measurement's version has it
    maturity: Maturity = Field(default="", exclude_if=lambda maturity: not maturity)  # nor has that of definitive data
    open_until: datetime | None = Field(default=None, exclude_if=lambda until: until is None)  # nor has a closed partition's
    attributes: dict[str, Any] = {}
    parts: dict[str, TableMeta] = Field(default={}, exclude_if=lambda parts: not parts)  # nor has a single result
    extent: Extent | None = Field(default=None, exclude_if=lambda extent: extent is None)  # nor has a table without one

    @property
    def data_names(self) -> tuple[str, ...]:
        """Names of the data columns, in order."""
        return tuple(column.name for column in self.columns if column.role == "data")

    @property
    def value_columns(self) -> tuple[ColumnMeta, ...]:
        """The columns of data and of counts, in order: what a table states."""
        return tuple(column for column in self.columns if column.role in ("data", "count"))

    @property
    def dtypes(self) -> dict[str, str]:
        """Column to dtype where a column of its role is not made of floats."""
        kinds = {"stop": "datetime64[ns]", "id": "object", "count": "int64"}
        return {column.name: kinds[column.role] for column in self.columns if column.role in kinds}

    @property
    def axis_name(self) -> str | None:
        """Name of the column that holds a curve's axis, or the first of a map."""
        return self.role_name("axis")

    @property
    def axis_names(self) -> tuple[str, ...]:
        """Names of the columns that hold an axis: one of a curve, two of a map."""
        return tuple(column.name for column in self.columns if column.role == "axis")

    def role_name(self, role: Role) -> str | None:
        """Name of the first column of a role; None without one."""
        return next((column.name for column in self.columns if column.role == role), None)

    def companions(self, name: str) -> dict[Role, str]:
        """Role to name of the columns that hold the uncertainty or spread of a data column, or the edges of an axis."""
        names = [column.name for column in self.columns]
        after = self.columns[names.index(name) + 1 :]
        return {column.role: column.name for column in takewhile(lambda each: each.role in _COMPANIONS, after)}

    @property
    def has_rows_of_intervals(self) -> bool:
        """Whether a row belongs to an interval rather than to an instant, so that several may begin at one time."""
        return self.kind in ("events", "curve", "map", "facts", "results")

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values a record has along each of its axes; empty unless it has several."""
        return tuple(axis.size for axis in self.axes)

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of one record of a column: of several axes that of the data, one axis's of its bins, else none."""
        part, _, own = name.partition(".")
        if part in self.parts:
            return self.parts[part].shape_of(own)
        if self.axes and name in self.data_names:
            return self.shape
        return next(((axis.size,) for axis in self.axes if name in axis.companions), ())

    @property
    def bin_names(self) -> tuple[str, ...]:
        """Names of the companion columns of a varying bin axis, in order."""
        return tuple(column.name for column in self.columns if column.role == "bin")

    @property
    def has_extents_by_record(self) -> bool:
        """Whether columns say how far each record reaches; those of packed results are not its own."""
        return self.kind != "results" and self.role_name("before") is not None

    @property
    def without_extent(self) -> TableMeta:
        """The same without a word about how far its records reach."""
        if self.extent is None and not self.has_extents_by_record:
            return self
        columns = tuple(column for column in self.columns if column.role not in _REACHES)
        return self.model_copy(update={"columns": columns, "extent": None})

    @property
    def with_extent_columns(self) -> TableMeta:
        """The same with two columns, the last, for how far each record reaches."""
        meta = self.without_extent
        taken, columns = {column.name for column in meta.columns}, list(meta.columns)
        for name, role in zip(EXTENT_NAMES, _REACHES, strict=True):
            while name in taken:
                name += "_"
            columns.append(ColumnMeta(name=name, label=f"how far it reaches {role} its time", unit="s", role=role))
        return meta.model_copy(update={"columns": tuple(columns)})


@dataclass(frozen=True)
class Table:
    """Columns over a time axis.

    Parameters
    ----------
    time
        `datetime64[ns]`, naive UTC, shape (record,), strictly increasing; rows of intervals may share a time.
    columns
        Name to array, in the order of `meta.columns`: shape (record,) each, of kind `nd` as `meta.shape_of` says. Floats are
        NaN where there is no valid value; integer and string columns have no missing values.
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
        for name, values in self.columns.items():
            if values.shape[1:] != self.meta.shape_of(name):
                raise ValueError(f"a record of {name} has the shape {values.shape[1:]}, not {self.meta.shape_of(name)}")

    def __len__(self) -> int:
        return len(self.time)

    @property
    def status(self) -> Status:
        """`empty` without records, `all_fill` when no data column holds a valid value, else `data`."""
        if not len(self):
            return "empty"
        data = [self.columns[name] for name in self.meta.data_names]
        floats = [values for values in data if values.dtype.kind == "f"]
        times = [values for values in data if values.dtype.kind == "M"]
        is_all_fill = len(floats) + len(times) == len(data) and all(map(_is_blank, (*floats, *times)))
        return "all_fill" if floats and is_all_fill else "data"

    @property
    def extents(self) -> Extents | None:
        """How far each record reaches before and after its time; None where the table does not say."""
        before, after = (self.meta.role_name(role) for role in _REACHES)
        if self.meta.has_extents_by_record and before is not None and after is not None:
            return Extents.from_seconds(self.columns[before], self.columns[after])
        return Extents.constant(self.meta.extent, len(self)) if self.meta.extent is not None else None

    def with_extents(self, extents: Extents | None) -> Table:
        """The same records, each with its extent: one in the metadata where all have the same, else two columns of seconds."""
        if extents is None and self.meta.extent is None and not self.meta.has_extents_by_record:
            return self
        meta = self.meta.without_extent
        columns = {column.name: self.columns[column.name] for column in meta.columns}
        if extents is None or not extents.is_known.any():
            return Table(self.time, columns, meta)
        if extents.common is not None:
            return Table(self.time, columns, meta.model_copy(update={"extent": extents.common}))
        return self._with_columns_of(extents)

    def with_extent_columns(self) -> Table:
        """The same records with their extents in columns, even where all have the same or none has one.

        This is for writing part of a larger table; elsewhere tables have the form that `with_extents` gives them.
        """
        return self._with_columns_of(self.extents or Extents.constant(None, len(self)))

    def _with_columns_of(self, extents: Extents) -> Table:
        meta = self.meta.with_extent_columns
        reaches = zip((column.name for column in meta.columns[-2:]), extents.seconds, strict=True)
        columns = {column.name: self.columns[column.name] for column in self.meta.without_extent.columns}
        return Table(self.time, columns | dict(reaches), meta)

    def clip(self, window: TimeRange) -> Table:
        """The records inside `[start, stop)`."""
        return self.clip_ns(*window.bounds_ns())

    def clip_ns(self, start: np.datetime64, stop: np.datetime64) -> Table:
        """The records inside `[start, stop)`, naive UTC to the nanosecond."""
        first, last = np.searchsorted(self.time, [start, stop], side="left")
        if first == 0 and last == len(self.time):
            return self
        inside = slice(first, last)
        cut = replace(self, time=self.time[inside], columns={name: values[inside] for name, values in self.columns.items()})
        return cut.with_extents(cut.extents) if self.meta.has_extents_by_record else cut  # the same, however it was cut out

    @classmethod
    def empty(cls, meta: TableMeta, dtypes: Mapping[str, str] | None = None) -> Table:
        """A table without records; columns are float64 unless `dtypes` says otherwise."""
        kinds = dtypes or {}
        columns = {
            each.name: np.empty((0, *meta.shape_of(each.name)), dtype=kinds.get(each.name, "float64")) for each in meta.columns
        }
        return cls(np.empty(0, dtype="datetime64[ns]"), columns, meta)


def _is_blank(values: NDArray[Any]) -> bool:
    return all(bool(np.isnan(values[block]).all()) for block in record_blocks(values))


def concatenate(tables: Sequence[Table], *, of_events: bool = False) -> Table:
    """Consecutive partitions of one asset as one table; empty ones do not count.

    Of partitions that are events, records may have the same time: events may begin together.

    The last one with a valid value gives the metadata: what holds fills alone, as a quotient by what is not there, has no unit.
    Where the partitions' extents differ, each record keeps its own.

    Raises
    ------
    ValueError
        The tables' columns, units, frames or bins differ, or they are not in order of time.
    """
    filled, marks = [table for table in tables if len(table)], marks_of([table.meta for table in tables])
    if len(filled) < 2:
        only = filled[0] if filled else next((table for table in reversed(tables) if table.meta.columns), tables[-1])
        return only if marks_of([only.meta]) == marks else replace(only, meta=only.meta.model_copy(update=marks))
    extents = joined_extents(filled)
    filled = [table.with_extents(None) for table in filled]
    names = tuple(filled[-1].columns)
    if any(tuple(table.columns) != names for table in filled):
        raise ValueError("the partitions' columns differ: " + "; ".join(sorted({", ".join(table.columns) for table in filled})))
    time = np.concatenate([table.time for table in filled])
    steps, none = np.diff(time), np.timedelta64(0, "ns")
    if (steps < none if of_events or filled[-1].meta.has_rows_of_intervals else steps <= none).any():
        raise ValueError("the windows of the events overlap" if of_events else "the partitions are not in order of time")
    telling = [table.meta for table in filled if table.status == "data"] or [filled[-1].meta]
    for meta in telling[:-1]:
        difference = mismatch(meta, telling[-1])
        if difference:
            raise ValueError(f"the partitions differ in {difference}")
    columns = {name: joined([table.columns[name] for table in filled]) for name in names}
    return Table(time, columns, telling[-1].model_copy(update=marks)).with_extents(extents)


def marks_of(metas: Sequence[TableMeta]) -> dict[str, Any]:
    """The marks of what is made from several tables: predicted, the least mature, open from the earliest open end on."""
    maturities = [meta.maturity for meta in metas if meta.maturity]
    ends = [meta.open_until for meta in metas if meta.open_until is not None]
    return {
        "predicted": any(meta.predicted for meta in metas),
        "maturity": min(maturities, key=MATURITIES.index, default=""),
        "open_until": min(ends, default=None),
    }


def joined_extents(tables: Sequence[Table]) -> Extents | None:
    """The extents of all records of consecutive tables; None where none of them says anything."""
    known = [table.extents for table in tables]
    if not any(known):
        return None
    return Extents.joined([each or Extents.constant(None, len(table)) for each, table in zip(known, tables, strict=True)])


def mismatch(one: TableMeta, other: TableMeta) -> str:
    """In what two tables differ so that they are not one series, in words; empty where in nothing.

    Extents do not count: one series may have bins of several lengths.
    """
    one, other = one.without_extent, other.without_extent
    if one.kind != other.kind:
        return f"kind ({one.kind}, {other.kind})"
    if [column.role for column in one.columns] != [column.role for column in other.columns]:
        return f"number of columns ({len(one.columns)}, {len(other.columns)})"
    if [column.unit for column in one.columns] != [column.unit for column in other.columns]:
        return f"units ({one.unit}, {other.unit})"
    if one.frame != other.frame:
        return f"coordinate frame ({one.frame}, {other.frame})"
    if one.axes or other.axes:
        return axis_mismatch(one.axes, other.axes)
    own, others = (np.array(meta.bins.centers if meta.bins else ()) for meta in (one, other))
    return "" if np.array_equal(own, others, equal_nan=True) else "energies or other bins"
