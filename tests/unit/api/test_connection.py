"""Following a server's events while it is restarted, and when it does not come back."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from helio_dagster.api.connection import Connection
from helio_dagster.domain.errors import HelioError
from tests.ports import free_port

EVENTS = [{"n": 1, "stage": "time"}, {"n": 2, "stage": "progress"}, {"n": 3, "stage": "done"}]


@contextmanager
def serving(port: int, events: Sequence[Mapping[str, object]], status: int = 200) -> Iterator[None]:
    """A server whose stream has these events behind the number that is asked for, and ends with the last of them."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            after = int(parse_qs(urlsplit(self.path).query)["after"][0])
            self.send_response(status)
            self.end_headers()
            for event in events:
                if int(str(event["n"])) > after:
                    self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("between", [None, 503])
def test_a_server_that_is_restarted_is_followed_on(between: int | None) -> None:
    """Its stream ends, nothing answers or a proxy says so, and another server goes on: each event comes once."""
    port = free_port()
    connection = Connection(f"http://127.0.0.1:{port}")
    found = connection.follow("/runs/x/events", 0)
    with serving(port, EVENTS[:1]):
        seen = [next(found)]
    come_back = threading.Event()

    def away() -> None:
        if between is None:
            come_back.wait(1.5)
        else:
            with serving(port, [], between):
                come_back.wait(1.5)
        with serving(port, EVENTS):
            is_read.wait(60)

    is_read = threading.Event()
    thread = threading.Thread(target=away)
    thread.start()
    try:
        seen += found
    finally:
        is_read.set()
        thread.join()
        connection.close()
    assert seen == EVENTS


def test_a_server_that_stays_away_is_one_message() -> None:
    """Where it was, and that the work may go on there."""
    port = free_port()
    connection = Connection(f"http://127.0.0.1:{port}", patience_s=0.2)
    found = connection.follow("/runs/x/events", 0)
    with serving(port, EVENTS[:1]):
        next(found)
    with pytest.raises(HelioError, match=f"lost the connection to the server at 127.0.0.1:{port}") as lost:
        next(found)
    assert "give the same command again" in lost.value.hint
    connection.close()


def test_a_stream_that_is_over_without_a_last_event_ends() -> None:
    """The process of the work was killed: whoever follows is not left waiting."""
    port = free_port()
    connection = Connection(f"http://127.0.0.1:{port}")
    with serving(port, EVENTS[:2]):
        assert [*connection.follow("/runs/x/events", 0)] == EVENTS[:2]
    connection.close()
