"""Figures as files: an HTML page always, a PNG where a browser is found."""

from __future__ import annotations

import os
import secrets
import threading
from functools import cache
from pathlib import Path
from types import TracebackType

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from helio_dagster.domain.errors import FigureError
from helio_dagster.figures.browser import BROWSER_FAILURES, Browser, find_browser, required_browser
from helio_dagster.figures.pages import html_page, script_name

DEFAULT_SCALE = 1.5


def figure_to_html(figure: go.Figure, path: Path, *, inline: bool = False, stamp: str = "") -> None:
    """Write a figure as an HTML page, atomically.

    The page works offline. Unless `inline`, it shares the plotly script in its folder, written there once and named with its
    version, so that pages of an older version keep theirs.

    Parameters
    ----------
    figure
        What to write.
    path
        The page to make; its folder is made if need be.
    inline
        Put the script (4.8 MB) into the page, for a self-contained file.
    stamp
        Of what the figure was drawn from, for pages that a server can refine.

    Raises
    ------
    FigureError
        The folder cannot be written.
    """
    page = html_page(figure, inline=inline, name=path.stem, stamp=stamp).encode()
    if not inline:
        _write_script(path.parent / script_name())
    _write_atomically(path, page)


class PngRenderer:
    """Makes PNG pictures; the browser starts with `start` or the first, and stops with `close`, a `with` block, or the process.

    May be used from several threads; pictures are made one after the other. A browser that died is started again once.

    Parameters
    ----------
    timeout_s
        Longest time for one picture, in seconds.
    """

    def __init__(self, *, timeout_s: float = 60.0) -> None:
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._browser: Browser | None = None

    @property
    def is_available(self) -> bool:
        """Whether there is a browser to make pictures with."""
        return find_browser() is not None

    def start(self) -> None:
        """Have the browser start beside other work, so that the first picture need not wait; nothing where there is none."""
        with self._lock:
            if self._browser is None and self.is_available:
                self._browser = Browser(required_browser(), self._timeout_s)

    def render(self, figure: go.Figure, path: Path, *, scale: float = DEFAULT_SCALE) -> bytes:
        """Write a picture, atomically; gives its bytes too.

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
        picture = self.png(figure, scale=scale)
        _write_atomically(path, picture)
        return picture

    def png(self, figure: go.Figure, *, scale: float = DEFAULT_SCALE) -> bytes:
        """A picture as bytes; raises as `render` does."""
        with self._lock:
            for is_last in (False, True):
                if self._browser is None:
                    self._browser = Browser(required_browser(), self._timeout_s)
                try:
                    return self._browser.png(figure, scale)
                except BROWSER_FAILURES as error:
                    self._stop()
                    if is_last:
                        raise FigureError(
                            f"the browser could not make the picture: {type(error).__name__}: {_first_words(error)}",
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


def _first_words(error: Exception) -> str:
    """The start of an error's message; browser libraries raise kilobytes."""
    return str(error.args[0] if error.args else "")[:200]


def _write_script(path: Path) -> None:
    """Put the plotly script there, unless it is there whole."""
    script = _script()
    if not path.is_file() or path.stat().st_size != len(script):
        _write_atomically(path, script)


@cache
def _script() -> bytes:
    script: str = get_plotlyjs()
    return script.encode()


def _write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    scratch: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.parent / f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part"
        with scratch.open("xb") as stream:  # unlike tempfile's, its mode follows the umask
            stream.write(content)
        scratch.replace(path)
    except OSError as error:
        raise FigureError(
            f"the figure cannot be written: {error.strerror or error}",
            where=str(path),
            hint="Check that the folder is writable and has room.",
        ) from error
    finally:
        if scratch is not None:
            scratch.unlink(missing_ok=True)
