"""The axes of a panel that is not over time: its own horizontal axis with title and ticks, and texts inside the panel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.domain.table import Scale
from helio_dagster.figures import look
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits
from helio_dagster.figures.markup import label_to_html, unit_to_html
from helio_dagster.figures.parts import set_ticks
from helio_dagster.figures.text_width import shorten
from helio_dagster.figures.ticks import log_ticks, padded_range

OWN_AXIS_PX = 52
"""Room below a panel for the tick labels and the title of its own axis, or for the labels of the time axis."""

TITLE_NAME = "x title"
"""Name of the title of a panel's own axis."""

_TITLE_SHIFT_PX = 23
_MOST_TICKS = 11
_MOST_TICKS_OF_SQUARE = 8
_FEWEST_TICKS, _TICK_PX, _SQUARE_TICK_PX = 3, 38.0, 34.0
_LONGEST_TITLE_PX = 700
_NOTE_FONT_PX = 11
_ZERO_COLOR = "#A9B0B4"


def extent(arrays: Sequence[NDArray[np.floating]], scale: Scale) -> Limits | None:
    """Lowest and highest of the values, shape (point,) each, that an axis can show, in their unit; None where there is none."""
    lows, highs = [], []
    for values in arrays:
        shown = values[np.isfinite(values) & ((values > 0) if scale == "log" else True)]
        if len(shown):
            lows.append(float(shown.min()))
            highs.append(float(shown.max()))
    return (min(lows), max(highs)) if lows else None


def tight_limits(ends: Limits, scale: Scale) -> Limits:
    """An axis from end to end of what is drawn; with room around a single value."""
    low, high = ends
    if low == high:
        return padded_range(low, high, scale)
    return (float(np.log10(low)), float(np.log10(high))) if scale == "log" else ends


def own_axis(
    place: Place, scale: Scale, limits: Limits | None, *, is_square: bool = False, panel_px: float | None = None
) -> go.layout.XAxis:
    """The horizontal axis of a panel: scale, range, ticks; bare where there is nothing to show.

    A square panel is as wide as its units are high, at the left, whatever the width of the page; in another one of a width
    in pixels there are as many ticks as have room.
    """
    axis = go.layout.XAxis(domain=[0, 1], anchor=place.axis, type=scale, range=limits or (0, 1), hoverformat=".5g")
    axis.exponentformat, axis.showexponent, axis.minexponent = "power", "all", 5
    most = max(_FEWEST_TICKS, min(_MOST_TICKS_OF_SQUARE, int(place.height_px / _SQUARE_TICK_PX))) if is_square else _MOST_TICKS
    if panel_px is not None and not is_square:
        most = min(most, max(_FEWEST_TICKS, int(panel_px / _TICK_PX)))
    if limits is None:
        axis.showticklabels, axis.showgrid, axis.ticks, axis.minor = False, False, "", {"ticks": ""}
    elif scale == "log":
        set_ticks(axis, log_ticks(*limits, most=most))
    else:
        axis.nticks = most
    if is_square:
        axis.scaleanchor, axis.scaleratio = place.axis, 1
        axis.constrain, axis.constraintoward = "domain", "left"
    return axis


def x_title(title: str, unit: str, place: Place) -> go.layout.Annotation:
    """Title and unit below the tick labels of a panel's own axis."""
    shown_unit = unit_to_html(unit)
    shown = label_to_html(shorten(title, _LONGEST_TITLE_PX, look.FONT_PX, markup=label_to_html))
    words = f"{shown} [{shown_unit}]".strip() if shown_unit else shown
    return title_below(words, f"{place.own_x} domain", f"{place.axis} domain", 0).update(name=TITLE_NAME)


def title_below(text: str, xref: str, yref: str, y: float) -> go.layout.Annotation:
    """A title below tick labels: in the middle of `xref`, below `y` of `yref`."""
    return go.layout.Annotation(
        xref=xref,
        yref=yref,
        x=0.5,
        y=y,
        yshift=-_TITLE_SHIFT_PX,
        xanchor="center",
        yanchor="top",
        text=text,
        showarrow=False,
        borderpad=0,
        font={"size": look.FONT_PX},
    )


def corner_note(lines: Sequence[str], place: Place, *, xref: str = "") -> list[go.layout.Annotation]:
    """Short grey lines in the lower left corner of a panel: what of the data is not drawn.

    `xref` is the panel's horizontal extent, its own where not given.
    """
    return [
        go.layout.Annotation(
            xref=xref or f"{place.own_x} domain",
            yref=f"{place.axis} domain",
            x=0,
            y=0,
            xshift=8,
            yshift=6 + 14 * line,
            xanchor="left",
            yanchor="bottom",
            text=label_to_html(text),
            showarrow=False,
            font={"size": _NOTE_FONT_PX, "color": look.QUIET},
            bgcolor="rgba(255, 255, 255, 0.5)",
            borderpad=1,
        )
        for line, text in enumerate(lines)
    ]


def show_zero(axis: go.layout.XAxis | go.layout.YAxis) -> None:
    """A line through zero, where the axis has one."""
    if axis.type == "linear":
        axis.zeroline, axis.zerolinewidth, axis.zerolinecolor = True, 1, _ZERO_COLOR


def not_positive_words(count: int, axes: str = "") -> list[str]:
    """What a log axis leaves out, as a line; none where it leaves nothing out."""
    if not count:
        return []
    return [f"{count:,} {'value' if count == 1 else 'values'} at or below zero not drawn{axes}"]
