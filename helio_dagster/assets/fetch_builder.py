"""Fetch partitions from their archives."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime

from helio_dagster import __version__
from helio_dagster.archives.archive import Archive, Fetched, FetchProgress, SourceFile
from helio_dagster.assets.batches import Batch, Made, Pending
from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.open_partitions import fetched_table, open_inputs
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.staleness import fingerprint
from helio_dagster.assets.table_keeping import Storing, TableKeeping, in_order, in_thread, stored, window_of
from helio_dagster.assets.writing.table_writer import TableWriter, is_small
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.claims import Claims
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.tables import TableStore

_log = logging.getLogger(__name__)


class FetchMaker:
    """Fetch partitions from their archive in one request and write them as they arrive, those that `claims` says are ours.

    What is not over by `now` is open.
    """

    def __init__(
        self,
        archive: Callable[[Fetch], Archive],
        store: TableStore,
        tables: TableCache,
        claims: Claims | None = None,
        writer: TableWriter | None = None,
        *,
        verify: bool,
        now: datetime,
    ) -> None:
        self._archive, self._verify, self._now = archive, verify, now
        self._keeping = TableKeeping(store, tables, claims, writer)

    def __call__(self, node: AssetNode, batch: Batch) -> Iterator[Made]:
        """Make the partitions; a failed one does not affect the others."""
        fetch, windows = node.fetch, [window_of(node, item.partition) for item in batch.pending]
        if fetch is None:
            raise TypeError(f"{node.name} is not a fetch")
        left = deque(zip(batch.pending, windows, strict=True))
        try:
            archive = self._archive(fetch)
            answers = archive.fetch(fetch.dataset, fetch.parameter, windows, verify=self._verify, report=_log_progress)
            with ThreadPoolExecutor(2, thread_name_prefix="write") as pool:
                yield from in_order(self._begin(node, *left.popleft(), fetched, pool) for fetched in answers)
        except HelioError as error:
            for item, _window_left in left:
                yield Made(item, Outcome("failed", error=error), {})

    def _begin(self, node: AssetNode, item: Pending, window: TimeRange, fetched: Fetched, pool: ThreadPoolExecutor) -> Storing:
        """Begin to store what was fetched: a large table in a thread."""
        if fetched.table is None or is_small(fetched.table):
            return self._write(node, item, window, fetched)
        return in_thread(pool, lambda: self._write(node, item, window, fetched))

    def _write(self, node: AssetNode, item: Pending, window: TimeRange, fetched: Fetched) -> Storing:
        if fetched.table is None:
            return stored(Made(item, Outcome("failed", error=fetched.error), {}))
        sources = [_facts(file) for file in fetched.sources]
        masters = {"masters": [_facts(file) for file in fetched.masters]} if fetched.masters else {}
        provenance = {"code": node.code_version, "sources": sources, **masters, "versions": {"helio_dagster": __version__}}
        files = {node.files: ((item.partition, fetched.revision),)}
        label = node.described.dataset if node.described else ""
        words = [node.fetch.dataset if node.fetch else "", label, *(file.name for file in fetched.sources)]
        table = fetched_table(fetched.table, window, self._now, words)
        until, inputs = table.meta.open_until, fingerprint(files)
        item = replace(item, inputs=inputs if until is None else open_inputs(until, inputs), upstream=files)
        return self._keeping.begin(node, item, window, table, provenance, {"sources": sources, **masters})


def _facts(file: SourceFile) -> dict[str, str | int]:
    return {
        "name": file.name,
        "url": file.url,
        "size": file.size,
        "last_modified": file.last_modified,
        "sha256": file.sha256,
    }


def _log_progress(progress: FetchProgress) -> None:
    """Log a fetch that is slow, retried or otherwise worth showing."""
    if progress.event in ("retry", "quarantined"):
        _log.warning("%s: %s: %s", progress.event, progress.subject, progress.detail)
    elif progress.event in ("listed", "downloaded"):
        _log.info("%s %s (%s of %s) %s", progress.event, progress.subject, progress.done, progress.total, progress.detail)
