"""One stack of panels as a plotly figure: its rows in their places, and everything around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import plotly.graph_objects as go

from helio_dagster.domain.exclusions import Intervals, inside
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.axis_rows import ROW_PX, TimeRows, labels_below, labels_width_px, make_time_rows
from helio_dagster.figures.events import LABEL_ROW_PX, MOST_LABEL_ROWS, Event, mark_events, unmarked
from helio_dagster.figures.footer import make_footer
from helio_dagster.figures.geometry import Place, stack_rows
from helio_dagster.figures.hatching import hatch
from helio_dagster.figures.header import make_header
from helio_dagster.figures.labels_above import are_above, lines_of_labels, move_above, room_above_px
from helio_dagster.figures.letters import panel_letters
from helio_dagster.figures.own_axes import OWN_AXIS_PX
from helio_dagster.figures.panel_marks import add_marks
from helio_dagster.figures.parts import LABEL_SHIFT_PX, Parts, set_ticks, title_annotation
from helio_dagster.figures.planned_row import PlannedRow, Room, Stack
from helio_dagster.figures.shared_axes import are_shared, share_axes
from helio_dagster.figures.shared_colors import even_bar_titles, share_colors
from helio_dagster.figures.sheet import Sheet

_LEAST_TITLE_SHIFT_PX, _LEAST_NARROW_SHIFT_PX = 62.0, 46.0
_EDGE_PX = 12
_LEAST_RIGHT_PX = 64
"""Least room at the right of the panels."""
_LEAST_BARE_PX = 42
"""The same where no labels stand there: for half of the last date."""


@dataclass(frozen=True)
class Content:
    """What a stack shows.

    Parameters
    ----------
    figure
        The step, with the panels of this stack alone.
    numbers
        Which of the whole figure's panels each row is, from 1: the names of its axes go by it.
    excluded
        What is excluded from each row.
    points
        Those that a line over time may have.
    first_letter
        How many panels are lettered before these.
    """

    figure: Figure
    tables: Mapping[str, Table]
    rows: Sequence[PlannedRow]
    numbers: Sequence[int]
    events: Sequence[Event]
    excluded: Sequence[Intervals]
    title: str
    points: int
    is_synthetic: bool = False
    remarks: Sequence[str] = ()
    first_letter: int = 0


def compose(content: Content, span: TimeRange, sheet: Sheet) -> go.Figure:
    """The rows drawn in their places, and everything around them.

    Raises
    ------
    FigureError
        A row cannot be drawn as asked.
    """
    rows = content.rows
    heights, rooms = [row.height_px for row in rows], _rooms_px(rows, content)
    places = stack_rows(heights, rooms, numbers=content.numbers)
    is_above = are_above(rows, sheet)
    right_px = _right_margin_px(rows, is_above=is_above)
    left_px = _LEAST_TITLE_SHIFT_PX + 2 * _EDGE_PX
    parts = _draw_rows(content, places, sheet, left_px, right_px, is_above=is_above)
    if sheet.is_narrow:  # there every pixel counts: with what is left of the panels known
        left_px = _left_px(parts, content, sheet)
        parts = _draw_rows(content, places, sheet, left_px, right_px, is_above=is_above)
    if is_above:
        lines = [lines_of_labels(part, sheet.width_px - left_px - _EDGE_PX) for part in parts]
        above = [room_above_px(each) for each in lines]
        rooms = [room + extra for room, extra in zip(rooms, above[1:], strict=True)]
        places = stack_rows(heights, rooms, above[0], numbers=content.numbers)
        parts = _draw_rows(content, places, sheet, left_px, right_px, is_above=is_above)
        for part, place in zip(parts, places, strict=True):
            move_above(lines_of_labels(part, sheet.width_px - left_px - _EDGE_PX), place)
    share_axes(rows, parts, places)
    about_px = sheet.width_px - left_px - right_px
    is_hatched = False
    for panel, row, lost, part, place in zip(content.figure.panels, rows, content.excluded, parts, places, strict=True):
        if row.form == "time" and len(inside(lost, span)):
            hatch(part, lost, place, span, about_px)
            is_hatched = True
        add_marks(part, panel, row.form, place, f"figure.panels[{place.index - 1}]")
    if content.figure.color_bar == "shared":
        share_colors(parts, places)
    even_bar_titles(parts)
    stack = Stack([row.form for row in rows], places)
    layout = _lay_out(stack, parts, span, content, right_px, sheet, is_hatched=is_hatched)
    return go.Figure(data=[trace for part in parts for trace in part.traces], layout=layout)


def _draw_rows(
    content: Content, places: Sequence[Place], sheet: Sheet, left_px: float, right_px: float, *, is_above: bool
) -> list[Parts]:
    """The rows in their places; a table of facts may be as wide as the sheet."""
    beside_px, panel_px = right_px - LABEL_SHIFT_PX, sheet.width_px - left_px - right_px
    parts = []
    for row, place in zip(content.rows, places, strict=True):
        whole_px = panel_px + right_px - _EDGE_PX
        label_px = whole_px + row.bar_px if is_above else beside_px
        parts.append(row.draw(Room(place, label_px, whole_px if row.form == "facts" else panel_px, content.points)))
    return parts


def _left_px(parts: Sequence[Parts], content: Content, sheet: Sheet) -> int:
    """Room at the left of the panels: for their titles, and for what stands before rows of values."""
    titles_px = _title_shift_px(parts, sheet) + _thickest_px(parts) / 2
    row_labels = labels_below(content.figure.below, content.tables, sheet.width_px)
    return round(max(titles_px, labels_width_px(row_labels)) + _EDGE_PX)


def _lay_out(
    stack: Stack,
    parts: Sequence[Parts],
    span: TimeRange,
    content: Content,
    right_px: int,
    sheet: Sheet,
    *,
    is_hatched: bool,
) -> go.Layout:
    """Margins, axes, marks and texts around the rows."""
    places = stack.places
    title_shift_px = _title_shift_px(parts, sheet)
    row_labels = labels_below(content.figure.below, content.tables, sheet.width_px)
    left_px = _left_px(parts, content, sheet)
    panel_width_px = sheet.width_px - left_px - right_px
    bands = stack.time_bands
    marks = mark_events(content.events, span, panel_width_px, bands) if bands else unmarked(content.events)
    header = make_header(
        content.title,
        span,
        marks if stack.is_time_first else replace(marks, label_rows=0),
        panel_width_px,
        is_synthetic=content.is_synthetic,
        is_hatched=is_hatched,
        remarks=content.remarks,
        has_title=sheet.has_title,
        beside_px=right_px - _EDGE_PX if sheet.is_narrow else 0.0,
    )
    last_time = stack.last_time
    below = make_time_rows(content.figure.below, content.tables, row_labels, span, panel_width_px) if last_time else None
    below_px = below.height_px if below and last_time is places[-1] else 0
    bottom_px = stack.bottom_px + below_px
    footer = make_footer(sheet, bottom_px)
    letters: list[go.layout.Annotation] = []
    if sheet.has_letters:
        ends_ms = span.start.timestamp() * 1e3, span.stop.timestamp() * 1e3
        letters = panel_letters(parts, places, stack.forms, content.first_letter, panel_px=panel_width_px, span_ms=ends_ms)
    layout = go.Layout(
        template=look.make_template(),
        width=None if sheet.width_px == look.WIDTH_PX else sheet.width_px,
        height=round(places[0].stack_px + header.height_px + bottom_px + footer.height_px),
        margin={"l": left_px, "r": right_px, "t": header.height_px, "b": bottom_px + footer.height_px},
        xaxis=_time_axis(span, last_time.axis, below) if last_time else None,
        shapes=[*(shape for part in parts for shape in part.shapes), *marks.shapes],
        annotations=[
            *(
                title_annotation(part.title, place, title_shift_px)
                for part, place in zip(parts, places, strict=True)
                if part.axis is not None and part.title.text
            ),
            *(title_annotation(title, place, title_shift_px) for part in parts for title, place in part.more_titles),
            *(text for part in parts for text in part.annotations),
            *marks.annotations,
            *header.annotations,
            *footer.annotations,
            *letters,
            *([_utc_mark(title_shift_px, foot := 0 if last_time is places[-1] else last_time.low)] if last_time else []),
            *(below.annotations(foot) if below else []),
        ],
        **_axes(parts, places),
        meta={"title": content.title},
    )
    if last_time is None:
        layout.hovermode = "closest"
    return layout


def _axes(parts: Sequence[Parts], places: Sequence[Place]) -> dict[str, go.layout.XAxis | go.layout.YAxis]:
    """Layout key to axis: the value axes of each row, and its own horizontal one where it is not over time."""
    axes = {place.axis_key: part.axis for part, place in zip(parts, places, strict=True) if part.axis is not None}
    own = {place.own_x_key: part.own_x for part, place in zip(parts, places, strict=True) if part.own_x is not None}
    right = {place.right_axis_key: part.right for part, place in zip(parts, places, strict=True) if part.right is not None}
    return {**axes, **own, **right, **{key: axis for part in parts for key, axis in part.more_axes.items()}}


def _rooms_px(rows: Sequence[PlannedRow], content: Content) -> list[float]:
    """Room below each row but the last: for axes that end there, and for events' labels above the first row over time."""
    forms = [row.form for row in rows]
    rooms: list[float] = [
        look.GAP_PX if shared else row.room_px for row, shared in zip(rows[:-1], are_shared(rows), strict=False)
    ]
    times = [index for index, form in enumerate(forms) if form == "time"]
    if times and times[-1] < len(rooms):
        rooms[times[-1]] = OWN_AXIS_PX + ROW_PX * len(content.figure.below)
    if times and times[0] > 0:
        rooms[times[0] - 1] += LABEL_ROW_PX * min(MOST_LABEL_ROWS, sum(bool(event.name) for event in content.events))
    return rooms


def _time_axis(span: TimeRange, last_axis: str, below: TimeRows | None) -> go.layout.XAxis:
    """One time axis for all panels, over exactly the span; labels below the last panel."""
    axis = go.layout.XAxis(
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
    if below is not None:
        set_ticks(axis, below.ticks)
    return axis


def _title_shift_px(parts: Sequence[Parts], sheet: Sheet) -> float:
    """How far left of the panels the middle of all axis titles is: clear of the widest tick label, and of UTC."""
    widest = max(part.tick_px for part in parts)
    return max(
        _LEAST_NARROW_SHIFT_PX if sheet.is_narrow else _LEAST_TITLE_SHIFT_PX,
        widest + 10 + _thickest_px(parts) / 2,
    )


def _thickest_px(parts: Sequence[Parts]) -> float:
    """Thickness of the thickest title of a value axis at the left."""
    return max(title.thickness_px for part in parts for title in (part.title, *(title for title, _ in part.more_titles)))


def _right_margin_px(rows: Sequence[PlannedRow], *, is_above: bool) -> int:
    """Room for the widest label, or for a colour bar."""
    if is_above:
        return round(max(_LEAST_BARE_PX, *(row.bar_px for row in rows)))
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
