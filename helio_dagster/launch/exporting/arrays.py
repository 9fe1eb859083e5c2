"""The stored partitions of an asset as one sequence of records, a partition, or some records of one, in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from helio_dagster.domain.extent import Extent
from helio_dagster.domain.table import Table, TableMeta, mismatch
from helio_dagster.launch.exporting.records import GRIDDED, Block, grid_block, survey_blocks, table_block
from helio_dagster.launch.running.reading import StoredParts, join_tables, unlike_parts


class Arrays:
    """The records of stored partitions as blocks: one or more for each partition, of a curve or map one for all."""

    def __init__(self, parts: StoredParts, meta: TableMeta) -> None:
        self._parts, self._meta = parts, meta
        self._whole: Block | None = None
        shape: tuple[int, ...] = ()
        if meta.kind in GRIDDED:
            self._whole, shape = grid_block(join_tables(parts.node, parts.tables()))
        self.survey = survey_blocks(meta, self.blocks(), shape)

    def blocks(self) -> Iterator[Block]:
        """All records, in order of time."""
        if self._whole is not None:
            yield self._whole
        else:
            yield from (table_block(table) for table in filled_tables(self._parts, self._meta))


def filled_tables(parts: StoredParts, meta: TableMeta) -> Iterator[Table]:
    """The partitions that have records, with the columns of the whole; where none has, one without."""
    is_empty = True
    for table in parts.pieces():
        if len(table):
            is_empty = False
            yield table.with_extent_columns() if meta.has_extents_by_record else table
    if is_empty:
        yield Table.empty(meta, meta.dtypes)


def look_through(parts: StoredParts) -> tuple[TableMeta, int]:
    """Metadata of the whole and its number of rows, after the same checks that joining all partitions makes.

    Raises
    ------
    ComputeError
        The partitions differ in their columns, units or bins, or overlap.
    """
    rows, meta, known, last = 0, None, None, None
    fallback: TableMeta | None = None
    reaches = _Reaches()
    for table in parts.pieces():
        if fallback is None or table.meta.columns:
            fallback = table.meta
        if not len(table):
            continue
        of_events = parts.node.events is not None or table.meta.has_rows_of_intervals
        if meta is not None and _own_columns(meta) != _own_columns(table.meta):
            raise unlike_parts(parts.node, f"the partitions' columns differ: {', '.join(table.columns)} after others")
        if last is not None and (table.time[0] < last or (table.time[0] == last and not of_events)):
            raise unlike_parts(
                parts.node, "the windows of the events overlap" if of_events else "the partitions are not in order of time"
            )
        if table.status == "data":
            if known is not None and (difference := mismatch(known, table.meta)):
                raise unlike_parts(parts.node, f"the partitions differ in {difference}")
            known = table.meta
        meta, last, rows = known or table.meta, table.time[-1], rows + len(table)
        reaches.add(table)
    found = reaches.describe(meta) if meta is not None else fallback
    if found is None:
        raise unlike_parts(parts.node, "there are none")
    return found, rows


def _own_columns(meta: TableMeta) -> list[str]:
    return [column.name for column in meta.without_extent.columns]


@dataclass
class _Reaches:
    """How far the records of consecutive tables reach, in the one form that joining them gives."""

    _commons: set[Extent | None] = field(default_factory=set)
    _is_known: bool = False

    def add(self, table: Table) -> None:
        """Count a table with records."""
        extents = table.extents
        self._commons.add(extents.common if extents is not None else None)
        self._is_known |= extents is not None and bool(extents.is_known.any())

    def describe(self, meta: TableMeta) -> TableMeta:
        """Metadata of the whole."""
        if not self._is_known:
            return meta.without_extent
        common = next(iter(self._commons)) if len(self._commons) == 1 else None
        if common is None:
            return meta.with_extent_columns
        return meta.without_extent.model_copy(update={"extent": common})
