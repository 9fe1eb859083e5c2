"""Ctrl-C, and the limit of time, while a model is asked: between two replies work is done that the event loop cannot interrupt.

How long a turn may last is told by `settings`.
"""

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
    """The time of a turn was up in the midst of work; like Ctrl-C nothing on the way may take it for a failure of its own."""


class Interruption:
    """What Ctrl-C did before the event loop began; it does the same while a sample is taken or code is tried.

    The loop's own handler only cancels what waits: without this, a first Ctrl-C would do nothing until the work is done.
    """

    def __init__(self) -> None:
        self._handler: Handler = signal.getsignal(signal.SIGINT) if _is_main_thread() else None
        self._deadline: float | None = None

    def limit(self, seconds: float) -> None:
        """From now on work may last so long; what the event loop waits for it limits itself."""
        self._deadline = time.monotonic() + seconds

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """While this lasts, Ctrl-C interrupts at once, and so does the end of the time: with TimeIsUp."""
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
    """The result of asynchronous work, also where a loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
