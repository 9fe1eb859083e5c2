"""Figures as files: an HTML page, and a picture of it."""

from __future__ import annotations

import os
import secrets
from functools import cache
from pathlib import Path

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from helio_dagster.domain.errors import FigureError
from helio_dagster.figures.origin import FigureOrigin
from helio_dagster.figures.pages import html_page, script_name


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
    write_picture(path, page)


def figure_to_png(figure: go.Figure, path: Path, origin: FigureOrigin | None = None) -> bytes:
    """Write a figure as a picture, atomically, with where it comes from inside; gives its bytes too.

    Raises
    ------
    FigureError
        The file cannot be written.
    """
    from helio_dagster.figures.printing.picture import Print, picture  # loads matplotlib, which takes a third of a second

    content = picture(figure, "png", Print(about=origin.entries("png", title_of(figure)) if origin else {}))
    write_picture(path, content)
    return content


def title_of(figure: go.Figure) -> str:
    """The plain title of a figure."""
    meta = figure.layout.meta
    return str(meta.get("title", "")) if isinstance(meta, dict) else ""


def _write_script(path: Path) -> None:
    """Put the plotly script there, unless it is there whole."""
    script = _script()
    if not path.is_file() or path.stat().st_size != len(script):
        write_picture(path, script)


@cache
def _script() -> bytes:
    script: str = get_plotlyjs()
    return script.encode()


def write_picture(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all; FigureError where it cannot be."""
    if path.exists() and not path.is_file():  # a device or pipe would be replaced by a file
        problem = "it is a folder" if path.is_dir() else "it is not an ordinary file"
        raise FigureError(f"the figure cannot be written: {problem}", where=str(path), hint="Give the name of a file.")
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
