"""One headless browser that turns figures into pictures."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import signal
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import plotly.graph_objects as go
from choreographer.browsers.chromium import Chromium
from kaleido import Kaleido
from kaleido.errors import BrowserClosedError, BrowserFailedError, ChromeNotFoundError, JavascriptError, KaleidoError

from helio_dagster.domain.errors import FigureError
from helio_dagster.figures import look

BROWSER_FAILURES = (
    TimeoutError,
    CancelledError,
    BrowserClosedError,
    BrowserFailedError,
    ChromeNotFoundError,
    JavascriptError,
    KaleidoError,
    OSError,
)
"""What goes wrong in a browser, as its library raises it."""

_OPEN_TIMEOUT_S = 30.0
_CLOSE_TIMEOUT_S = 15.0
_NOISY_LOGGERS = ("choreographer", "kaleido", "browser_proc")  # they warn of what is raised, or mended, here anyway
_HOW_TO_GET_ONE = (
    "Install one (Debian, Ubuntu: apt-get install chromium) or set BROWSER_PATH to the program of a Chromium or Chrome; "
    "the HTML figure needs none."
)

_Result = TypeVar("_Result")


def find_browser() -> str | None:
    """Path of the browser that pictures are made with: `BROWSER_PATH`, else an installed Chromium or Chrome; or None."""
    path = Chromium.find_browser(skip_local=False)
    return path if path and Path(path).is_file() and os.access(path, os.X_OK) else None


def required_browser() -> str:
    """Path of the browser that pictures are made with.

    Raises
    ------
    FigureError
        There is none; the hint says how to get one.
    """
    path = find_browser()
    if path is None:
        given = os.environ.get("BROWSER_PATH")
        problem = f"BROWSER_PATH names no program: {given}" if given else "no browser is found to make a PNG with"
        raise FigureError(problem, hint=_HOW_TO_GET_ONE)
    return path


class Browser:
    """One browser process, which starts at once, and the thread whose event loop it is driven from."""

    def __init__(self, path: str, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        for name in _NOISY_LOGGERS:
            logging.getLogger(name).setLevel(logging.ERROR)
        # MathJax is off: kaleido would load it over the network. The browser's path is the one that was checked.
        self._kaleido = Kaleido(n=1, timeout=timeout_s, mathjax=False, path=path)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="figure-browser", daemon=True)
        self._thread.start()
        self._opening = asyncio.run_coroutine_threadsafe(self._kaleido.open(), self._loop)
        atexit.register(self.close)

    def png(self, figure: go.Figure, scale: float) -> bytes:
        """A picture of the figure, `scale` pixels for one of its layout; raises one of `BROWSER_FAILURES`."""
        self._opening.result(_OPEN_TIMEOUT_S)
        width = figure.layout.width or look.WIDTH_PX
        options = {"format": "png", "width": width, "height": figure.layout.height, "scale": scale}
        picture: bytes = self._wait(self._kaleido.calc_fig(figure.to_dict(), opts=options), 2 * self._timeout_s)
        return picture

    def close(self) -> None:
        """Ask the browser to stop, and end it where it does not."""
        atexit.unregister(self.close)
        if self._loop.is_closed():
            return
        with suppress(*BROWSER_FAILURES):
            self._opening.result(_OPEN_TIMEOUT_S)  # one that is closed while it opens would be left behind
        try:
            self._wait(self._finish(), _CLOSE_TIMEOUT_S)
        except (*BROWSER_FAILURES, RuntimeError):
            self._end_process()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSE_TIMEOUT_S)
        if not self._thread.is_alive():
            self._loop.close()

    async def _finish(self) -> None:
        """Stop the browser and everything that still waits for it."""
        try:
            await self._kaleido.close()
        finally:
            waiting = asyncio.all_tasks() - {asyncio.current_task()}
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    def _end_process(self) -> None:
        process = getattr(self._kaleido, "subprocess", None)
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # it leads a group of its own, with its children
            process.wait(_CLOSE_TIMEOUT_S)

    def _wait(self, work: Coroutine[object, object, _Result], timeout_s: float) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout_s)
