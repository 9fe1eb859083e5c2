"""The token of a home's server: kept, renewed when it expires, never taken wrongly."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from helio_dagster.mcp.transports import TokenGuard
from helio_dagster.storage.access_token import VALID, AccessToken, open_token, token_path

NOW = datetime(2024, 5, 10, tzinfo=UTC)


def test_it_stays_the_same_until_it_expires(tmp_path: Path) -> None:
    """Clients keep it in their settings."""
    first = open_token(tmp_path / "home", NOW)
    assert open_token(tmp_path / "home", NOW + VALID - timedelta(seconds=1)) == first
    later = open_token(tmp_path / "home", NOW + VALID)
    assert later.value != first.value
    assert len(later.value) >= 32


@pytest.mark.parametrize("content", [b"", b"{}", b'{"token": 1}', b"\xff", b'{"token": "x", "until": "never"}'])
def test_a_damaged_file_is_made_new(tmp_path: Path, content: bytes) -> None:
    """With the rights of its owner alone."""
    token_path(tmp_path).write_bytes(content)
    made = open_token(tmp_path, NOW)
    assert made.value not in ("", "1", "x")
    assert token_path(tmp_path).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("header", "moment", "status", "told"),
    [
        ("Bearer secret", NOW, 200, "in"),
        ("bearer secret", NOW, 200, "in"),
        ("Bearer secret", NOW + VALID, 401, "the token has expired"),
        ("Bearer other", NOW + VALID, 401, "the token is wrong"),
        ("Bearer secret2", NOW, 401, "the token is wrong"),
        ("Bearer ", NOW, 401, "the token is wrong"),
        ("secret", NOW, 401, "no token was sent"),
        (None, NOW, 401, "no token was sent"),
    ],
)
def test_a_request_needs_the_token_that_is_still_valid(header: str | None, moment: datetime, status: int, told: str) -> None:
    """The app behind the guard hears of no other."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("in")(scope, receive, send)

    guard = TokenGuard(app, AccessToken("secret", NOW + VALID), lambda: moment)

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url="http://127.0.0.1") as client:
            return await client.get("/", headers={"Authorization": header} if header is not None else {})

    answer = asyncio.run(ask())
    assert answer.status_code == status
    assert told in answer.text
