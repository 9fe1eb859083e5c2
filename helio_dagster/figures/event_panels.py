"""Events as a trace of a panel over time: shaded intervals and dashed lines inside that panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from helio_dagster.domain.figure import Panel
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.events import Event, events_in_span, span_ms
from helio_dagster.figures.forms import is_event_trace
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.markup import escape, unit_codes_removed
from helio_dagster.figures.parts import Parts, fit_title, panel_note
from helio_dagster.figures.text_width import shorten, width_px

EVENT_LANE_PX = 52
"""Height of the lane of one trace in a panel that shows events alone."""

_MOST_SHAPES = 500
_FONT_PX = 11
_LINE_PX = 15
_GAP_PX = 8
_LONGEST_NAME_PX = 180
_COLORS = (look.EVENT_EDGE, look.PURPLE, look.GREEN, look.BLUE, look.CORAL)
_OPACITY = {True: 0.4, False: 0.16}
"""Of the shade, by whether the panel shows events alone."""


@dataclass(frozen=True)
class EventTrace:
    """The events of one trace, inside the figure's span."""

    label: str
    color: str
    events: tuple[Event, ...]

    @property
    def item(self) -> tuple[str, str]:
        """Plain text and colour of its label; events that are not drawn are counted."""
        if not self.events:
            return f"{self.label}: no events", look.QUIET
        more = len(self.events) - _MOST_SHAPES
        return (f"{self.label} (+ {more} more)" if more > 0 else self.label), self.color


def event_traces(panel: Panel, tables: Mapping[str, Table], span: TimeRange, path: str) -> list[EventTrace]:
    """The panel's traces of events.

    Raises
    ------
    FigureError
        An event's stop is not a time, or before its start.
    """
    found: list[EventTrace] = []
    for index, trace in enumerate(panel.traces):
        table = tables[trace.data]
        if is_event_trace(trace, table.meta):
            events = events_in_span(table, span, f"{path}.traces[{index}].data")
            label = trace.label or unit_codes_removed(table.meta.label) or trace.data
            found.append(EventTrace(label, trace.color or _COLORS[len(found) % len(_COLORS)], tuple(events)))
    return found


def draw_events_alone(panel: Panel, traces: Sequence[EventTrace], place: Place, span: TimeRange, width_px: float) -> Parts:
    """A panel with events and nothing else: one lane for each trace, without values at the axis."""
    axis = go.layout.YAxis(domain=[place.low, place.high], anchor="x", range=(0, 1), showticklabels=False, showgrid=False)
    axis.ticks, axis.minor = "", {"ticks": ""}
    parts = Parts(fit_title(panel.y.title or "", "", place.height_px), axis, 0.0)
    parts.traces.append(go.Scatter(x=[], y=[], yaxis=place.axis))
    if not any(trace.events for trace in traces):
        parts.annotations.append(panel_note("no events", place))
    for lane, trace in enumerate(traces):
        ends = (1 - (lane + 1) / len(traces), 1 - lane / len(traces))
        _draw(parts, trace, place, span, width_px, ends, is_alone=True)
    return parts


def add_events(parts: Parts, traces: Sequence[EventTrace], place: Place, span: TimeRange, width_px: float) -> None:
    """Shade the events behind what a panel shows."""
    for trace in traces:
        _draw(parts, trace, place, span, width_px, (0, 1), is_alone=False)


def _draw(
    parts: Parts,
    trace: EventTrace,
    place: Place,
    span: TimeRange,
    panel_width_px: float,
    ends: tuple[float, float],
    *,
    is_alone: bool,
) -> None:
    start_ms, stop_ms = span_ms(span)
    px_of_ms = panel_width_px / (stop_ms - start_ms)
    rows = max(1, int((ends[1] - ends[0]) * place.height_px / _LINE_PX) - 1) if is_alone else 1
    filled_px = [-1e9] * rows
    for event in trace.events[:_MOST_SHAPES]:
        begin = max(event.start_ms, start_ms)
        parts.shapes.append(
            _shape(event, begin, min(event.stop_ms or begin, stop_ms), place, trace.color, ends, _OPACITY[is_alone])
        )
        if not event.name:
            continue
        text = escape(shorten(event.name, _LONGEST_NAME_PX, _FONT_PX))
        width = width_px(text, _FONT_PX)
        left = max(0.0, min((begin - start_ms) * px_of_ms, panel_width_px - width - 6))
        row = next((row for row, filled in enumerate(filled_px) if filled + _GAP_PX <= left), None)
        if row is not None:
            filled_px[row] = left + width
            parts.annotations.append(_name(text, start_ms + left / px_of_ms, place, ends[1], row, trace.color))


def _shape(
    event: Event, begin: float, finish: float, place: Place, color: str, ends: tuple[float, float], opacity: float
) -> go.layout.Shape:
    shape = go.layout.Shape(xref="x", yref=f"{place.axis} domain", x0=begin, x1=finish, y0=ends[0], y1=ends[1], layer="below")
    if event.stop_ms is None:
        shape.type, shape.line = "line", {"color": color, "width": 1, "dash": "dash"}
    else:
        shape.type, shape.fillcolor, shape.opacity, shape.line = "rect", color, opacity, {"width": 0}
    return shape


def _name(text: str, at_ms: float, place: Place, top: float, row: int, color: str) -> go.layout.Annotation:
    return go.layout.Annotation(
        xref="x",
        yref=f"{place.axis} domain",
        x=at_ms,
        y=top,
        xshift=3,
        yshift=-3 - row * _LINE_PX,
        xanchor="left",
        yanchor="top",
        text=text,
        showarrow=False,
        borderpad=0,
        font={"size": _FONT_PX, "color": color},
    )
