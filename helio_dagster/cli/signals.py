"""Make SIGTERM and SIGHUP stop a command cleanly, as Ctrl-C does."""

from __future__ import annotations

import os
import select
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_WAKE_EVERY_S = 0.05


def stop_in_order() -> None:
    """Raise KeyboardInterrupt for SIGTERM and SIGHUP too. Signals ignored by the parent stay ignored, except SIGTERM."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # Dagster gives SIGTERM whatever SIGINT has
        signal.signal(signal.SIGINT, _but_for_interrupts)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _hang_up)


def _but_for_interrupts(number: int, frame: FrameType | None) -> None:
    if number != signal.SIGINT:
        signal.default_int_handler(number, frame)


def _hang_up(number: int, frame: FrameType | None) -> None:
    """Detach from the terminal, as printing to it would fail, and stop as for SIGTERM."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        if stat.S_ISCHR(os.fstat(descriptor).st_mode):
            os.dup2(nothing, descriptor)
    os.close(nothing)
    stopping = signal.getsignal(signal.SIGTERM)
    if callable(stopping):
        stopping(number, frame)


class SignalWatch:
    """Notes which signals arrive, whoever handles them: Dagster turns all of them into the same exception.

    Use it as a context manager in the main thread.
    """

    def __enter__(self) -> SignalWatch:
        self._arrived: set[int] = set()
        self._read, self._written = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._written, False)
        self._before = signal.set_wakeup_fd(self._written, warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._before)
        os.close(self._read)
        os.close(self._written)

    def has_only_ctrl_c(self) -> bool:
        """Whether nothing but Ctrl-C has arrived: no `kill`, and the terminal is still there."""
        self._look()
        return not {signal.SIGTERM, signal.SIGHUP} & self._arrived

    @contextmanager
    def noticing(self) -> Iterator[None]:
        """Around `input`: notice a signal also if it comes after the prompt is shown and before a key is waited for.

        Python then notes the signal and waits all the same, until the next key. A change of the window's size wakes it.
        """
        left = threading.Event()
        waker = threading.Thread(target=self._wake, args=(left, threading.get_ident()), daemon=True)
        waker.start()
        try:
            yield
        finally:
            left.set()
            os.write(self._written, b"\0")
            waker.join()

    def _wake(self, left: threading.Event, waiting: int) -> None:
        """Wake a thread after each signal until it has left."""
        while not left.is_set():
            select.select([self._read], [], [])
            if self._look() - {0}:
                while not left.wait(_WAKE_EVERY_S):
                    signal.pthread_kill(waiting, signal.SIGWINCH)

    def _look(self) -> set[int]:
        """Note which signals have arrived since the last look."""
        try:
            new = set(os.read(self._read, 4096))
        except BlockingIOError:
            return set()
        self._arrived |= new
        return new
