"""Find out whether a client's entry works: start the server as the client would, and ask it for its tools."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from helio_dagster.mcp.clients import Entry

_PATIENCE_S = 30
_LONGEST = 300


@dataclass(frozen=True)
class Health:
    """What came of starting the server: how many tools it has, or why it does not work."""

    tools: int = 0
    problem: str = ""


def find_health(entry: Entry) -> Health:
    """Start an entry's server, list its tools and stop it."""
    parameters = StdioServerParameters(command=entry.command, args=list(entry.arguments), env=dict(entry.environment))
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:

        async def ask() -> int:
            with anyio.fail_after(_PATIENCE_S):
                async with Client(stdio_client(parameters, errlog=said)) as client:
                    return len((await client.list_tools()).tools)

        try:
            return Health(anyio.run(ask))
        except (OSError, MCPError, TimeoutError, ExceptionGroup) as error:
            output = ""
            with suppress(OSError, ValueError):
                said.seek(0)
                output = said.read()[-_LONGEST:].strip()
            return Health(problem=output or str(error) or f"no answer in {_PATIENCE_S} seconds")
