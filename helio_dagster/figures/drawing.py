"""A pipeline's figure over its tables as a plotly figure: the one entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import plotly.graph_objects as go

from helio_dagster.domain.exclusions import NO_INTERVALS, Intervals, inside, union_of
from helio_dagster.domain.pipeline import Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.events import (
    LABEL_ROW_PX,
    MOST_LABEL_ROWS,
    Event,
    check_events,
    events_in_span,
    mark_events,
    unmarked,
)
from helio_dagster.figures.geometry import Place, stack_rows
from helio_dagster.figures.hatching import hatch
from helio_dagster.figures.header import make_header
from helio_dagster.figures.own_axes import OWN_AXIS_PX
from helio_dagster.figures.panels import check_figure
from helio_dagster.figures.parts import LABEL_SHIFT_PX, Parts, title_annotation
from helio_dagster.figures.rows import PlannedRow, Room, Stack, plan_row

_LEAST_TITLE_SHIFT_PX = 62.0
_EDGE_PX = 12
_LEAST_RIGHT_PX = 64
"""Least room at the right of the panels."""


def draw(
    figure: Figure,
    tables: Mapping[str, Table],
    span: TimeRange,
    *,
    title: str,
    events: Table | None = None,
    excluded: Mapping[str, Intervals] | None = None,
) -> go.Figure:
    """Draw stacked panels; those over time share one axis over exactly `[start, stop)`, the others have their own.

    What has no data says so in its panel and never fails the figure. Any synthetic table marks the whole figure.

    Parameters
    ----------
    figure
        The pipeline's figure step.
    tables
        Data by the references that the figure's traces use; what is outside the span is not drawn.
    span
        Range of the time axis, UTC; the range that results without a time axis were taken from.
    title
        Title where the figure gives none.
    events
        Rows to mark in all panels over time: their time is the start, columns `stop` and `name` are optional.
    excluded
        Reference to what was excluded from its data, start and stop in ns since 1970, shape (interval, 2): hatched.

    Returns
    -------
    plotly.graph_objects.Figure
        The same inputs give an equal figure.

    Raises
    ------
    FigureError
        A table or component is missing, or a colour, range or event cannot be drawn; says which and what to do.
    """
    check_figure(figure)
    count = len(figure.panels)
    rows = [
        plan_row(panel, tables, span, f"figure.panels[{index}]", panel_count=count) for index, panel in enumerate(figure.panels)
    ]
    if events is None and figure.events is not None:
        events = tables.get(figure.events)  # a step that a panel draws too
    if events is not None and figure.events is not None:
        check_events(events.meta, figure.events)
    found = events_in_span(events, span) if events is not None and events.meta.columns else []
    places = stack_rows([row.height_px for row in rows], _rooms_px(rows, found))
    right_px = _right_margin_px(rows)
    about_px = look.WIDTH_PX - right_px - _LEAST_TITLE_SHIFT_PX - 2 * _EDGE_PX
    parts = [row.draw(Room(place, right_px - LABEL_SHIFT_PX, about_px)) for row, place in zip(rows, places, strict=True)]
    is_hatched = False
    for panel, row, part, place in zip(figure.panels, rows, parts, places, strict=True):
        lost = [(excluded or {}).get(trace.data, NO_INTERVALS) for trace in panel.traces]
        if row.form == "time" and len(inside(union_of(lost), span)):
            hatch(part, union_of(lost), place, span, about_px)
            is_hatched = True
    used = [tables[trace.data] for panel in figure.panels for trace in panel.traces]
    is_synthetic = any(table.meta.synthetic for table in used) or (events is not None and events.meta.synthetic)
    stack = Stack([row.form for row in rows], places)
    layout = _lay_out(
        stack, parts, span, found, right_px, title=figure.title or title, is_synthetic=is_synthetic, is_hatched=is_hatched
    )
    return go.Figure(data=[trace for part in parts for trace in part.traces], layout=layout)


def _lay_out(
    stack: Stack,
    parts: Sequence[Parts],
    span: TimeRange,
    events: Sequence[Event],
    right_px: int,
    *,
    title: str,
    is_synthetic: bool,
    is_hatched: bool,
) -> go.Layout:
    """Margins, axes, marks and texts around the rows."""
    places = stack.places
    title_shift_px = _title_shift_px(parts)
    left_px = round(title_shift_px + max(part.title.thickness_px for part in parts) / 2 + _EDGE_PX)
    panel_width_px = look.WIDTH_PX - left_px - right_px
    bands = stack.time_bands
    marks = mark_events(events, span, panel_width_px, bands) if bands else unmarked(events)
    header = make_header(
        title,
        span,
        marks if stack.is_time_first else replace(marks, label_rows=0),
        panel_width_px,
        is_synthetic=is_synthetic,
        is_hatched=is_hatched,
    )
    last_time = stack.last_time
    layout = go.Layout(
        template=look.make_template(),
        height=round(places[0].stack_px + header.height_px + stack.bottom_px),
        margin={"l": left_px, "r": right_px, "t": header.height_px, "b": stack.bottom_px},
        xaxis=_time_axis(span, last_time.axis) if last_time else None,
        shapes=[*(shape for part in parts for shape in part.shapes), *marks.shapes],
        annotations=[
            *(
                title_annotation(part.title, place, title_shift_px)
                for part, place in zip(parts, places, strict=True)
                if part.axis is not None
            ),
            *(text for part in parts for text in part.annotations),
            *marks.annotations,
            *header.annotations,
            *([_utc_mark(title_shift_px, 0 if last_time is places[-1] else last_time.low)] if last_time else []),
        ],
        **_axes(parts, places),
        meta={"title": title},
    )
    if last_time is None:
        layout.hovermode = "closest"
    return layout


def _axes(parts: Sequence[Parts], places: Sequence[Place]) -> dict[str, go.layout.XAxis | go.layout.YAxis]:
    """Layout key to axis: the value axes of each row, and its own horizontal one where it is not over time."""
    axes = {place.axis_key: part.axis for part, place in zip(parts, places, strict=True) if part.axis is not None}
    own = {place.own_x_key: part.own_x for part, place in zip(parts, places, strict=True) if part.own_x is not None}
    right = {place.right_axis_key: part.right for part, place in zip(parts, places, strict=True) if part.right is not None}
    return {**axes, **own, **right}


def _rooms_px(rows: Sequence[PlannedRow], events: Sequence[Event]) -> list[float]:
    """Room below each row but the last: for axes that end there, and for events' labels above the first row over time."""
    forms = [row.form for row in rows]
    rooms: list[float] = [row.room_px for row in rows[:-1]]
    times = [index for index, form in enumerate(forms) if form == "time"]
    if times and times[-1] < len(rooms):
        rooms[times[-1]] = OWN_AXIS_PX
    if times and times[0] > 0:
        rooms[times[0] - 1] += LABEL_ROW_PX * min(MOST_LABEL_ROWS, sum(bool(event.name) for event in events))
    return rooms


def _time_axis(span: TimeRange, last_axis: str) -> go.layout.XAxis:
    """One time axis for all panels, over exactly the span; labels below the last panel."""
    return go.layout.XAxis(
        type="date",
        range=[span.start.replace(tzinfo=None).isoformat(), span.stop.replace(tzinfo=None).isoformat()],
        anchor=last_axis,
        tickformatstops=list(look.TIME_TICK_FORMATS),
        hoverformat="%Y-%m-%d %H:%M:%S.%3f",
        showspikes=True,
        spikemode="across",
        spikethickness=1,
        spikecolor="#999999",
        spikedash="dot",
        spikesnap="cursor",
    )


def _title_shift_px(parts: Sequence[Parts]) -> float:
    """How far left of the panels the middle of all axis titles is: clear of the widest tick label, and of UTC."""
    widest = max(part.tick_px for part in parts)
    return max(_LEAST_TITLE_SHIFT_PX, widest + 10 + max(part.title.thickness_px for part in parts) / 2)


def _right_margin_px(rows: Sequence[PlannedRow]) -> int:
    """Room for the widest label, or for a colour bar."""
    return round(max(_LEAST_RIGHT_PX, *(row.right_px for row in rows)))


def _utc_mark(shift_px: float, low: float) -> go.layout.Annotation:
    """The letters UTC before the time labels."""
    return go.layout.Annotation(
        xref="paper",
        yref="paper",
        x=0,
        y=low,
        xshift=-shift_px,
        yshift=-4,
        xanchor="center",
        yanchor="top",
        text="UTC",
        showarrow=False,
        font={"size": 12},
        borderpad=0,
    )
