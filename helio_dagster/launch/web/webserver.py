"""Serve Dagster's web UI together with a home's figures: `python -m helio_dagster.launch.web.webserver`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import dagster as dg
import uvicorn
from dagster._core.workspace.context import WorkspaceProcessContext, WorkspaceRequestContext
from dagster._core.workspace.load_target import GrpcServerTarget
from dagster_webserver.webserver import DagsterWebserver
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount

from helio_dagster.launch.record.instance import LOCATION
from helio_dagster.launch.web.figure_pages import FigurePages
from helio_dagster.launch.web.page_guard import FIGURES, OwnNames, PageGuard, is_change
from helio_dagster.storage.settings import Settings

_UNUSED_ROUTES = ("/notebook", "/dagit/notebook")
"""They would serve any notebook on this machine, with its scripts, as a page of ours; no helio asset has one."""


class FigureServingWebserver(DagsterWebserver[WorkspaceProcessContext, WorkspaceRequestContext]):
    """Dagster's webserver with the figures of a home under `/figures/`, closed to pages of other sites."""

    def __init__(self, context: WorkspaceProcessContext, settings: Settings, names: OwnNames) -> None:
        self._settings = settings
        self._names = names
        super().__init__(context)

    def build_middleware(self) -> list[Middleware]:
        """Our guard, before Dagster's own middleware."""
        return [Middleware(PageGuard, names=self._names), *super().build_middleware()]

    def build_routes(self) -> list[Any]:
        """Our routes, then Dagster's, without those that helio does not need."""
        self._settings.figures.mkdir(parents=True, exist_ok=True)
        routes: list[Any] = super().build_routes()  # type: ignore[no-untyped-call]
        kept = [route for route in routes if getattr(route, "path", "") not in _UNUSED_ROUTES]
        return [Mount(FIGURES.rstrip("/"), FigurePages(self._settings)), *kept]

    async def graphql_http_endpoint(self, request: Request) -> Response:
        """Dagster's answer; a GET may only query."""
        if request.method != "POST" and is_change(request.query_params.get("query", "")):
            return PlainTextResponse("Refused: a change needs POST with Content-Type: application/json.\n", status_code=405)
        answer: Response = await super().graphql_http_endpoint(request)
        return answer


def serve(settings: Settings, *, host: str, port: int, code_server: Path, allowed_hosts: list[str]) -> None:
    """Serve the web UI of a home until interrupted; `code_server` is its socket."""
    target = GrpcServerTarget(host="localhost", port=None, socket=str(code_server), location_name=LOCATION)
    with (
        dg.DagsterInstance.from_config(str(settings.instance)) as instance,
        WorkspaceProcessContext(instance, version=dg.__version__, workspace_load_target=target) as context,
    ):
        names = OwnNames.of(host, allowed_hosts)
        app = FigureServingWebserver(context, settings, names).create_asgi_app()
        uvicorn.run(app, host=host, port=port, log_level="warning")


def main() -> None:
    """Parse the process's arguments and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--code-server", type=Path, required=True)
    parser.add_argument("--allow-host", action="append", default=[])
    given = parser.parse_args()
    settings = Settings.read(os.environ, Path.cwd())
    serve(settings, host=given.host, port=given.port, code_server=given.code_server, allowed_hosts=given.allow_host)


if __name__ == "__main__":
    main()
