"""An HTTP server of an archive, CDAS-compatible over a `FileProvider`: starts, stops, counts.

Use it in-process (`with CdasServer(provider) as server: … server.url`) or through `helio archive serve`. It speaks JSON only,
where CDAWeb's default is XML: a request that accepts no JSON is answered 406.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import re
import socket
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import urlsplit

from helio_dagster.archives.cdas.answers import Answer, CdasAnswers, complaint, is_file_path
from helio_dagster.archives.cdas.faults import FaultKind, FaultPlan
from helio_dagster.archives.files.provider import FileProvider
from helio_dagster.domain.errors import InputError

_log = logging.getLogger(__name__)

_HTML = Answer(200, b"<!DOCTYPE html><html><body><h1>Scheduled maintenance</h1></body></html>", "text/html; charset=utf-8")
_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?")
_DRIPS = 100
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER on, 0 s: closing sends RST


class ExtraService(Protocol):
    """Something else that the server answers beside CDAS, such as HAPI; called from several threads at once."""

    def has(self, path: str) -> bool:
        """Whether a path is its."""
        ...

    def is_data(self, path: str) -> bool:
        """Whether a path asks for data, not for a description: faults of files are shown there."""
        ...

    def answer(self, target: str) -> Answer:
        """The answer to a request target."""
        ...


class CdasServer:
    """The server, in its own threads between `start` (or `with`) and `close`.

    Parameters
    ----------
    provider
        Where datasets and files come from; None if only `extra` is served.
    host, port
        Address to listen at; port 0 takes a free one.
    faults
        Faults to show; may be changed while the server runs.
    retry_after_s
        What 429 and 503 ask for, in seconds.
    drip_s
        Pause between the hundred pieces of a slow body, in seconds.
    extra
        What else is answered, each under paths of its own.
    names
        Names of this machine that a request may give, beside IP addresses, `localhost`, `host` and the system's own name.
        Any other is refused: a web page could have its own name lead here, and read what is served.

    Raises
    ------
    InputError
        The address cannot be listened at.
    """

    def __init__(
        self,
        provider: FileProvider | None,
        host: str = "127.0.0.1",
        port: int = 0,
        faults: FaultPlan | None = None,
        *,
        retry_after_s: int = 1,
        drip_s: float = 0.1,
        extra: Sequence[ExtraService] = (),
        names: Sequence[str] = (),
    ) -> None:
        self.faults = faults or FaultPlan()
        self.requests: Counter[str] = Counter()
        self.most_at_once = 0
        self._answers = CdasAnswers(provider) if provider is not None else None
        self._extra = tuple(extra)
        self._names = {name.casefold() for name in ("localhost", host, socket.gethostname(), *names)}
        self.retry_after_s = retry_after_s
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
        return CdasAnswers.base_url(self.address)

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
        try:
            path = urlsplit(handler.path).path
        except ValueError:
            handler.send(complaint(400, "This is not a path."), None, retry_after_s=self.retry_after_s, drip_s=self._drip_s)
            return
        is_data = is_file_path(path) or any(service.is_data(path) for service in self._extra)
        fault = self.faults.take("file" if is_data else "listing")
        with self._counted(path):
            answer = self._answer(handler, path, fault)
        if answer is None:
            handler.reset()
        else:
            handler.send(answer, fault, retry_after_s=self.retry_after_s, drip_s=self._drip_s)

    def _answer(self, handler: _Handler, path: str, fault: FaultKind | None) -> Answer | None:
        """The answer with its fault; None to break the connection off."""
        host = handler.headers.get("Host", "")
        if host and not self._is_named(host):
            return complaint(421, "This server does not go by that name: start it with --allow-host NAME.")
        if fault == "reset":
            return None
        if fault == "429" or fault == "503":
            return complaint(int(fault), "Too much is asked at once.")
        if fault == "html":
            return _HTML
        for service in self._extra:
            if service.has(path):
                return service.answer(handler.path)
        if self._answers is None:
            return complaint(404, "Nothing is here.")
        if not is_file_path(path) and not _accepts_json(handler.headers.get("Accept")):
            return complaint(406, "This server speaks JSON only: send Accept: application/json.")
        return self._answers.answer(handler.path, host or self.address)

    def _is_named(self, host: str) -> bool:
        """Whether the Host of a request is an IP address or a name of this machine."""
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match[1].strip("[]")
        with contextlib.suppress(ValueError):
            return bool(ipaddress.ip_address(name))
        return name.casefold() in self._names

    @contextlib.contextmanager
    def _counted(self, path: str) -> Iterator[None]:
        """Count a request as under way until its answer is ready: the client cannot have finished it before."""
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
    timeout = 60  # seconds that a connection may be silent
    server: _HttpServer

    def do_GET(self) -> None:
        self.server.owner.answer(self)

    def do_HEAD(self) -> None:
        self.server.owner.answer(self)

    def send(self, answer: Answer, fault: FaultKind | None, *, retry_after_s: int, drip_s: float) -> None:
        """Send an answer, with a fault in its body where asked for."""
        body = answer.body[: len(answer.body) // 2] if fault in ("truncate", "length") else answer.body
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body) if fault == "truncate" else len(body)))
        if answer.status in (429, 503):
            self.send_header("Retry-After", str(retry_after_s))
        self.end_headers()
        if self.command == "HEAD":
            return
        pieces = _DRIPS if fault == "slow" else 1
        size = max(1, -(-len(body) // pieces))
        for start in range(0, len(body), size):
            if fault == "slow":
                time.sleep(drip_s)
            self.wfile.write(body[start : start + size])
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
        error = sys.exception()
        if isinstance(error, OSError):
            _log.debug("connection to %s broke off", client_address)
        elif isinstance(error, MemoryError):  # there is none left for a traceback either
            _log.error("the archive gave no answer: this machine has run out of memory")
        else:
            _log.exception("an answer to %s failed", client_address)


def _accepts_json(accept: str | None) -> bool:
    return not accept or any(kind in accept for kind in ("json", "*/*", "application/*"))
