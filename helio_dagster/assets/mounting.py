"""How the assets of a library appear in a Dagster project: names beside others', owners, tags, backfills, places in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import dagster as dg

from helio_dagster.assets.asset_names import asset_name
from helio_dagster.assets.graph import AssetGraph, AssetNode
from helio_dagster.assets.recording import asset_key
from helio_dagster.domain.schedule import ON_CHANGE, longest_pause
from helio_dagster.domain.table import TableMeta
from helio_dagster.resources.record_tags import CODE_TAG

MOST_LINES = 64
"""Maximum number of pairs of columns in an asset's lineage: those of a spectrogram would outweigh the rest of a project."""


@dataclass(frozen=True)
class Mounting:
    """What a Dagster project says of the assets of one library.

    `name` tells the resources, jobs and sensors of several libraries in one project apart. `partitions_per_run` is the
    largest number of partitions that a backfill puts into one run, None for all. `places` maps assets to the file and line that
    describe them. `io_manager` is the key of the resource with which others' assets load ours.
    `marks` are tags of all steps, by which a run says for which home it was launched, and `codes` maps assets to what
    their steps say of their code.
    """

    name: str = ""
    owners: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    partitions_per_run: int | None = None
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    io_manager: str | None = None
    marks: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, str] = field(default_factory=dict)

    def code_mark(self, asset: str) -> dict[str, str]:
        """The tag of an asset's step that says its code; none where the record is the home's own."""
        return {CODE_TAG: self.codes[asset]} if asset in self.codes else {}

    @property
    def resource(self) -> str:
        """The key of the resource that opens the home."""
        return self.named("helio")

    def named(self, word: str) -> str:
        """A name that no other library of the project has."""
        return f"{word}_{self.name}" if self.name else word

    @property
    def backfill_policy(self) -> dg.BackfillPolicy:
        """How a backfill is cut into runs."""
        if self.partitions_per_run is None:
            return dg.BackfillPolicy.single_run()
        return dg.BackfillPolicy.multi_run(max_partitions_per_run=self.partitions_per_run)

    def place_of(self, name: str) -> dict[str, Any]:
        """Metadata by which Dagster's page opens the file that describes an asset."""
        if name not in self.places:
            return {}
        file, line = self.places[name]
        reference = dg.LocalFileCodeReference(file_path=file, line_number=line)
        return {"dagster/code_references": dg.CodeReferencesMetadataValue(code_references=[reference])}


def freshness_of(graph: AssetGraph) -> Mapping[str, dg.FreshnessPolicy]:
    """Asset to when Dagster calls it overdue: nothing was made for twice its schedule's longest pause and its lag.

    Of an asset that several pipelines share, by the most frequent schedule.
    """
    windows: dict[str, timedelta] = {}
    for pipeline in graph.pipelines.values():
        if pipeline.schedule in (None, ON_CHANGE) or pipeline.is_over_events:
            continue
        window = 2 * longest_pause(pipeline.schedule or "") + (pipeline.lag or timedelta(0))
        for name in (asset_name(pipeline, step) for step in pipeline.nodes):
            if graph[name].grain is not None:
                windows[name] = min(window, windows.get(name, window))
    return {name: dg.FreshnessPolicy.time_window(fail_window=window) for name, window in windows.items()}


def column_lineage(node: AssetNode, metas: Mapping[str, TableMeta]) -> dict[str, dg.TableColumnLineageMetadataValue]:
    """From which columns those of a computed asset may be made, as far as both are known before a run.

    Operations do not say which of an input's columns each of theirs is made from, so all of them are named.
    """
    if node.kind != "compute":
        return {}
    own = [column.name for column in metas[node.name].columns]
    sources = [(asset, column.name) for asset in dict.fromkeys(node.data_inputs.values()) for column in metas[asset].columns]
    if not own or not sources or len(own) * len(sources) > MOST_LINES:
        return {}
    deps = [dg.TableColumnDep(asset_key(asset), column) for asset, column in sources]
    lineage = dg.TableColumnLineage(dict.fromkeys(own, deps))
    return {"dagster/column_lineage": dg.MetadataValue.column_lineage(lineage)}
