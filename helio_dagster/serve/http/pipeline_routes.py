"""Pipelines: the library, their state, and whom to cite."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.report import StatusReport
from helio_dagster.launch.credit.citation import Citation
from helio_dagster.serve.http.addressing import Name, When
from helio_dagster.serve.looking import Looking


class StepAnswer(BaseModel):
    """A step of a pipeline."""

    id: str
    intent: str
    kind: str


class PipelineGlance(BaseModel):
    """A pipeline in the list."""

    name: str
    title: str
    partitions: Any
    steps: int
    schedule: str | None
    is_approved: bool


class PipelineList(BaseModel):
    """The pipelines of the library."""

    pipelines: list[PipelineGlance]


class PipelineAnswer(BaseModel):
    """A pipeline, its file's text, and who approved it."""

    name: str
    title: str
    yaml: str
    steps: list[StepAnswer]
    schedule: str | None
    approved: dict[str, Any] | None
    is_as_approved: bool


def pipeline_routes(looking: Looking) -> APIRouter:
    """The routes below `/pipelines` that read."""
    router = APIRouter(tags=["pipelines"])

    @router.get("/pipelines")
    def list_pipelines() -> PipelineList:
        """The pipelines of the library."""
        return PipelineList(pipelines=[_glance(file) for file in looking.pipelines()])

    @router.get("/pipelines/{name}")
    def read_pipeline(name: Name) -> PipelineAnswer:
        """A pipeline: its file's text and steps."""
        file = looking.pipeline(name)
        found = file.pipeline
        return PipelineAnswer(
            name=found.name,
            title=found.title,
            yaml=file.text,
            steps=[StepAnswer(id=each.id, intent=each.intent, kind=each.kind) for each in found.steps],
            schedule=found.schedule,
            approved=found.approved.model_dump(mode="json") if found.approved is not None else None,
            is_as_approved=file.is_as_approved,
        )

    @router.get("/pipelines/{name}/status")
    def read_status(name: Name, start: When = None, stop: When = None) -> StatusReport:
        """The state of each partition and why, as `helio status --json` prints it."""
        return looking.status(name, start, stop)

    @router.get("/pipelines/{name}/citation")
    def read_citation(name: Name, start: When = None, stop: When = None) -> Citation:
        """Whom to cite, as `helio cite --json` prints it; with a range, for the archive files that were used in it."""
        return looking.cite(name, start, stop)

    return router


def _glance(file: PipelineFile) -> PipelineGlance:
    found = file.pipeline
    return PipelineGlance(
        name=found.name,
        title=found.title,
        partitions=found.model_dump(mode="json", include={"partitions"})["partitions"],
        steps=len(found.steps),
        schedule=found.schedule,
        is_approved=file.is_as_approved,
    )
