"""The SDK's own client beside `helio mcp`: how tests start it, what a person answers, and what a reply holds."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, ElicitResult, ImageContent, Implementation, TextContent

from tests.prepared import prepared
from tests.scenario.processes import PATIENCE_S, surroundings

DoneT = TypeVar("DoneT")
OLD, NEW = "legacy", "2026-07-28"
"""Clients of the handshake, and of the version without one."""
REQUEST = "ACE field strength for 2003-10-29"
NAME = "ace_field_strength"
PLAN: dict[str, Any] = {
    "title": "ACE field strength",
    "time_words": "2003-10-29",
    "steps": [
        {
            "kind": "fetch",
            "id": "b",
            "intent": "Fetch the field",
            "candidates": [{"archive": "demo", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}],
        },
        {
            "kind": "operation",
            "id": "b_mag",
            "intent": "Its magnitude",
            "operation": "magnitude",
            "inputs": [{"name": "vector", "step": "b"}],
        },
        {
            "kind": "operation",
            "id": "numbers",
            "intent": "Mean and extremes",
            "operation": "facts_of",
            "inputs": [{"name": "series", "step": "b_mag"}],
        },
        {"kind": "figure", "id": "overview", "intent": "Draw it", "panels": [{"traces": [{"data": "b_mag"}]}]},
    ],
}
YES = ElicitResult(action="accept", content={"decision": "approve and run"})


@dataclass
class Person:
    """Who is asked by the client's form: what they were shown, and what they answer."""

    answer: ElicitResult = field(default_factory=lambda: YES)
    shown: list[str] = field(default_factory=list)

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        """Answer."""
        self.shown.append(params.message)
        return self.answer


@dataclass(frozen=True)
class Told:
    """A reply: the text, the document inside its fence, the picture."""

    result: CallToolResult

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self.result.is_error

    @property
    def text(self) -> str:
        """All text, as a model reads it."""
        return "\n".join(each.text for each in self.result.content if isinstance(each, TextContent))

    @property
    def document(self) -> dict[str, Any]:
        """The data in the fence."""
        found = re.search(r"^<data (\w+)>\n(.*)\n</data \1>\Z", self.text, re.DOTALL | re.MULTILINE)
        assert found is not None, self.text
        document: dict[str, Any] = json.loads(found[2])
        return document

    @property
    def picture(self) -> bytes:
        """The image."""
        (image,) = (each for each in self.result.content if isinstance(each, ImageContent))
        assert image.mime_type == "image/png"
        return base64.b64decode(image.data)


@dataclass
class Talk:
    """A connected client."""

    client: Client
    heard: list[str] = field(default_factory=list)
    replies: list[Told] = field(default_factory=list)

    async def call(self, name: str, **arguments: Any) -> Told:
        """Call a tool."""
        self.replies.append(Told(await self.client.call_tool(name, arguments, progress_callback=self._note)))
        return self.replies[-1]

    async def proposed(self, **more: Any) -> str:
        """The session of the plan of this module."""
        told = await self.call("propose", **{"request": REQUEST, "plan": PLAN, **more})
        assert not told.is_error, told.text
        session: str = told.document["session"]
        return session

    async def ran(self, **arguments: Any) -> Told:
        """Call `run`, and follow a run that goes on until its end."""
        told = await self.call("run", **arguments)
        while not told.is_error and told.document["state"] == "running":
            told = await self.call("status", session=told.document["session"], wait=40)
        return told

    async def _note(self, progress: float, total: float | None, message: str | None) -> None:
        self.heard.append(message or "")


def server(folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> StdioServerParameters:
    """`helio mcp` in a folder, as a client starts it; the server is a fork, see `tests/forked_python.py`."""
    command = ["-m", "helio_dagster", "mcp", "--archive", "demo", *arguments]
    return StdioServerParameters(command=prepared().python, args=command, env=surroundings(folder, environment), cwd=folder)


def talk(
    parameters: StdioServerParameters,
    say: Callable[[Talk], Awaitable[DoneT]],
    *,
    person: Person | None = None,
    mode: str = OLD,
    said: Path | None = None,
    name: str = "scripted",
) -> DoneT:
    """Connect over standard input and output, say something, and leave; `said` gets the server's standard error."""

    async def run() -> DoneT:
        with anyio.fail_after(PATIENCE_S):
            async with connected(parameters, person=person, mode=mode, said=said, name=name) as found:
                return await say(found)

    return anyio.run(run)


@asynccontextmanager
async def connected(
    parameters: StdioServerParameters,
    *,
    person: Person | None = None,
    mode: str = OLD,
    said: Path | None = None,
    name: str = "scripted",
) -> AsyncIterator[Talk]:
    """A client, connected for the length of the block."""
    with (said or Path("/dev/null")).open("a") as errors:
        transport = stdio_client(parameters, errlog=errors)
        about = Implementation(name=name, version="1")
        async with Client(transport, mode=mode, elicitation_callback=person, client_info=about) as client:
            yield Talk(client)
