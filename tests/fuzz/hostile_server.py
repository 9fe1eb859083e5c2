"""A loopback server that answers with prepared bytes, and the ways in which bytes of HTTP and JSON are made hostile."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import re
import socket
import threading
from typing import Any

from helio_dagster.archives.transfer.settings import TransferSettings

STRANGE_TEXTS = (
    "",
    " ",
    "\x00",
    "\x1b[31m",
    "../../etc/passwd",
    "http://[bad/x.cdf",
    "http://[::1/",
    "file:///etc/passwd",
    "http://me:pw@h/x.cdf",
    "\ud800",
    "\u202e",
    "ü" * 300,
    "A" * 70000,
    "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:59",
    "2023-02-30",
    "NaN",
    "1e999",
    "-0",
    "%ff%00",
    "http://127.0.0.1:99999/x.cdf",
    "1" * 5000,
    "2023-01-02T24:00:00Z",
    "2016-12-31T23:59:60Z",
    "0000-00-00",
    "٣",
    "null",
    "nT" * 500,
    "m^" * 300,
    "(" * 3000,
)
STRANGE_NUMBERS = (0, -1, 1, 2**31, 2**63, 10**15, 10**400, 1e308, float("inf"), float("nan"), -1.5, True, 1e-320)

HASTY = TransferSettings(
    tries=2,
    connect_s=2,
    read_s=2,
    total_s=5,
    all_tries_s=8,
    first_wait_s=0,
    longest_wait_s=0,
    longest_retry_after_s=0.01,
    jitter_s=0,
    text_limit_bytes=4_000_000,
    file_limit_bytes=8_000_000,
    listed_limit_bytes=10_000_000,
)


class HostileServer:
    """Answers a path with the first of its prepared raw answers whose name is part of the path."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {}
        self.fallback = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(5)
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                if not piece:
                    return
                head += piece
            path = head.split(b" ")[1].decode("latin-1")
            connection.sendall(next((answer for part, answer in self.answers.items() if part in path), self.fallback))


def mutated(draw: random.Random, value: Any, rate: float = 0.08) -> Any:
    """A JSON value with some of its parts replaced, dropped, repeated or nested."""
    if draw.random() < rate:
        return _strange(draw, value)
    if isinstance(value, dict):
        kept = {name: mutated(draw, each, rate) for name, each in value.items() if draw.random() > rate / 4}
        if draw.random() < rate / 2:
            kept[draw.choice(STRANGE_TEXTS)] = _strange(draw, None)
        return kept
    if isinstance(value, list):
        found = [mutated(draw, each, rate) for each in value]
        return found * draw.choice((0, 2, 3, 200)) if draw.random() < rate / 3 else found
    if isinstance(value, str) and draw.random() < rate:
        place = draw.randrange(len(value) + 1)
        return value[:place] + draw.choice(STRANGE_TEXTS)[:50] + value[place + draw.randrange(3) :]
    return value


def _strange(draw: random.Random, value: Any) -> Any:
    kind = draw.randrange(6)
    if kind == 0:
        return draw.choice(STRANGE_TEXTS)
    if kind == 1:
        return draw.choice(STRANGE_NUMBERS)
    if kind == 2:
        return None
    if kind == 3:
        return [value] * draw.choice((0, 1, 3, 200))
    if kind == 4:
        return {"a": value, "": draw.choice(STRANGE_TEXTS)}
    deep: Any = value
    for _ in range(draw.choice((2, 40, 300))):
        deep = [deep]
    return deep


def json_bytes(draw: random.Random, value: Any) -> bytes:
    """JSON as a text, sometimes of another encoding, cut off, with a name twice, or with bytes that are none."""
    body = json.dumps(value).encode()
    kind = draw.randrange(14)
    if kind == 0:
        return body[: draw.randrange(len(body) + 1)]
    if kind == 1:
        return json.dumps(value).encode(draw.choice(("utf-16", "utf-8-sig", "utf-32")))
    if kind == 2:
        return body.replace(b"{", b'{"Name": 1, "code": 5, ', 3)
    if kind == 3:
        return flipped(draw, body)
    if kind == 4:
        return draw.choice(
            (b"[" * 200_000, b"{}," * 200_000, b"1" * 5000, b'{"a":' * 5000, b"<html>", b"\xff\xfe", b"null", b'"x"')
        )
    if kind == 5:
        return re.sub(rb"\d+", lambda found: draw.choice((found[0], found[0] * 30, b"1e999")), body, count=draw.randrange(1, 9))
    return body


def flipped(draw: random.Random, body: bytes) -> bytes:
    """Bytes with some of them changed."""
    changed = bytearray(body)
    for _ in range(draw.randrange(1, 8)):
        if changed:
            changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def http_bytes(draw: random.Random, body: bytes, *, content_type: str = "application/json") -> bytes:
    """A whole HTTP answer around a body, most often an honest one."""
    status = draw.choice((200,) * 12 + (404, 404, 429, 503, 500, 204, 301, 302, 100, 101, 103, 999, 400, 206))
    headers = [f"Content-Type: {draw.choice((content_type,) * 9 + ('text/html', 'x', ''))}".encode()]
    kind = draw.randrange(16)
    if kind == 0:
        body = gzip.compress(body)
        body = draw.choice((body, body[: draw.randrange(len(body))], flipped(draw, body), body + body, body + b"more"))
        headers.append(b"Content-Encoding: " + draw.choice((b"gzip", b"gzip, gzip", b"br", b"deflate", b"GZIP")))
    length = len(body)
    if kind == 1:
        length = draw.choice((0, length + 5, max(0, length - 5), 10**15, -1))
    if kind == 2:
        headers.append(
            b"Retry-After: "
            + draw.choice((b"9" * 500, b"Thu, 01 Jan 2099 00:00:05 +9999999999999", b"soon", b"-1", b"0", b"\xff"))
        )
    if kind in (2, 3):
        headers.append(
            b"Date: " + draw.choice((b"Mon, 01 Jan 0001 00:00:00 -2359", b"Sun, 01 Jan 2023 00:00:00 GMT", b"x", b""))
        )
    if status in (301, 302):
        targets = (b"http://[bad/", b"/elsewhere", b"file:///etc/passwd", b"http://me:pw@127.0.0.1/", b"\xff", b"//[", b"")
        headers.append(b"Location: " + draw.choice(targets))
    if kind == 4:
        headers.append(b"X: " + bytes(draw.randrange(256) for _ in range(20)))
    if kind == 5:
        pieces = [body[place : place + 50] for place in range(0, min(len(body), 5000), 50)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + draw.choice((b"0\r\n\r\n", b"", b"zz\r\n"))
        headers.append(b"Transfer-Encoding: chunked")
    elif kind != 6:
        headers.append(b"Content-Length: %d" % length)
    early = b"HTTP/1.1 103 Early\r\n\r\n" * draw.choice((0, 0, 0, 0, 1, 50))
    return early + b"HTTP/1.1 %d X\r\nConnection: close\r\n" % status + b"\r\n".join(headers) + b"\r\n\r\n" + body


def sent(draw: random.Random, document: Any, *, honest: float = 0.7) -> bytes:
    """A JSON document as an HTTP answer, honest in most cases: else nothing that lies behind it is ever reached."""
    if draw.random() < honest:
        return plainly(json.dumps(document).encode())
    kind = draw.randrange(3)
    body = (
        json_bytes(draw, document)
        if kind == 0
        else json.dumps(mutated(draw, document, 0.02) if kind == 1 else document).encode()
    )
    return http_bytes(draw, body) if kind == 2 else plainly(body)


def plainly(body: bytes) -> bytes:
    """A body in an HTTP answer without any trick."""
    return b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
