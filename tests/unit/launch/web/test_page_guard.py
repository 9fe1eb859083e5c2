"""Who may ask the web UI for what, over a real ASGI application with Dagster's routes."""

from __future__ import annotations

from typing import Any, cast

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient

from helio_dagster.launch.web.page_guard import OwnNames, PageGuard, is_change, is_this_machine

HERE = "127.0.0.1:3000"
JSON = {"content-type": "application/json"}


def client(names: OwnNames) -> TestClient:
    """A client of a guarded application that answers `done` to everything."""

    def done(_: Request) -> PlainTextResponse:
        return PlainTextResponse("done")

    guarded = [Middleware(PageGuard, names=names)]
    return TestClient(Starlette(routes=[Route("/{path:path}", done, methods=["GET", "POST"])], middleware=guarded))


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 200),
        ("GET", {"host": "LOCALHOST:8080"}, 200),  # a forwarded port
        ("GET", {"host": "[::1]:3000"}, 200),
        ("GET", {"host": "stranger.example:3000"}, 421),
        ("GET", {"host": "localhost.stranger.example"}, 421),
        ("GET", {"host": "127.0.0.1@stranger.example"}, 421),
        ("GET", {"host": "10.0.0.1:3000"}, 421),
        ("GET", {"host": ""}, 421),
        ("POST", {}, 415),
        ("POST", JSON, 200),
        ("POST", {"content-type": "Application/JSON; charset=utf-8"}, 200),
        ("POST", {"content-type": "text/plain; x=application/json"}, 415),
        ("POST", {"content-type": "multipart/form-data; boundary=x"}, 415),
        ("POST", {"content-type": "application/x-www-form-urlencoded"}, 415),
        ("POST", {**JSON, "origin": f"http://{HERE}"}, 200),
        ("POST", {**JSON, "origin": "http://127.0.0.1:3001"}, 403),
        ("POST", {**JSON, "origin": "null"}, 403),
        ("GET", {"origin": "http://stranger.example"}, 403),
        ("GET", {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}, 200),
        ("GET", {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}, 403),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}, 200),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}, 403),
        ("POST", {**JSON, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}, 403),
    ],
)
def test_only_our_own_page_and_programs_get_through(method: str, headers: dict[str, str], status: int) -> None:
    """By Host, Origin, Sec-Fetch-Site and content type; a refusal says in one line what was wrong, and none can be framed."""
    answer = client(OwnNames.of("127.0.0.1")).request(method, "/graphql", headers={"host": HERE, **headers})
    assert answer.status_code == status, answer.text
    assert answer.text == "done" if status == 200 else answer.text.startswith("Refused: ")
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_our_own_page_may_frame_figures() -> None:
    """Which have an origin of their own; nobody else may, and nothing else may be framed."""
    figure = client(OwnNames.of("127.0.0.1")).get("/figures/a.html", headers={"host": HERE})
    assert figure.headers["content-security-policy"] == "frame-ancestors 'self'"
    assert figure.headers["x-frame-options"] == "SAMEORIGIN"


def test_a_program_is_refused_in_json() -> None:
    """In the one form of errors that the interface has."""
    answer = client(OwnNames.of("127.0.0.1")).post("/api/v1/runs", headers={"host": "stranger.example"})
    assert answer.status_code == 421
    assert "--allow-host stranger.example" in answer.json()["error"]["problem"]


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - compared with, not bound to
        ("::", False),
        ("", False),
    ],
)
def test_who_needs_a_token_follows_from_the_address(host: str, *, is_own: bool) -> None:
    """Only what no other machine can reach does without."""
    assert is_this_machine(host) is is_own


def test_two_names_in_one_request_are_refused() -> None:
    """A proxy and a server may each read another one of them."""
    answer = client(OwnNames.of("127.0.0.1")).get("/", headers=[("host", HERE), ("host", "stranger.example")])
    assert answer.status_code == 421


@pytest.mark.parametrize(
    ("host", "more", "name", "has_it"),
    [
        ("lab.example", (), "lab.example", True),
        ("127.0.0.1", ("Proxy.example",), "proxy.example", True),
        ("::", (), "192.168.1.7", True),
        ("::", (), "stranger.example", False),
        ("192.168.1.7", (), "192.168.1.8", False),
    ],
)
def test_own_names_follow_from_the_address(host: str, more: tuple[str, ...], name: str, has_it: bool) -> None:
    """What is listened at and what is allowed; at every address also any address, which cannot be rebound, but no name."""
    assert OwnNames.of(host, more).has(name) is has_it


@pytest.mark.parametrize(
    ("document", "has_change"),
    [
        ("{ version }", False),
        ("query Q { mutation: version }", False),
        ("# mutation\n{ version }", False),
        ("mutation { wipeAssets { __typename } }", True),
        ("query A { version } mutation B { wipeAssets { __typename } }", True),
        ("subscription { x }", True),
        ("mutation {", False),
    ],
)
def test_a_change_is_told_by_its_grammar(document: str, has_change: bool) -> None:
    """Whatever words stand in it; what cannot be parsed, Dagster refuses itself."""
    assert is_change(document) is has_change


@pytest.mark.slow
def test_every_route_of_dagster_is_known() -> None:
    """Those that take a POST are the ones that were thought of; a new version of Dagster that adds one fails here."""
    from helio_dagster.launch.web.dagster_ui import PrefixedWebserver  # takes seconds, in this process alone

    routes = PrefixedWebserver(cast(Any, None)).build_routes()
    changing = [route.path for route in routes if (getattr(route, "methods", None) or set()) - {"GET", "HEAD"}]
    reports = [f"/report_asset_{kind}/{{asset_key:path}}" for kind in ("materialization", "check", "observation")]
    assert changing == ["/graphql", *reports]
    assert [route.path for route in routes if isinstance(route, WebSocketRoute)] == ["/graphql"]
    assert not {"/notebook", "/dagit/notebook"} & {route.path for route in routes}
