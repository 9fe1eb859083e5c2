"""A table too long to be in memory whole: its partitions are read one after the other, by those who draw it over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import Status, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.gaps import records_in_span
from helio_dagster.figures.overview import BLOCKS, Overview, block_ms, joined_overview

_FINEST_STEPS = 10_000
"""Into so many steps a line divides the range at most: those of the longest line, two points each."""


class Part(Protocol):
    """One partition at rest."""

    @property
    def rows(self) -> int:
        """How many records it has."""

    def table(self, names: Sequence[str] | None = None) -> Table:
        """Its records, of all columns or of these alone."""

    def levels(self) -> Mapping[str, NDArray[Any]]:
        """Its lines in fewer samples, as `levels_of` has them."""


@dataclass(frozen=True)
class LongTable(Table):
    """A table that has its metadata and the types of its columns, and whose records stay where they are.

    Only lines and spectrograms over time can be drawn from it; for anything else it has no records.
    """

    parts: tuple[Part, ...] = ()
    stored_status: Status = "data"
    has_reach: bool = False
    _known: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, parts: Sequence[Part], meta: TableMeta, dtypes: Mapping[str, str], *, status: Status, has_reach: bool
    ) -> LongTable:
        """The table of consecutive partitions; `has_reach` where any record says how far it reaches."""
        empty = Table.empty(meta, dtypes)
        return cls(empty.time, empty.columns, meta, tuple(parts), status, has_reach)

    @property
    def rows(self) -> int:
        """How many records the partitions have."""
        return sum(part.rows for part in self.parts)

    @property
    def status(self) -> Status:
        """What the partitions hold."""
        return self.stored_status if self.rows else "empty"

    def overview(self, name: str, span: TimeRange) -> Overview:
        """One column over a span, in the coarsest level that still is finer than what a line of it shows."""
        start, stop = (float(edge.astype(np.int64)) / 1e6 for edge in span.bounds_ns())
        if "levels" not in self._known:
            self._known["levels"] = [part.levels() for part in self.parts]
        levels = self._known["levels"]
        lasts = [[block_ms(each, block) for each in levels] for block in BLOCKS]
        fine = [
            block
            for block, known in zip(BLOCKS, lasts, strict=True)
            if np.nanmax([0.0, *known]) * 4 <= (stop - start) / _FINEST_STEPS
        ]
        return joined_overview(levels, name, fine[-1] if fine else BLOCKS[0], (start, stop))

    def pieces(self, span: TimeRange, names: Sequence[str] | None = None) -> Iterator[Table]:
        """The records that reach into a span, partition by partition; those without any are left out."""
        for part in self.parts:
            piece = records_in_span(part.table(names), span)
            if len(piece):
                yield piece

    def lowest(self, names: Sequence[str], span: TimeRange) -> list[float]:
        """The lowest value of each of some columns; NaN where there is none."""
        key = ("lowest", tuple(names))
        if key not in self._known:
            found = np.full(len(names), np.nan)
            for piece in self.pieces(span, names):
                found = np.fmin(found, [np.fmin.reduce(piece.columns[name], initial=np.nan) for name in names])
            self._known[key] = found.tolist()
        known: list[float] = self._known[key]
        return known


def pieces_of(table: Table, span: TimeRange, names: Sequence[str] | None = None) -> Iterator[Table]:
    """The records of any table, in one piece or partition by partition; one that is in memory was clipped before."""
    if isinstance(table, LongTable):
        yield from table.pieces(span, names)
    elif len(table):
        yield table
