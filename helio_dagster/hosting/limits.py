"""Limits of what a client may send: the size of a request, and how many in a while."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MOST_CLIENTS = 4096


class Refuse(Protocol):
    """Makes the answer to a request that is refused."""

    def __call__(self, status: int, problem: str, hint: str = "", headers: dict[str, str] | None = None) -> ASGIApp:
        """An answer of this status that says what is wrong and what to do."""
        ...


@dataclass(frozen=True)
class Limits:
    """What a client may send.

    Parameters
    ----------
    largest
        Bytes of a request's body.
    per_s
        Requests a second, over time.
    burst
        Requests at once.
    """

    largest: int = 1 << 20
    per_s: float = 100.0
    burst: int = 400


class TooLarge(HTTPException):
    """The body is larger than is taken: of a kind that applications pass on as it is."""


class LimitGuard:
    """ASGI middleware that refuses requests above the limits, each with one sentence that says why."""

    def __init__(self, app: ASGIApp, limits: Limits, refuse: Refuse, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._limits, self._refuse, self._clock = app, limits, refuse, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        wait_s = self._wait_s(str((scope.get("client") or ("",))[0]))
        if wait_s > 0:
            seconds = str(max(1, round(wait_s)))
            problem = f"more than {self._limits.per_s:g} requests a second came from this address"
            await self._refuse(429, problem, f"Wait {seconds} s.", {"Retry-After": seconds})(scope, receive, send)
            return
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limits.largest:
            await self._too_large()(scope, receive, send)
            return
        await self._counted(scope, receive, send)

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and end it where its body grows larger than is taken."""
        taken = 0

        async def receiving() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._limits.largest:
                raise TooLarge(413, self._size_message)
            return message

        await self._app(scope, receiving, send)

    @property
    def _size_message(self) -> str:
        return f"the request is larger than {self._limits.largest:,} bytes"

    def _too_large(self) -> ASGIApp:
        return self._refuse(413, self._size_message, "Send less.")

    def _wait_s(self, client: str) -> float:
        """How long a client must wait; 0 where it may send."""
        now = self._clock()
        left, then = self._left.pop(client, (float(self._limits.burst), now))
        left = min(float(self._limits.burst), left + (now - then) * self._limits.per_s)
        while len(self._left) >= _MOST_CLIENTS:
            self._left.popitem(last=False)
        if left < 1:
            self._left[client] = (left, now)
            return (1 - left) / self._limits.per_s
        self._left[client] = (left - 1, now)
        return 0.0
