"""Who may ask over HTTP, by the application that is served and a clock that the test turns."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mcp.server.transport_security import TransportSecuritySettings
from starlette.testclient import TestClient

from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.server import McpServer
from helio_dagster.mcp.transports import PATH, TokenGuard
from helio_dagster.storage.access_token import AccessToken, open_token
from helio_dagster.storage.settings import Settings

NOW = datetime(2024, 5, 10, tzinfo=UTC)
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def test_an_expired_token_is_said_with_what_to_do(tmp_path: Path) -> None:
    """A session that is open ends there too; a wrong token is told apart; the next start has a new one."""
    at = [NOW]
    settings = Settings(tmp_path / "home", tmp_path / "pipelines")
    site = AgentHome(settings, dict(os.environ), tmp_path, "demo", clock=lambda: at[0])
    token = open_token(settings.home, NOW)
    security = TransportSecuritySettings(allowed_hosts=["127.0.0.1:8123"])
    app = McpServer(site, is_single=False).protocol.streamable_http_app(streamable_http_path=PATH, transport_security=security)
    with TestClient(TokenGuard(app, token, site.clock), base_url="http://127.0.0.1:8123") as client:
        own = {**ACCEPT, "Authorization": f"Bearer {token.value}"}
        begun = client.post(PATH, json=HELLO, headers=own)
        assert begun.status_code == 200
        session = {key: value for key, value in begun.headers.items() if key == "mcp-session-id"}
        at[0] = NOW + timedelta(days=31)
        listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        for message, more in ((HELLO, {}), (listing, session)):
            refused = client.post(PATH, json=message, headers={**own, **more})
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
            assert refused.text.startswith("the token has expired: stop `helio mcp --http` and start it again")
        wrong = client.post(PATH, json=HELLO, headers={**ACCEPT, "Authorization": "Bearer x"})
        assert wrong.text.startswith("the token is wrong: send Authorization: Bearer TOKEN")
    site.close()
    renewed = open_token(settings.home, at[0])
    assert renewed.value != token.value
    assert renewed == AccessToken(renewed.value, at[0] + timedelta(days=30))
