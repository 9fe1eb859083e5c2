"""The marks that a panel asks for: lines across it, shaded bands, texts with arrows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import plotly.graph_objects as go

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.figure_marks import Mark
from helio_dagster.figures import look
from helio_dagster.figures.colors import check_color
from helio_dagster.figures.forms import OWN_AXES, Form
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.parts import Parts
from helio_dagster.figures.slope_marks import add_slope, check_slope
from helio_dagster.figures.text_width import shorten

_FONT_PX = 12
_BAND_OPACITY = 0.13
_ARROW_PX = 34
_LINE_PX = 16
_LONGEST_PX = 240
_BEHIND = "rgba(255, 255, 255, 0.7)"


def check_marks(panel: Panel, form: Form, path: str) -> None:
    """Refuse marks that do not fit the axes of a panel; raises FigureError with the mark's path."""
    for index, mark in enumerate(panel.marks):
        where = f"{path}.marks[{index}]"
        if mark.color is not None:
            check_color(mark.color, f"{where}.color")
        several = panel.each is not None or (panel.orbit is not None and len(panel.orbit.planes) > 1)
        if several or form in ("polar", "calendar"):
            hint = "Remove it; an orbit in one plane takes marks." if panel.orbit is not None else "Remove it."
            raise FigureError("marks need a panel with one pair of axes", where=where, hint=hint)
        check_slope(mark, form, where)
        if form == "facts":
            raise FigureError("a table of facts has no axes to mark", where=where, hint="Remove it.")
        if mark.x is not None and mark.is_timed != (form not in OWN_AXES):
            is_timed = form not in OWN_AXES
            hint = "Write a time, such as 2003-10-29T06:11Z." if is_timed else "Write a number of the panel's horizontal axis."
            problem = "the panel is over time, and the mark is at a number" if is_timed else "the panel is not over time"
            raise FigureError(problem, where=f"{where}.x", hint=hint)


def add_marks(parts: Parts, panel: Panel, form: Form, place: Place, path: str) -> None:
    """Draw the panel's marks over its data; bands behind them."""
    own = form in OWN_AXES
    x_axis = place.own_x if own else "x"
    starts: list[Any] = []
    is_log = (parts.own_x is not None and parts.own_x.type == "log", parts.axis is not None and parts.axis.type == "log")
    for index, mark in enumerate(panel.marks):
        color = mark.color or look.SLATE
        if mark.slope is not None:
            add_slope(parts, mark, color, place, f"{path}.marks[{index}].slope")
            continue
        if mark.is_text:
            parts.annotations.append(_text(mark, color, x_axis, place, is_log))
            continue
        parts.shapes.append(_shape(mark, color, x_axis, place))
        if mark.text:
            label = _label(mark, color, x_axis, place, is_log)
            if mark.y is not None and parts.axis is not None and parts.axis.range is not None:
                _keep_on_axis(label, mark.y, parts.axis.range, is_log=is_log[1])
            if mark.x is not None:  # what begins at one place is said below each other
                label.yshift -= _LINE_PX * starts.count(label.x)
                starts.append(label.x)
            parts.annotations.append(label)


def _shape(mark: Mark, color: str, x_axis: str, place: Place) -> go.layout.Shape:
    is_upright = mark.x is not None
    given = mark.x if is_upright else mark.y
    ends = [_place(each) for each in (given if isinstance(given, tuple) else (given, given))]
    shape = go.layout.Shape(type="rect" if isinstance(given, tuple) else "line")
    if is_upright:
        shape.xref, shape.yref, shape.x0, shape.x1, shape.y0, shape.y1 = x_axis, f"{place.axis} domain", *ends, 0, 1
    else:
        shape.xref, shape.yref, shape.x0, shape.x1, shape.y0, shape.y1 = f"{x_axis} domain", place.axis, 0, 1, *ends
    if isinstance(given, tuple):
        shape.fillcolor, shape.opacity, shape.line, shape.layer = color, _BAND_OPACITY, {"width": 0}, "below"
    else:
        shape.line, shape.layer = {"color": color, "width": 1.2, "dash": mark.dash or "dash"}, "above"
    return shape


def _label(mark: Mark, color: str, x_axis: str, place: Place, is_log: tuple[bool, bool]) -> go.layout.Annotation:
    """What a line or a band says: at its upper end, or at the right above it."""
    text = go.layout.Annotation(
        text=_shown(mark.text), showarrow=False, font={"size": _FONT_PX, "color": color}, borderpad=1, bgcolor=_BEHIND
    )
    if mark.x is not None:
        at = mark.x[0] if isinstance(mark.x, tuple) else mark.x
        text.xref, text.yref, text.x, text.y = x_axis, f"{place.axis} domain", _on_axis(at, is_log=is_log[0]), 1
        text.xshift, text.yshift, text.xanchor, text.yanchor = 4, -3, "left", "top"
    else:
        assert mark.y is not None  # noqa: S101 - a mark has one of both
        at_y = mark.y[1] if isinstance(mark.y, tuple) else mark.y
        text.xref, text.yref, text.x, text.y = f"{x_axis} domain", place.axis, 1, _on_axis(at_y, is_log=is_log[1])
        is_band = isinstance(mark.y, tuple)
        text.xshift, text.yshift, text.xanchor, text.yanchor = -5, -1 if is_band else 1, "right", "top" if is_band else "bottom"
    return text


def _keep_on_axis(label: go.layout.Annotation, given: Any, limits: Sequence[float], *, is_log: bool) -> None:
    """Put what a band says that reaches over the axis at the axis' end; a band that lies off it says nothing, like its fill."""
    low, high = sorted(limits)
    ends = [_on_axis(each, is_log=is_log) for each in (given if isinstance(given, tuple) else (given, given))]
    if isinstance(given, tuple) and min(ends) < high < label.y and max(ends) > low:
        label.y = high


def _text(mark: Mark, color: str, x_axis: str, place: Place, is_log: tuple[bool, bool]) -> go.layout.Annotation:
    note = go.layout.Annotation(
        xref=x_axis,
        yref=place.axis,
        x=_on_axis(mark.x, is_log=is_log[0]),
        y=_on_axis(mark.y, is_log=is_log[1]),
        text=_shown(mark.text),
        font={"size": _FONT_PX, "color": color},
        showarrow=mark.arrow,
        bgcolor=_BEHIND,
        borderpad=1,
    )
    if mark.arrow:
        note.ax, note.ay, note.arrowcolor, note.arrowwidth, note.arrowhead = _ARROW_PX, -_ARROW_PX, color, 1.2, 2
        note.xanchor, note.yanchor = "left", "bottom"
    return note


def _shown(text: str) -> str:
    """A text as markup, cut where it is longer than a column is wide."""
    return label_to_html(shorten(text, _LONGEST_PX, _FONT_PX, markup=label_to_html))


def _place(given: Any) -> Any:
    """A number, or a time as plotly takes it."""
    return given.replace(tzinfo=None).isoformat() if isinstance(given, datetime) else given


def _on_axis(given: Any, *, is_log: bool) -> Any:
    """A place of a text: plotly wants the power of ten on a log axis, where a shape gives the number."""
    if is_log and not isinstance(given, datetime):
        return math.log10(given) if given > 0 else given
    return _place(given)
