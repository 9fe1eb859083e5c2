"""Start, follow and stop runs and verifications of pipelines, and list those in the record."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Path, Query
from pydantic import BaseModel, Field

from helio_dagster.domain.report import RunReport
from helio_dagster.domain.verify_report import VerifyReport
from helio_dagster.serve.http.addressing import Name, OnePipeline
from helio_dagster.serve.http.conversation_routes import Cancelled, EventStream, Key, Sent
from helio_dagster.serve.http.sse import Readers, position_of, stream
from helio_dagster.serve.looking import Looking
from helio_dagster.serve.runs import Runs

RunId = Annotated[str, Path(pattern=r"^[0-9]{8}-[0-9]{6}(-[0-9]{1,6})?$", description="The run's id.")]
Below = Annotated[str | None, Query(max_length=60, description="`older` of the answer before, for earlier runs of a pipeline.")]


class NewRun(Sent):
    """A run to begin; without `start` it is over the pipeline's own `range:`. Of a pipeline over events, `event` or `all`."""

    start: Annotated[str | None, Field(max_length=120)] = None
    stop: Annotated[str | None, Field(max_length=120)] = None
    event: Annotated[str | None, Field(max_length=200, description="The key of one event, instead of a range.")] = None
    all: Annotated[bool, Field(description="All events that are over, instead of a range.")] = False
    force: bool = False
    refresh: bool = False
    open: Annotated[bool, Field(description="The last partition up to its newest data, before it is over.")] = False
    key: Key = None


class NewVerification(Sent):
    """What is verified; without `start` it is the pipeline's own `range:`."""

    start: Annotated[str | None, Field(max_length=120)] = None
    stop: Annotated[str | None, Field(max_length=120)] = None
    key: Key = None


class BegunRun(BaseModel):
    """The run's id."""

    run: str


class RunAnswer(BaseModel):
    """A run or verification; `state` is running, or how it ended.

    `report` is that of `helio run --json`, `verified` that of `helio verify --json`, once there is one.
    """

    run: str
    pipeline: str
    start: str | None
    stop: str | None
    event: str | None = None
    all: bool = False
    force: bool
    open: bool = False
    verify: bool = False
    begun: str
    state: str
    progress: str
    seconds: float | None
    problem: str
    report: RunReport | None = None
    verified: VerifyReport | None = None


class RecordedAnswer(BaseModel):
    """A run of Dagster's record, whoever began it; `pipeline` is empty where that was done on Dagster's own pages.

    `begun_by` is command line, Python, HTTP, conversation ID, schedule, on change, backfill, or Dagster. `first` and `last` are
    its partitions, `person` who began it, empty where helio did not. `state` is waiting, running, success, failed or cancelled.
    """

    id: str
    pipeline: str
    begun_by: str
    first: str
    last: str
    begun: str
    state: str
    seconds: float | None
    person: str


class RunList(BaseModel):
    """The runs that were begun over HTTP, without their reports, and those of the record; of both the last first.

    `older` is what to give as `below` for earlier ones of the record; null where there are none, or without a pipeline.
    """

    runs: list[RunAnswer]
    recorded: list[RecordedAnswer]
    older: str | None = None


def run_routes(looking: Looking, runs: Runs, readers: Readers) -> APIRouter:
    """The routes that begin, follow and stop runs."""
    router = APIRouter(tags=["runs"])

    @router.post("/pipelines/{name}/runs", status_code=202)
    def start_run(name: Name, given: NewRun) -> BegunRun:
        """Run a pipeline over a range; it goes on whether or not anybody follows it."""
        if given.event is not None or given.all:
            looking.check_events(name, given.event, given.start, every=given.all, is_open=given.open)
        else:
            looking.check_range(name, given.start, given.stop, is_open=given.open)
        how = {"force": given.force, "refresh": given.refresh, "every": given.all, "is_open": given.open}
        return BegunRun(run=runs.start(name, given.start, given.stop, event=given.event, key=given.key, **how))

    @router.post("/pipelines/{name}/verifications", status_code=202)
    def start_verification(name: Name, given: NewVerification) -> BegunRun:
        """Remake what is stored of a range in a temporary folder, and compare; it is followed and stopped as a run is."""
        looking.check_range(name, given.start, given.stop)
        return BegunRun(run=runs.start(name, given.start, given.stop, verify=True, key=given.key))

    @router.get("/runs")
    def list_runs(
        count: Annotated[int, Query(ge=1, le=500)] = 50, pipeline: OnePipeline = None, below: Below = None
    ) -> RunList:
        """The runs that were begun over HTTP, and all of the record: of the command line, Python, agents and Dagster."""
        found, older = runs.recorded(count, pipeline, below)
        recorded = [RecordedAnswer(**each) for each in found]
        begun = [RunAnswer(**each) for each in runs.listed(count, pipeline)] if below is None else []
        return RunList(runs=begun, recorded=recorded, older=older)

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
