"""What stands between processes and a server of PostgreSQL for a test, and cuts them off when certain words pass."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_CHUNK = 1 << 16


@dataclass
class Wire:
    """Passes everything on until a client's words are found in a question; then calls the test, and ends all connections.

    The server does not hear that question; or, where `is_heard`, it does it, and the answer is lost.
    """

    target: tuple[str, int]
    _listening: socket.socket
    _words: bytes = b""
    _is_heard: bool = False
    _then: Callable[[], None] = lambda: None
    _open: list[socket.socket] = field(default_factory=list)
    _access: threading.RLock = field(default_factory=threading.RLock)
    cut: threading.Event = field(default_factory=threading.Event)
    """Set when the words have passed."""

    def cut_at(self, words: str, then: Callable[[], None] = lambda: None, *, is_heard: bool = False) -> None:
        """Cut everybody off the next time that a question has these words; `then` is done before anybody can connect again."""
        with self._access:
            self.cut.clear()
            self._words, self._is_heard, self._then = words.encode(), is_heard, then

    def serve(self) -> None:
        """Take connections until the listening socket is closed."""
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def close(self) -> None:
        """End all connections."""
        with self._access:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
            self._open.clear()

    def _connect(self, client: socket.socket) -> None:
        with self._access:  # not while everybody is being cut off
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                return
            self._open += [client, server]
        unanswered = threading.Event()
        for arguments in ((client, server, unanswered, True), (server, client, unanswered, False)):
            threading.Thread(target=self._pass_on, args=arguments, daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, unanswered: threading.Event, is_asking: bool) -> None:
        tail = b""
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                if is_asking:
                    tail += data
                    if self._is_meant(tail):
                        if not self._is_heard:
                            self._cut()
                            return
                        unanswered.set()
                    tail = tail[-256:]
                elif unanswered.is_set():
                    self._cut()
                    return
                sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _is_meant(self, text: bytes) -> bool:
        """Whether this question has the words; once."""
        with self._access:
            if not self._words or self._words not in text:
                return False
            self._words = b""
            return True

    def _cut(self) -> None:
        with self._access:
            self._then()
            self.close()
            self.cut.set()


@contextmanager
def wire_to(address: str) -> Iterator[tuple[Wire, str]]:
    """A wire to a server of this machine, and the address of a database through it."""
    parts = urlsplit(address)
    assert parts.hostname is not None
    with socket.create_server(("127.0.0.1", 0)) as listening:
        wire = Wire((parts.hostname, parts.port or 5432), listening)
        thread = threading.Thread(target=wire.serve, daemon=True)
        thread.start()
        place = f"{parts.username}@127.0.0.1:{listening.getsockname()[1]}"
        try:
            yield wire, parts._replace(netloc=place).geturl()
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
            wire.close()
