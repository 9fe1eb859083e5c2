"""What a server loads before anything runs: a client waits for its start, and most of its calls only look or plan."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEAVY = ("alembic", "dagster", "matplotlib", "pandas", "scipy", "sqlalchemy")
PLANS = f"""
import os, sys
from pathlib import Path
import anyio
from mcp import Client
from helio_dagster.mcp import transports
from helio_dagster.mcp.agent_home import AgentHome
from helio_dagster.mcp.server import McpServer
from helio_dagster.storage.settings import Settings

STEPS = [
    {{"kind": "fetch", "id": "b", "intent": "Fetch it",
      "candidates": [{{"archive": "demo", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}}]}},
    {{"kind": "operation", "id": "b_mag", "intent": "Its size", "operation": "magnitude",
      "inputs": [{{"name": "vector", "step": "b"}}]}},
]
PLAN = {{"title": "ACE field strength", "time_words": "2003-10-29", "steps": STEPS}}

async def talk(site):
    async with Client(McpServer(site, is_single=True).protocol) as client:
        async def call(name, **arguments):
            answer = await client.call_tool(name, arguments)
            print(name, answer.is_error, answer.content[0].text)
        await call("search_catalog", words="ACE magnetic field")
        await call("propose", request="ACE field strength for 2003-10-29", plan=PLAN)
        await call("sessions")

folder = Path.cwd()
site = AgentHome(Settings(folder / ".helio", folder / "pipelines"), dict(os.environ), folder, "demo")
anyio.run(talk, site)
site.close()
print("loaded", sorted(set({HEAVY!r}) & set(sys.modules)))
"""


@pytest.mark.slow
def test_looking_up_and_proposing_load_nothing_that_only_runs_need(tmp_path: Path) -> None:
    """Neither Dagster, pandas nor SciPy: those are loaded by the process that runs."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PLANS], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert "AC_H0_MFI" in done.stdout, done.stderr
    assert '"awaiting":"approval"' in done.stdout, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "loaded []"
