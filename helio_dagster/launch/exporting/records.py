"""The records of a table as files of arrays hold them, and what is known of all of them before the first is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.extent import Extent, Extents
from helio_dagster.domain.table import Table, TableMeta, Times
from helio_dagster.launch.exporting.plain_text import ascii_text

Reach = Literal["before", "after"]
NO_INT = np.iinfo(np.int64).min
"""A whole number that is not there; as a time, `NaT`."""
MICROSECOND_NS = 1_000
GRIDDED = frozenset(("curve", "map"))
"""Kinds with several rows for one interval, which become one record."""


@dataclass(frozen=True)
class Block:
    """Some records: their times, and the table's columns, each of shape (record,), or (record, *axes) of a curve or map.

    `extents` says how far each record reaches in time; None where that is not known. Columns do not say it again.
    """

    time: Times
    columns: Mapping[str, NDArray[Any]]
    extents: Extents | None = None

    def __len__(self) -> int:
        return len(self.time)

    def reaches_ns(self, side: Reach) -> NDArray[np.int64]:
        """How far each record reaches before or after its time, in ns, shape (record,); the fill value where not known."""
        extents = self.extents or Extents.constant(None, len(self))
        return np.where(extents.is_known, extents.before_ns if side == "before" else extents.after_ns, NO_INT)


@dataclass(frozen=True)
class Survey:
    """What is known of all records before the first is written: how many, their types, widths and ranges.

    `meta` is that of the whole, without extents: `extent` is that of all records, None where there is none or, if
    `has_extents_by_record`, they differ; `is_strict` says whether no two records have the same time; `shape` is that of the
    axes of a curve or map; `fixed` are the axes that are the same in all records, `padded` the columns of whole numbers
    that are filled up; `tick_ns` is the unit in which every time and extent is a whole number: a microsecond, else one ns.
    """

    meta: TableMeta
    rows: int
    dtypes: Mapping[str, np.dtype[Any]]
    ranges: Mapping[str, tuple[float, float]]
    first: np.datetime64 | None
    last: np.datetime64 | None
    is_strict: bool = True
    shape: tuple[int, ...] = ()
    fixed: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    padded: frozenset[str] = frozenset()
    extent: Extent | None = None
    has_extents_by_record: bool = False
    tick_ns: int = 1

    @property
    def has_extents(self) -> bool:
        """Whether anything is known of how far records reach."""
        return self.extent is not None or self.has_extents_by_record

    def extents_of(self, block: Block) -> Extents:
        """How far each record of a block reaches."""
        if self.has_extents_by_record and block.extents is not None:
            return block.extents
        return Extents.constant(self.extent, len(block))


def survey_blocks(meta: TableMeta, blocks: Iterable[Block], shape: tuple[int, ...] = ()) -> Survey:
    """Look through all records once.

    Parameters
    ----------
    meta
        Metadata of the whole.
    blocks
        The records in order of time; only one block is in memory at a time.
    shape
        Of the axes of a curve or map.
    """
    rows, is_strict, has_ns = 0, True, False
    first: np.datetime64 | None = None
    last: np.datetime64 | None = None
    dtypes: dict[str, np.dtype[Any]] = {}
    ranges: dict[str, tuple[float, float]] = {}
    fixed: dict[str, NDArray[Any] | None] = {}
    padded: set[str] = set()
    watched = [name for axis in meta.axis_names for name in (axis, *meta.companions(axis).values())]
    for block in blocks:
        if not len(block):
            continue
        steps = np.diff(block.time) <= np.timedelta64(0, "ns")
        is_strict &= not steps.any() and (last is None or block.time[0] > last)
        first, last, rows = block.time[0] if first is None else first, block.time[-1], rows + len(block)
        has_ns = has_ns or _has_ns(block)
        for name, values in block.columns.items():
            own = _dtype(values)
            dtypes[name] = np.promote_types(dtypes[name], own) if name in dtypes else own
            if values.dtype.kind in "iu" and shape and (values == NO_INT).any():
                padded.add(name)
            if values.dtype.kind in "fiu" and (found := range_of(values)):
                known = ranges.get(name, found)
                ranges[name] = (min(known[0], found[0]), max(known[1], found[1]))
        for name in watched:
            _watch_axis(fixed, name, block.columns[name])
    kept = {name: values for name, values in fixed.items() if values is not None}
    return Survey(
        meta.without_extent,
        rows,
        dtypes,
        ranges,
        first,
        last,
        is_strict,
        shape,
        kept,
        frozenset(padded),
        meta.extent,
        meta.has_extents_by_record,
        1 if has_ns else MICROSECOND_NS,
    )


def _has_ns(block: Block) -> bool:
    """Whether a time, or how far a record reaches, is not a whole number of microseconds."""
    times = (values.astype("datetime64[ns]") for values in (block.time, *block.columns.values()) if values.dtype.kind == "M")
    counts = [values[~np.isnat(values)].astype(np.int64) for values in times]
    reaches = [block.extents.before_ns, block.extents.after_ns] if block.extents is not None else []
    return any(bool((each % MICROSECOND_NS).any()) for each in (*counts, *reaches))


def _watch_axis(fixed: dict[str, NDArray[Any] | None], name: str, values: NDArray[Any]) -> None:
    """Remember an axis while it is the same in all records; None once it was not."""
    known = fixed.setdefault(name, values[0])
    if known is not None and not (np.isfinite(known).all() and (values == known).all()):
        fixed[name] = None


def _dtype(values: NDArray[Any]) -> np.dtype[Any]:
    if values.dtype.kind in "OUT":
        return np.dtype(f"S{max((len(ascii_text(str(value))) for value in values.ravel()), default=1) or 1}")
    if values.dtype.kind == "b":
        return np.dtype("int8")
    if values.dtype.kind in "iu":
        return np.dtype("int64")
    return np.dtype("datetime64[ns]") if values.dtype.kind == "M" else values.dtype


def range_of(values: NDArray[Any]) -> tuple[float, float] | None:
    """The least and the greatest finite value of an array of any shape; None without one."""
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values.ravel()
    return (float(finite.min()), float(finite.max())) if len(finite) else None


def table_block(table: Table) -> Block:
    """The rows of a table as records."""
    return Block(table.time, table.with_extents(None).columns, table.extents)


def grid_block(table: Table) -> tuple[Block, tuple[int, ...]]:
    """The rows of a curve or map as records, one for each interval, and the shape of its axes.

    Where intervals differ in their shape, the shorter are filled up: with NaN, a count with its fill value.
    """
    extents, table = table.extents, table.with_extents(None)
    names = table.meta.axis_names
    starts = np.flatnonzero(np.r_[True, np.diff(table.time) != np.timedelta64(0, "ns")]) if len(table) else np.empty(0, "int64")
    stops = np.r_[starts[1:], len(table)] if len(table) else starts
    shapes: list[tuple[int, ...]] = []
    for start, stop in zip(starts, stops, strict=True):
        if len(names) == 2:
            inner = int(np.argmax(np.r_[table.columns[names[0]][start:stop] != table.columns[names[0]][start], True]))
            shapes.append(((stop - start) // inner, inner))
        else:
            shapes.append((stop - start,))
    shape = tuple(int(max(sizes)) for sizes in zip(*shapes, strict=True)) if shapes else (0,) * len(names)
    columns: dict[str, NDArray[Any]] = {}
    for name, values in table.columns.items():
        is_float = values.dtype.kind == "f"
        grid = np.full((len(starts), *shape), np.nan if is_float else NO_INT, values.dtype if is_float else "int64")
        for place, (start, stop, sizes) in enumerate(zip(starts, stops, shapes, strict=True)):
            grid[place][tuple(slice(0, size) for size in sizes)] = values[start:stop].reshape(sizes)
        columns[name] = grid
    for place, axis in enumerate(names if len(names) == 2 else ()):
        for own in (axis, *table.meta.companions(axis).values()):
            columns[own] = columns[own][:, :, 0] if place == 0 else columns[own][:, 0, :]
    return Block(table.time[starts], columns, extents.take(starts) if extents is not None else None), shape
