"""Dagster's own web UI as an application under a prefix, without what would let strangers in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
from dagster_webserver.webserver import DagsterWebserver
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount
from starlette.types import ASGIApp

from helio_dagster.launch.record.instance import LOCATION
from helio_dagster.launch.web.addresses import DAGSTER
from helio_dagster.launch.web.named_launches import name_launches
from helio_dagster.launch.web.page_guard import is_change
from helio_dagster.resources.dagster_internals import GrpcServerTarget, WorkspaceProcessContext, WorkspaceRequestContext
from helio_dagster.storage.people import account
from helio_dagster.storage.settings import Settings

_UNUSED_ROUTES = ("/notebook", "/dagit/notebook")
"""They would serve any notebook on this machine, with its scripts, as a page of ours; no helio asset has one."""


class PrefixedWebserver(DagsterWebserver[WorkspaceProcessContext, WorkspaceRequestContext]):
    """Dagster's webserver for an application that mounts it under its prefix.

    Parameters
    ----------
    context
        What it serves.
    person
        Says who sent the request that is being answered; by default the account that serves.
    """

    def __init__(self, context: WorkspaceProcessContext, person: Callable[[], str] = account) -> None:
        super().__init__(context, app_path_prefix=DAGSTER)
        self._person = person

    def build_routes(self) -> list[Any]:
        """Dagster's routes below the prefix, without those that helio does not need."""
        routes: list[Any] = super().build_routes()  # type: ignore[no-untyped-call]
        below = next(route for route in routes if isinstance(route, Mount) and route.path == DAGSTER)
        return [route for route in below.routes if getattr(route, "path", "") not in _UNUSED_ROUTES]

    async def graphql_http_endpoint(self, request: Request) -> Response:
        """Dagster's answer; a GET may only query."""
        if request.method != "POST" and is_change(request.query_params.get("query", "")):
            return PlainTextResponse("Refused: a change needs POST with Content-Type: application/json.\n", status_code=405)
        answer: Response = await super().graphql_http_endpoint(request)
        return answer

    async def execute_graphql_request(
        self, request: Request, query: str, variables: dict[str, Any] | None, operation_name: str | None
    ) -> JSONResponse:
        """Dagster's answer; what is launched has the name of who asks."""
        named = name_launches(query, variables, self._person())
        return await super().execute_graphql_request(request, query, named, operation_name)


@contextmanager
def dagster_ui(settings: Settings, code_server: Path, person: Callable[[], str]) -> Iterator[ASGIApp]:
    """Dagster's UI of a home, to be mounted at its prefix.

    Parameters
    ----------
    settings
        The home.
    code_server
        The socket of its code server.
    person
        Says who sent the request that is being answered.
    """
    target = GrpcServerTarget(host="localhost", port=None, socket=str(code_server), location_name=LOCATION)
    with (
        dg.DagsterInstance.from_config(str(settings.instance)) as instance,
        WorkspaceProcessContext(instance, version=dg.__version__, workspace_load_target=target) as context,
    ):
        yield PrefixedWebserver(context, person).create_asgi_app()
