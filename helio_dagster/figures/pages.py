"""A figure as the text of an HTML page: offline, safe, the same for the same figure."""

from __future__ import annotations

import re
from html import escape, unescape

import numpy as np
import plotly.graph_objects as go
from plotly.io import to_html
from plotly.offline import get_plotlyjs_version

_POLICY = (
    "default-src 'none'; script-src 'self' file: 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'"
)
_BUTTONS = [["toImage"], ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"]]
"""All buttons of the page, by name: Plotly's own choice has one that uploads the figure."""
_CONFIG = {"displaylogo": False, "responsive": True, "modeBarButtons": _BUTTONS}
_DIV_ID = "figure"
_STYLE = "body { margin: 0; background: white; } p { font: 12px sans-serif; color: #555; margin: 2px 12px; }"

# The figure's own ticks of log axes fit its first range only: after a zoom plotly chooses, after a reset they are back.
_TICKS_ON_ZOOM = """
const page = document.getElementById('{plot_id}');
const first = {};
for (const name of Object.keys(page.layout).filter(name => /^{axes}axis/.test(name) && page.layout[name].tickmode === 'array'))
  first[name] = page.layout[name].range.slice();
page.on('plotly_relayout', change => {
  const update = {};
  for (const name of Object.keys(first).filter(name => Object.keys(change).some(key => key.startsWith(name + '.range')))) {
    const [low, high] = page.layout[name].range;
    update[name + '.tickmode'] = low === first[name][0] && high === first[name][1] ? 'array' : 'auto';
  }
  if (Object.keys(update).length) Plotly.relayout(page, update);
});
"""


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
        post_script=_TICKS_ON_ZOOM.replace("{axes}", "[xy]" if _has_own_x(figure) else "y"),
        config={**_CONFIG, "toImageButtonOptions": {"filename": name}},
    )
    meta = figure.layout.meta
    title = meta.get("title", name) if isinstance(meta, dict) else name
    notes = "".join(f"<p>{escape(note)}</p>\n" for note in _thinned(figure))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(str(title))}</title>\n"
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{chart}\n{notes}</body>\n</html>\n"
    )


def _has_own_x(figure: go.Figure) -> bool:
    """Whether a panel has a horizontal axis of its own."""
    return any(re.fullmatch(r"xaxis\d+", name) for name in figure.layout)


def _thinned(figure: go.Figure) -> list[str]:
    """One note per trace that shows less than was measured."""
    notes = []
    for trace in figure.data:
        meta = trace.meta if isinstance(trace.meta, dict) else {}
        if "drawn" in meta:
            drawn, samples = meta["drawn"], meta["samples"]
            notes.append(
                f"{_plain(trace.name)}: averaged to {drawn:,} of {samples:,} records in time; zooming in shows no more."
            )
        elif "samples" in meta:
            drawn, samples = int(np.isfinite(trace.y).sum()), meta["samples"]
            notes.append(f"{_plain(trace.name)}: thinned: {drawn:,} of {samples:,} samples; zooming in shows no more.")
    return notes


def _plain(label: str) -> str:
    """A label without the mark-up that Plotly reads."""
    return unescape(re.sub(r"<[^>]*>", "", label))


def script_name() -> str:
    """File name of the plotly script that pages of this version share."""
    return f"plotly-{get_plotlyjs_version()}.min.js"
