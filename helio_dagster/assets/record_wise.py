"""Steps that compute each record by itself, over an input too large to be read whole: one group of records at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from helio_dagster.assets.batches import Pending
from helio_dagster.assets.graph import AssetNode
from helio_dagster.compute.operations.contract import Operation, OptionsT
from helio_dagster.domain.large_arrays import MOST_HELD_BYTES, put_aside
from helio_dagster.domain.table import Table, TableMeta, concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.tables import TableStore


class LongInput:
    """The stored partitions that a step's first input is read from, a group of records at a time."""

    def __init__(self, store: TableStore, asset: str, item: Pending) -> None:
        self._store, self._asset = store, asset
        self._keys = [key for key, version in item.upstream[asset] if version is not None]

    @property
    def is_long(self) -> bool:
        """Whether the records are over several axes and take more memory together than should be held."""
        stored = [found for key in self._keys if (found := self._store.peek(self._asset, key)) is not None]
        return sum(found.least_bytes for found in stored) > MOST_HELD_BYTES

    @property
    def metas(self) -> list[TableMeta]:
        """The metadata of each partition."""
        return [self._store.empty(self._asset, key).meta for key in self._keys]

    def parts(self, node: AssetNode, window: TimeRange) -> Iterator[Table]:
        """The records of a step's window, in order; at least one table, also where there are none."""
        for key in self._keys:
            for part in self._store.parts(self._asset, key):
                inside = node.read_part(part, window)
                if len(inside):
                    yield inside
        if self._keys:
            yield self._store.empty(self._asset, self._keys[-1])


def apply_by_parts(
    operation: Operation[OptionsT],
    parts: Iterator[Table],
    others: Mapping[str, Table],
    options: OptionsT,
    window: TimeRange,
    name: str,
) -> Table:
    """What a record-wise operation makes of its first input's parts, and of its other inputs: the same as of all at once.

    Parameters
    ----------
    operation
        One that `is_record_wise`.
    parts
        The records of the first input, in order.
    others
        The other inputs, whole.
    options, window, name
        As of `Operation.apply`.

    Raises
    ------
    InputError, ComputeError
        As `Operation.apply`.
    """
    first, found = next(iter(operation.inputs)), []
    for part in parts:
        made = operation.apply({first: part, **others}, options, window, name).clip(window)
        found.append(replace(made, columns={key: put_aside(values) for key, values in made.columns.items()}))
    return concatenate(found)
