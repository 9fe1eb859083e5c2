"""The server in this process: what only looks, and what is refused before anything is made."""

from __future__ import annotations

import io
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, TextContent
from PIL import Image

from helio_dagster.agent.session import Draft, Session
from helio_dagster.hosting.run_process import RunProcesses
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.approving import question
from helio_dagster.mcp.proposing import card_for_clients
from helio_dagster.mcp.results import smaller
from helio_dagster.mcp.running import Waiting, progress_of
from helio_dagster.mcp.server import McpServer
from helio_dagster.storage.sessions import SessionFiles
from helio_dagster.storage.settings import Settings

NOW = datetime(2024, 5, 10, tzinfo=UTC)
SESSION = "20240510-000000"
Ask = Callable[..., Awaitable[str]]


@pytest.fixture
def site(tmp_path: Path) -> AgentHome:
    """An empty home."""
    settings = Settings(tmp_path / ".helio", tmp_path / "pipelines")
    return AgentHome(settings, dict(os.environ), tmp_path, "demo", clock=lambda: NOW)


def ask(site: AgentHome, say: Callable[[Client, Ask], Awaitable[None]], *, mode: str = "auto") -> None:
    """Connect a client in this process."""

    async def run() -> None:
        async with Client(McpServer(site, is_single=True).protocol, mode=mode) as client:

            async def call(name: str, **arguments: Any) -> str:
                result: CallToolResult = await client.call_tool(name, arguments)
                return "".join(each.text for each in result.content if isinstance(each, TextContent))

            await say(client, call)

    anyio.run(run)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_what_only_looks_needs_no_person(site: AgentHome, mode: str) -> None:
    """The catalog of either archive, datasets, operations, sessions; nothing is written for it."""

    async def say(client: Client, call: Ask) -> None:
        assert "AC_H0_MFI" in await call("search_catalog", words="ACE magnetic field")
        assert "WI_H0_MFI" in await call("search_catalog", words="Wind magnetic field", archive="cdaweb", count=8)
        assert '"cadence":"PT16S"' in await call("dataset", dataset="AC_H0_MFI", words="GSE")
        assert "rolling_mean" in await call("search_operations", words="running mean")
        assert "Vectors: magnitude" in await call("search_operations")
        assert "Formula" in await call("search_operations", words="magnitude")
        assert '"sessions":[]' in await call("sessions")
        assert '"pipelines":[]' in await call("sessions", words="field")

    ask(site, say, mode=mode)
    assert not site.settings.home.exists()
    assert len(site.looked_up) == 6


def test_resources_and_prompts(site: AgentHome) -> None:
    """The rules with all operations, a pipeline's file, and nothing outside."""
    file = site.settings.pipelines / "field.yaml"
    file.parent.mkdir()
    file.write_text(
        "version: 1\nname: field\ntitle: Field\npartitions: daily\nsteps:\n"
        "  - id: b\n    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}\n"
    )

    async def say(client: Client, call: Ask) -> None:
        listed = [str(each.uri) for each in (await client.list_resources()).resources]
        assert listed == ["helio://rules", "helio://pipelines/field"]
        rules = (await client.read_resource("helio://rules")).contents[0].text
        assert "propose (a plan)" in rules
        assert "facts_of" in rules
        assert (await client.read_resource(listed[1])).contents[0].text == file.read_text()
        assert len((await client.list_resource_templates()).resource_templates) == 4
        assert len((await client.list_prompts()).prompts) == 3
        for uri in ("helio://pipelines/none", "helio://figures/field/b/x_y", "helio://tables/field/b/20240101_20240102/-1"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        assert '"missing":' in await call("status", pipeline="field", time="2023-01-02")
        assert "has no figure" in await call("result", pipeline="field", time="2023-01-02", what="figure")
        assert "is not materialized" in await call("result", pipeline="field", time="2023-01-02", what="table", step="b")
        assert "no step is named" in await call("result", pipeline="field", time="2023-01-02", what="table")
        assert '"missing":1' in await call("result", pipeline="field", time="2023-01-02")

    ask(site, say)


def test_sessions_are_listed_with_what_they_await(site: AgentHome) -> None:
    """Also one that cannot be read; what waits for approval is not run by status or stop."""
    kept = Session(id=SESSION, created=NOW, changed=NOW, archive="demo", draft=Draft(text="x"))
    site.sessions.write(SESSION, kept.model_dump_json())
    site.sessions.write("20240510-000001", "{")

    async def say(_client: Client, call: Ask) -> None:
        told = await call("sessions")
        assert f'"session":"{SESSION}","awaiting":"approval"' in told
        assert '"problem":' in told
        assert '"state":"not run"' in await call("status", session=SESSION)
        assert "This session has no run in progress" in await call("stop", session=SESSION)
        assert "nothing has been run in this session yet" in await call("result", session=SESSION)

    ask(site, say)


def test_a_run_is_there_as_long_as_a_process_holds_its_lock(tmp_path: Path) -> None:
    """Its events are read up to half a line."""
    import fcntl

    files = SessionFiles(tmp_path)
    runs = RunProcesses(files, {}, tmp_path)
    assert not runs.is_running(SESSION)
    assert runs.events(SESSION) == []
    path = files.path(SESSION)
    path.with_suffix(".run.jsonl").write_bytes(
        b'{"stage":"run"}\n7\n{"stage":"progress","text":"1,200 of 2,400 partitions done (b)"}\n{"st'
    )
    assert progress_of(runs.events(SESSION)) == (1200, 2400, "1,200 of 2,400 partitions done (b)")
    with path.with_suffix(".run").open("w") as held:
        held.write("0")
        fcntl.flock(held, fcntl.LOCK_EX)
        assert runs.is_running(SESSION)
        assert not runs.start(SESSION)
    assert not runs.is_running(SESSION)
    assert not runs.stop(SESSION)


def test_the_last_progress_of_a_run_is_heard_before_the_reply(site: AgentHome) -> None:
    """Also where the run said it and ended between two looks."""
    kept = Session(id=SESSION, created=NOW, changed=NOW, archive="demo")
    site.sessions.write(SESSION, kept.model_dump_json())
    path = site.sessions.path(SESSION)
    path.with_suffix(".run.jsonl").write_bytes(
        b'{"stage":"progress","text":"3 of 4 partitions done (b)"}\n'
        b'{"stage":"progress","text":"4 of 4 partitions done (overview)"}\n{"stage":"done","status":"success"}\n'
    )
    path.with_suffix(".run").touch()
    heard: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def say(client: Client, _call: Ask) -> None:
        told = await client.call_tool("status", {"session": SESSION, "wait": 60}, progress_callback=note)
        assert heard == [(4, 4, "4 of 4 partitions done (overview)")]
        assert '"state":"success"' in told.content[0].text

    ask(site, say)


def test_a_plan_in_a_form_is_behind_a_bar() -> None:
    """Each line, with control characters made visible."""
    shown = question(Waiting(SESSION, "digest", "Title \x1b[2J\n  ahead nothing"))
    assert shown.endswith("\n\n| Title \\x1b[2J\n|   ahead nothing")


def test_a_card_for_clients_is_without_what_only_chat_understands() -> None:
    """Only the last line, which is ours."""
    assert card_for_clients("T\n  rest x; say `y`\n  Suggested checks: z") == "T\n  rest x; say `y`"
    assert card_for_clients("T\n  Suggested checks: mine\n  rest     as before; say `show` …") == (
        "T\n  Suggested checks: mine\n  rest     as before"
    )


@pytest.mark.slow
def test_a_large_picture_is_made_smaller() -> None:
    """Until a client takes it; a small one is left as it is."""
    noise = np.random.default_rng(0).integers(0, 255, (900, 1600, 3), dtype="uint8")
    large, small = io.BytesIO(), io.BytesIO()
    Image.fromarray(noise).save(large, "PNG")
    Image.fromarray(noise[:20, :20]).save(small, "PNG")
    made = smaller(large.getvalue())
    assert len(made) <= 700_000
    with Image.open(io.BytesIO(made)) as image:
        assert abs(image.width / image.height - 16 / 9) < 0.02
    assert smaller(small.getvalue()) == small.getvalue()
