"""Assemble the definitions that Dagster loads."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import dagster as dg

from helio_dagster.assets.admission import code_marks, launch_marks
from helio_dagster.assets.asset_names import asset_name
from helio_dagster.assets.automation import conditions
from helio_dagster.assets.event_sensors import build_event_sensors
from helio_dagster.assets.factory import build_assets
from helio_dagster.assets.graph import AssetGraph
from helio_dagster.assets.library import check_files, graph_of
from helio_dagster.assets.mounting import Mounting
from helio_dagster.assets.run_scope import RESOURCE, own_resource
from helio_dagster.assets.scheduling import build_schedules, build_sensors
from helio_dagster.assets.up_to_date import build_checks, build_sensor
from helio_dagster.catalog.opening import known_catalog
from helio_dagster.domain.errors import PipelineError
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.resources.collector import collector_at_rest
from helio_dagster.resources.operation_library import OperationLibrary
from helio_dagster.storage.pipeline_library import PipelineLibrary
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_stores import open_tables

IO_MANAGER = "helio_io_manager"
"""The key of the resource with which assets of others load ours."""


def build_definitions(graph: AssetGraph, *, helio: dg.ResourceDefinition, names: Iterable[str] | None = None) -> dg.Definitions:
    """Dagster definitions of assets for a run, without schedules or sensors.

    Parameters
    ----------
    graph
        The assets.
    helio
        The resource that opens or lends the parts of the home.
    names
        Only these assets of the graph.
    """
    return dg.Definitions(assets=build_assets(graph, names), resources={RESOURCE: helio}, executor=dg.in_process_executor)


def library_definitions(
    settings: Settings, mounting: Mounting | None = None, *, is_strict: bool = False, is_guest: bool = False
) -> dg.Definitions:
    """Dagster definitions of all valid pipelines of a home, with their schedules and sensors.

    Parameters
    ----------
    settings
        The home and its pipelines.
    mounting
        What the project says of the assets.
    is_strict
        Whether an invalid pipeline is an error; by default it is left out with a warning.
    is_guest
        Whether they are part of a project, which says itself by what its runs are executed.

    Raises
    ------
    PipelineError
        A pipeline is invalid, and `is_strict`.
    """
    from helio_dagster.resources.io_manager import HelioIOManager  # it imports pandas, for which a run need not wait

    with collector_at_rest(), warnings.catch_warnings():
        warnings.simplefilter("ignore", category=dg.BetaWarning)
        warnings.simplefilter("ignore", category=dg.PreviewWarning)
        operations, store = OperationLibrary(settings.operations), open_tables(settings)
        library, catalog = PipelineLibrary(settings.pipelines), known_catalog(settings)
        found = library.read_all() if is_strict else library.load_all()
        files = {each.pipeline.name: each for each in found}
        if is_strict:
            problems = check_files(files, catalog, operations.get, is_thorough=False, lists=settings.pipelines).problems
            if problems:
                raise PipelineError(problems)
        graph = graph_of(files, catalog, operations.get, lists=settings.pipelines, store=store)
        mounted = mounting or Mounting()
        marks = mounted.marks or launch_marks(settings)
        mounted = replace(
            mounted,
            io_manager=mounted.named(IO_MANAGER),
            places=places_of(graph, files),
            marks=marks,
            codes=code_marks(graph) if marks else {},
        )
        return dg.Definitions(
            assets=build_assets(graph, conditions=conditions(graph, store), mounting=mounted),
            asset_checks=build_checks(graph, mounted),
            schedules=build_schedules(graph, mounted.named),
            sensors=[
                *build_sensors(graph, mounted.named),
                *build_event_sensors(graph),
                *build_sensor(graph, store, mounted),
            ],
            resources={
                mounted.resource: own_resource(settings),
                mounted.named(IO_MANAGER): HelioIOManager(home=settings.home, tables=settings.tables),
            },
            executor=None if is_guest else dg.in_process_executor,
        )


def places_of(graph: AssetGraph, files: Mapping[str, PipelineFile]) -> dict[str, tuple[str, int]]:
    """Asset to the file and line that describe it; of a shared fetch, the first of them."""
    found: dict[str, tuple[str, int]] = {}
    for pipeline in graph.pipelines.values():
        file = files[pipeline.name]
        for number, step in enumerate(pipeline.steps):
            found.setdefault(asset_name(pipeline, step), (file.file, file.document.line(("steps", number))))
    return found


@dg.definitions
def defs() -> dg.Definitions:
    """Definitions of the home that the environment names."""
    return library_definitions(Settings.read(os.environ, Path.cwd()))
