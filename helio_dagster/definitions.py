"""Assemble the definitions that Dagster loads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import dagster as dg

from helio_dagster.assets.automation import conditions
from helio_dagster.assets.event_sensors import build_event_sensors
from helio_dagster.assets.factory import build_assets
from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.library import graph_of
from helio_dagster.assets.run_scope import RESOURCE, own_resource
from helio_dagster.assets.scheduling import build_schedules, build_sensors
from helio_dagster.catalog.opening import known_catalog
from helio_dagster.resources.collector import collector_at_rest
from helio_dagster.resources.operation_library import OperationLibrary
from helio_dagster.storage.pipeline_library import PipelineLibrary
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore


def build_definitions(graph: AssetGraph, *, helio: dg.ResourceDefinition, names: Iterable[str] | None = None) -> dg.Definitions:
    """Dagster definitions of assets for a run, without schedules or sensors.

    Parameters
    ----------
    graph
        The assets.
        The resource that opens or lends the parts of the home.
        The resource that opens or lends the parts of the home.
    names
        Only these assets of the graph.
    """
    return dg.Definitions(assets=build_assets(graph, names), resources={RESOURCE: helio}, executor=dg.in_process_executor)


def library_definitions(settings: Settings) -> dg.Definitions:
    """Dagster definitions of all valid pipelines of a home, with their schedules and sensors."""
    with collector_at_rest():
        files = {found.pipeline.name: found for found in PipelineLibrary(settings.pipelines).load_all()}
        operations, store = OperationLibrary(settings.operations), TableStore(settings.data)
        graph = graph_of(files, known_catalog(settings), operations.get, lists=settings.pipelines, store=store)
        return dg.Definitions(
            assets=build_assets(graph, conditions=conditions(graph, store)),
            schedules=build_schedules(graph),
            sensors=[*build_sensors(graph), *build_event_sensors(graph)],
            resources={RESOURCE: own_resource(settings)},
            executor=dg.in_process_executor,
        )


@dg.definitions
def defs() -> dg.Definitions:
    """Definitions of the home that the environment names."""
    return library_definitions(Settings.read(os.environ, Path.cwd()))
