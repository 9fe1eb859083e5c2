"""A standalone script with the archive's files that it reads, from what a home has stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from helio_dagster.assets.graph import AssetNode
from helio_dagster.compute.operations.contract import UNKNOWN_META
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.carrying.needs import Needs, cached_copy, find_needs, find_needs_of_events
from helio_dagster.launch.carrying.plain_steps import check_plain, has_several_results
from helio_dagster.launch.carrying.standalone import standalone
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.reading import StoredParts, find_parts, join_tables
from helio_dagster.launch.running.request import OpenPipeline
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_stores import open_tables
from helio_dagster.storage.tables import TableStore

_MADE_UP = "demo:"


@dataclass(frozen=True)
class Review:
    """A script, and what of each asset it reads."""

    name: str
    text: str
    needs: Needs
    settings: Settings

    @property
    def only_here(self) -> bool:
        """Whether it reads files that nobody but this home can give it: those of the demo archive."""
        return any(file.url.startswith(_MADE_UP) for listed in self.needs.files.values() for file in listed)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Name and content of the files that it reads, one after the other; InputError where one is not there any more."""
        done: set[str] = set()
        for node in self.needs.nodes:
            for file in self.needs.files.get(node.name, ()):
                if file.name not in done and node.step.fetch is not None:
                    done.add(file.name)
                    yield file.name, cached_copy(self.settings, node.step.fetch.archive, file)


def review(home: Home, name: str, asked: TimeRange | None, folder: str, now: datetime) -> Review:
    """The standalone script of a pipeline for a range that was run.

    Parameters
    ----------
    home
        The home that ran it.
    name
        The pipeline.
    asked
        The range; by default that of the pipeline's file.
    folder
        Name of the folder beside the script for the archive's files; `{name}` in it is the pipeline's.
    now
        What time it is.

    Raises
    ------
    InputError
        A step has no plain form, there is no range, or it was not run.
    PipelineError
        The pipeline is invalid.
    """
    opened, store = home.open(name), open_tables(home.settings)
    nodes = check_plain(opened)
    span = asked or opened.default_range(now)
    if span is None:
        raise InputError("no time range given", hint="Give a day, or START and STOP.")
    events = opened.graph.events.get(opened.pipeline.name)
    if events is None:
        needs = find_needs(opened.graph, nodes, span, store)
    else:
        needs = find_needs_of_events(opened.graph, nodes, events, span, store)
    tables = {node.name: _stored(opened, store, node, needs, span) for node in nodes}
    own = opened.pipeline.name
    text = standalone(opened, needs, tables, span, folder.replace("{name}", own))
    return Review(own, text, needs, home.settings)


def _stored(opened: OpenPipeline, store: TableStore, node: AssetNode, needs: Needs, span: TimeRange) -> Table:
    """What is stored of an asset in a range; InputError where that is nothing, or was made by another version of its step."""
    events = opened.graph.events.get(opened.pipeline.name)
    if events is not None and node.name == events.list_asset:
        return events.rows
    if has_several_results(node):
        return Table.empty(UNKNOWN_META)
    parts = _parts(store, node, needs, span)
    for key in parts.keys:
        found = store.peek(node.name, key)
        if found is not None and node.code_version and found.provenance.get("code") != node.code_version:
            hint = f"Run it again first: helio run {node.pipeline or 'PIPELINE'}."
            raise InputError(f"{node.name} was stored by another version of its step", hint=hint)
    if node.events is not None and not node.is_over_range:
        return _of_events(node, list(parts.tables()))
    return join_tables(node, parts.tables())


def _parts(store: TableStore, node: AssetNode, needs: Needs, span: TimeRange) -> StoredParts:
    if node.given is not None:
        return find_parts(store, node, None)
    if node.name in needs.keys:
        return StoredParts(store, node, needs.keys[node.name], None)
    return find_parts(store, node, span)


def _of_events(node: AssetNode, tables: list[Table]) -> Table:
    """The results of events, one after the other, whose windows may overlap."""
    filled = [table for table in tables if len(table)]
    if not filled:
        return tables[-1]
    if len({tuple(table.columns) for table in filled}) > 1 or len({str(table.meta.extent) for table in filled}) > 1:
        raise InputError(
            f"no standalone script can be written: {node.step.id}: the events' results differ in their columns or extents"
        )
    names = list(filled[-1].columns)
    columns = {name: np.concatenate([table.columns[name] for table in filled]) for name in names}
    return Table(np.concatenate([table.time for table in filled]), columns, filled[-1].meta)
