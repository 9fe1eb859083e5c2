"""The pages of pipelines: the list with their health, and one with its steps, file and calendar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse

from helio_dagster.agent.conversation.changes import describe_step
from helio_dagster.assets.graph import AssetGraph
from helio_dagster.domain.errors import HelioError, InputError, PipelineError
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.pipeline_search import Limits, describe
from helio_dagster.launch.library.pipeline_search import search as find
from helio_dagster.launch.running.status import status_of_all
from helio_dagster.resources.workbench import Workbench
from helio_dagster.serve.pages.calendars import calendar_of
from helio_dagster.serve.pages.health import Summary, health_of
from helio_dagster.serve.pages.page_home import PageHome
from helio_dagster.serve.pages.rendering import page
from helio_dagster.serve.pages.run_rows import RunRows, run_rows
from helio_dagster.serve.refusals import Missing

MOST_OF_A_PAGE = 25
_LONGEST = 200


@dataclass(frozen=True)
class ListedPipeline:
    """A pipeline in the list; `problem` says why its health is not known."""

    pipeline: Pipeline
    approval: str
    partitions: str
    health: Summary | None
    problem: str = ""


@dataclass(frozen=True)
class ShownStep:
    """A step as the page shows it; `dagster` is its asset's page."""

    step: Step
    words: str
    inputs: Sequence[str]
    dagster: str
    code: str


def listed(site: PageHome, request: Request) -> HTMLResponse:
    """The pipelines, those that fit the words best first."""
    home = site.home
    words = request.query_params.get("q", "").strip()[:_LONGEST]
    files, broken = _readable(home)
    names = list(files)
    if words:
        found = find([describe(file.pipeline, home.catalog) for file in files.values()], words, Limits(None, None, None))
        names = [hit.entry.pipeline.name for hit in found.hits]
    pages = max(1, -(-len(names) // MOST_OF_A_PAGE))
    number = min(pages, max(1, _number(request.query_params.get("page", "1"))))
    shown = names[(number - 1) * MOST_OF_A_PAGE : number * MOST_OF_A_PAGE]
    with site.bench() as bench:
        rows = [_listed(site, home, files[name], bench) for name in shown]
    content = {"rows": rows, "words": words, "count": len(names), "all": len(files), "broken": broken}
    content |= {"number": number, "pages": pages}
    return page("pipelines.html", "Pipelines", "pipelines", content, script="changed.js", is_watched=True)


def one(site: PageHome, request: Request) -> HTMLResponse:
    """A pipeline: what it does, its file, and the state of its partitions."""
    home = site.home
    file = load(home, str(request.path_params["name"]))
    pipeline = file.pipeline
    content: dict[str, Any] = {"pipeline": pipeline, "yaml": file.text, "partitions": _partitions(pipeline), "fault": ""}
    content |= {"approval": _approval(file), "has_dagster": site.has_dagster}
    content |= {"health": None, "calendar": None, "remarked": [], "words": request.query_params.get("range", "")[:_LONGEST]}
    below = request.query_params.get("runs", "")[:_LONGEST]
    content |= {"runs": RunRows(), "runs_fault": "", "are_older": bool(below)}
    try:
        content["runs"] = run_rows(site.settings, pipeline.name, below, has_dagster=site.has_dagster)
    except HelioError as error:
        content["runs_fault"] = f"{error.problem}. {error.hint}"
    others = [name for name in home.library.names() if name != pipeline.name]
    graph: AssetGraph | None = None
    try:
        opened = home.open(pipeline.name)
        graph = opened.graph
        with site.bench() as bench:
            health = health_of(status_of_all(graph, pipeline, bench), graph, bench.store)
        grain = None if pipeline.is_over_events else pipeline.grain
        now = site.clock()
        first = graph.starts.get(pipeline.grain, now) if pipeline.start is None else pipeline.start
        asked = request.query_params.get("period", "")[:_LONGEST]
        content["health"] = health
        content["calendar"] = calendar_of(health.cells, grain, asked, first=first, now=now)
        content["remarked"] = [cell for cell in health.cells.values() if cell.is_known and (cell.why or cell.excluded)]
    except PipelineError as error:
        content["fault"] = str(error)
    except HelioError as error:
        content["fault"] = f"{error.problem}. {error.hint}"
    content |= {"steps": [_shown(step, pipeline, graph) for step in pipeline.steps], "others": others}
    return page("pipeline.html", pipeline.title or pipeline.name, "pipelines", content, script="pipeline.js", is_watched=True)


def load(home: Home, name: str) -> PipelineFile:
    """A saved pipeline by its name; Missing where there is none."""
    if name not in home.library.names():
        try:
            home.library.find(name)
        except InputError as error:
            raise Missing(f"there is no pipeline {name[:_LONGEST]!r}", hint=error.hint) from None
        raise Missing(f"there is no pipeline {name[:_LONGEST]!r}", hint="The list has all of them.")
    return home.library.load(name)


def _readable(home: Home) -> tuple[Mapping[str, PipelineFile], Sequence[str]]:
    """The pipelines that can be read, and the names of files that cannot."""
    files = dict(sorted(home.files.items()))
    return files, [name for name in home.library.names() if name not in files]


def _listed(site: PageHome, home: Home, file: PipelineFile, bench: Workbench) -> ListedPipeline:
    try:
        found = site.summaries.of(home, file.pipeline, bench)
    except HelioError as error:
        return ListedPipeline(file.pipeline, _approval(file), _partitions(file.pipeline), None, error.problem)
    return ListedPipeline(file.pipeline, _approval(file), _partitions(file.pipeline), found)


def _approval(file: PipelineFile) -> str:
    """Whether somebody has approved the file as it is now."""
    if file.pipeline.approved is None:
        return "not approved"
    return "" if file.is_as_approved else "changed since it was approved"


def _partitions(pipeline: Pipeline) -> str:
    return "one per event" if pipeline.is_over_events else str(pipeline.grain.value)


def _shown(step: Step, pipeline: Pipeline, graph: AssetGraph | None) -> ShownStep:
    node = graph.of_pipeline(pipeline).get(step.id) if graph is not None else None
    inputs = list(dict.fromkeys(reference for _, reference in step.references))
    address = "/dagster/assets/" + "/".join(quote(part, safe="") for part in node.name.split("/")) if node else ""
    code = step.compute.code if step.compute and step.compute.code else ""
    return ShownStep(step, describe_step(step), inputs, address, code)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1
