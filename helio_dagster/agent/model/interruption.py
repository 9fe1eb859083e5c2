"""Make Ctrl-C and the time limit effective between a model's replies, during work that the event loop cannot interrupt."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

Handler = Callable[[int, FrameType | None], object] | int | None
AnsweredT = TypeVar("AnsweredT")


class TimeIsUp(BaseException):
    """The time limit of a turn was reached; a BaseException, like Ctrl-C, so that nothing treats it as a failure."""


class Interruption:
    """Remembers what Ctrl-C did before the event loop started, and restores that while a sample is taken or code is tried.

    The loop's own handler only cancels what waits: without this, a first Ctrl-C would do nothing until the work is done.
    """

    def __init__(self) -> None:
        self._handler: Handler = signal.getsignal(signal.SIGINT) if _is_main_thread() else None
        self._deadline: float | None = None

    def limit(self, seconds: float) -> None:
        """Limit the time of work from now on; the event loop limits what it waits for by itself."""
        self._deadline = time.monotonic() + seconds

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Inside the block, Ctrl-C interrupts at once, and so does the time limit, by raising TimeIsUp."""
        if self._handler is None or not _is_main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._handler)
        try:
            with self._alarmed():
                yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def _alarmed(self) -> Iterator[None]:
        if self._deadline is None:
            yield
            return
        before = signal.signal(signal.SIGALRM, _raise_time_is_up)
        signal.setitimer(signal.ITIMER_REAL, max(self._deadline - time.monotonic(), 1e-3))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def _raise_time_is_up(_signal: int, _frame: FrameType | None) -> None:
    raise TimeIsUp


def finished(work: Coroutine[None, None, AnsweredT]) -> AnsweredT:
    """The result of asynchronous work; also works inside a running loop, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
