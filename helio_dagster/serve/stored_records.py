"""What programs read of the stored records of a home: tables as files, and what a partition comes from. Nothing is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from helio_dagster.api.opening import find_step
from helio_dagster.domain.errors import InputError
from helio_dagster.launch.credit.lineage import Origin
from helio_dagster.launch.credit.lineage import origin as launch_origin
from helio_dagster.launch.credit.partition_words import event_of, partition_of
from helio_dagster.launch.exporting.export import Exported, Part, asked_of, events_of, results_of
from helio_dagster.launch.exporting.export import export as launch_export
from helio_dagster.launch.exporting.targets import Format, find_target
from helio_dagster.launch.running.reading import StoredParts, find_asset, find_parts, join_tables
from helio_dagster.resources.workbench import Workbench
from helio_dagster.serve.looking import Looking
from helio_dagster.storage.table_stores import open_tables
from helio_dagster.storage.tables import TableStore

MOST_ROWS = 5_000_000
"""Rows of a table that are sent at once."""


@dataclass(frozen=True)
class Wanted:
    """Which records: of a range, of one event, or of every event; of a table without partitions, all."""

    start: str | None = None
    stop: str | None = None
    event: str | None = None
    every: bool = False

    @property
    def is_of_events(self) -> bool:
        """Whether events are named; InputError where a range is named too."""
        is_so = self.event is not None or self.every
        if is_so and (self.start is not None or (self.event is not None and self.every)):
            hint = "One event is `event`, every one `all`, and a range `start` and `stop`."
            raise InputError("give either a range, or one event, or all of them", hint=hint)
        return is_so


@dataclass
class StoredRecords:
    """Reads the stored records of a home.

    Parameters
    ----------
    looking
        Look-ups in the home.
    """

    looking: Looking

    def table_file(self, asset_or_step: str, pipeline: str | None, start: str, stop: str | None, path: Path) -> None:
        """Write the records of an asset over a range to a Parquet file, with all that is known of their columns."""
        site = self.looking.site
        store = open_tables(site.settings)
        if pipeline is not None:
            opened = self.looking.opened(pipeline)
            node = find_asset(opened.graph, asset_or_step, opened.pipeline)
        else:
            node = find_asset(site.home.graph, asset_or_step, store=store)
        parts = find_parts(store, node, site.times(start, stop))
        _require_few(parts, store)
        TableStore.write_file(path, join_tables(node, parts.tables()), {})

    def export(
        self, asset_or_step: str, pipeline: str | None, wanted: Wanted, form: Format, place: Path, *, has_comments: bool
    ) -> Exported:
        """Write the records of an asset to a file or into a folder, as `helio export` does."""
        site = self.looking.site
        with site.bench() as bench:
            graph, node = find_step(site.home, asset_or_step, pipeline, bench.store)
            if not wanted.is_of_events:
                part = Part(node, site.times(wanted.start, wanted.stop) if wanted.start is not None else None, None)
            elif node.events is None and pipeline is not None:
                part = next(each for each in self._parts(pipeline, wanted, bench) if each.node.name == node.name)
            else:
                part = events_of(site.home, node, wanted.event, bench.clock())
            _require_few(find_parts(bench.store, node, part.span, part.keys), bench.store)
            target = find_target(node.name, part.span, place, form)
            return launch_export(graph, node, part.span, target, bench, has_comments=has_comments, keys=part.keys)

    def exports(self, pipeline: str, wanted: Wanted) -> list[str]:
        """The steps that an export of a whole pipeline writes, each to a file of its own."""
        opened = self.looking.opened(pipeline)
        with self.looking.site.bench() as bench:
            names = {each.node.name for each in self._parts(pipeline, wanted, bench)}
        return [step for step, node in opened.graph.of_pipeline(opened.pipeline).items() if node.name in names]

    def origin(self, asset: str, words: Sequence[str], event: str | None) -> Origin:
        """Where a partition comes from, as `helio show` says it."""
        home = self.looking.site.home
        with self.looking.site.bench() as bench:
            node = find_asset(home.graph, asset, store=bench.store)
            partition = partition_of(node, words, bench.clock()) if event is None else event_of(node, event, words)
            approved = home.files[node.pipeline].pipeline.approved if node.pipeline in home.files else None
            return launch_origin(home.graph, node, partition, bench, approved)

    def _parts(self, pipeline: str, wanted: Wanted, bench: Workbench) -> list[Part]:
        opened, site = self.looking.opened(pipeline), self.looking.site
        _ = wanted.is_of_events
        span = site.times(wanted.start, wanted.stop) if wanted.start is not None else None
        return results_of(asked_of(opened, span, bench.clock(), event=wanted.event, every=wanted.every), opened, bench.clock())


def _require_few(parts: StoredParts, store: TableStore) -> None:
    """Refuse more rows than are sent at once."""
    rows = sum(found.rows for key in parts.keys if (found := store.peek(parts.node.name, key)) is not None)
    if rows > MOST_ROWS:
        raise InputError(f"{rows:,} rows are too many for one request (at most {MOST_ROWS:,})", hint="Ask for a shorter range.")
