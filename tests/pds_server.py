"""A loopback server with the shape of the PDS PPI node: folders as pages, files with their dates; it can also misbehave."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

_DATE = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


@dataclass
class PdsMirror:
    """A folder, the address it is served under, what was asked for, and answers told in place of files: status and body."""

    folder: Path
    url: str = ""
    asked: list[str] = field(default_factory=list)
    instead: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def date_all(self, moment: datetime = _DATE) -> None:
        """Give all files one date, so that their pages do not depend on when a test runs."""
        for path in self.folder.rglob("*"):
            os.utime(path, (moment.timestamp(), moment.timestamp()))


def _page(folder: Path) -> bytes:
    rows = "".join(
        f'<tr><td><a href="{path.name}{"/" if path.is_dir() else ""}">{path.name}</a></td>'
        f'<td align="right">{datetime.fromtimestamp(path.stat().st_mtime, UTC):%Y-%m-%d %H:%M}  </td><td>12K</td></tr>\n'
        for path in sorted(folder.iterdir())
    )
    head = '<a href="?C=N;O=D">Name</a> <a href="/data/">Parent Directory</a>'
    return f"<!DOCTYPE HTML><html><head><title>Index</title></head><body><table>{head}{rows}</table></body></html>".encode()


@contextmanager
def pds_mirror(folder: Path) -> Iterator[PdsMirror]:
    """The server over a folder that holds `data/…`."""
    mirror = PdsMirror(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(self.path)
            mirror.asked.append(path)
            place = folder / path.lstrip("/")
            is_page = place.is_dir()
            status, body = 200, _page(place) if is_page else place.read_bytes() if place.is_file() else b""
            if not place.exists():
                status, body, is_page = 404, b"<html>not found</html>", True
            told = next((answer for part, answer in mirror.instead.items() if part in path), None)
            status, body = told or (status, body)
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if is_page else "application/octet-stream")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    mirror.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield mirror
    finally:
        server.shutdown()
        server.server_close()
