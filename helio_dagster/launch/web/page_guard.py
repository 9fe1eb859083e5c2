"""Keep web pages of other sites out of the web UI by checking each request before Dagster sees it.

A browser sends any page's requests to any address, including this machine's. The guard judges them by what the browser says:
the name in Host (a foreign name that resolves to this machine is DNS rebinding), the page in Origin and Sec-Fetch-Site, and the
content type, because neither an HTML form nor a request without a preflight can have `application/json`.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

from graphql import GraphQLError, OperationDefinitionNode, OperationType, parse
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helio_dagster.launch.web.addresses import API, FIGURES

ANY_ADDRESS = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound to
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_HOST = re.compile(r"(?P<name>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?")
_POLICY_REFUSED = 1008
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
_NO_FRAMES = {"X-Frame-Options": "DENY"}, "frame-ancestors 'none'"
_OWN_FRAMES = {"X-Frame-Options": "SAMEORIGIN"}, "frame-ancestors 'self'"
"""For figures, which our page shows in frames; each has an origin of its own."""


@dataclass(frozen=True)
class OwnNames:
    """The names and addresses under which the web UI may be requested.

    `names` are in lower case, an IPv6 address without brackets. A server that listens on every address of the machine can be
    requested by any of them: `has_any_address`. That is safe, because only a name can be rebound.
    """

    names: frozenset[str]
    has_any_address: bool = False

    @classmethod
    def of(cls, host: str, more: Iterable[str] = ()) -> OwnNames:
        """Names of a server that listens at `host`, and those that the person adds."""
        names = {*_THIS_MACHINE, host, *more} - {*ANY_ADDRESS}
        return cls(frozenset(name.lower() for name in names), host in ANY_ADDRESS)

    def has(self, name: str) -> bool:
        """Whether a request for this name is meant for this server."""
        return name in self.names or (self.has_any_address and _is_address(name))


def is_this_machine(host: str) -> bool:
    """Whether only this machine itself reaches a server that listens at an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class PageGuard:
    """ASGI middleware that refuses requests that other sites' pages can send, and forbids other sites to frame ours."""

    def __init__(self, app: ASGIApp, names: OwnNames) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with one sentence that says why."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send, scope) if scope["type"] == "http" else send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": _POLICY_REFUSED, "reason": "refused"})
        else:
            await refusal(scope, receive, _with_headers(send, scope))

    def _refusal(self, scope: Scope) -> Response | None:
        found = self._fault(scope)
        return None if found is None else _refused(*found, is_api=scope["path"].startswith(API))

    def _fault(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is refused, with the status; None if it is not."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        found = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        name = found["name"].strip("[]").lower() if found else ""
        if found is None or not self._names.has(name):
            hint = f" If the name is yours, start helio with --allow-host {name}" if name else ""
            return (421, f"this page is not served under the name {name or 'that was asked for'!r}.{hint}")
        origins = [origin.lower() for origin in headers.getlist("origin")]
        if origins == ["null"] and _is_script_of_a_figure(scope, headers):
            origins = []  # how Chromium asks for it where the figure is in a frame of our page
        if any(origin.partition("://")[2] != hosts[0].lower() for origin in origins):
            return (403, "the request comes from a page of another site.")
        is_post = scope.get("method") == "POST"
        if not (headers.get("sec-fetch-site", "none") in ("same-origin", "none") or _may_cross(scope, headers)):
            return (403, "the request comes from a page of another site.")
        if is_post and _essence(headers) not in ("application/json", "application/graphql"):
            return (415, "a POST needs the header Content-Type: application/json.")
        return None


def is_change(document: str) -> bool:
    """Whether a GraphQL document contains anything but queries; false if it cannot be parsed, since it would not be run."""
    return bool(_operations(document) - {OperationType.QUERY})


def only_asks(document: str) -> bool:
    """Whether a GraphQL document can be parsed and contains queries alone."""
    return _operations(document) == {OperationType.QUERY}


def _operations(document: str) -> set[OperationType]:
    """The kinds of operation in a GraphQL document; none if it cannot be parsed."""
    try:
        definitions = parse(document).definitions
    except (GraphQLError, RecursionError):
        return set()
    return {each.operation for each in definitions if isinstance(each, OperationDefinitionNode)}


def _may_cross(scope: Scope, headers: Headers) -> bool:
    """Whether it is a link that a person follows, or a script of a figure, whose page has its own origin."""
    target = headers.get("sec-fetch-dest")
    if scope.get("method") not in ("GET", "HEAD"):
        return False
    if headers.get("sec-fetch-mode") == "navigate":
        return target == "document"
    return _is_script_of_a_figure(scope, headers)


def _is_script_of_a_figure(scope: Scope, headers: Headers) -> bool:
    """Whether a page asks for plotly or a zoom as a script, which it can run but not read."""
    is_read = scope.get("method") in ("GET", "HEAD")
    is_script = headers.get("sec-fetch-dest") == "script" and headers.get("sec-fetch-mode") == "no-cors"
    return is_read and is_script and scope["path"].startswith(FIGURES) and scope["path"].endswith(".js")


def _essence(headers: Headers) -> str:
    """The media type without its parameters, as browsers interpret it."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _refused(status: int, reason: str, *, is_api: bool) -> Response:
    if is_api:
        return JSONResponse({"error": {"problem": f"refused: {reason.rstrip('.')}", "hint": ""}}, status)
    return PlainTextResponse(f"Refused: {reason}\n", status_code=status)


def _with_headers(send: Send, scope: Scope) -> Send:
    framing, policy = _OWN_FRAMES if scope["path"].startswith(FIGURES) else _NO_FRAMES

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in {**_HEADERS, **framing}.items():
                headers.setdefault(name, value)
            headers.append("Content-Security-Policy", policy)
        await send(message)

    return sending
