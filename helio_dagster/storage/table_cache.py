"""Tables kept in memory while a run needs them again: neighbours read the same partition for their halos."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import Table
from helio_dagster.storage.tables import TableStore

_SMALL_BYTES = 2**20
"""Arrays up to this size are copied when they are kept; the memory of larger ones goes back to the system by itself."""


class TableCache:
    """A bounded view of a store, keyed by data version so that a rewritten partition is never served old.

    Parameters
    ----------
    store
        Where the tables are.
    limit_bytes
        How much is kept; what came first goes first, as a step that goes through a range will not come back to it. Of
        16-second vectors some three hundred days fit: a run over thousands holds no more. Reading one back takes 0.5 ms.
    least
        So many tables stay, however large: a partition's halo, for as many as are made at once.
    """

    def __init__(self, store: TableStore, limit_bytes: int = 48 * 2**20, *, least: int = 12) -> None:
        self._store = store
        self._limit = limit_bytes
        self._least = least
        self._lock = threading.Lock()
        self._tables: dict[tuple[str, str | None, str], Table] = {}
        self._held = 0

    def read(self, asset: str, partition: str | None, version: str) -> Table:
        """The stored table of this data version; StorageError where there is none."""
        key = (asset, partition, version)
        with self._lock:
            if key in self._tables:
                return self._tables[key]
        return self.keep(asset, partition, version, self._store.read(asset, partition))

    @property
    def store(self) -> TableStore:
        """Where the tables are."""
        return self._store

    def held(self, asset: str, partition: str | None, version: str) -> Table | None:
        """The table of this data version, if it is in memory."""
        with self._lock:
            return self._tables.get((asset, partition, version))

    def excluded_s(self, asset: str, partition: str | None) -> float:
        """How many seconds of a stored partition's window are excluded."""
        stored = self._store.peek(asset, partition)
        intervals = stored.provenance.get("excluded", {}).get("intervals", []) if stored else []
        return float(sum(stop - start for start, stop in intervals)) / 1e9

    def keep(self, asset: str, partition: str | None, version: str, table: Table) -> Table:
        """Remember a table that was just written or read; returns it as it is kept."""
        key = (asset, partition, version)
        own = _by_itself(table)
        with self._lock:
            if key in self._tables:
                return self._tables[key]
            self._tables[key] = own
            self._held += _size(own)
            while self._held > self._limit and len(self._tables) > self._least:
                self._held -= _size(self._tables.pop(next(iter(self._tables))))
        return own


def _by_itself(table: Table) -> Table:
    """The same records without what they were cut out of, and in numpy's memory even where they were read from a file.

    Arrow has an allocator of its own. A step that reads what an earlier one computed would fill that one, while what numpy gave
    up for it stays in holes: twice the memory.
    """
    if not any(map(_is_borrowed, (table.time, *table.columns.values()))):
        return table
    return Table(_own(table.time), {name: _own(values) for name, values in table.columns.items()}, table.meta)


def _is_borrowed(values: NDArray[Any]) -> bool:
    return values.base is not None and values.nbytes <= _SMALL_BYTES


def _own(values: NDArray[Any]) -> NDArray[Any]:
    if not _is_borrowed(values):
        return values
    copied = np.array(values)
    copied.flags.writeable = values.flags.writeable
    return copied


def _size(table: Table) -> int:
    return int(table.time.nbytes + sum(values.nbytes for values in table.columns.values()))
