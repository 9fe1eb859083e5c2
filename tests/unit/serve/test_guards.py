"""Limits and tokens, over a small application and with a clock that the test turns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from httpx2 import Response
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from helio_dagster.hosting.limits import LimitGuard, Limits
from helio_dagster.serve.guards.token_guard import COOKIE, TokenGuard
from helio_dagster.serve.http.answers import refusal
from helio_dagster.storage.access_token import AccessToken
from helio_dagster.storage.entry_links import VALID, new_link

NOW = datetime(2024, 5, 10, tzinfo=UTC)
TOKEN = AccessToken("a-secret", NOW + timedelta(days=1))


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        """The seconds that have passed."""
        return self.seconds

    def now(self) -> datetime:
        """The time."""
        return NOW + timedelta(seconds=self.seconds)


def guarded(middleware: Middleware) -> TestClient:
    """A client of an application that gives back the size of what it is sent."""

    async def measure(request: Request) -> PlainTextResponse:
        return PlainTextResponse(str(len(await request.body())))

    routes = [Route("/{path:path}", measure, methods=["GET", "POST"])]
    return TestClient(Starlette(routes=routes, middleware=[middleware]), follow_redirects=False)


def test_a_client_that_asks_too_often_waits() -> None:
    """A burst is taken, then so many a second; the answer says how long to wait, and another client is not held up."""
    clock = Clock()
    limits = Limits(per_s=2, burst=3)
    client = guarded(Middleware(LimitGuard, limits=limits, refuse=refusal, clock=clock))
    assert [client.get("/").status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = client.get("/")
    assert int(refused.headers["retry-after"]) >= 1
    assert "2 requests a second" in refused.json()["error"]["problem"]
    clock.seconds = 0.5
    assert [client.get("/").status_code for _ in range(2)] == [200, 429]
    clock.seconds = 60
    assert [client.get("/").status_code for _ in range(4)] == [200, 200, 200, 429]


@pytest.mark.parametrize("is_announced", [True, False])
@pytest.mark.parametrize(("size", "status"), [(100, 200), (101, 413)])
def test_what_is_too_large_is_refused(size: int, status: int, *, is_announced: bool) -> None:
    """To the byte, whether its length is announced or not."""
    client = guarded(Middleware(LimitGuard, limits=Limits(largest=100), refuse=refusal))

    def pieces() -> Iterator[bytes]:
        yield b"x" * (size - 1)
        yield b"x"

    answer = client.post("/", content=b"x" * size if is_announced else pieces())
    assert answer.status_code == status
    if status == 200:
        assert answer.text == "100"


def test_a_link_lets_one_browser_in_once(tmp_path: Path) -> None:
    """It gives a cookie that is neither the token nor readable by scripts; used, invented or too old it gives nothing."""
    clock = Clock()
    client = guarded(Middleware(TokenGuard, token=TOKEN, home=tmp_path, clock=clock.now))
    link = f"/enter?once={new_link(tmp_path, clock.now())}"
    entered = client.get(link)
    assert (entered.status_code, 'content="0;url=/"' in entered.text) == (200, True)
    assert TOKEN.value not in entered.headers["set-cookie"]
    assert client.get("/x").status_code == 200
    client.cookies.clear()
    assert [client.get(each).status_code for each in (link, "/enter", "/enter?once=", "/enter?once=made-up")] == [401] * 4
    late = f"/enter?once={new_link(tmp_path, clock.now())}"
    clock.seconds = VALID.total_seconds() + 1
    assert client.get(late).status_code == 401


def require_started_again(answer: Response) -> None:
    """A page that says what to do, and offers no link that would be refused; a browser drops a cookie that has expired."""
    assert answer.status_code == 401
    assert "The token of this server has expired" in answer.text
    assert "start it again" in answer.text
    assert "--link" not in answer.text


def test_an_expired_token_is_told(tmp_path: Path) -> None:
    """Of programs and of browsers, in one sentence; so is none."""
    clock = Clock()
    client = guarded(Middleware(TokenGuard, token=TOKEN, home=tmp_path, clock=clock.now))
    headers = {"Authorization": f"Bearer {TOKEN.value}"}
    assert client.get("/api/v1/x", headers=headers).status_code == 200
    client.get(f"/enter?once={new_link(tmp_path, clock.now())}")
    clock.seconds = 2 * 86400
    assert client.get("/api/v1/x", headers=headers).json()["error"]["problem"] == "the token has expired"
    assert client.get("/api/v1/x").json()["error"]["problem"] == "the cookie has expired"
    assert "Start helio serve again" in client.get("/api/v1/x").json()["error"]["hint"]
    closed = client.get(f"/enter?once={new_link(tmp_path, clock.now())}")
    require_started_again(closed)
    require_started_again(client.get("/"))
    client.cookies.clear()
    require_started_again(client.get("/"))
    assert client.get("/api/v1/x").json()["error"]["problem"] == "the token has expired"
    client.cookies.set(COOKIE, TOKEN.value)
    assert client.get("/api/v1/x").status_code == 401


def test_the_script_of_a_figure_needs_no_cookie(tmp_path: Path) -> None:
    """Its page has an origin of its own, for which browsers keep none; nothing else of figures is open."""
    client = guarded(Middleware(TokenGuard, token=TOKEN, home=tmp_path, clock=Clock().now))
    assert client.get("/figures/a.refined.js?stamp=1").status_code == 200
    assert [client.get(path).status_code for path in ("/figures/a.html", "/figures/", "/api/x.js")] == [401] * 3
    assert client.post("/figures/a.refined.js").status_code == 401
