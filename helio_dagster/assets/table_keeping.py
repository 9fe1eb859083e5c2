"""Keep the tables that are made: stored, described, and in memory for those that read them. Makes none."""

from __future__ import annotations

from typing import Any

from helio_dagster.assets.batches import Made, Pending
from helio_dagster.assets.description import describe_table, quality_of
from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.open_partitions import replaced_data, replaced_in_words
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.claims import ClaimLost, Claims, NoClaims
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.tables import TableStore

SMALL_BYTES = 256 * 2**10
"""Tables up to this size are made and written in one thread: handing them to another would take longer."""
IN_FLIGHT = 8
"""Number of partitions written or computed ahead of the one being waited for."""


class TableKeeping:
    """Keeps the tables that are made: stored, and in memory for those that read them."""

    def __init__(self, store: TableStore, tables: TableCache, claims: Claims | None) -> None:
        self._store, self._tables, self._claims = store, tables, claims or NoClaims()

    def write(
        self,
        node: AssetNode,
        item: Pending,
        window: TimeRange | None,
        table: Table,
        provenance: dict[str, Any],
        extra: dict[str, Any],
        *,
        excluded_s: float = 0.0,
        is_read: bool = True,
    ) -> Made:
        """Store a table, if this run still has the partition; in memory only if it is read."""
        try:
            self._claims.require(node.name, item.partition)
        except ClaimLost as error:
            return Made(item, Outcome("failed", error=error), {})
        before = self._store.peek(node.name, item.partition)
        replaced = replaced_data(before.meta, before.data_version, table.meta) if before is not None else ""
        try:
            stored = self._store.write(node.name, item.partition, table, provenance)
        except HelioError as error:
            return Made(item, Outcome("failed", error=error), {})
        if is_read:
            self._tables.keep(node.name, item.partition, stored.data_version, table)
        described = describe_table(table, stored.status, window, excluded_s)
        quality = quality_of(table, described)
        metadata = {**described, **extra, "path": stored.place, "size_bytes": stored.size}
        metadata |= {"replaced": replaced_in_words(replaced)} if replaced else {}
        return Made(item, Outcome("computed", stored.status, stored.data_version, quality=quality), metadata, replaced)


def is_small(table: Table | None) -> bool:
    """Whether a table, if any, is made and written in one thread."""
    return table is None or table.time.nbytes + sum(values.nbytes for values in table.columns.values()) <= SMALL_BYTES


def window_of(node: AssetNode, partition: str | None) -> TimeRange:
    """The window of a partition of time or of an event."""
    window = node.window(partition) if partition is not None else None
    if window is None:
        raise TypeError(f"{node.name} has no partitions")
    return window
