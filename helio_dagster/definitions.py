"""The one object Dagster loads. Assembles; decides nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import dagster as dg

from helio_dagster.assets.factory import RESOURCE, build_assets
from helio_dagster.assets.graph import AssetGraph, build_graph
from helio_dagster.domain.catalog import dataset_start
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.resources.helio_resource import HelioResource
from helio_dagster.storage.home import Settings
from helio_dagster.storage.pipeline_library import PipelineLibrary


def build_definitions(
    pipelines: Iterable[Pipeline] | AssetGraph, *, helio: Any, names: Iterable[str] | None = None
) -> dg.Definitions:
    """Dagster definitions of pipelines.

    Parameters
    ----------
    pipelines
        Checked pipelines, or their graph.
    helio
        A `HelioResource`, or an open `Workbench`.
    names
        Only these assets of the graph.
    """
    graph = pipelines if isinstance(pipelines, AssetGraph) else build_graph(pipelines, dataset_start)
    return dg.Definitions(assets=build_assets(graph, names), resources={RESOURCE: helio}, executor=dg.in_process_executor)


@dg.definitions
def defs() -> dg.Definitions:
    """Definitions of the home that the environment names."""
    settings = Settings.from_environment(os.environ, Path.cwd())
    pipelines = [found.pipeline for found in PipelineLibrary(settings.pipelines).load_all()]
    return build_definitions(pipelines, helio=HelioResource.from_settings(settings))
