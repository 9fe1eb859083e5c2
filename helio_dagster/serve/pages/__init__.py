"""The page for people who never open a terminal: talk, catalog, pipelines and settings. Data come from the rooms below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from helio_dagster.domain.errors import HelioError, InputError, PipelineError, UnknownDataset
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.serve.pages import catalog_pages, pipeline_changes, pipeline_pages, settings_page, talk_pages
from helio_dagster.serve.pages.page_home import PageHome
from helio_dagster.serve.pages.rendering import STATIC, page
from helio_dagster.serve.refusals import Missing

Handler = Callable[[PageHome, Request], Response]


def pages(site: ServedHome, *, has_dagster: bool = False) -> Sequence[BaseRoute]:
    """The routes of the page for a home; with links to Dagster's own UI where that is served beside it."""
    own = PageHome(site, has_dagster)
    get: dict[str, tuple[str, Handler]] = {
        "/": ("talk", talk_pages.talk),
        "/talk/{id}": ("talk", talk_pages.talk),
        "/catalog/": ("catalog", catalog_pages.search),
        "/catalog/{dataset:path}": ("catalog", catalog_pages.dataset),
        "/pipelines/": ("pipelines", pipeline_pages.listed),
        "/pipelines/{name}": ("pipelines", pipeline_pages.one),
        "/pipelines/{name}/diff": ("pipelines", pipeline_changes.difference),
        "/pipelines/{name}/cite": ("pipelines", pipeline_changes.citation),
        "/pipelines/{name}/fork": ("pipelines", pipeline_changes.fork_form),
        "/settings/": ("settings", settings_page.settings),
        "/settings/doctor": ("settings", settings_page.doctor),
    }
    shown = [Route(path, partial(_answered, own, handler, section)) for path, (section, handler) in get.items()]
    changing = [
        Route("/talk/code", partial(_json_answer, own, talk_pages.code), methods=["POST"]),
        Route("/pipelines/{name}/fork", partial(_json_answer, own, pipeline_changes.fork), methods=["POST"]),
    ]
    return [*changing, *shown, Mount("/static", StaticFiles(directory=STATIC))]


async def _answered(site: PageHome, handler: Handler, section: str, request: Request) -> Response:
    """The page, or one that says what is wrong and what to do."""
    try:
        return await run_in_threadpool(handler, site, request)
    except HelioError as error:
        fault = {"problem": error.problem, "hint": error.hint, "where": _place(error)}
        return page("problem.html", "Not possible", section, fault, status=_status(error))


async def _json_answer(site: PageHome, handler: Callable[[PageHome, Request, bytes], Response], request: Request) -> Response:
    """The answer to what a script of ours sends as JSON; a fault is said in JSON too."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > talk_pages.MOST_BYTES:
            fault = {"problem": "the request is too large", "hint": "Send less text."}
            return JSONResponse({"error": fault}, status_code=413)
    try:
        return await run_in_threadpool(handler, site, request, bytes(content))
    except HelioError as error:
        return JSONResponse({"error": {"problem": error.problem, "hint": error.hint}}, status_code=_status(error))


def _place(error: HelioError) -> str:
    """Where it is wrong, with the line of a file."""
    line = error.problems[0].line if isinstance(error, PipelineError) else 0
    return f"{error.where}, line {line}" if line else error.where


def _status(error: HelioError) -> int:
    return 404 if isinstance(error, Missing | UnknownDataset) else 400 if isinstance(error, InputError) else 409
