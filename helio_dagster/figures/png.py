"""Pictures of figures through a headless browser that is started once and kept. HTML is made in `rendering`."""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import plotly.graph_objects as go
from choreographer.browsers.chromium import Chromium
from kaleido import Kaleido
from kaleido.errors import BrowserClosedError, BrowserFailedError, ChromeNotFoundError, JavascriptError, KaleidoError

from helio_dagster.domain.errors import FigureError
from helio_dagster.figures import look
from helio_dagster.figures.rendering import write_atomically

DEFAULT_SCALE = 1.5
PREVIEW_BYTES = 60_000
_PREVIEW_SCALES = (0.6, 0.45, 0.3, 0.2)
_OPEN_TIMEOUT_S = 30.0
_CLOSE_TIMEOUT_S = 15.0
_HOW_TO_GET_ONE = (
    "Install one (Debian, Ubuntu: apt-get install chromium) or set BROWSER_PATH to the program of a Chromium or Chrome; "
    "the HTML figure needs none."
)
_FAILURES = (
    TimeoutError,
    CancelledError,
    BrowserClosedError,
    BrowserFailedError,
    ChromeNotFoundError,
    JavascriptError,
    KaleidoError,
    OSError,
)

_Result = TypeVar("_Result")


def find_browser() -> str | None:
    """Path of the browser that pictures are made with: `BROWSER_PATH`, else an installed Chromium or Chrome; or None."""
    path = Chromium.find_browser(skip_local=False)
    return path if path and Path(path).is_file() and os.access(path, os.X_OK) else None


class PngRenderer:
    """Makes PNG pictures; the browser starts at the first and stops with `close`, a `with` block, or the process.

    May be used from several threads; pictures are made one after the other. A browser that died is started anew once.

    Parameters
    ----------
    timeout_s
        Longest time for one picture, in seconds.
    """

    def __init__(self, *, timeout_s: float = 60.0) -> None:
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._browser: _Browser | None = None

    @property
    def is_available(self) -> bool:
        """Whether there is a browser to make pictures with."""
        return find_browser() is not None

    def render(self, figure: go.Figure, path: Path, *, scale: float = DEFAULT_SCALE) -> None:
        """Write a picture, atomically.

        Parameters
        ----------
        path
            The file to make; its folder is made if need be.
        scale
            Pixels of the picture for one of the layout; the layout is 1,100 pixels wide.

        Raises
        ------
        FigureError
            No browser is found, it cannot make the picture, or the file cannot be written.
        """
        content = self.png(figure, scale=scale)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
        except OSError as error:
            raise FigureError(
                f"the picture cannot be written: {error.strerror or error}",
                where=str(path),
                hint="Check the folder's permissions and room.",
            ) from error

    def preview(self, figure: go.Figure, *, limit_bytes: int = PREVIEW_BYTES) -> bytes:
        """A small picture, as large as the limit allows; raises as `render` does."""
        content = b""
        for scale in _PREVIEW_SCALES:
            content = self.png(figure, scale=scale)
            if len(content) <= limit_bytes:
                return content
        raise FigureError(f"no preview of the figure fits into {limit_bytes} bytes", hint="Draw fewer panels in one figure.")

    def png(self, figure: go.Figure, *, scale: float = DEFAULT_SCALE) -> bytes:
        """A picture as bytes; raises as `render` does."""
        with self._lock:
            for is_last in (False, True):
                if self._browser is None:
                    self._browser = _Browser(_known_browser(), self._timeout_s)
                try:
                    return self._browser.png(figure, scale)
                except _FAILURES as error:
                    self._stop()
                    if is_last:
                        raise FigureError(
                            f"the browser could not make the picture: {type(error).__name__}: {str(error)[:200]}",
                            where=find_browser() or "",
                            hint="Open the HTML figure instead, or set BROWSER_PATH to another Chromium.",
                        ) from error
        raise AssertionError("the loop returns or raises")

    def close(self) -> None:
        """Stop the browser, if it runs; the next picture starts it again."""
        with self._lock:
            self._stop()

    def __enter__(self) -> PngRenderer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _stop(self) -> None:
        if self._browser is not None:
            self._browser.close()
            self._browser = None


class _Browser:
    """One browser process and the thread whose event loop it is driven from."""

    def __init__(self, path: str, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        # MathJax is off: kaleido would load it over the network. The browser's path is the one that was checked.
        self._kaleido = Kaleido(n=1, timeout=timeout_s, mathjax=False, path=path)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="figure-browser", daemon=True)
        self._thread.start()
        self._is_open = False
        atexit.register(self.close)

    def png(self, figure: go.Figure, scale: float) -> bytes:
        if not self._is_open:
            self._wait(self._kaleido.open(), _OPEN_TIMEOUT_S)
            self._is_open = True
        width = figure.layout.width or look.WIDTH_PX
        options = {"format": "png", "width": width, "height": figure.layout.height, "scale": scale}
        picture: bytes = self._wait(self._kaleido.calc_fig(figure.to_dict(), opts=options), 2 * self._timeout_s)
        return picture

    def close(self) -> None:
        """Ask the browser to stop, and end it where it does not."""
        atexit.unregister(self.close)
        if self._loop.is_closed():
            return
        try:
            self._wait(self._kaleido.close(), _CLOSE_TIMEOUT_S)
        except (*_FAILURES, RuntimeError):
            self._end_process()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSE_TIMEOUT_S)
        if not self._thread.is_alive():
            self._loop.close()

    def _end_process(self) -> None:
        process = getattr(self._kaleido, "subprocess", None)
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # it leads a group of its own, with its children
            process.wait(_CLOSE_TIMEOUT_S)

    def _wait(self, work: Coroutine[object, object, _Result], timeout_s: float) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout_s)


def _known_browser() -> str:
    path = find_browser()
    if path is None:
        given = os.environ.get("BROWSER_PATH")
        problem = f"BROWSER_PATH names no program: {given}" if given else "no browser is found to make a PNG with"
        raise FigureError(problem, hint=_HOW_TO_GET_ONE)
    return path
