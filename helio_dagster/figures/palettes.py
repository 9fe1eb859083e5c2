"""Other colours for a figure: its lines by a named palette, its values by a named colour map; texts and frames keep theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
from plotly.colors import get_colorscale, sample_colorscale

from helio_dagster.domain.figure import Figure
from helio_dagster.domain.palettes import Colormap, Palette
from helio_dagster.figures import look
from helio_dagster.figures.colors import CHANNEL_END, channel_colors
from helio_dagster.figures.curve_columns import MAX_CHANNELS

PALETTES: Mapping[Palette, tuple[str, ...]] = {
    "okabe-ito": ("#0072B2", "#D55E00", "#56B4E9", "#E69F00", "#009E73", look.INK, "#CC79A7"),
    "tol-bright": ("#4477AA", "#EE6677", "#CCBB44", "#AA3377", "#228833", look.INK, "#66CCEE"),
    "tol-vibrant": ("#0077BB", "#EE7733", "#33BBEE", "#CC3311", "#009988", look.INK, "#EE3377"),
}
"""In the places of `look.COLORWAY`: Okabe and Ito (2008), Color Universal Design; Paul Tol's notes on colour schemes.

The order is ours: neighbours, and the components of a vector, are far apart for everybody.
"""
_COLORSCALES: Mapping[Colormap, str] = {"thermal": "thermal", "haline": "haline", "ice": "ice"}


def colorscale(name: Colormap) -> list[list[Any]]:
    """A colour map as plotly takes it, `[fraction, colour]` pairs from dark to light.

    The first five are matplotlib's; thermal, haline and ice are cmocean's (Thyng et al. 2016).
    """
    scale: list[list[Any]] = get_colorscale(_COLORSCALES.get(name, name.capitalize()))
    return scale


def recolored(drawn: go.Figure, spec: Figure, palette: Palette | None, colormap: Colormap | None) -> go.Figure:
    """The figure in other colours; what the pipeline gives a colour itself keeps it.

    Parameters
    ----------
    drawn
        A figure in the usual colours.
    palette, colormap
        The colours to have; the usual ones where None.
    """
    if palette is None and colormap is None:
        return drawn
    given = {trace.color for panel in spec.panels for trace in panel.traces}
    instead = dict(zip(look.COLORWAY, PALETTES[palette], strict=True)) if palette is not None else {}
    if colormap is not None:
        for count in range(2, MAX_CHANNELS + 1):
            places = [CHANNEL_END * index / (count - 1) for index in range(count)]
            instead |= dict(zip(channel_colors(count), sample_colorscale(colorscale(colormap), places), strict=True))
    coloring = _Coloring({old: new for old, new in instead.items() if old not in given and old != new}, colormap)
    data = [coloring(trace.to_plotly_json()) for trace in drawn.data]
    labels = _Coloring(coloring.used, None)  # around the panels, only what belongs to a line
    return go.Figure(data=data, layout=labels(drawn.layout.to_plotly_json()))


class _Coloring:
    """Replaces colours in Plotly's plain description and remembers which; arrays stay what they are."""

    def __init__(self, instead: Mapping[str, str], colormap: Colormap | None) -> None:
        self._instead, self._colormap = instead, colormap
        self.used: dict[str, str] = {}

    def __call__(self, value: Any, key: str = "") -> Any:
        if key == "colorscale" and self._colormap is not None:
            return colorscale(self._colormap)
        if isinstance(value, dict):
            return {name: part if name == "template" else self(part, name) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self(part) for part in value]
        if isinstance(value, str) and value in self._instead:
            self.used[value] = self._instead[value]
            return self._instead[value]
        return value
