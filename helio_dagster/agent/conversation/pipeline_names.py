"""Names of new pipelines: one that no other has, one for another mission, and whether the same is saved already."""

from __future__ import annotations

import re

from helio_dagster.agent.run_side import RunSide
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_comparison import compare_pipelines
from helio_dagster.domain.pipeline_text import PipelineFile


def saved_alike(side: RunSide, pipeline: Pipeline) -> PipelineFile | None:
    """A saved pipeline with the same meaning, among those with this name, with or without a number."""
    pattern = re.compile(rf"{re.escape(pipeline.name)}(_[0-9]+)?")
    alike = (side.load(name) for name in side.names() if pattern.fullmatch(name))
    return next((file for file in alike if compare_pipelines(file.pipeline, pipeline).is_same), None)


def unused_name(side: RunSide, wanted: str) -> str:
    """The name, with a number added if another pipeline has it."""
    taken, name, number = set(side.names()), wanted[:76], 1
    while name in taken:
        number += 1
        name = f"{wanted[:74]}_{number}"
    return name


def forked_name(pipeline: Pipeline, mission: str) -> str:
    """The name of the same pipeline for another mission."""
    slug = re.sub(r"[^a-z0-9]+", "_", mission.lower()).strip("_")
    return f"{pipeline.name[: 78 - len(slug)]}_{slug}"
