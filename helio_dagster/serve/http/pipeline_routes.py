"""Pipelines, their runs, and what was made."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask

from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.report import FactsReport, RunReport, StatusReport
from helio_dagster.domain.time_range import format_time
from helio_dagster.launch.credit.citation import Citation
from helio_dagster.serve.http.conversation_routes import Cancelled, EventStream, Key, Sent
from helio_dagster.serve.http.sse import Readers, position_of, stream
from helio_dagster.serve.looking import Looking
from helio_dagster.serve.runs import Runs

Name = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]*$", max_length=120, description="The pipeline's name.")]
Step = Annotated[str, Path(max_length=120, description="A step's id.")]
When = Annotated[str | None, Query(max_length=120, description="As on the command line: 2003-10, last 7 days.")]
RunId = Annotated[str, Path(pattern=r"^[0-9]{8}-[0-9]{6}(-[0-9]{1,6})?$", description="The run's id.")]
_TYPES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf", "html": "text/html; charset=utf-8"}
_ISOLATED = {"Content-Security-Policy": "sandbox allow-scripts allow-downloads", "Cache-Control": "no-store"}


class NewRun(Sent):
    """A run to begin; without `start` it is over the pipeline's own `range:`."""

    start: Annotated[str | None, Field(max_length=120)] = None
    stop: Annotated[str | None, Field(max_length=120)] = None
    force: bool = False
    key: Key = None


class BegunRun(BaseModel):
    """The run's id."""

    run: str


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


class RunAnswer(BaseModel):
    """A run; `state` is running, or how it ended. `report` is that of `helio run --json`, once there is one."""

    run: str
    pipeline: str
    start: str | None
    stop: str | None
    force: bool
    begun: str
    state: str
    progress: str
    seconds: float | None
    problem: str
    report: RunReport | None = None


class RecordedAnswer(BaseModel):
    """A run of Dagster's record, whoever began it; `pipeline` is empty where Dagster's own pages or a schedule did.

    `first` and `last` are its partitions, `state` is waiting, running, success, failed or cancelled.
    """

    id: str
    pipeline: str
    first: str
    last: str
    begun: str
    state: str
    seconds: float | None


class RunList(BaseModel):
    """The runs that were begun over HTTP, without their reports, and those of the record; of both the last first."""

    runs: list[RunAnswer]
    recorded: list[RecordedAnswer]


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
        start: When = None,
        stop: When = None,
        step: Annotated[str | None, Query(max_length=120)] = None,
        form: Literal["png", "svg", "pdf", "html"] = "png",
        style: Annotated[str | None, Query(max_length=40)] = None,
        width: Annotated[str | None, Query(max_length=40)] = None,
        height: Annotated[str | None, Query(max_length=40)] = None,
        font: Annotated[str | None, Query(max_length=40)] = None,
        dpi: Annotated[int | None, Query(ge=10, le=1200)] = None,
        letters: bool | None = None,
        title: bool | None = None,
        footer: bool | None = None,
    ) -> Response:
        """A figure over a range that was run, on paper as `helio figure` puts it; `X-Figure` says what it is, in JSON."""
        given = {"style": style, "width": width, "height": height, "font": font, "dpi": dpi}
        how = {**given, "letters": letters, "title": title, "footer": footer}
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
        pipeline: Annotated[str | None, Query(pattern=r"^[a-z][a-z0-9_]*$", max_length=120)] = None,
    ) -> FileResponse:
        """The records of an asset over a range as Parquet, with units, frames and labels in its metadata."""
        folder = tempfile.TemporaryDirectory(prefix="helio-")
        path = FilePath(folder.name) / "table.parquet"
        try:
            looking.table_file(asset, pipeline, start, stop, path)
        except BaseException:
            folder.cleanup()
            raise
        kind = "application/vnd.apache.parquet"
        return FileResponse(path, media_type=kind, filename="table.parquet", background=BackgroundTask(folder.cleanup))

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


def run_routes(looking: Looking, runs: Runs, readers: Readers) -> APIRouter:
    """The routes that begin, follow and stop runs."""
    router = APIRouter(tags=["runs"])

    @router.post("/pipelines/{name}/runs", status_code=202)
    def start_run(name: Name, given: NewRun) -> BegunRun:
        """Run a pipeline over a range; it goes on whether or not anybody follows it."""
        looking.check_range(name, given.start, given.stop)
        return BegunRun(run=runs.start(name, given.start, given.stop, force=given.force, key=given.key))

    @router.get("/runs")
    def list_runs(count: Annotated[int, Query(ge=1, le=500)] = 50) -> RunList:
        """The runs that were begun over HTTP, and all of the record: of the command line, Python, agents and Dagster."""
        recorded = [RecordedAnswer(**each) for each in runs.recorded(count)]
        return RunList(runs=[RunAnswer(**each) for each in runs.listed(count)], recorded=recorded)

    @router.get("/runs/{id}")
    def read_run(id: RunId) -> RunAnswer:  # noqa: A002 - the name in the address
        """How far a run is, or its report."""
        return RunAnswer(**runs.about(id))

    @router.post("/runs/{id}/cancel", status_code=202)
    def cancel_run(id: RunId) -> Cancelled:  # noqa: A002
        """Stop a run; what is finished is kept."""
        return Cancelled(is_stopping=runs.cancel(id))

    @router.get("/runs/{id}/events", response_class=EventStream)
    def follow_run(
        id: RunId,  # noqa: A002
        after: Annotated[int, Query(ge=0, le=10**12)] = 0,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> EventStream:
        """The run's events as server-sent events, until it is over."""
        readers.require_place()
        runs.about(id)
        position = position_of(after, last_event_id)
        content = stream(runs.events(id), position, lambda: runs.mend(id), is_last=lambda: not runs.is_running(id))
        return EventStream(readers.counted(content), headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

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
