"""Serve a home over standard input and output, or over HTTP on this machine with a token."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Callable
from datetime import datetime

import anyio
import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from helio_dagster.domain.errors import InputError
from helio_dagster.hosting.limits import LimitGuard, Limits
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.server import McpServer
from helio_dagster.storage.access_token import AccessToken

HOST = "127.0.0.1"
PATH = "/mcp"
LARGEST_REQUEST = 4_000_000
"""Bytes of a request over HTTP."""
LIMITS = Limits(largest=LARGEST_REQUEST, per_s=20.0, burst=100)
"""All clients of this machine together: an assistant calls one tool after the other."""


def serve_stdio(site: AgentHome) -> None:
    """Serve one client on standard input and output until it leaves; what anything else prints goes to standard error."""

    async def serve() -> None:
        server = McpServer(site, is_single=True).protocol
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    _quiet()
    try:
        anyio.run(serve)
    finally:
        site.close()


def serve_http(site: AgentHome, port: int, token: AccessToken, ready: Callable[[str], None]) -> None:
    """Serve any number of clients on a port of this machine until Ctrl-C.

    Parameters
    ----------
    site
        The home.
    port
        The port; 0 takes a free one.
    token
        What clients must send as `Authorization: Bearer TOKEN`.
    ready
        Is called with the address.

    Raises
    ------
    InputError
        The port is in use.
    """
    listening = _listen(port)
    bound = listening.getsockname()[1]
    server = McpServer(site, is_single=False).protocol
    security = TransportSecuritySettings(
        allowed_hosts=[f"{name}:{bound}" for name in (HOST, "localhost")],
        allowed_origins=[f"http://{name}:{bound}" for name in (HOST, "localhost")],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=security, max_request_body_size=LARGEST_REQUEST, host=HOST
    )
    _quiet()
    guarded = LimitGuard(TokenGuard(app, token, site.clock), LIMITS, _refused)
    config = uvicorn.Config(guarded, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
    ready(f"http://{HOST}:{bound}{PATH}")
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()
        site.close()


_SEND = "send Authorization: Bearer TOKEN with the token that `helio mcp --http` names when it starts."
_RENEW = "stop `helio mcp --http` and start it again; it then makes a new token and names its file."


class TokenGuard:
    """ASGI middleware that refuses requests without the token.

    It is compared before anything else of the request is read. It is never in a URL, where logs would keep it.
    """

    def __init__(self, app: ASGIApp, token: AccessToken, clock: Callable[[], datetime]) -> None:
        self._app, self._token, self._clock = app, token, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with one sentence that says why."""
        if scope["type"] == "http":
            given = Headers(scope=scope).getlist("authorization")
            scheme, _, value = (given[0] if len(given) == 1 else "").partition(" ")
            fault = self._token.fault(value.strip(), self._clock()) if scheme.lower() == "bearer" else "no token was sent"
            if fault:
                message = f"{fault}: {_RENEW if 'expired' in fault else _SEND}\n"
                await PlainTextResponse(message, 401, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _refused(status: int, problem: str, hint: str = "", headers: dict[str, str] | None = None) -> PlainTextResponse:
    return PlainTextResponse(f"{problem}. {hint}\n", status, headers)


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        hint = "Choose another: helio mcp --http --port 8123."
        raise InputError(f"port {port} of this machine cannot be used: {error.strerror}", hint=hint) from None
    listening.listen(64)
    return listening


def _quiet() -> None:
    """Keep the SDK's own log to what went wrong."""
    logging.getLogger("mcp").setLevel(logging.ERROR)
    sys.stderr.flush()
