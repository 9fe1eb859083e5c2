"""Pipelines, and what was made."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel
from starlette.background import BackgroundTask

from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.print_options import PrintOptions
from helio_dagster.domain.report import FactsReport, StatusReport
from helio_dagster.domain.table_meta_text import pack_meta
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.launch.credit.citation import Citation
from helio_dagster.launch.exporting.targets import Format
from helio_dagster.serve.http.print_query import print_query
from helio_dagster.serve.looking import Looking

Name = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]*$", max_length=120, description="The pipeline's name.")]
Step = Annotated[str, Path(max_length=120, description="A step's id.")]
When = Annotated[str | None, Query(max_length=120, description="As on the command line: 2003-10, last 7 days.")]
OnePipeline = Annotated[str | None, Query(pattern=r"^[a-z][a-z0-9_]*$", max_length=120, description="Of this pipeline alone.")]
FileName = Annotated[
    str | None,
    Query(
        pattern=r"^[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*$", max_length=120, description="The file's name, which CDF keeps."
    ),
]
_TYPES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf", "html": "text/html; charset=utf-8"}
_TYPES |= {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "cdf": "application/x-cdf",
    "netcdf": "application/x-netcdf",
}
_ISOLATED = {"Content-Security-Policy": "sandbox allow-scripts allow-downloads", "Cache-Control": "no-store"}


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


class ResultAnswer(BaseModel):
    """The first rows of a step over a range, and its statistics."""

    pipeline: str
    step: str
    start: str
    stop: str
    rows: int
    units: dict[str, str]
    columns: list[str]
    head: list[list[Any]]
    statistics: dict[str, Any] | None
    note: str


class FigureAnswer(BaseModel):
    """A drawn figure; `page` and `picture` are addresses below this one, `out_of_date` says why it is no longer right."""

    name: str
    pipeline: str
    step: str
    title: str
    start: str | None
    stop: str | None
    event: str
    drawn: str
    page: str
    picture: str | None
    out_of_date: str


class FigureList(BaseModel):
    """The drawn figures, the last first."""

    figures: list[FigureAnswer]


def pipeline_routes(looking: Looking) -> APIRouter:
    """The routes below `/pipelines`, `/results`, `/facts`, `/figures` and `/table`."""
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

    @router.get("/pipelines/{name}/figure", response_class=Response)
    def print_figure(
        name: Name,
        how: Annotated[PrintOptions, Depends(print_query)],
        start: When = None,
        stop: When = None,
        step: Annotated[str | None, Query(max_length=120)] = None,
        form: Literal["png", "svg", "pdf", "html"] = "png",
    ) -> Response:
        """A figure over a range that was run, on paper as `helio figure` puts it; `X-Figure` says what it is, in JSON."""
        made = looking.figure(name, step, start, stop, form, how)
        size = {"width_mm": made.width_mm, "height_mm": made.height_mm}
        start, stop = format_time(made.span.start), format_time(made.span.stop)
        told = {"step": made.step, "start": start, "stop": stop, "form": form, **size}
        return Response(made.content, media_type=_TYPES[form], headers={**_ISOLATED, "X-Figure": json.dumps(told)})

    @router.get("/results/{pipeline}/{step}")
    def read_result(pipeline: Name, step: Step, start: When = None, stop: When = None) -> ResultAnswer:
        """The first rows of a step over a range, and its statistics."""
        return ResultAnswer(**looking.result(pipeline, step, start, stop))

    @router.get("/table", response_class=FileResponse)
    def read_table(
        asset: Annotated[str, Query(min_length=1, max_length=300, description="An asset, or a step of `pipeline`.")],
        start: Annotated[str, Query(max_length=120)],
        stop: When = None,
        pipeline: OnePipeline = None,
    ) -> FileResponse:
        """The records of an asset over a range as Parquet, with units, frames and labels in its metadata."""
        folder = tempfile.TemporaryDirectory(prefix="helio-")
        path = FilePath(folder.name) / "table.parquet"
        try:
            looking.table_file(asset, pipeline, start, stop, path)
        except BaseException:
            folder.cleanup()
            raise
        return FileResponse(
            path, media_type=_TYPES["parquet"], filename="table.parquet", background=BackgroundTask(folder.cleanup)
        )

    @router.get("/export", response_class=FileResponse)
    def export_asset(
        asset: Annotated[str, Query(min_length=1, max_length=300, description="An asset, or a step of `pipeline`.")],
        form: Annotated[Format, Query(alias="format")],
        start: When = None,
        stop: When = None,
        pipeline: OnePipeline = None,
        name: FileName = None,
        comments: Annotated[bool, Query(description="Whether CSV says above its header what it holds.")] = True,
    ) -> FileResponse:
        """A file as `helio export` writes it; `X-Export` says what it holds, in JSON, `X-Export-Meta` more for our client."""
        folder = tempfile.TemporaryDirectory(prefix="helio-")
        try:
            made = looking.export(
                asset, pipeline, start, stop, form, FilePath(folder.name) / (name or ""), has_comments=comments
            )
        except BaseException:
            folder.cleanup()
            raise
        told = {"asset": made.asset, "format": made.format, "rows": made.rows, **_ends(made.span)}
        headers = {"X-Export": json.dumps(told), "X-Export-Meta": pack_meta(made.meta), **_ISOLATED}
        done = BackgroundTask(folder.cleanup)
        return FileResponse(made.path, media_type=_TYPES[form], filename=made.path.name, headers=headers, background=done)

    @router.get("/facts/{pipeline}")
    def read_facts(pipeline: Name, start: When = None, stop: When = None) -> FactsReport:
        """The numbers that a pipeline's steps have computed, as `helio facts --json` prints them."""
        return looking.facts(pipeline, start, stop)

    @router.get("/figures")
    def list_figures(
        pipeline: Annotated[str | None, Query(max_length=120)] = None, count: Annotated[int, Query(ge=1, le=1000)] = 100
    ) -> FigureList:
        """The drawn figures, the last first."""
        return FigureList(figures=[FigureAnswer(**each) for each in looking.figures(pipeline, count)])

    return router


def _ends(span: TimeRange | None) -> dict[str, str | None]:
    """The range to the microsecond; none of a table."""
    return {"start": span.start.isoformat() if span else None, "stop": span.stop.isoformat() if span else None}


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
