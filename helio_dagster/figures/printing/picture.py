"""A figure as PNG, PDF or SVG: the one entry of this room."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from io import BytesIO
from typing import Any, Literal, cast

import matplotlib as mpl
import plotly.graph_objects as go
from matplotlib.figure import Figure

from helio_dagster.figures.printing.axes import draw_frame, draw_grid, subplots_of
from helio_dagster.figures.printing.canvas import Canvas
from helio_dagster.figures.printing.fonts import embed_fonts, installed_families
from helio_dagster.figures.printing.frame import Frame, Settings
from helio_dagster.figures.printing.inks import Ink
from helio_dagster.figures.printing.marks import draw_shape, draw_text
from helio_dagster.figures.printing.traces import draw_trace, references

Format = Literal["png", "pdf", "svg"]
SCREEN_POINTS_PER_PX = 0.72
"""A pixel of the layout on a sheet for the screen: 100 to the inch."""
DEFAULT_DPI = 150.0

_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "helio_dagster",
    "pdf.fonttype": 42,
    "text.hinting": "none",
}
_lock = threading.Lock()


@dataclass(frozen=True)
class Print:
    """How a figure is put on a sheet.

    Parameters
    ----------
    points_per_px
        How long a pixel of the layout is, in points of 1/72 inch.
    dpi
        Dots per inch of a PNG, and of the images inside PDF and SVG.
    instead
        Colours of the description that have another on this sheet.
    about
        What the file says of itself, key to text.
    """

    points_per_px: float = SCREEN_POINTS_PER_PX
    dpi: float = DEFAULT_DPI
    instead: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)

    def saying(self, about: Mapping[str, str]) -> Print:
        """The same, of a file that says this of itself."""
        return replace(self, about=about)


def picture(figure: go.Figure, form: Format, how: Print = Print()) -> bytes:
    """Draw a figure as the bytes of a file; the same for the same figure.

    Parameters
    ----------
    figure
        As `drawing.draw` makes it: framed panels over or beside each other, lines, points, images, marks and texts.
    form
        `png`; `pdf` and `svg` hold text as text with its fonts, lines as lines, and spectrograms as images.
    how
        Size, resolution and colours.
    """
    with _lock, mpl.rc_context():  # its settings belong to the process
        mpl.rcParams.update(cast("Any", {**_defaults(), **_SETTINGS, "font.family": installed_families()}))
        sheet = _drawn(figure, how)
        stream = BytesIO()
        sheet.savefig(stream, format=form, dpi=how.dpi, metadata=_metadata(form, how.about), facecolor=sheet.get_facecolor())
    content = stream.getvalue()
    return embed_fonts(content) if form == "svg" else content


@cache
def _defaults() -> dict[str, Any]:
    """Matplotlib's own settings, whatever a person's are; `rcdefaults` would read thirty files of styles for it."""
    return {name: value for name, value in mpl.rcParamsDefault.items() if name != "backend"}


def _drawn(figure: go.Figure, how: Print) -> Figure:
    """The sheet: what is below the data, the data, and what is over them."""
    layout: Settings = figure.layout.to_plotly_json()
    traces: list[Settings] = [trace.to_plotly_json() for trace in figure.data]
    frame = Frame(layout)
    canvas = Canvas(frame.width_px, frame.height_px, points_per_px=how.points_per_px, dpi=how.dpi, ink=Ink(how.instead))
    shapes, notes = layout.get("shapes", ()), layout.get("annotations", ())
    for shape in shapes:
        if shape.get("layer") == "below":
            draw_shape(canvas, frame, shape)
    plots = subplots_of(frame, references(traces))
    for plot in plots:
        draw_grid(canvas, plot)
    by_axes = {(plot.x.name, plot.y.name): plot for plot in plots}
    images_first = sorted(traces, key=lambda trace: bool(trace["type"] != "heatmap"))
    for trace, axes in zip(images_first, references(images_first), strict=True):
        draw_trace(canvas, frame, by_axes[axes], trace)
    for plot in plots:
        draw_frame(canvas, plot)
    for shape in shapes:
        if shape.get("layer") != "below":
            draw_shape(canvas, frame, shape)
    for note in notes:
        draw_text(canvas, frame, note)
    return canvas.figure


def _metadata(form: Format, about: Mapping[str, str]) -> dict[str, str | None]:
    """What a file says of itself; never when it was made."""
    if form == "png":
        return {"Software": None, **about}
    if form == "pdf":
        return {"CreationDate": None, "Producer": None, "Creator": None, **about}
    return {"Date": None, "Creator": None, **about}
