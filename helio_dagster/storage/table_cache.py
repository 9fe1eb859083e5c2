"""Tables kept in memory while a run needs them again: neighbours read the same partition for their halos."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.storage.tables import TableStore

_SMALL_BYTES = 2**20
"""Arrays up to this size are copied when they are kept; the memory of larger ones goes back to the system by itself."""


_LARGEST_BYTES = 256 * 2**20
"""Of a table that is kept: a dozen days of distributions over angles and energies would fill the machine."""
_META_BYTES, _TABLE_BYTES = 10, 2**11
"""What a table weighs beside its values: so much for each character of metadata of its own, and so much for its objects."""
_Key = tuple[str, str | None, str]
"""Asset, partition and data version."""


class TableCache:
    """A bounded view of a store, keyed by data version so that a rewritten partition is never served old.

    A step goes through its inputs in order, after an earlier step wrote them in that order. Where not all can be kept, what was
    written first is therefore read first, and what was read will not be read again soon: that goes first, and then what was
    written last. To let the first written go instead would lose every table just before it is read.

    Parameters
    ----------
    store
        Where the tables are.
    limit_bytes
        How much is kept, metadata included. Of 16-second vectors some three hundred days fit: a run over thousands holds no
        more. Reading one back takes 0.5 ms.
    least
        So many tables stay, however large, and so many of those read last: a partition's halo, for as many as are made at once.
        One beyond 256 MiB is never kept.
    """

    def __init__(self, store: TableStore, limit_bytes: int = 48 * 2**20, *, least: int = 12) -> None:
        self._store = store
        self._limit = limit_bytes
        self._least = least
        self._lock = threading.Lock()
        self._unread: dict[str, dict[_Key, Table]] = {}
        """By asset, in the order written."""
        self._read: dict[_Key, Table] = {}
        """The one read last is the last."""
        self._held = 0
        self._weights: dict[_Key, int] = {}
        self._metas: dict[str, TableMeta] = {}
        """The metadata that the tables of an asset share."""

    def read(self, asset: str, partition: str | None, version: str) -> Table:
        """The stored table of this data version; StorageError where there is none."""
        key = (asset, partition, version)
        with self._lock:
            found = self._found(key)
            if found is not None:
                self._unread.get(asset, {}).pop(key, None)
                self._read.pop(key, None)
                self._read[key] = found
                return found
        table = _by_itself(self._store.read(asset, partition))
        if _size(table) > _LARGEST_BYTES:
            return table
        with self._lock:
            return self._add(key, table, self._read)

    def keep_less(self, limit_bytes: int) -> None:
        """Keep at most so much from the next table on, if that is less than before."""
        self._limit = min(self._limit, limit_bytes)

    @property
    def store(self) -> TableStore:
        """Where the tables are."""
        return self._store

    def held(self, asset: str, partition: str | None, version: str) -> Table | None:
        """The table of this data version, if it is in memory; asking does not count as reading it."""
        with self._lock:
            return self._found((asset, partition, version))

    def excluded_s(self, asset: str, partition: str | None) -> float:
        """How many seconds of a stored partition's window are excluded."""
        stored = self._store.peek(asset, partition)
        intervals = stored.provenance.get("excluded", {}).get("intervals", []) if stored else []
        return float(sum(stop - start for start, stop in intervals)) / 1e9

    def keep(self, asset: str, partition: str | None, version: str, table: Table) -> None:
        """Remember a table that was just written and will be read, if there is room for it."""
        if _size(table) > _LARGEST_BYTES:
            return
        own = _by_itself(table)
        with self._lock:
            self._add((asset, partition, version), own, self._unread.setdefault(asset, {}))

    def _found(self, key: _Key) -> Table | None:
        found = self._read.get(key)
        return found if found is not None else self._unread.get(key[0], {}).get(key)

    def _add(self, key: _Key, table: Table, place: dict[_Key, Table]) -> Table:
        """Hold a table and let go of others; returns the one that was held before under this key, if any."""
        found = self._found(key)
        if found is not None:
            return found
        place[key] = table = self._with_shared_meta(key, table)
        self._held += self._weights[key]
        while self._held > self._limit and len(self._weights) > self._least:
            self._held -= self._weights.pop(self._victim(key))
        return table

    def _with_shared_meta(self, key: _Key, table: Table) -> Table:
        """The table with the same metadata object as others of its asset, if they say the same; and note what it weighs."""
        shared = self._metas.setdefault(key[0], table.meta)
        self._weights[key] = _size(table) + _TABLE_BYTES
        if shared == table.meta:
            return table if shared is table.meta else Table(table.time, table.columns, shared)
        self._metas[key[0]] = table.meta
        self._weights[key] += _META_BYTES * len(table.meta.model_dump_json())
        return table

    def _victim(self, newcomer: _Key) -> _Key:
        """Take out the table that is least likely to be read: of what is unread, the last, and rather of other assets."""
        others = [tables for asset, tables in self._unread.items() if tables and asset != newcomer[0]]
        own = self._unread.get(newcomer[0])
        if len(self._read) > self._least or not (others or own):
            key = next(iter(self._read))
            self._read.pop(key)
            return key
        return (others[-1] if others else own or {}).popitem()[0]


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
