"""Let readers look at everything and change nothing, on the page, in the interface and in Dagster's own UI."""

from __future__ import annotations

import json
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from helio_dagster.hosting.served_home import ASKING
from helio_dagster.launch.web.addresses import DAGSTER
from helio_dagster.launch.web.page_guard import only_asks
from helio_dagster.serve.http.answers import refusal

_LOOKING = frozenset(("GET", "HEAD", "OPTIONS"))
_LOOKED_UP = frozenset(("/talk/code",))
"""What pages send to be shown, though it is sent as a change would be."""
_GRAPHQL = f"{DAGSTER}/graphql"
_LONGEST_QUERY = 1 << 20
_POLICY_REFUSED = 1008


class ReaderGuard:
    """ASGI middleware behind the one that finds out who asks: of a reader it passes on what only looks.

    What Dagster's UI looks up is sent as a change would be; its query is read to tell them apart. Readers get no WebSocket,
    over which Dagster would take either; its UI asks again and again instead.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with one sentence that says why."""
        person = ASKING.get()
        if person is None or person.role == "operator" or scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": _POLICY_REFUSED, "reason": "refused"})
        elif scope["path"].rstrip("/") == _GRAPHQL:
            await self._ask_dagster(person.name, scope, receive, send)
        elif scope["method"] in _LOOKING or scope["path"] in _LOOKED_UP:
            await self._app(scope, receive, send)
        else:
            await _refused(person.name)(scope, receive, send)

    async def _ask_dagster(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what only asks; Dagster also obeys a change that stands in the address of a GET."""
        in_address = parse_qs(scope["query_string"].decode("ascii", "replace"), keep_blank_values=True)
        if scope["method"] in _LOOKING and all(map(only_asks, in_address.get("query", []))):
            await self._app(scope, receive, send)
        elif scope["method"] == "POST" and _is_json(scope) and (body := await _read(receive)) is not None and _asks(body):
            await self._app(scope, _again(body, receive), send)
        else:
            await _refused(name)(scope, receive, send)


async def _read(receive: Receive) -> bytes | None:
    """The whole body; None where it is too long or was cut off."""
    parts: list[bytes] = []
    while sum(map(len, parts)) <= _LONGEST_QUERY:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts) if sum(map(len, parts)) <= _LONGEST_QUERY else None
    return None


def _again(body: bytes, receive: Receive) -> Receive:
    """Gives a body that was read before, then what comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def give() -> Message:
        return waiting.pop() if waiting else await receive()

    return give


def _is_json(scope: Scope) -> bool:
    return Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _asks(body: bytes) -> bool:
    """Whether a request to Dagster holds a query and no change, not even one that is not chosen."""
    try:
        return only_asks(json.loads(body)["query"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def _refused(name: str) -> Response:
    """Refuse a request that would change something, in the form that pages and programs both read."""
    return refusal(403, f"{name} may look at everything here but change nothing", "Ask an operator of this home to do it.")
