"""Keep the tables that are made: stored, described, and in memory for those that read them. Makes none."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from helio_dagster.assets.batches import Made, Pending
from helio_dagster.assets.description import shared_quality
from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.open_partitions import replaced_data, replaced_in_words
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.writing.messages import Writing
from helio_dagster.assets.writing.table_writer import TableWriter
from helio_dagster.assets.writing.written import Written
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.claims import ClaimLost, Claims, NoClaims
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.tables import TableStore

IN_FLIGHT = 8
"""Number of partitions written or computed ahead of the one being waited for."""


@dataclass(frozen=True)
class Storing:
    """A partition that is being stored: whether that is done, and what came of it, which may have to be waited for.

    `bytes_here` is the size of a file that was written before this was returned.
    """

    is_done: Callable[[], bool]
    made: Callable[[], Made]
    bytes_here: int = 0


def stored(made: Made) -> Storing:
    """A partition for which there is nothing to wait."""
    return Storing(lambda: True, lambda: made, int(str(made.metadata.get("size_bytes", 0))))


def in_thread(pool: ThreadPoolExecutor, begin: Callable[[], Storing]) -> Storing:
    """A partition that is made and stored in another thread."""
    future = pool.submit(lambda: begin().made())
    return Storing(future.done, future.result)


def in_order(begun: Iterable[Storing]) -> Iterator[Made]:
    """What comes of partitions, in order, while the next ones are begun; those that are under way come before an error."""
    under_way: deque[Storing] = deque()
    try:
        for each in begun:
            under_way.append(each)
            while under_way and (len(under_way) >= IN_FLIGHT or under_way[0].is_done()):
                yield under_way.popleft().made()
    except HelioError:
        yield from (each.made() for each in under_way)
        raise
    yield from (each.made() for each in under_way)


class TableKeeping:
    """Keeps the tables that are made: stored, and in memory for those that read them.

    Small tables in a folder are written by `writer`, where there is one, while the run goes on.
    """

    def __init__(self, store: TableStore, tables: TableCache, claims: Claims | None, writer: TableWriter | None = None) -> None:
        self._store, self._tables, self._claims = store, tables, claims or NoClaims()
        self._writer = writer if store.is_folder else None

    def begin(
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
    ) -> Storing:
        """Begin to store a table, if this run still has the partition; in memory only if it is read."""
        try:
            self._claims.require(node.name, item.partition)
        except ClaimLost as error:
            return stored(Made(item, Outcome("failed", error=error), {}))
        before = self._store.peek(node.name, item.partition)
        replaced = replaced_data(before.meta, before.data_version, table.meta) if before is not None else ""
        name, key = node.name, item.partition

        def kept(written: Written) -> Made:
            metadata = {**written.described, **extra, "path": written.place, "size_bytes": written.size}
            metadata |= {"replaced": replaced_in_words(replaced)} if replaced else {}
            outcome = Outcome("computed", written.status, written.data_version, quality=shared_quality(written.quality))
            return Made(item, outcome, metadata, replaced)

        def written_here() -> Made:
            try:
                found = self._store.write(name, key, table, provenance)
            except HelioError as error:
                return Made(item, Outcome("failed", error=error), {})
            if is_read:
                self._tables.keep(name, key, found.data_version, table)
            return kept(Written.of(found, table, window, excluded_s))

        if (writer := self._writer) is None:
            return stored(written_here())
        number = writer.begin(Writing(self._store.place(name, key), table, provenance, window, excluded_s))
        if number is None:
            return stored(written_here())

        def written_beside() -> Made:
            written = writer.result(number)
            if written is None:
                return written_here()
            if is_read:
                self._tables.keep(name, key, written.data_version, table)
            return kept(written)

        return Storing(lambda: writer.is_done(number), written_beside)

    def write(self, *given: Any, **more: Any) -> Made:
        """Store a table and wait until it is; as `begin`."""
        return self.begin(*given, **more).made()


def window_of(node: AssetNode, partition: str | None) -> TimeRange:
    """The window of a partition of time or of an event."""
    window = node.window(partition) if partition is not None else None
    if window is None:
        raise TypeError(f"{node.name} has no partitions")
    return window
