"""Several subplots in one row of a figure: where each is, and the names of its axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import plotly.graph_objects as go

from helio_dagster.figures import look
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits
from helio_dagster.figures.markup import label_to_html, unit_to_html
from helio_dagster.figures.own_axes import title_below
from helio_dagster.figures.text_width import width_px
from helio_dagster.figures.ticks import linear_labels

CELL_GAP_PX = 78.0
"""Between subplots beside each other: for the tick labels and the title of the one at the right."""
_AXES_FROM, _AXES_PER_ROW = 2000, 200
_MOST_TICKS, _FEWEST_TICKS = 6, 2
_TICK_FONT_PX, _TICK_GAP_PX = 12, 10.0
_LABEL_GAP_PX, _STRIP_PX = 16.0, 8.0


@dataclass(frozen=True)
class Cell:
    """One subplot: its upright place, its ends as fractions of the panels' width, about its width in pixels, and its number.

    The first has the axes of the row; `column` counts from 0 at the left.
    """

    place: Place
    ends: tuple[float, float]
    width_px: float
    number: int
    column: int

    @property
    def _id(self) -> int:
        return _AXES_FROM + _AXES_PER_ROW * self.place.index + self.number

    @property
    def x(self) -> str:
        """Plotly's id of its horizontal axis."""
        return f"x{self._id}" if self.number else self.place.own_x

    @property
    def y(self) -> str:
        """Plotly's id of its value axis."""
        return f"y{self._id}" if self.number else self.place.axis

    @property
    def axes(self) -> dict[str, str]:
        """Its axes, as traces name them."""
        return {"xaxis": self.x, "yaxis": self.y}

    @property
    def axis_keys(self) -> tuple[str, str]:
        """Plotly's layout keys of both axes."""
        return f"xaxis{self.x[1:]}", f"yaxis{self.y[1:]}"


def make_cells(
    place: Place, count: int, columns: int, panel_px: float, *, gap_px: float = CELL_GAP_PX, below_px: float
) -> list[Cell]:
    """Equal subplots that fill a row, from the left and from the top.

    Parameters
    ----------
    panel_px
        Width of the row, in pixels.
    gap_px, below_px
        Room between them: beside each other, and below each other.
    """
    rows = math.ceil(count / columns)
    width_px = (panel_px - gap_px * (columns - 1)) / columns
    height_px = (place.height_px - below_px * (rows - 1)) / rows
    found = []
    for number in range(count):
        row, column = divmod(number, columns)
        left = column * (width_px + gap_px)
        high = place.high - row * (height_px + below_px) / place.stack_px
        low = max(0.0, high - height_px / place.stack_px)
        ends = (left / panel_px, min(1.0, (left + width_px) / panel_px))
        found.append(Cell(Place(place.index, low, high, place.stack_px), ends, width_px, number, column))
    return found


def lines_of_items(items: Sequence[tuple[str, str]], room_px: float) -> list[list[tuple[str, str]]]:
    """Labels, markup and colour, in lines of a width in pixels."""
    lines: list[list[tuple[str, str]]] = []
    used = 0.0
    for text, color in items:
        width = width_px(text, look.FONT_PX)
        if not lines or used + width > room_px:
            lines.append([])
            used = 0.0
        lines[-1].append((text, color))
        used += width + _LABEL_GAP_PX
    return lines


def strip_px(lines: Sequence[object]) -> float:
    """Height of the strip at the top of a row in which lines of labels stand."""
    return len(lines) * look.LABEL_LINE_PX + _STRIP_PX if lines else 0.0


def strip_labels(lines: Sequence[Sequence[tuple[str, str]]], place: Place) -> list[go.layout.Annotation]:
    """The labels in the strip at the top of a row, from its left."""
    found = []
    for number, line in enumerate(lines):
        x = 0.0
        for text, color in line:
            found.append(
                go.layout.Annotation(
                    xref="paper",
                    yref="paper",
                    x=0,
                    y=place.high,
                    xshift=x,
                    yshift=-number * look.LABEL_LINE_PX,
                    xanchor="left",
                    yanchor="top",
                    text=text,
                    showarrow=False,
                    borderpad=0,
                    font={"color": color},
                )
            )
            x += width_px(text, look.FONT_PX) + _LABEL_GAP_PX
    return found


def without_strip(place: Place, lines: Sequence[object]) -> Place:
    """The part of a row below its labels."""
    return replace(place, high=place.high - strip_px(lines) / place.stack_px)


def square_axes(cell: Cell, x_limits: Limits | None, y_limits: Limits | None) -> tuple[go.layout.XAxis, go.layout.YAxis]:
    """Axes with one scale, as far as the subplot has room; bare where there is nothing to show."""
    x_axis = go.layout.XAxis(domain=list(cell.ends), anchor=cell.y, type="linear", range=x_limits or (0, 1))
    y_axis = go.layout.YAxis(
        domain=[cell.place.low, cell.place.high], anchor=cell.x, type="linear", range=y_limits or (0, 1), nticks=_MOST_TICKS
    )
    x_axis.update(
        nticks=_most_labels(cell, x_limits), exponentformat="power", showexponent="all", minexponent=5, hoverformat=".5g"
    )
    x_axis.update(scaleanchor=cell.y, scaleratio=1, constrain="domain", constraintoward="left")
    y_axis.constrain = "domain"
    if x_limits is None or y_limits is None:
        for axis in (x_axis, y_axis):
            axis.update(showticklabels=False, showgrid=False, ticks="", minor={"ticks": ""})
    return x_axis, y_axis


def _most_labels(cell: Cell, limits: Limits | None) -> int:
    """How many tick labels have room side by side."""
    if limits is None:
        return _MOST_TICKS
    for most in range(_MOST_TICKS, _FEWEST_TICKS, -1):
        labels = linear_labels(*limits, most=most)
        if sum(width_px(label, _TICK_FONT_PX) + _TICK_GAP_PX for label in labels) <= cell.width_px:
            return most
    return _FEWEST_TICKS


def cell_x_title(title: str, unit: str, cell: Cell) -> go.layout.Annotation:
    """Title and unit below the tick labels of a subplot."""
    shown, shown_unit = label_to_html(title), unit_to_html(unit)
    return title_below(f"{shown} [{shown_unit}]".strip() if shown_unit else shown, f"{cell.x} domain", f"{cell.y} domain", 0)
