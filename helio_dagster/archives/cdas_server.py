"""A CDAS-compatible HTTP server over a `FileProvider`: starts, stops, counts. What it answers is made in `cdas_answers`.

Use it in-process (`with CdasServer(provider) as server: … server.url`) or through `helio archive serve`. It speaks JSON only,
where CDAWeb's default is XML: a request that accepts no JSON is answered 406.
"""

from __future__ import annotations

import contextlib
import logging
import re
import socket
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from helio_dagster.archives.cdas_answers import Answer, CdasAnswers, complaint, is_file_path
from helio_dagster.archives.file_provider import FileProvider
from helio_dagster.archives.server_faults import FaultKind, FaultPlan
from helio_dagster.domain.errors import InputError

_log = logging.getLogger(__name__)

_HTML = Answer(200, b"<!DOCTYPE html><html><body><h1>Scheduled maintenance</h1></body></html>", "text/html; charset=utf-8")
_HOST = re.compile(r"^[A-Za-z0-9.-]+(:\d+)?$|^\[[0-9A-Fa-f:]+\](:\d+)?$")
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER on, 0 s: closing sends RST


class CdasServer:
    """The server, in threads of its own between `start` (or `with`) and `close`.

    Parameters
    ----------
    provider
        Where datasets and files come from.
    host, port
        Address to listen at; port 0 takes a free one.
    faults
        Faults to show; may be changed while the server runs.
    retry_after_s
        What 429 and 503 ask for, in seconds.
    drip_s
        Pause between the hundred pieces of a slow body, in seconds.

    Raises
    ------
    InputError
        The address cannot be listened at.
    """

    def __init__(
        self,
        provider: FileProvider,
        host: str = "127.0.0.1",
        port: int = 0,
        faults: FaultPlan | None = None,
        *,
        retry_after_s: int = 1,
        drip_s: float = 0.1,
    ) -> None:
        self.faults = faults or FaultPlan()
        self.requests: Counter[str] = Counter()
        self.most_at_once = 0
        self._answers = CdasAnswers(provider)
        self._retry_after_s = retry_after_s
        self._drip_s = drip_s
        self._running = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        try:
            self._http = _HttpServer((host, port), self)
        except (OSError, OverflowError) as error:
            raise InputError(
                f"cannot listen there: {error}",
                where=f"{host}:{port}",
                hint="Choose another port with --port, or 0 for a free one.",
            ) from None
        bound_host, bound_port = self._http.server_address[:2]
        self.address = f"{bound_host!s}:{bound_port}"

    @property
    def url(self) -> str:
        """The base URL for clients: the value for HELIO_CDAWEB_URL."""
        return self._answers.base_url(self.address)

    def start(self) -> CdasServer:
        """Answer requests from now on."""
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, name="cdas-server", daemon=True
        )
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop listening; transfers under way are broken off with the process."""
        if self._thread is not None:
            self._http.shutdown()
            self._thread.join()
            self._thread = None
        self._http.server_close()

    def __enter__(self) -> CdasServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def count(self, ending: str) -> int:
        """How many requests asked for paths with this ending, such as a file name."""
        with self._lock:
            return sum(number for path, number in self.requests.items() if path.endswith(ending))

    def answer(self, handler: _Handler) -> None:
        """Answer one request; called by the HTTP threads."""
        path = urlsplit(handler.path).path
        with self._counted(path):
            is_file = is_file_path(path)
            fault = self.faults.take("file" if is_file else "listing")
            if fault in ("429", "503"):
                handler.send(complaint(int(fault), "Too much is asked at once."), {"Retry-After": str(self._retry_after_s)})
            elif fault == "html":
                handler.send(_HTML)
            elif fault == "reset":
                handler.reset()
            elif not is_file and not _accepts_json(handler.headers.get("Accept")):
                handler.send(complaint(406, "This server speaks JSON only: send Accept: application/json."))
            else:
                host = handler.headers.get("Host", "")
                answer = self._answers.answer(handler.path, host if _HOST.match(host) else self.address)
                handler.send(answer, fault=fault, drip_s=self._drip_s)

    @contextlib.contextmanager
    def _counted(self, path: str) -> Iterator[None]:
        with self._lock:
            self.requests[path] += 1
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "helio-archive"
    sys_version = ""
    server: _HttpServer

    def do_GET(self) -> None:
        self.server.owner.answer(self)

    def do_HEAD(self) -> None:
        self.server.owner.answer(self)

    def send(
        self, answer: Answer, headers: dict[str, str] | None = None, *, fault: FaultKind | None = None, drip_s: float = 0.0
    ) -> None:
        """Send an answer, with a fault in its body where told so."""
        body = answer.body
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(body) // 2 if fault == "length" else len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault == "slow":
            piece = max(1, len(body) // 100)
            for start in range(0, len(body), piece):
                self.wfile.write(body[start : start + piece])
                time.sleep(drip_s)
        else:
            self.wfile.write(body[: len(body) // 2] if fault in ("truncate", "length") else body)
        if fault == "truncate":
            self.close_connection = True

    def reset(self) -> None:
        """Break the connection off, without an answer."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.rfile.close()
        self.connection.close()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name http.server uses
        _log.debug(format, *args)


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], owner: CdasServer) -> None:
        self.owner = owner
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002  # http.server's signature
        if isinstance(sys.exception(), OSError):
            _log.debug("connection to %s broke off", client_address)
        else:
            _log.exception("an answer to %s failed", client_address)


def _accepts_json(accept: str | None) -> bool:
    return not accept or any(kind in accept for kind in ("json", "*/*", "application/*"))
