"""Ctrl-C while a model is asked: between two replies work is done that the event loop cannot interrupt. Limits are `turn`'s."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

Handler = Callable[[int, FrameType | None], object] | int | None
AnsweredT = TypeVar("AnsweredT")


class Interruption:
    """What Ctrl-C did before the event loop began; it does the same while a sample is taken or code is tried.

    The loop's own handler only cancels what waits: without this, a first Ctrl-C would do nothing until the work is done.
    """

    def __init__(self) -> None:
        self._handler: Handler = signal.getsignal(signal.SIGINT) if _is_main_thread() else None

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """While this lasts, Ctrl-C interrupts at once."""
        if self._handler is None or not _is_main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._handler)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


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
