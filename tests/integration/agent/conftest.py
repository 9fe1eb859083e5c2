"""A server on loopback that speaks as the providers of language models do, from a script; and planners that ask it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from helio_dagster.agent.answers import Answer
from helio_dagster.agent.events import Event
from helio_dagster.agent.planner import Knowledge, Situation
from helio_dagster.agent.planners import make_planner
from helio_dagster.catalog.database import CatalogDatabase, packaged_path
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.resources.operation_library import OperationLibrary

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
KEY = "test-key-0123456789abcdef"
REQUEST = "ACE magnetic field magnitude for last week"


@dataclass(frozen=True)
class Calls:
    """A reply of tool calls, as (tool, arguments)."""

    calls: Sequence[tuple[str, Mapping[str, Any]]]


@dataclass(frozen=True)
class Says:
    """A reply of text."""

    text: str


@dataclass(frozen=True)
class Fault:
    """An error of the server, or a reply that is none: `cut` closes the connection within the body."""

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    is_cut: bool = False


Reply = Calls | Says | Fault


@dataclass(frozen=True)
class Received:
    """What the server was sent; `headers` have small letters."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    text: str


class ModelServer:
    """Answers each request with the next reply of its script, the last one for ever.

    Parameters
    ----------
    replies
        Model name to its script; `*` is for all others.
    """

    def __init__(self, replies: Mapping[str, Sequence[Reply]]) -> None:
        self._replies = {model: list(script) for model, script in replies.items()}
        self.received: list[Received] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next_reply(self, model: str) -> Reply:
        """The next reply of a model's script."""
        script = self._replies.get(model) or self._replies["*"]
        return script.pop(0) if len(script) > 1 else script[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                """Keep quiet."""

            def do_POST(self) -> None:
                """Remember what came, and answer from the script."""
                text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                body = json.loads(text)
                headers = {name.lower(): value for name, value in self.headers.items()}
                named = re.fullmatch(r"/v1beta/models/([^:]+):generateContent", self.path)
                model = named[1] if named else body.get("model", "")
                with outer._lock:
                    outer.received.append(Received(self.path, headers, body, text))
                    number = len(outer.received)
                    reply = outer.next_reply(model)
                if isinstance(reply, Fault):
                    self._send(reply.status, reply.body, reply.headers, is_cut=reply.is_cut)
                else:
                    write = as_gemini if named else as_anthropic if self.path.endswith("/messages") else as_openai
                    self._send(200, json.dumps(write(reply, model, number)), {})

            def _send(self, status: int, body: str, headers: Mapping[str, str], *, is_cut: bool = False) -> None:
                raw = body.encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw) + (1000 if is_cut else 0)))
                self.end_headers()
                self.wfile.write(raw)
                if is_cut:
                    self.close_connection = True

        return Handler


def as_gemini(reply: Calls | Says, model: str, number: int) -> dict[str, Any]:
    """A reply of generateContent."""
    if isinstance(reply, Says):
        parts: list[dict[str, Any]] = [{"text": reply.text}]
    else:
        parts = [
            {"functionCall": {"id": f"c{number}_{index}", "name": tool, "args": dict(args)}, "thoughtSignature": "c2ln"}
            for index, (tool, args) in enumerate(reply.calls)
        ]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 50, "totalTokenCount": 1050},
        "modelVersion": model,
        "responseId": f"r{number}",
    }


def as_openai(reply: Calls | Says, model: str, number: int) -> dict[str, Any]:
    """A reply of chat/completions."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text if isinstance(reply, Says) else None}
    if isinstance(reply, Calls):
        message["tool_calls"] = [
            {"id": f"c{number}_{index}", "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}
            for index, (tool, args) in enumerate(reply.calls)
        ]
    finish = "tool_calls" if isinstance(reply, Calls) else "stop"
    return {
        "id": f"r{number}",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050},
    }


def as_anthropic(reply: Calls | Says, model: str, number: int) -> dict[str, Any]:
    """A reply of messages."""
    if isinstance(reply, Says):
        content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}]
    else:
        content = [
            {"type": "tool_use", "id": f"c{number}_{index}", "name": tool, "input": dict(args)}
            for index, (tool, args) in enumerate(reply.calls)
        ]
    return {
        "id": f"r{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if isinstance(reply, Calls) else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 50},
    }


SEARCH = Calls([("search_catalog", {"words": "ACE magnetic field"})])
PLAN = Calls(
    [
        (
            "submit_plan",
            {
                "title": "ACE magnetic field magnitude",
                "time_words": "last week",
                "assumptions": [],
                "steps": [
                    {
                        "kind": "fetch",
                        "id": "b_gse",
                        "intent": "ACE field",
                        "candidates": [{"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}],
                    },
                    {
                        "kind": "operation",
                        "id": "b_mag",
                        "intent": "|B|",
                        "operation": "magnitude",
                        "inputs": {"vector": "b_gse"},
                        "options": {},
                    },
                    {"kind": "figure", "id": "overview", "intent": "draw", "panels": [{"traces": [{"data": "b_mag"}]}]},
                ],
            },
        )
    ]
)


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    """The packaged catalog, and the shipped operations."""
    database = CatalogDatabase(packaged_path())
    library = OperationLibrary(tmp_path_factory.mktemp("operations"))
    return Knowledge(KnownCatalog(lambda: database), CatalogSearch(database), library)


@pytest.fixture
def serve() -> Iterator[Callable[..., ModelServer]]:
    """Start a server: `serve(reply, …)`, or `serve(model=[reply, …])` for scripts by model."""
    started: list[ModelServer] = []

    def begin(*replies: Reply, **scripts: Sequence[Reply]) -> ModelServer:
        by_model = {name.replace("_", "-"): script for name, script in scripts.items()}
        started.append(ModelServer({"*": replies or [Fault(500)], **by_model}))
        return started[-1]

    yield begin
    for server in started:
        server.close()


@pytest.fixture
def ask(knowledge: Knowledge) -> Callable[..., tuple[Answer, list[Event]]]:
    """Ask the planner of an environment: `ask(environment, request)`."""

    def asked(
        environment: Mapping[str, str], request: str = REQUEST, events: list[Event] | None = None
    ) -> tuple[Answer, list[Event]]:
        heard: list[Event] = [] if events is None else events
        planner = make_planner(environment, knowledge)
        return planner.answer(Situation(request, NOW, tell=heard.append)), heard

    return asked
