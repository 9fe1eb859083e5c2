"""Say to anybody, without a token, that the server is there: for health checks of containers and proxies."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from helio_dagster import __version__
from helio_dagster.launch.web.addresses import HEALTH


class HealthAnswer:
    """ASGI middleware in front of the token's guard: a GET of `/health` gives `ok` and the version, and nothing of the home."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass the request on."""
        if scope["type"] == "http" and scope["path"] == HEALTH and scope["method"] in ("GET", "HEAD"):
            answer = JSONResponse({"ok": True, "version": __version__}, headers={"Cache-Control": "no-store"})
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)
