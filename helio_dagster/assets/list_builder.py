"""Make the tables of events that a pipeline file gives."""

from __future__ import annotations

from collections.abc import Iterator

from helio_dagster import __version__
from helio_dagster.assets.batches import Batch, Made
from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.table_keeping import TableKeeping
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.event_table import read_listed
from helio_dagster.storage.claims import Claims
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.tables import TableStore


class EventTableMaker:
    """Parse the rows given in a pipeline file."""

    def __init__(self, store: TableStore, tables: TableCache, claims: Claims | None = None) -> None:
        self._keeping = TableKeeping(store, tables, claims)

    def __call__(self, node: AssetNode, batch: Batch) -> Iterator[Made]:
        """Make the single table."""
        given = node.given
        if given is None:
            raise TypeError(f"{node.name} is not a table")
        for item in batch.pending:
            try:
                found = read_listed(given)
            except HelioError as error:
                yield Made(item, Outcome("failed", error=error), {})
                continue
            provenance = {"code": node.code_version, "source": given.source, "versions": {"helio_dagster": __version__}}
            extra = {"source": given.source, "list": found.summary}
            yield self._keeping.write(node, item, None, found.table, provenance, extra)
