"""A figure as an HTML page: offline, safe, the same bytes for the same figure. Pictures are made in `png`."""

from __future__ import annotations

import os
import tempfile
from html import escape
from pathlib import Path

import plotly.graph_objects as go
from plotly.io import to_html
from plotly.offline import get_plotlyjs, get_plotlyjs_version

from helio_dagster.domain.errors import FigureError

_POLICY = (
    "default-src 'none'; script-src 'self' file: 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'"
)
_CONFIG = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}
_DIV_ID = "figure"


def figure_to_html(figure: go.Figure, path: Path, *, inline: bool = False) -> None:
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
        Put the script (4.8 MB) into the page, for a file that stands alone.

    Raises
    ------
    FigureError
        The folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not inline:
            _write_script(path.parent / script_name())
        write_atomically(path, html_page(figure, inline=inline, name=path.stem).encode())
    except OSError as error:
        raise FigureError(
            f"the figure cannot be written: {error.strerror or error}",
            where=str(path),
            hint="Check the folder's permissions and room.",
        ) from error


def html_page(figure: go.Figure, *, inline: bool = False, name: str = "figure") -> str:
    """A figure as the text of an HTML page; nothing in it may load or send anything over the network.

    Parameters
    ----------
    inline
        Put the plotly script into the page; else the page asks for `script_name()` beside it.
    name
        Title of the page where the figure has none.
    """
    chart = to_html(
        figure,
        full_html=False,
        include_plotlyjs=True if inline else script_name(),
        include_mathjax=False,
        div_id=_DIV_ID,
        config={**_CONFIG, "toImageButtonOptions": {"filename": name}},
    )
    meta = figure.layout.meta
    title = meta.get("title", name) if isinstance(meta, dict) else name
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(str(title))}</title>\n"
        f"<style>body {{ margin: 0; background: white; }}</style>\n</head>\n<body>\n{chart}\n</body>\n</html>\n"
    )


def script_name() -> str:
    """File name of the plotly script that pages of this version share."""
    return f"plotly-{get_plotlyjs_version()}.min.js"


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(scratch).chmod(0o644)
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise


def _write_script(path: Path) -> None:
    """Put the plotly script there, unless it is there whole."""
    script = get_plotlyjs().encode()
    if not path.is_file() or path.stat().st_size != len(script):
        write_atomically(path, script)
