"""A figure as the text of an HTML page: offline, safe, the same for the same figure."""

from __future__ import annotations

import re
from html import escape, unescape

import numpy as np
import plotly.graph_objects as go
from plotly.io import to_html
from plotly.offline import get_plotlyjs_version

from helio_dagster.figures.page_scripts import RANGE_ON_ZOOM, REFINE_ON_ZOOM, TICKS_ON_ZOOM

_POLICY = (
    "default-src 'none'; script-src 'self' file: 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'"
)
_BUTTONS = [["toImage"], ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"]]
"""All buttons of the page, by name: Plotly's own choice has one that uploads the figure."""
_CONFIG = {"displaylogo": False, "responsive": True, "modeBarButtons": _BUTTONS}
_DIV_ID = "figure"
_STYLE = "body { margin: 0; background: white; } p { font: 12px sans-serif; color: #555; margin: 2px 12px; }"


def html_page(figure: go.Figure, *, inline: bool = False, name: str = "figure", stamp: str = "") -> str:
    """A figure as the text of an HTML page; nothing in it may load or send anything over the network.

    Parameters
    ----------
    inline
        Put the plotly script into the page; else the page asks for `script_name()` beside it.
    name
        Title of the page where the figure has none.
    stamp
        Of what the figure was drawn from: with it, a page that a server shows asks it for the samples that were left out.
    """
    notes = thinned_notes(figure)
    scripts = [
        TICKS_ON_ZOOM.replace("{axes}", "[xy]" if _has_own_x(figure) or figure.layout.xaxis.tickmode == "array" else "y")
    ]
    if figure.layout.xaxis.type == "date":
        scripts.append(RANGE_ON_ZOOM)
    has_rows_below = figure.layout.xaxis.type == "date" and figure.layout.xaxis.tickmode == "array"
    if stamp and (notes or has_rows_below):
        scripts.append(REFINE_ON_ZOOM.replace("{stamp}", stamp))
    chart = to_html(
        figure,
        full_html=False,
        include_plotlyjs=True if inline else script_name(),
        include_mathjax=False,
        div_id=_DIV_ID,
        post_script=scripts,
        config={**_CONFIG, "toImageButtonOptions": {"filename": name}},
    )
    meta = figure.layout.meta
    title = meta.get("title", name) if isinstance(meta, dict) else name
    end = "." if stamp else "; zooming in shows no more."
    lines = "".join(f"<p>{escape(note)}{end}</p>\n" for note in notes)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(str(title))}</title>\n"
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{chart}\n<div id='notes'>\n{lines}</div>\n</body>\n</html>\n"
    )


def _has_own_x(figure: go.Figure) -> bool:
    """Whether a panel has a horizontal axis of its own."""
    return any(re.fullmatch(r"xaxis\d+", name) for name in figure.layout)


def thinned_notes(figure: go.Figure) -> list[str]:
    """One note for each trace that shows less than was measured."""
    notes = []
    for trace in figure.data:
        meta = trace.meta if isinstance(trace.meta, dict) else {}
        if "drawn" in meta:
            drawn, samples = meta["drawn"], meta["samples"]
            notes.append(f"{_plain(trace.name)}: averaged to {drawn:,} of {samples:,} records in time")
        elif "samples" in meta:
            drawn, samples = int(np.isfinite(trace.y).sum()), meta["samples"]
            about = "about " if meta.get("about") else ""
            notes.append(f"{_plain(trace.name)}: thinned: {drawn:,} of {about}{samples:,} samples")
    return notes


def _plain(label: str) -> str:
    """A label without the mark-up that Plotly reads."""
    return unescape(re.sub(r"<[^>]*>", "", label))


def script_name() -> str:
    """File name of the plotly script that pages of this version share."""
    return f"plotly-{get_plotlyjs_version()}.min.js"
