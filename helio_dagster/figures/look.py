"""The house look: sizes in pixels, colours, fonts and the plotly template."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

WIDTH_PX = 1100
GAP_PX = 10
LOWEST_PANEL_PX = 40
BOTTOM_PX = 58
LABEL_LINE_PX = 17
FONT_PX = 13

INK = "#222222"
QUIET = "#7A858C"
FRAME = "#444444"
GRID = "#ECEFF1"
GAP_GREY = "#DADDDF"
WARNING = "#B3261E"
EVENT_FILL = "#F2C14E"
EVENT_EDGE = "#B98A00"
EVENT_TEXT = "#8A6700"

BLUE = "#08618B"
CORAL = "#FA7C43"
GREEN = "#32A87D"
BROWN = "#964D11"
PURPLE = "#AF7FD3"
SLATE = "#5A646B"
COLORWAY = (BLUE, CORAL, GREEN, BROWN, PURPLE, INK, SLATE)
"""Colours of lines, each distinct from every other also without one of the three kinds of cones, and on white."""

COLORSCALE = "Viridis"

_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
_PANEL_PX = {1: 300, 2: 200, 3: 160}
_PANEL_OF_MANY_PX = 132

TIME_TICK_FORMATS: tuple[dict[str, Any], ...] = (
    {"dtickrange": [None, 1], "value": "%H:%M:%S.%6f\n%Y-%m-%d"},
    {"dtickrange": [1, 1000], "value": "%H:%M:%S.%3f\n%Y-%m-%d"},
    {"dtickrange": [1000, 60_000], "value": "%H:%M:%S\n%Y-%m-%d"},
    {"dtickrange": [60_000, 86_400_000], "value": "%H:%M\n%Y-%m-%d"},
    {"dtickrange": [86_400_000, "M1"], "value": "%-d %b\n%Y"},
    {"dtickrange": ["M1", "M12"], "value": "%b\n%Y"},
    {"dtickrange": ["M12", None], "value": "%Y"},
)


def panel_height_px(panel_count: int) -> int:
    """Height of a panel of weight 1, in pixels: the fewer panels, the taller."""
    return _PANEL_PX.get(panel_count, _PANEL_OF_MANY_PX)


def make_template() -> go.layout.Template:
    """The plotly template of every figure; made each time, never registered."""
    axis = {
        "showline": True,
        "linewidth": 1,
        "linecolor": FRAME,
        "mirror": "allticks",
        "ticks": "inside",
        "ticklen": 5,
        "tickwidth": 1,
        "tickcolor": FRAME,
        "showgrid": True,
        "gridcolor": GRID,
        "zeroline": False,
        "tickfont": {"size": 12},
        "minor": {"ticks": "inside", "ticklen": 3, "tickcolor": QUIET},
    }
    return go.layout.Template(
        layout={
            "font": {"family": _FONT, "size": FONT_PX, "color": INK},
            "paper_bgcolor": "white",
            "plot_bgcolor": "white",
            "colorway": list(COLORWAY),
            "hovermode": "x",
            "hoversubplots": "axis",
            "hoverlabel": {"font": {"size": 12}, "namelength": -1},
            "showlegend": False,
            "xaxis": axis,
            "yaxis": {**axis, "mirror": True, "exponentformat": "power", "showexponent": "all", "minexponent": 5},
        }
    )
