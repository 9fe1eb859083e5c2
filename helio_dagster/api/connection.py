"""A connection to a served home: one request, or a stream of events, with the errors that a local call would raise."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import httpx

from helio_dagster.domain.errors import HelioError, InputError

_TIMEOUT = httpx.Timeout(60.0, read=120.0)
_log = logging.getLogger(__name__)
_PATIENCE_S, _PAUSE_S = 60.0, 0.5
_SURE_AT = 2
"""A server that stops ends its streams, too: one is over when it ends without an event so many times."""
_ASKED_WRONGLY = (400, 404, 409, 413, 415)
_AWAY = (502, 503, 504)


class Connection:
    """Requests to a served home.

    Parameters
    ----------
    url
        The address of the server.
    token
        The token, where it asks for one.
    patience_s
        How long a server that went away while its events are followed is asked again.

    Raises
    ------
    InputError
        The address is none.
    """

    def __init__(self, url: str, token: str | None = None, *, patience_s: float = _PATIENCE_S) -> None:
        self._patience_s = patience_s
        headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
        try:
            self._client = httpx.Client(base_url=f"{url.rstrip('/')}/api/v1", headers=headers, timeout=_TIMEOUT)
        except (httpx.InvalidURL, ValueError) as error:
            raise InputError(f"{url!r:.80} is not an address: {error}", hint="Give http://127.0.0.1:3000.") from None

    def close(self) -> None:
        """Close it; what was begun goes on."""
        self._client.close()

    def ask(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The JSON answer of the server to one request.

        Raises
        ------
        InputError
            What is asked cannot be.
        HelioError
            The server did not do it, or nothing answers.
        """
        with self.opened(method, path, query=query, body=body) as answer:
            return cast("dict[str, Any]", json.loads(answer.read()))

    def follow(self, path: str, after: int) -> Iterator[dict[str, Any]]:
        """The events of a stream behind a number, up to the one that ends what is done.

        A connection that is cut is made again, also when the server is restarted: the work goes on meanwhile.
        """
        cut: float | None = None
        nothing_more = 0
        while nothing_more < _SURE_AT:
            try:
                with self.opened("GET", path, query={"after": after}) as answer:
                    for line in answer.iter_lines():
                        cut = None
                        if line.startswith("data:"):
                            event = json.loads(line[5:])
                            after, nothing_more = int(event["n"]), 0
                            yield event
                            if event["stage"] == "done":
                                return
                nothing_more += 1
            except (httpx.TransportError, _Away) as error:
                if cut is None:
                    cut = time.monotonic()
                    _log.warning("lost the connection to the server at %s; trying again", self._place)
                if time.monotonic() - cut > self._patience_s:
                    hint = "What it was doing goes on if its machine runs: give the same command again later."
                    raise HelioError(f"lost the connection to the server at {self._place}: {error}", hint=hint) from None
            time.sleep(_PAUSE_S)

    @contextmanager
    def opened(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> Iterator[httpx.Response]:
        """The answer to one request, whose content the block reads; errors as in `ask`."""
        params = {name: value for name, value in (query or {}).items() if value is not None}
        try:
            opened = self._client.stream(method, path, params=params, json=dict(body or {}) if method == "POST" else None)
            with opened as answer:
                if not answer.is_success:
                    answer.read()
                    raise _error_of(answer)
                yield answer
        except httpx.ConnectError as error:
            hint = "Start it on its machine (helio serve), or correct the address."
            raise _Away(f"nothing answers at {self._place}: {error}", hint=hint) from None

    @property
    def _place(self) -> str:
        return self._client.base_url.netloc.decode()


class _Away(HelioError):
    """The server is not there, or what is in front of it says so."""


def _error_of(answer: httpx.Response) -> HelioError:
    """The error that a local call would have raised."""
    try:
        error_document = answer.json()["error"]
        problem, hint = str(error_document["problem"]), str(error_document.get("hint", ""))
    except (ValueError, KeyError, TypeError):
        problem, hint = f"the server answered {answer.status_code}", "Is this the address of helio serve?"
        if answer.status_code in _AWAY:
            return _Away(problem, hint=hint)
    kind = InputError if answer.status_code in (*_ASKED_WRONGLY, 401, 403, 421) else HelioError
    return kind(problem, hint=hint)
