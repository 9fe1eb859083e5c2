"""Marks of events over all panels: dashed lines, shading, labels above."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.record_times import middles_ns
from helio_dagster.domain.table import Kind, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange, datetime_to_ns
from helio_dagster.figures import look
from helio_dagster.figures.markup import escape
from helio_dagster.figures.text_width import shorten, width_px

LABEL_ROW_PX = 16
MOST_LABEL_ROWS = 3
_LABEL_FONT_PX = 12
_MOST_MARKS = 200
_LABEL_GAP_PX = 10
_LONGEST_LABEL_PX = 260
_NAME_COLUMNS = ("name", "label", "event", "title")
_STOP_COLUMN = "stop"
_KIND_WORDS: dict[Kind, str] = {
    "series": "a series",
    "vector": "a vector",
    "spectrogram": "a spectrogram",
    "curve": "a curve",
    "map": "a map",
    "points": "a set of points",
    "nd": "data with several axes",
}


@dataclass(frozen=True)
class Event:
    """One event in the figure's span; times in milliseconds since 1970-01-01 UTC. An instant has no stop."""

    start_ms: float
    stop_ms: float | None
    name: str


@dataclass(frozen=True)
class EventMarks:
    """Shapes and labels of all events, rows of labels above the panels, how many events and how many names were left out."""

    shapes: tuple[go.layout.Shape, ...]
    annotations: tuple[go.layout.Annotation, ...]
    label_rows: int
    left_out: int
    unnamed: int = 0


def events_in_span(table: Table, span: TimeRange, where: str = "figure.events") -> list[Event]:
    """The events that touch the span, in order of start.

    The time column is the start. A column of role `stop`, or one called so (times, or ISO texts, empty for an instant), makes
    an event an interval; the name is the column name, label, event or title, else the first column of text, else the id.

    Raises
    ------
    FigureError
        A stop is not a time, or is before its start.
    """
    start_ms, stop_ms = span_ms(span)
    names = _names(table)
    stops = _stops_ms(table, where)
    found: list[Event] = []
    for index, begin in enumerate(middles_ns(table) / 1e6):
        finish = stops[index]
        if not np.isnan(finish) and finish < begin:
            raise FigureError(
                f"event {index + 1} ({names[index] or table.time[index]}) stops before it starts",
                where=where,
                hint="Fix the row in the table step.",
            )
        is_instant = bool(np.isnan(finish)) or finish == begin
        if begin < stop_ms and (begin >= start_ms if is_instant else finish > start_ms):
            found.append(Event(float(begin), None if is_instant else float(finish), names[index]))
    return found


def check_events(meta: TableMeta, reference: str) -> None:
    """Refuse to mark the rows of a table that are no events; metadata without columns are unknown. Raises FigureError."""
    if meta.columns and meta.kind not in ("events", "facts"):
        raise FigureError(
            f"{reference} is {_KIND_WORDS[meta.kind]}, and its rows are not events",
            where="figure.events",
            hint="Refer to a step with `table:`, or one that computes events.",
        )


def unmarked(events: Sequence[Event]) -> EventMarks:
    """The marks of a figure without a panel over time: none, all events left out."""
    return EventMarks((), (), 0, len(events))


def mark_events(
    events: Sequence[Event],
    span: TimeRange,
    panel_width_px: float,
    bands: Sequence[tuple[float, float]] = ((0, 1),),
) -> EventMarks:
    """Shading with dashed edges for intervals, dashed lines for instants, labels above that do not overlap.

    Parameters
    ----------
    bands
        Lower and upper end of each group of panels over time, from top to bottom, as fractions of all panels' height.
    panel_width_px
        Width of the panels in pixels, for the estimate of what fits; labels without room are left away, marks are not.
    """
    start_ms, stop_ms = span_ms(span)
    px_of_ms = panel_width_px / (stop_ms - start_ms)
    shapes: list[go.layout.Shape] = []
    annotations: list[go.layout.Annotation] = []
    ends_px = [-1e9] * MOST_LABEL_ROWS
    unnamed = 0
    for event in events[:_MOST_MARKS]:
        for band in bands:
            shapes += _shapes(event, start_ms, stop_ms, band)
        if not event.name:
            continue
        text = escape(shorten(event.name, _LONGEST_LABEL_PX, _LABEL_FONT_PX))
        width = width_px(text, _LABEL_FONT_PX)
        at_px = (max(event.start_ms, start_ms) - start_ms) * px_of_ms
        left = max(0.0, min(at_px, panel_width_px - width))
        row = next((row for row, end in enumerate(ends_px) if end + _LABEL_GAP_PX <= left), None)
        if row is None:
            unnamed += 1
            continue
        ends_px[row] = left + width
        annotations.append(_label(text, start_ms + left / px_of_ms, row, bands[0][1]))
    rows = sum(end > -1e9 for end in ends_px)
    return EventMarks(tuple(shapes), tuple(annotations), rows, max(0, len(events) - _MOST_MARKS), unnamed)


def _shapes(event: Event, start_ms: float, stop_ms: float, band: tuple[float, float]) -> list[go.layout.Shape]:
    edges = [event.start_ms] if event.stop_ms is None else [event.start_ms, event.stop_ms]
    shapes = [
        go.layout.Shape(
            type="line",
            xref="x",
            yref="paper",
            x0=edge,
            x1=edge,
            y0=band[0],
            y1=band[1],
            line={"color": look.EVENT_EDGE, "width": 1, "dash": "dash"},
            layer="above",
        )
        for edge in edges
        if start_ms <= edge <= stop_ms
    ]
    if event.stop_ms is None:
        return shapes
    fill = go.layout.Shape(
        type="rect",
        xref="x",
        yref="paper",
        x0=max(event.start_ms, start_ms),
        x1=min(event.stop_ms, stop_ms),
        y0=band[0],
        y1=band[1],
        fillcolor=look.EVENT_FILL,
        opacity=0.16,
        line={"width": 0},
        layer="below",
    )
    return [fill, *shapes]


def _label(text: str, at_ms: float, row: int, top: float) -> go.layout.Annotation:
    return go.layout.Annotation(
        xref="x",
        yref="paper",
        x=at_ms,
        y=top,
        yshift=row * LABEL_ROW_PX,
        xanchor="left",
        yanchor="bottom",
        text=text,
        showarrow=False,
        borderpad=1,
        font={"size": _LABEL_FONT_PX, "color": look.EVENT_TEXT},
    )


def span_ms(span: TimeRange) -> tuple[float, float]:
    """Start and stop in milliseconds since 1970-01-01 UTC."""
    start, stop = span.bounds_ns()
    return float(start.astype(np.int64)) / 1e6, float(stop.astype(np.int64)) / 1e6


def _names(table: Table) -> list[str]:
    texts = [name for name in table.meta.data_names if table.columns[name].dtype.kind in "OUS" and name.lower() != _STOP_COLUMN]
    first = texts[0] if texts else table.meta.role_name("id")
    chosen = next((name for wanted in _NAME_COLUMNS for name in texts if name.lower() == wanted), first)
    if chosen is None:
        return [""] * len(table)
    return [value.strip() if isinstance(value, str) else "" for value in table.columns[chosen].tolist()]


def _stops_ms(table: Table, where: str) -> NDArray[np.float64]:
    """Stop of each event in milliseconds; NaN for an instant."""
    named = next((name for name in table.meta.data_names if name.lower() == _STOP_COLUMN), None)
    column = table.meta.role_name("stop") or named
    if column is None:
        return np.full(len(table), np.nan)
    values = table.columns[column]
    if values.dtype.kind == "M":
        nanoseconds = values.astype("datetime64[ns]")
        return np.where(np.isnat(nanoseconds), np.nan, nanoseconds.astype(np.int64) / 1e6)
    return np.array([_moment_ms(value, row, where) for row, value in enumerate(values.tolist(), start=1)], dtype=np.float64)


def _moment_ms(value: object, row: int, where: str) -> float:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return float("nan")
    try:
        moment = datetime.fromisoformat(str(value).strip())
    except ValueError:
        raise FigureError(
            f"the stop of event {row}, {value!r}, is not a time",
            where=where,
            hint="Write an ISO time such as 2003-10-29T06:11Z.",
        ) from None
    aware = moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
    return float(datetime_to_ns(aware).astype(np.int64)) / 1e6
