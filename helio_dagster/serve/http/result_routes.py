"""What steps have made: a look at it, facts, and tables as files."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel
from starlette.background import BackgroundTask

from helio_dagster.domain.report import FactsReport
from helio_dagster.domain.table_meta_text import pack_meta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.lineage import Origin
from helio_dagster.launch.exporting.targets import Format
from helio_dagster.serve.http.addressing import CONTENT_TYPES, ISOLATED, FileName, Name, OnePipeline, Step, When
from helio_dagster.serve.looking import Looking
from helio_dagster.serve.stored_records import StoredRecords, Wanted


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


class ExportsAnswer(BaseModel):
    """The steps of which an export of a whole pipeline writes a file each."""

    steps: list[str]


OneEvent = Annotated[str | None, Query(max_length=200, description="Of events as partitions, the one with this key.")]
EveryEvent = Annotated[bool, Query(alias="all", description="Of events as partitions, every one that is over.")]
AssetName = Annotated[str, Query(min_length=1, max_length=300, description="An asset, or a step of `pipeline`.")]


def result_routes(looking: Looking) -> APIRouter:
    """The routes below `/results` and `/facts`, `/table`, `/export`, `/exports` and `/origin`."""
    router, records = APIRouter(tags=["pipelines"]), StoredRecords(looking)

    @router.get("/results/{pipeline}/{step}")
    def read_result(pipeline: Name, step: Step, start: When = None, stop: When = None) -> ResultAnswer:
        """The first rows of a step over a range, and its statistics."""
        return ResultAnswer(**looking.result(pipeline, step, start, stop))

    @router.get("/facts/{pipeline}")
    def read_facts(pipeline: Name, start: When = None, stop: When = None) -> FactsReport:
        """The numbers that a pipeline's steps have computed, as `helio facts --json` prints them."""
        return looking.facts(pipeline, start, stop)

    @router.get("/table", response_class=FileResponse)
    def read_table(
        asset: AssetName,
        start: Annotated[str, Query(max_length=120)],
        stop: When = None,
        pipeline: OnePipeline = None,
    ) -> FileResponse:
        """The records of an asset over a range as Parquet, with units, frames and labels in its metadata."""
        folder = tempfile.TemporaryDirectory(prefix="helio-")
        path = FilePath(folder.name) / "table.parquet"
        try:
            records.table_file(asset, pipeline, start, stop, path)
        except BaseException:
            folder.cleanup()
            raise
        return FileResponse(
            path, media_type=CONTENT_TYPES["parquet"], filename="table.parquet", background=BackgroundTask(folder.cleanup)
        )

    @router.get("/export", response_class=FileResponse)
    def export_asset(
        asset: AssetName,
        form: Annotated[Format, Query(alias="format")],
        start: When = None,
        stop: When = None,
        event: OneEvent = None,
        every: EveryEvent = False,
        pipeline: OnePipeline = None,
        name: FileName = None,
        comments: Annotated[bool, Query(description="Whether CSV says above its header what it holds.")] = True,
    ) -> FileResponse:
        """A file as `helio export` writes it; `X-Export` says what it holds, in JSON, `X-Export-Meta` more for our client."""
        wanted, folder = Wanted(start, stop, event, every), tempfile.TemporaryDirectory(prefix="helio-")
        try:
            made = records.export(asset, pipeline, wanted, form, FilePath(folder.name) / (name or ""), has_comments=comments)
        except BaseException:
            folder.cleanup()
            raise
        described = {"asset": made.asset, "format": made.format, "rows": made.rows, **_ends(made.span)}
        headers = {"X-Export": json.dumps(described), "X-Export-Meta": pack_meta(made.meta), **ISOLATED}
        done = BackgroundTask(folder.cleanup)
        return FileResponse(
            made.path, media_type=CONTENT_TYPES[form], filename=made.path.name, headers=headers, background=done
        )

    @router.get("/exports/{pipeline}")
    def list_exports(
        pipeline: Name, start: When = None, stop: When = None, event: OneEvent = None, every: EveryEvent = False
    ) -> ExportsAnswer:
        """The steps of a pipeline that `/export` writes to a file each, where all of its results are wanted."""
        return ExportsAnswer(steps=records.exports(pipeline, Wanted(start, stop, event, every)))

    @router.get("/origin")
    def read_origin(asset: AssetName, start: When = None, stop: When = None, event: OneEvent = None) -> Origin:
        """What a partition was made from, as `helio show --json` prints it; `start` may be its key, or a day or time in it."""
        return records.origin(asset, [each for each in (start, stop) if each is not None], event)

    return router


def _ends(span: TimeRange | None) -> dict[str, str | None]:
    """The range to the microsecond; none of a table."""
    return {"start": span.start.isoformat() if span else None, "stop": span.stop.isoformat() if span else None}
