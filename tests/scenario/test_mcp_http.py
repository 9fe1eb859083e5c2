"""`helio mcp --http`: the same over HTTP on this machine, for those who hold the token."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.scenario.mcp_talking import NEW, OLD, Person, Talk
from tests.scenario.processes import PATIENCE_S, helio, surroundings
from tests.tiers import by_day

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Served:
    """A server on a free port, its address and its token."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "helio_dagster", "mcp", "--http", "--port", "0", "--archive", "demo"],
            cwd=folder,
            env=surroundings(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        said = ""
        while "Token until" not in said:
            line = self.process.stderr.readline()
            assert line, said
            said += line
        self.said = said
        found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", said)
        assert found is not None, said
        self.url, self.port = found[0], int(found[1])
        self.token = str(json.loads((folder / ".helio" / "mcp-token.json").read_text())["token"])

    def post(self, message: Any = HELLO, **headers: str | None) -> httpx.Response:
        """Post a message as any program can; a header that is None is left out."""
        given = {
            "Authorization": f"Bearer {self.token}",
            **ACCEPT,
            **{key.replace("_", "-"): value for key, value in headers.items()},
        }
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        kept = {key: value for key, value in given.items() if value is not None}
        return httpx.post(self.url, content=content, headers=kept, timeout=60)

    def close(self) -> None:
        """Stop it as Ctrl-C does."""
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for these tests."""
    made = Served(tmp_path_factory.mktemp("served"))
    yield made
    made.close()


@pytest.mark.parametrize("mode", by_day([OLD, NEW], NEW))
def test_the_main_job_over_http(served: Served, mode: str) -> None:
    """Proposed, approved in the client's form, run with progress, shown."""
    person = Person()

    async def say() -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {served.token}"}, timeout=120) as http,
            Client(streamable_http_client(served.url, http_client=http), mode=mode, elicitation_callback=person) as client,
        ):
            to = Talk(client)
            session = await to.proposed()
            made = await to.call("run", session=session)
            assert made.document["state"] == "success", made.text
            drawn = await to.call("result", session=session, what="figure")
            assert drawn.picture.startswith(b"\x89PNG")

    anyio.run(say)
    assert len(person.shown) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Authorization": None}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic {token}"}, 401),
        ({"Authorization": "Bearer {token}x"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1.evil.example:{port}"}, 403),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Content_Type": "text/plain"}, 400),
    ],
)
def test_who_may_ask(served: Served, headers: dict[str, str | None], status: int) -> None:
    """Those with the token, and no page of another site even if it knew it."""
    filled = {key: value and value.format(token=served.token, port=served.port) for key, value in headers.items()}
    answer = served.post(HELLO, **filled)
    assert answer.status_code == status, answer.text
    if status == 401:
        assert "Authorization: Bearer TOKEN" in answer.text


def test_the_token_is_said_nowhere(served: Served) -> None:
    """Only its file is named, which nobody else may read; answers never hold it."""
    assert served.token not in served.said
    assert (served.folder / ".helio" / "mcp-token.json").stat().st_mode & 0o777 == 0o600
    assert served.token not in served.post(Authorization="Bearer x").text
    logs = [path.read_bytes() for path in (served.folder / ".helio").rglob("*.log")]
    assert not [each for each in logs if served.token.encode() in each]


def test_too_much_and_half_a_message_are_refused(served: Served) -> None:
    """And the server goes on."""
    assert served.post(b'{"jsonrpc": "2.0", "id": 1, "meth').status_code == 400
    assert served.post(b"[" + b" " * 10_000_000 + b"]").status_code == 413
    assert served.post().status_code == 200


def test_a_port_in_use_is_one_clear_message(served: Served, tmp_path: Path) -> None:
    """With what to do."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = helio(tmp_path, "mcp", "--http", "--port", str(port))
    assert done.returncode == 2
    assert f"port {port} of this machine cannot be used" in done.stderr
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr
