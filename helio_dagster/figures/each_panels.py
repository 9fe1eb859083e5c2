"""A row of small multiples: lines over the time from the start of each event, one subplot an event, all with the same axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.figure_kinds import Each
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.cells import Cell, lines_of_items, make_cells, strip_labels, strip_px, without_strip
from helio_dagster.figures.events import Event, events_in_span
from helio_dagster.figures.forms import Form, is_event_trace, known_tables
from helio_dagster.figures.gaps import records_in_span
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits
from helio_dagster.figures.intervals import time_words
from helio_dagster.figures.lines import curve_traces, label_items, spread_extent, why_empty
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.own_axes import title_below
from helio_dagster.figures.panels import Row, make_row
from helio_dagster.figures.parts import (
    AxisTitle,
    Parts,
    fit_label,
    fit_title,
    panel_note,
    tick_width_px,
    value_axis,
    value_limits,
)
from helio_dagster.figures.sheet import Sheet
from helio_dagster.figures.text_width import shorten
from helio_dagster.figures.ticks import padded_range

MOST_EVENTS = 48
_COLUMNS, _NARROW_COLUMNS = 4, 2
_CELL_PX, _NARROW_CELL_PX = 140.0, 104.0
_GAP_PX, _NARROW_GAP_PX = 12.0, 20.0
_NARROW_PX = 100.0
_SIDES_PX = 150.0
_TITLE_FONT_PX, _TITLE_INSET_PX = 11, 5
_SECONDS = {"min": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST = {"min": timedelta(hours=3), "h": timedelta(days=4)}
_X_TICKS = 5


@dataclass(frozen=True)
class EachPanel:
    """Small multiples with everything they show: events in order, and what is drawn of each."""

    path: str
    panel: Panel
    each: Each
    events: tuple[Event, ...]
    rows: tuple[Row, ...]
    left_out: int
    lines: tuple[tuple[tuple[str, str], ...], ...] = ()
    columns: int = 1
    height_px: float = 0.0

    @property
    def unit(self) -> str:
        """Unit of the time from the start: minutes, hours or days."""
        length = self.each.before + self.each.after
        return next((unit for unit, longest in _LONGEST.items() if length <= longest), "d")

    @property
    def line_count(self) -> int:
        """How many lines there are in all."""
        return sum(len(row.curves) for row in self.rows)

    def labels(self, room_px: float) -> list[tuple[str, str]]:
        """Markup and colour of the labels: lines where there are several, and how many events are not drawn."""
        curves = max(
            (row for row in self.rows), key=lambda row: sum(curve.status == "data" for curve in row.curves), default=None
        )
        items = [(fit_label(text, room_px), color) for text, color in label_items(curves)] if curves is not None else []
        return [*items, *([(f"{self.left_out} later events not drawn", look.QUIET)] if self.left_out else [])]


def check_each(panel: Panel, metas: Mapping[str, TableMeta], form: Form, path: str) -> None:
    """Refuse small multiples of what is not lines over time, and a list that holds no events; raises FigureError."""
    if panel.each is None:
        return
    if form != "each":
        hint = "Remove `each`; it is for series and vectors."
        raise FigureError("a panel for each event is over time", where=f"{path}.each", hint=hint)
    for index, trace in enumerate(panel.traces):
        meta = metas[trace.data]
        is_image = meta.kind == "spectrogram" and trace.component is None and trace.draw in (None, "spectrogram")
        if meta.columns and (is_event_trace(trace, meta) or is_image):
            raise FigureError(
                f"a panel for each event shows lines, and {trace.data} gives {meta.kind}",
                where=f"{path}.traces[{index}].data",
                hint="Draw a series or a vector, or name one column with `component`.",
            )
    listed = metas.get(panel.each.events)
    if listed is not None and listed.columns and listed.kind not in ("events", "facts"):
        raise FigureError(
            f"the rows of {panel.each.events} are not events",
            where=f"{path}.each.events",
            hint="Refer to a step with `table:`, or one that computes events.",
        )


def make_each_panel(
    panel: Panel, tables: Mapping[str, Table], span: TimeRange, path: str, spacecraft: Mapping[str, str] | None = None
) -> EachPanel:
    """What small multiples show.

    Raises
    ------
    FigureError
        A table is missing, has not the component asked for, or there are two units.
    """
    each = panel.each
    assert each is not None  # noqa: S101 - asked only of such panels
    if each.events not in tables:
        hint = "Run that step for this time range first."
        raise FigureError(f"there is no data of {each.events} for this figure", where=f"{path}.each.events", hint=hint)
    listed = tables[each.events]
    found = events_in_span(listed, span, f"{path}.each.events") if listed.meta.columns else []
    single = panel.model_copy(update={"each": None})
    named = {one.data for trace in panel.traces for _, one in trace.spreads if one.data is not None}
    beside = {reference: tables[reference] for reference in named if reference in tables}
    drawn = {**beside, **known_tables(single, tables, "time")}
    rows = []
    for event in found[:MOST_EVENTS]:
        start = datetime.fromtimestamp(event.start_ms / 1e3, UTC)
        window = TimeRange(start - each.before, start + each.after)
        own = {name: records_in_span(table, window) for name, table in drawn.items()}
        rows.append(make_row(single, own, path, window, spacecraft))
    units = dict.fromkeys(curve.unit for row in rows for curve in row.curves)
    if len(units) > 1:
        raise FigureError(
            f"a panel for each event has one value axis, and its data have {len(units)} units: {', '.join(units)}",
            where=f"{path}.traces",
            hint="Give each quantity a separate panel.",
        )
    return EachPanel(path, panel, each, tuple(found[:MOST_EVENTS]), tuple(rows), max(0, len(found) - MOST_EVENTS))


def plan_each(panel: EachPanel, sheet: Sheet) -> EachPanel:
    """The panel with its columns, its labels in lines, and the row's height."""
    count = max(1, len(panel.events))
    columns = min(count, panel.each.columns or (_NARROW_COLUMNS if sheet.is_narrow else _COLUMNS))
    rows = math.ceil(count / columns)
    lines = lines_of_items(panel.labels(sheet.width_px - _SIDES_PX), sheet.width_px - _SIDES_PX)
    cell_px = (_NARROW_CELL_PX if sheet.is_narrow else _CELL_PX) * panel.panel.height
    height = rows * cell_px + (rows - 1) * _GAP_PX + strip_px(lines)
    return replace(panel, columns=columns, lines=tuple(map(tuple, lines)), height_px=height)


def draw_each(panel: EachPanel, place: Place, panel_px: float, points: int) -> Parts:
    """The row of small multiples; one without an event says so."""
    below = without_strip(place, panel.lines)
    across_px = _NARROW_GAP_PX if panel_px / panel.columns < _NARROW_PX else _GAP_PX  # numbers reach beyond narrow cells
    cells = make_cells(below, max(1, len(panel.events)), panel.columns, panel_px, gap_px=across_px, below_px=_GAP_PX)
    parts = Parts(AxisTitle("", look.FONT_PX, 0.0), None, 0.0)
    parts.annotations += strip_labels(panel.lines, place)
    parts.annotations.append(title_below(f"Time from the start [{panel.unit}]", "paper", "paper", place.low))
    first = panel.rows[0] if panel.rows else Row(panel.path, panel.panel, (), None)
    extent = spread_extent([curve for row in panel.rows for curve in row.curves], first.scale)
    limits = value_limits(first, _below_names(padded_range(*extent, first.scale), cells[0]) if extent else None)
    parts.more_titles.append((fit_title(_title(panel), first.unit or "", below.height_px), below))
    for number, cell in enumerate(cells):
        is_lowest = number + panel.columns >= len(cells)
        _add_axes(parts, panel, first, cell, limits, is_lowest=is_lowest)
        if number < len(panel.events):
            _draw_event(parts, panel, number, cell, points)
    if not panel.events:
        parts.traces.append(go.Scatter(x=[], y=[], **cells[0].axes))
        parts.annotations.append(panel_note("no events", below))
    return parts


def _below_names(limits: Limits, cell: Cell) -> Limits:
    """An axis that goes on above the data as far as the names of the events stand there."""
    low, high = limits
    room = min(0.5, (_TITLE_FONT_PX + _TITLE_INSET_PX) / cell.place.height_px)
    return low, high + (high - low) * room / (1 - room)


def _title(panel: EachPanel) -> str:
    """The title of the value axis: that of an event with data."""
    known = [row for row in panel.rows if any(curve.status == "data" for curve in row.curves)]
    return (known or panel.rows)[0].title if panel.rows else panel.panel.y.title or ""


def _add_axes(
    parts: Parts, panel: EachPanel, row: Row, cell: Cell, limits: tuple[float, float] | None, *, is_lowest: bool
) -> None:
    """The axes of one subplot: numbers at the left of the first of a line, and below the lowest of a column."""
    y_axis = value_axis(row, cell.place, limits)
    y_axis.anchor = cell.x
    if cell.column:
        y_axis.showticklabels = False
    else:
        parts.tick_px = max(parts.tick_px, tick_width_px(y_axis))
    ends = [each.total_seconds() / _SECONDS[panel.unit] for each in (-panel.each.before, panel.each.after)]
    x_axis = go.layout.XAxis(domain=list(cell.ends), anchor=cell.y, type="linear", range=ends, nticks=_X_TICKS)
    x_axis.update(showticklabels=is_lowest, hoverformat=".4g")
    if cell.number:
        parts.more_axes |= dict(zip(cell.axis_keys, (x_axis, y_axis), strict=True))
    else:
        parts.own_x, parts.axis = x_axis, y_axis


def _draw_event(parts: Parts, panel: EachPanel, number: int, cell: Cell, points: int) -> None:
    """One event: where it starts and stops, its lines, its name."""
    event, row = panel.events[number], panel.rows[number]
    per_unit = _SECONDS[panel.unit] * 1e3
    parts.shapes += _event_shapes(event, cell, per_unit)
    traces: list[BaseTraceType] = []
    for curve in row.curves:
        traces += curve_traces(curve, cell.y, row.scale, points)
    for trace in traces:
        trace.update(x=(np.asarray(trace.x, dtype=np.float64) - event.start_ms) / per_unit, xaxis=cell.x)
    parts.traces += traces or [go.Scatter(x=[], y=[], **cell.axes)]
    if spread_extent(row.curves, row.scale) is None:
        note = panel_note(why_empty(row), cell.place)
        note.font.size = look.FONT_PX
        parts.annotations.append(note.update(xref=f"{cell.x} domain"))
    start = time_words(np.array([event.start_ms * 1e6]).astype("datetime64[ns]").astype("datetime64[s]"))[0]
    words = shorten(event.name or start, cell.width_px - 2 * _TITLE_INSET_PX - 4, _TITLE_FONT_PX, markup=label_to_html)
    parts.annotations.append(
        go.layout.Annotation(
            xref=f"{cell.x} domain",
            yref="paper",
            x=0,
            y=cell.place.high,
            xshift=_TITLE_INSET_PX,
            yshift=-3,
            xanchor="left",
            yanchor="top",
            text=label_to_html(words),
            showarrow=False,
            borderpad=1,
            bgcolor="rgba(255, 255, 255, 0.7)",
            font={"size": _TITLE_FONT_PX},
        )
    )


def _event_shapes(event: Event, cell: Cell, per_unit: float) -> Sequence[go.layout.Shape]:
    """A dashed line at the start, a shade until the stop."""
    where = {"xref": cell.x, "yref": f"{cell.y} domain", "y0": 0, "y1": 1, "x0": 0}
    line = {"color": look.EVENT_EDGE, "width": 1, "dash": "dash"}
    start = go.layout.Shape(type="line", x1=0, line=line, layer="above", **where)
    if event.stop_ms is None:
        return [start]
    length = (event.stop_ms - event.start_ms) / per_unit
    shade = {"fillcolor": look.EVENT_FILL, "opacity": 0.22, "line": {"width": 0}, "layer": "below"}
    return [go.layout.Shape(type="rect", x1=length, **shade, **where), start]
