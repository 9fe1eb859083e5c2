"""`GET /health` of the whole application behind its guards: everybody may ask it, and it says nothing of the home."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from helio_dagster import __version__
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.web.page_guard import OwnNames
from helio_dagster.serve.assembly import Served, application
from helio_dagster.serve.serving import guards_of
from helio_dagster.storage.access_token import AccessToken
from helio_dagster.storage.settings import Settings

TOKEN = AccessToken("a-secret", datetime.now(UTC) + timedelta(days=1))


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    """A client of a server of all addresses, which needs a token."""
    site = ServedHome(Settings(tmp_path / "home", tmp_path / "pipelines"), {}, tmp_path, "demo")
    app = application(Served.of(site), OwnNames.of("0.0.0.0"), guards=guards_of(TOKEN, site))  # noqa: S104 - not bound to
    return TestClient(app, base_url="http://127.0.0.1:3000", follow_redirects=False)


def test_it_needs_no_token_and_says_nothing_else(client: TestClient) -> None:
    """Nothing but that it is there and which version; all else is still closed."""
    answer = client.get("/health")
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "version": __version__})
    assert answer.headers["cache-control"] == "no-store"
    assert client.get("/health/x").status_code == client.get("/api/v1/settings").status_code == 401


def test_it_is_behind_the_other_guards(client: TestClient) -> None:
    """A name that is not the server's is refused, and only a GET is answered."""
    assert client.get("/health", headers={"Host": "elsewhere.example"}).status_code == 421
    assert client.post("/health", json={}).status_code == 401
