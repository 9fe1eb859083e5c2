"""The whole application: the page at `/`, the interface, figures, and Dagster's own UI under its prefix, behind one guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from helio_dagster.hosting.limits import LimitGuard, Limits
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.web.addresses import API, DAGSTER, FIGURES
from helio_dagster.launch.web.figure_pages import FigurePages
from helio_dagster.launch.web.page_guard import OwnNames, PageGuard
from helio_dagster.launch.web.page_layout import POLICY, document, has_dagster
from helio_dagster.serve.conversations import Conversations
from helio_dagster.serve.guards.health import HealthAnswer
from helio_dagster.serve.http.answers import NOTHING_HERE, refusal
from helio_dagster.serve.http.app import PATH, json_interface
from helio_dagster.serve.looking import Looking
from helio_dagster.serve.runs import Runs
from helio_dagster.serve.switching import Switches
from helio_dagster.serve.work.pool import WorkPool
from helio_dagster.storage.atomic import storage_error

_NO_DAGSTER = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Dagster</title>
<p>Dagster's own page is not served here: <code>helio serve</code> leaves it out to be light.
<code>helio ui</code> serves the same with it, and with schedules.</p><p><a href="/">Back</a></p></html>
"""
_NOTHING = "<h1>Not found</h1>\n<p>There is nothing at this address. Choose one of the pages above.</p>"


@dataclass(frozen=True)
class Served:
    """The parts of a served home that routes are made of."""

    site: ServedHome
    pool: WorkPool
    conversations: Conversations
    looking: Looking
    runs: Runs

    @classmethod
    def of(cls, site: ServedHome, *, is_offline: bool = False) -> Served:
        """The parts over a home, whose folder of logs is made; StorageError where the home cannot be written."""
        logs = site.settings.logs
        try:
            logs.mkdir(parents=True, exist_ok=True)
            pool = WorkPool(site.environment, site.folder, logs / "work.log")
            site.settings.figures.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(error, site.settings.home) from error
        return cls(site, pool, Conversations(site, pool, is_offline), Looking(site), Runs(site, pool))


def application(
    served: Served,
    names: OwnNames,
    *,
    dagster: ASGIApp | None = None,
    pages: Sequence[BaseRoute] = (),
    limits: Limits | None = None,
    guards: Sequence[Middleware] = (),
) -> Starlette:
    """The application.

    Parameters
    ----------
    served
        The home.
    names
        The names under which it may be requested.
    dagster
        Dagster's own UI, which answers below its prefix.
    pages
        The routes of the page for people.
    limits
        What a client may send.
    guards
        Further middleware, behind those checks.
    """

    @asynccontextmanager
    async def at_work(_app: Starlette) -> AsyncIterator[None]:
        await run_in_threadpool(served.pool.warm)
        yield
        await run_in_threadpool(served.pool.close)
        await run_in_threadpool(served.site.close)

    routes: list[BaseRoute] = [
        Mount(PATH, json_interface(served.conversations, served.looking, served.runs, Switches(dagster))),
        Mount(FIGURES.rstrip("/"), FigurePages(served.site.settings, lambda: served.site.home)),
        Mount(DAGSTER, dagster) if dagster is not None else Route(f"{DAGSTER}/{{path:path}}", _say(_NO_DAGSTER)),
        *(pages or [Route("/", _to_figures)]),
    ]
    middleware = [
        Middleware(PageGuard, names=names),
        Middleware(LimitGuard, limits=limits or Limits(), refuse=refusal),
        Middleware(HealthAnswer),
        *guards,
        Middleware(_BesideDagster, is_served=dagster is not None),
    ]
    return Starlette(routes=routes, middleware=middleware, lifespan=at_work, exception_handlers={404: _missing})


class _BesideDagster:
    """ASGI middleware that lets pages know whether Dagster's UI is served beside them."""

    def __init__(self, app: ASGIApp, is_served: bool) -> None:
        self._app, self._is_served = app, is_served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        has_dagster.set(self._is_served)
        await self._app(scope, receive, send)


def _missing(request: Request, _error: Exception) -> Response:
    if request.url.path.startswith(API):
        return refusal(404, NOTHING_HERE)
    return HTMLResponse(document("Not found", _NOTHING, ""), 404, headers={"Content-Security-Policy": POLICY})


def _to_figures(_request: Request) -> Response:
    return RedirectResponse(FIGURES)


def _say(page: str) -> Callable[[Request], Response]:
    def answer(_request: Request) -> Response:
        return HTMLResponse(page, 404)

    return answer
