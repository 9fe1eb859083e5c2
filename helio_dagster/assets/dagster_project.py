"""The assets of the code location that a run or tick is part of, read through the IO managers that it gives them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC
from threading import Lock
from typing import Any

import dagster as dg

from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.project_assets import NO_PROJECT, ProjectAssets, SeenAsset
from helio_dagster.assets.project_values import Load, loading_values
from helio_dagster.assets.recording import asset_key
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.pipeline import ProjectAsset
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.resources.dagster_internals import (
    SYSTEM_METADATA_KEY_AUTO_CREATED_STUB_ASSET,
    BaseAssetGraph,
    CheckError,
)
from helio_dagster.resources.record_tags import DATA_VERSION_TAG

_KINDS = (dg.DagsterEventType.ASSET_OBSERVATION, dg.DagsterEventType.ASSET_MATERIALIZATION)


def project_of(
    graph: AssetGraph, context: dg.AssetExecutionContext | dg.AssetCheckExecutionContext | dg.SensorEvaluationContext
) -> ProjectAssets:
    """The assets around a run or tick, where pipelines read any; a run in a process of its own sees none.

    A run that was started from Python objects (`dagster.materialize`) is part of no code location.
    """
    if not any(node.project for node in graph.nodes.values()):
        return NO_PROJECT
    try:
        repository = context.repository_def
    except CheckError:
        repository = None
    return DagsterProject(repository.asset_graph, context.instance, repository) if repository is not None else NO_PROJECT


class DagsterProject:
    """The assets of a code location, as an instance records them.

    Parameters
    ----------
    graph
        All its assets.
    instance
        Where their materializations are recorded.
    repository
        All its definitions, which reading needs.
    """

    def __init__(
        self,
        graph: BaseAssetGraph[Any],
        instance: dg.DagsterInstance,
        repository: dg.RepositoryDefinition | None = None,
    ) -> None:
        self._graph, self._instance, self._repository = graph, instance, repository
        self._load: Load | None = None
        self._lock = Lock()

    def seen(self, name: str) -> SeenAsset:
        """An asset as it is now.

        Raises
        ------
        InputError
            The code location does not define it.
        """
        key = asset_key(name)
        definition = self._partitions(key)
        made = self._versions(key, is_partitioned=definition is not None)
        if not isinstance(definition, dg.TimeWindowPartitionsDefinition):
            return SeenAsset(name, made, None)
        times = definition
        return SeenAsset(name, made, lambda span: _keys_in(times, span))

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Keep the resources of the IO managers open."""
        if self._load is not None or self._repository is None:
            yield
            return
        with loading_values(self._repository, self._instance) as load:
            self._load = load
            try:
                yield
            finally:
                self._load = None

    def read(self, given: ProjectAsset, key: str | None) -> Table:
        """A partition of an asset, or an asset without partitions.

        Raises
        ------
        HelioError
            Its IO manager cannot load it, or what it loads is not a table over time.
        """
        from helio_dagster.compute.project_table import table_of_value  # pandas, for which a run need not wait

        where = f"the asset {given.asset}{f' {key}' if key else ''}"
        with self.loading(), self._lock:
            if self._load is None:
                raise RuntimeError("no loader is open")
            try:
                value = self._load(asset_key(given.asset), key)
            except Exception as error:
                hint = f"Its IO manager says: {type(error).__name__}: {error}"
                raise HelioError(f"{where} cannot be loaded", hint=hint) from error
        table = table_of_value(value, given, where)
        definition = self._partitions(asset_key(given.asset))
        if key is None or not isinstance(definition, dg.TimeWindowPartitionsDefinition):
            return table
        return _clipped(table, _span(definition.time_window_for_partition_key(key)), where)

    def _partitions(self, key: dg.AssetKey) -> dg.PartitionsDefinition[Any] | None:
        found = self._graph.get(key) if self._graph.has(key) else None
        if found is None or SYSTEM_METADATA_KEY_AUTO_CREATED_STUB_ASSET in found.metadata:
            hint = "Check the key, and that its definitions are loaded in the same code location as the pipelines."
            raise InputError(f"this code location does not define the asset {key.to_user_string()}", hint=hint)
        definition: dg.PartitionsDefinition[Any] | None = found.partitions_def
        return definition

    def _versions(self, key: dg.AssetKey, *, is_partitioned: bool) -> dict[str | None, str]:
        """Partition to the data version that was recorded last; of one that was only observed, what was observed."""
        storage, found = self._instance.event_log_storage, dict[str | None, str]()
        if not is_partitioned:
            latest = self._instance.get_latest_materialization_event(key)
            if latest is not None and latest.asset_materialization is not None:
                tags = latest.asset_materialization.tags or {}
                return {None: tags.get(DATA_VERSION_TAG) or f"made {latest.timestamp:.6f}"}
            seen = self._instance.fetch_observations(key, limit=1).records
            tags = dict(seen[0].asset_observation.tags or {}) if seen and seen[0].asset_observation else {}
            return {None: tags.get(DATA_VERSION_TAG) or f"event {seen[0].storage_id}"} if seen else {}
        for kind in _KINDS:  # what was made counts, also where it was observed too
            found |= {part: f"event {place}" for part, place in storage.get_latest_storage_id_by_partition(key, kind).items()}
            tagged = storage.get_latest_tags_by_partition(key, kind, [DATA_VERSION_TAG])
            found |= {part: tags[DATA_VERSION_TAG] for part, tags in tagged.items()}
        return found


def _keys_in(definition: dg.TimeWindowPartitionsDefinition, span: TimeRange) -> Sequence[tuple[str, TimeRange]]:
    """The partitions whose windows overlap a range, in time order."""
    before = definition.get_prev_partition_window(span.start.astimezone(UTC), respect_bounds=False)
    first = before.start if before is not None else span.start
    keys = definition.get_partition_keys_in_time_window(dg.TimeWindow(first, span.stop))
    found = [(key, _span(definition.time_window_for_partition_key(key))) for key in keys if definition.has_partition_key(key)]
    return [(key, window) for key, window in found if window.overlaps(span)]


def _span(window: dg.TimeWindow) -> TimeRange:
    return TimeRange(window.start.astimezone(UTC), window.end.astimezone(UTC))


def _clipped(table: Table, span: TimeRange, where: str) -> Table:
    """The records of a partition's window; a partition that has only others is refused."""
    inside = table.clip(span)
    if len(table) and not len(inside):
        hint = "Let it return the records of its own partition."
        raise InputError(f"none of the {len(table)} records of {where} is in {span}", hint=hint)
    return inside
