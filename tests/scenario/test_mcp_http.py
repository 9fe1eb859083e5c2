"""`helio mcp --http`: the same over HTTP on this machine, for those who hold the token."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.prepared import prepared
from tests.scenario.mcp_talking import NEW, OLD, PLAN, Person, Talk
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

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [prepared().python, "-m", "helio_dagster", "mcp", "--http", "--port", "0", "--archive", "demo", *arguments],
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


@pytest.fixture
def trusting(tmp_path: Path) -> Iterator[Served]:
    """A server that runs plans at once."""
    made = Served(tmp_path, "--trust")
    yield made
    made.close()


def read(text: str) -> list[dict[str, Any]]:
    """The messages of a stream of events."""
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: {")]


@pytest.mark.nightly  # by day a client is killed in a run, in `test_mcp_trouble`
def test_a_connection_that_is_cut_in_a_run_and_a_message_that_comes_twice(trusting: Served) -> None:
    """The run goes on, once, and is found again by another client; the same proposal sent again makes no second one."""
    hello = trusting.post()
    ours = {"Mcp_Session_Id": hello.headers["mcp-session-id"]}
    trusting.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, **ours)

    def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}

    months = {**PLAN, "time_words": "January to February 2003"}
    proposal = call(2, "propose", request="ACE field strength for January to February 2003", plan=months, key="k")
    sent = [read(trusting.post(proposal, **ours).text)[-1]["result"]["content"][0]["text"] for _ in range(2)]
    sessions = {found for text in sent for found in re.findall(r'"session":"([^"]+)"', text)}
    (session,) = sessions

    run = call(3, "run", session=session, wait=100)
    run["params"]["_meta"] = {"progressToken": "p"}
    headers = {"Authorization": f"Bearer {trusting.token}", **ACCEPT, "Mcp-Session-Id": ours["Mcp_Session_Id"]}
    with httpx.stream("POST", trusting.url, content=json.dumps(run).encode(), headers=headers, timeout=60) as stream:
        for line in stream.iter_lines():
            if "notifications/progress" in line:
                break
        else:
            pytest.fail("no progress was heard")

    async def look() -> list[Any]:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {trusting.token}"}, timeout=120) as http,
            Client(streamable_http_client(trusting.url, http_client=http), mode=NEW) as client,
        ):
            to = Talk(client)
            listed = await to.call("sessions")
            first = await to.call("status", session=session)
            return [listed.document["sessions"], first.document["state"], await to.call("status", session=session, wait=100)]

    listed, state, ended = anyio.run(look)
    assert [each["session"] for each in listed] == [session]
    assert state == "running"
    assert ended.document["state"] == "success", ended.text
    assert "b_mag: 59 computed" in ended.document["steps"]


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


@pytest.mark.nightly  # by day a run is stopped in `test_mcp_trouble`
def test_a_call_that_is_cancelled_leaves_its_run_to_the_tool_that_stops_it(trusting: Served) -> None:
    """Over HTTP several clients share the server, so only `stop` stops a run; what was made is kept, and `run` goes on."""
    months = {**PLAN, "time_words": "January to April 2003"}

    async def say() -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {trusting.token}"}, timeout=120) as http,
            Client(streamable_http_client(trusting.url, http_client=http), mode=NEW) as client,
        ):
            to = Talk(client)
            session = await to.proposed(request="ACE field strength for January to April 2003", plan=months)
            async with anyio.create_task_group() as group:
                group.start_soon(partial(to.call, "run", session=session, wait=100))
                with anyio.fail_after(PATIENCE_S):
                    while not to.heard:
                        await anyio.sleep(0.05)
                group.cancel_scope.cancel()
            assert (await to.call("status", session=session)).document["state"] == "running"
            assert "being stopped" in (await to.call("stop", session=session)).text
            stopped = await to.call("status", session=session, wait=60)
            assert stopped.document["state"] == "interrupted", stopped.text
            again = await to.ran(session=session, wait=40)
            assert again.document["state"] == "success", again.text
            (steps,) = [line for line in again.document["steps"] if line.startswith("b: ")]
            assert "reused" in steps

    anyio.run(say)


def test_too_many_requests_are_refused_for_a_while(tmp_path: Path) -> None:
    """Each with when to try again, before the token is looked at; then the client goes on where it was."""
    made = Served(tmp_path)
    try:
        headers = {"Authorization": "Bearer guessed", **ACCEPT}
        with httpx.Client(timeout=60) as guesser, ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda _: guesser.post(made.url, json=HELLO, headers=headers), range(1000)))
        assert {each.status_code for each in answers} == {401, 429}
        late = next(each for each in answers if each.status_code == 429)
        assert int(late.headers["retry-after"]) >= 1
        assert "more than 20 requests a second" in late.text

        async def say() -> list[str]:
            async with (
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {made.token}"}, timeout=120) as http,
                Client(streamable_http_client(made.url, http_client=http), mode=NEW) as client,
            ):
                return [tool.name for tool in (await client.list_tools()).tools]

        time.sleep(int(late.headers["retry-after"]) + 1)
        assert "propose" in anyio.run(say)
    finally:
        made.close()
