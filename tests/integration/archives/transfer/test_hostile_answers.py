"""Whatever a server sends, a transfer ends: with the bytes that were asked for, or with one clear error."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helio_dagster.archives.transfer.http import HttpTransfer
from helio_dagster.archives.transfer.settings import Reply, Retry, TransferSettings
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveError, ArchiveUnavailable

Say = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\n"
PACK = OK + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n"
HASTY = TransferSettings(
    tries=2,
    connect_s=5,
    read_s=5,
    total_s=0.6,
    all_tries_s=1,
    least_bytes_per_s=20_000,
    least_over_s=0.2,
    first_wait_s=0,
    longest_wait_s=0,
    longest_retry_after_s=0.01,
    jitter_s=0,
    head_limit_bytes=10_000,
    text_limit_bytes=200_000,
    file_limit_bytes=200_000,
    listed_limit_bytes=10**9,
)


class Server:
    """Accepts connections and has `say` write to each, until the other side is gone."""

    def __init__(self) -> None:
        self.say: Say = lambda _: None
        self.asked = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/x.cdf"
        self._stopping = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(10)
            connection.recv(65536)
            self.asked += 1
            self.say(connection)

    def pause(self) -> None:
        """Wait a little; an error once the test is over."""
        if self._stopping.wait(0.02):
            raise OSError

    def close(self) -> None:
        """Stop."""
        self._stopping.set()
        self._listener.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server without manners."""
    server = Server()
    yield server
    server.close()


@pytest.fixture
def transfer(server: Server) -> Iterator[HttpTransfer]:
    """A transfer that is not patient."""
    transfer = HttpTransfer(server.url, HASTY)
    yield transfer
    transfer.close()


def body(transfer: HttpTransfer, server: Server) -> bytes:
    """The body of an answer in text."""

    def parse(reply: Reply) -> bytes:
        return reply.body

    return transfer.get(server.url, parse)


def endless(start: bytes, piece: bytes, *, pause: Callable[[], None] = lambda: None) -> Say:
    """Send `piece` again and again."""

    def say(connection: socket.socket) -> None:
        connection.sendall(start)
        for _ in itertools.count():
            connection.sendall(piece)
            pause()

    return say


def once(answer: bytes) -> Say:
    """Send one answer."""

    def say(connection: socket.socket) -> None:
        connection.sendall(answer)

    return say


BOMB = gzip.compress(bytes(10**7), mtime=0)
GZIP_NAME = b"\x1f\x8b\x08\x08\0\0\0\0\0\xff"


@pytest.mark.parametrize(
    ("start", "piece", "is_slow", "said"),
    [
        (OK + b"X: ", b"x", True, "slower than"),
        (OK, b"X: y\r\n", True, "slower than"),
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", True, "slower than"),
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 20, False, "no end of headers"),
        (OK + b"\r\n", b"x", True, "slower than"),
        (OK + b"Content-Length: 1000000000000000\r\n\r\n", b"x", True, "slower than"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", True, "slower than"),
        (PACK + GZIP_NAME, b"x", True, "slower than"),
        (PACK + GZIP_NAME, b"x" * 50_000, False, "too long"),
        (PACK, BOMB, False, "too long"),
        (PACK, gzip.compress(b"", mtime=0), False, "too long"),
        (OK + b"Content-Encoding: gzip, gzip\r\n\r\n", gzip.compress(BOMB, mtime=0), False, "not asked for"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://[bad/\r\n\r\n", b"x" * 50_000, False, "redirected to"),
    ],
    ids=[
        "dripped header", "dripped headers", "slow 103", "fast 103", "dripped body", "dripped file", "dripped chunks",
        "slow gzip name", "fast gzip name", "bomb", "empty gzip members", "nested gzip", "endless redirect",
    ],
)  # fmt: skip
def test_an_answer_without_end_is_given_up(
    server: Server, transfer: HttpTransfer, start: bytes, piece: bytes, is_slow: bool, said: str
) -> None:
    """By its rate as it arrives, by its size, or by what it begins with; and the error says which."""
    server.say = endless(start, piece, pause=server.pause if is_slow else lambda: None)
    with pytest.raises(ArchiveError, match=said) as caught:
        body(transfer, server)
    assert caught.value.where == server.url


def test_a_steady_flow_meets_the_deadline(server: Server) -> None:
    """An answer that keeps the rate but not the time; all tries together have their limit as well."""
    settings = TransferSettings(tries=50, total_s=0.2, all_tries_s=0.5, first_wait_s=0, longest_wait_s=0, jitter_s=0)
    server.say = endless(OK + b"\r\n", b"x" * 2000, pause=server.pause)
    transfer, before = HttpTransfer(server.url, settings), server.asked
    with pytest.raises(
        ArchiveUnavailable, match=r"not complete after .* s \(HELIO_TRANSFER_DEADLINE_S sets the limit\) \(\d tries\)"
    ):
        body(transfer, server)
    assert server.asked - before < 50


@pytest.mark.parametrize(
    ("length", "said"),
    [(10**15, "more than the 1000000000"), (10**400, "more than the 1000000000"), (10**8, "slower than")],
    ids=["large", "beyond floats", "slow"],
)
def test_a_listed_length_lifts_no_limit(server: Server, transfer: HttpTransfer, tmp_path: Path, length: int, said: str) -> None:
    """A length beyond reason is refused without asking; a large file has to keep the least rate too."""
    server.say = endless(OK + b"\r\n", b"x" * 500, pause=server.pause)
    with pytest.raises(ArchiveError, match=said):
        transfer.download(server.url, tmp_path / "x", length=length, check_head=lambda _: None)


def test_a_file_longer_than_listed_is_cut_off(server: Server, transfer: HttpTransfer, tmp_path: Path) -> None:
    """At its listed length."""
    server.say = endless(OK + b"\r\n", b"x" * 1000)
    with pytest.raises(ArchiveUnavailable, match="sent more than the listed 5000 bytes"):
        transfer.download(server.url, tmp_path / "x", length=5000, check_head=lambda _: None)


WHOLE = gzip.compress(b"text " * 1000, mtime=0)


@pytest.mark.parametrize("sent", [WHOLE[:-9], WHOLE[:-5] + b"\0" + WHOLE[-4:], WHOLE + b"more"], ids=["cut", "CRC", "more"])
def test_damaged_gzip_is_an_error(server: Server, transfer: HttpTransfer, sent: bytes) -> None:
    """Cut off, with a wrong CRC, or with something behind it: never a shorter text."""
    server.say = once(PACK + sent)
    with pytest.raises(ArchiveUnavailable, match="gzip"):
        body(transfer, server)


def test_gzip_is_unpacked(server: Server, transfer: HttpTransfer) -> None:
    """One member, two of them, or none."""
    for sent, content in ((WHOLE, b"text " * 1000), (WHOLE + gzip.compress(b"end"), b"text " * 1000 + b"end"), (b"", b"")):
        server.say = once(PACK + sent)
        assert body(transfer, server) == content
    assert zlib.decompress(WHOLE, 31) == b"text " * 1000


@pytest.mark.parametrize(
    "value",
    [
        "Thu, 01 Jan 2099 00:00:05 +9999999999999",
        "Thu, 31 Dec 9999 23:59:59 -2359",
        "Thu, 01 Jan 0001 00:00:00 +2359",
        "Thu, 99 Jan 99999999999999999999 00:00:05 GMT",
        "9" * 5000,
        "٣",
        "-5",
        "1e999",
        "nan",
    ],
)
def test_no_retry_after_ends_more_than_the_try(server: Server, transfer: HttpTransfer, value: str) -> None:
    """Absurd seconds, dates and offsets count as nothing, or up to the cap."""
    date = b"Date: Mon, 01 Jan 0001 00:00:00 -2359\r\n"
    server.say = once(b"HTTP/1.1 503 Busy\r\n" + date + b"Retry-After: " + value.encode() + b"\r\nContent-Length: 0\r\n\r\n")
    waits: list[Retry] = []
    with pytest.raises(ArchiveUnavailable, match="503"):
        transfer.get(server.url, lambda reply: reply, on_retry=waits.append)
    assert waits[0].wait_s <= HASTY.longest_retry_after_s


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: -1\r\n",
        b"Content-Length: " + b"9" * 6000 + b"\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
        b"Content-Length: 0x10\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"\xff\xfe: \x00\r\n",
        b"Content-Encoding: \xff\r\n",
        b"Set-Cookie: a=b; expires=" + b"1" * 50_000 + b"\r\nContent-Length: 5\r\n",
        b"Content-Length: 5\r\n" * 5000,
    ],
)
def test_headers_that_are_none_are_an_error_or_mean_nothing(server: Server, transfer: HttpTransfer, head: bytes) -> None:
    """Lengths that contradict each other, signs that no header has, more of them than anybody sends."""
    server.say = once(OK + head + b"\r\nhello")
    found: object
    try:
        found = body(transfer, server)
    except ArchiveError as error:
        found = error.where
    assert found in (b"hello", server.url)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("http://[::1/", "redirected to"),
        ("http://a..b/", "redirected to"),
        ("file:///etc/passwd", "redirected to"),
        ("http://me:secret@127.0.0.1/", "user name or password"),
        ("http://169.254.169.254/latest/meta-data/", "this network's own services"),
        ("http://[fe80::1]/x", "this network's own services"),
        ("/x.cdf", "redirected more than"),
        ("http://127.0.0.1:99999/", "redirected to"),
    ],
)
def test_redirects_lead_only_where_an_address_may(server: Server, transfer: HttpTransfer, target: str, said: str) -> None:
    """Never to a file, never with a password, never for ever."""
    server.say = once(f"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: {target}\r\n\r\n".encode())
    with pytest.raises(ArchiveAnswerError, match=said) as caught:
        body(transfer, server)
    assert "secret" not in str(caught.value)
