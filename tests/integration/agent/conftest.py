"""A server on loopback that speaks as the providers of language models do, from a script; and planners that ask it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from tests.tiers import by_day

from .wire import ANTHROPIC, GEMINI, OPENAI, Body, Broken, Fault, Reply

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
KEY = "test-key-0123456789abcdef"
REQUEST = "ACE magnetic field magnitude for last week"


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
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stop listening."""
        self._closing.set()
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
                named = re.fullmatch(r"/v1beta/models/([^:]+):(generateContent|streamGenerateContent\?alt=sse)", self.path)
                model = named[1] if named else body.get("model", "")
                is_streamed = named[2] != "generateContent" if named else body.get("stream") is True
                with outer._lock:
                    outer.received.append(Received(self.path, headers, body, text))
                    number = len(outer.received)
                    reply = outer.next_reply(model)
                speaks = GEMINI if named else ANTHROPIC if self.path.endswith("/messages") else OPENAI
                if isinstance(reply, Fault):
                    self._send(reply.status, reply.body, reply.headers, is_cut=reply.is_cut)
                elif isinstance(reply, Broken):
                    pieces = speaks.stream(reply.reply, model, number)[: reply.pieces]
                    self._stream([*pieces, reply.then] if reply.then else pieces, reply)
                elif isinstance(reply, Body):
                    text = json.dumps(reply.body)
                    self._stream([f"data: {text}\n\n"]) if is_streamed else self._send(200, text, {})
                elif is_streamed:
                    self._stream(speaks.stream(reply, model, number))
                else:
                    self._send(200, json.dumps(speaks.write(reply, model, number)), {})

            def _stream(self, pieces: Sequence[str], broken: Broken | None = None) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for raw in map(str.encode, pieces):
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
                if broken is not None and broken.is_held:
                    outer._closing.wait()
                if broken is not None and (broken.is_cut or broken.is_held):
                    self.close_connection = True
                else:
                    self.wfile.write(b"0\r\n\r\n")

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


@pytest.fixture(params=by_day([False, True], True), ids=["whole", "streamed"])
def is_streaming(request: pytest.FixtureRequest) -> bool:
    """Whether replies are asked for as streams, the usual way: what is true of one is true of the other."""
    return bool(request.param)


@pytest.fixture
def ask(knowledge: Knowledge, is_streaming: bool) -> Callable[..., tuple[Answer, list[Event]]]:
    """Ask the planner of an environment: `ask(environment, request)`."""

    def asked(
        environment: Mapping[str, str], request: str = REQUEST, events: list[Event] | None = None
    ) -> tuple[Answer, list[Event]]:
        heard: list[Event] = [] if events is None else events
        planner = make_planner({"HELIO_MODEL_STREAM": f"{is_streaming:d}", **environment}, knowledge)
        return planner.answer(Situation(request, NOW, tell=heard.append)), heard

    return asked
