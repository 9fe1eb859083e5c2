"""A loopback server with the shape of SWPC's solar wind: files of the last day, three days and week, growing with a clock."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_HEADERS = {
    "mag": ["time_tag", "bx_gsm", "by_gsm", "bz_gsm", "lon_gsm", "lat_gsm", "bt"],
    "plasma": ["time_tag", "density", "speed", "temperature"],
}


@dataclass
class Swpc:
    """What is measured, by product and time; when it is; the address; what was asked for; bodies told in place of files.

    `latency` is how old a record is when it is published.
    """

    now: datetime
    records: dict[str, dict[datetime, list[Any]]] = field(default_factory=lambda: {"mag": {}, "plasma": {}})
    latency: timedelta = timedelta(0)
    url: str = ""
    asked: list[str] = field(default_factory=list)
    instead: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def measure(self, product: str, start: datetime, stop: datetime, values: Callable[[datetime], list[Any]]) -> None:
        """Add a record a minute."""
        moment = start
        while moment < stop:
            self.records[product][moment] = values(moment)
            moment += timedelta(minutes=1)

    def body(self, product: str, days: int) -> bytes:
        """The file of the last days at this time, as SWPC writes it: texts, and null where there is no number."""
        oldest, newest = self.now - timedelta(days=days), self.now - self.latency
        shown = {time: values for time, values in self.records[product].items() if oldest <= time <= newest}
        rows = [[f"{time:%Y-%m-%d %H:%M:%S}.000", *map(_text, shown[time])] for time in sorted(shown)]
        return json.dumps([_HEADERS[product], *rows]).encode()


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def field_of_minutes(of_minute: Callable[[float], float]) -> Callable[[datetime], list[Any]]:
    """Values of `mag` from one function of the minutes since 1970, exact to a hundredth of nT."""

    def values(moment: datetime) -> list[Any]:
        value = round(of_minute(moment.timestamp() / 60), 2)
        return [value, -value, round(value / 2, 2), 135.0, -19.47, abs(value)]

    return values


def reply(swpc: Swpc, path: str) -> tuple[int, bytes]:
    """Status and body of a request."""
    told = next((answer for part, answer in swpc.instead.items() if part in path), None)
    if told is not None:
        return told
    lengths: Mapping[str, int] = {"1-day": 1, "3-day": 3, "7-day": 7}
    for product in _HEADERS:
        for length, days in lengths.items():
            if path == f"/products/solar-wind/{product}-{length}.json":
                return 200, swpc.body(product, days)
    return 404, b"<html>not found</html>"


@contextmanager
def swpc_server(now: datetime) -> Iterator[Swpc]:
    """The server, with nothing measured yet."""
    swpc = Swpc(now.astimezone(UTC))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            swpc.asked.append(self.path)
            status, body = reply(swpc, self.path)
            self.send_response(status)
            self.send_header("Content-Type", "application/json" if status == 200 else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    swpc.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield swpc
    finally:
        server.shutdown()
        server.server_close()
