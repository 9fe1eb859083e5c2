"""A row with a calendar: a coloured cell for each day, grey where there are no data, blank outside the range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.table import Scale, Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.calendar_cells import Grid, Show, cell_values, make_grid, shown_of, value_column
from helio_dagster.figures.cells import strip_labels, strip_px, without_strip
from helio_dagster.figures.curves import curves_of_trace
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits, chosen_limits, given_ends
from helio_dagster.figures.markup import capitalized, label_to_html, name_as_label, unit_codes_removed, unit_to_html, with_owner
from helio_dagster.figures.own_axes import extent, title_below
from helio_dagster.figures.panels import common_title, owner_of
from helio_dagster.figures.parts import AxisTitle, Parts, fit_title, panel_note
from helio_dagster.figures.sheet import Sheet
from helio_dagster.figures.spectrograms import color_bar
from helio_dagster.figures.text_width import width_px
from helio_dagster.figures.ticks import padded_range

_ROW_PX = {"hours": 13.0, "days of a month": 24.0, "days of a year": 30.0, "months": 30.0}
_TITLES = {"hours": "Hour, UTC", "days of a month": "Day of the month", "days of a year": "", "months": ""}
_LEAST_ROW_PX, _LEAST_PX, _MOST_PX = 4.0, 60.0, 1100.0
_LEAST_LINED_PX = 5.0
_LABEL_PX, _FONT_PX = 14.0, 12
_MONTH_NAME_PX, _NUMBER_PX = 30.0, 24.0
_LEAP_YEAR = 2000
_SIDES_PX = 210.0
_PERCENT = 100.0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CalendarPanel:
    """A calendar with everything it shows: values of the cells, NaN where there are no data, with title and unit."""

    path: str
    panel: Panel
    grid: Grid
    values: Floats
    title: str
    unit: str
    scale: Scale
    show: Show
    lines: tuple[tuple[tuple[str, str], ...], ...] = ()
    height_px: float = 0.0


def make_calendar_panel(
    panel: Panel, tables: Mapping[str, Table], path: str, span: TimeRange, spacecraft: Mapping[str, str] | None = None
) -> CalendarPanel:
    """What a calendar shows.

    Raises
    ------
    FigureError
        The table has not what is asked for, or there are too many rows.
    """
    calendar, (trace,) = panel.calendar, panel.traces
    assert calendar is not None  # noqa: S101 - asked only of such panels
    table = tables[trace.data]
    grid = make_grid(calendar, span, path)
    scale: Scale = panel.z.scale or "linear"
    owner = "" if trace.label else owner_of(panel, spacecraft)
    label = trace.label or capitalized(with_owner(_quantity(trace, table, path) or name_as_label(trace.data), owner))
    if not table.meta.columns:
        values, nothing = np.full(len(grid.windows), np.nan), panel.z.title or label
        return CalendarPanel(path, panel, grid, values, nothing, "", scale, calendar.show or "coverage")
    show = shown_of(calendar, table.meta, trace.data, path)
    needs_column = show not in ("coverage", "count") or trace.component is not None
    column = value_column(trace, table.meta, f"{path}.traces[0]") if needs_column else None
    values = cell_values(table, show, column, grid.windows)
    unit = "" if column is None else column.unit or table.meta.unit
    if column is not None and trace.label is None:
        alone = len(table.meta.value_columns) == 1 and table.meta.label
        plain = unit_codes_removed(column.label or (table.meta.label if alone else "") or name_as_label(column.name))
        label = capitalized(with_owner(plain, owner))
    title = f"{label}, {show}" if not (show == "mean" and table.meta.kind == "facts") else label
    if show == "coverage":
        values, unit = values * _PERCENT, "%"
    elif show == "count":
        unit = ""
    return CalendarPanel(path, panel, grid, values, panel.z.title if panel.z.title is not None else title, unit, scale, show)


def _quantity(trace: Trace, table: Table, path: str) -> str:
    """What a table holds: of a vector what its components share, as its own label is often the archive's name for it."""
    if table.meta.kind == "vector" and trace.component is None:
        return common_title(curves_of_trace(trace, table, f"{path}.traces[0]"))
    return unit_codes_removed(table.meta.label)


def plan_calendar(panel: CalendarPanel, sheet: Sheet) -> CalendarPanel:
    """The panel with the row's height: that of so many rows, each about as high as a cell is wide."""
    count = len(panel.grid.row_names)
    cell_px = (sheet.width_px - _SIDES_PX) / panel.grid.across
    row_px = max(_LEAST_ROW_PX, min(_ROW_PX[panel.grid.kind], max(cell_px, _LABEL_PX)))
    has_gaps = bool(np.isnan(panel.values).any())
    lines = ((("■", look.GAP_GREY), ("no data", look.QUIET)),) if has_gaps else ()
    height = min(_MOST_PX, max(_LEAST_PX, count * row_px * panel.panel.height))
    if panel.panel.z.title is None and "…" in fit_title(panel.title, panel.unit, height).text:  # too long beside the bar
        lines = (((panel.title, look.INK),), *lines)
        return replace(panel, title=panel.show.capitalize(), lines=lines, height_px=height + strip_px(lines))
    return replace(panel, lines=lines, height_px=height + strip_px(lines))


def draw_calendar(panel: CalendarPanel, place: Place, panel_px: float) -> Parts:
    """The row of a calendar; one without a value says why."""
    grid, below = panel.grid, without_strip(place, panel.lines)
    count = len(grid.row_names)
    axis, tick_px = _row_axis(panel, below)
    title = fit_title(panel.panel.y.title or "", "", below.height_px)
    parts = Parts(AxisTitle("", look.FONT_PX, 0.0), axis, tick_px, own_x=_column_axis(panel, below, panel_px))
    if title.text:
        parts.more_titles.append((title, below))
    words = panel.panel.x.title if panel.panel.x.title is not None else _TITLES[grid.kind]
    if words:
        parts.annotations.append(title_below(label_to_html(words), f"{place.own_x} domain", "paper", place.low))
    parts.annotations += strip_labels(panel.lines, place)
    axes = {"xaxis": place.own_x, "yaxis": place.axis}
    values = np.full((count, grid.across), np.nan)
    inside = np.full((count, grid.across), np.nan)
    values[grid.rows, grid.columns], inside[grid.rows, grid.columns] = panel.values, 1.0
    edges = {"x": np.arange(grid.across + 1) + 0.5, "y": np.arange(count + 1) + 0.5}
    grey = [[0, look.GAP_GREY], [1, look.GAP_GREY]]
    backing = {"zmin": 0, "zmax": 1, "colorscale": grey, "showscale": False, "hoverinfo": "skip"}
    parts.traces.append(go.Heatmap(z=inside[::-1], name="in the range", **edges, **backing, **axes))
    limits = _color_limits(panel)
    if limits is None:
        has_values = bool(np.isfinite(panel.values).any())
        parts.annotations.append(panel_note("no positive value for log colours" if has_values else "no data", below))
    else:
        parts.traces.append(_heatmap(panel, values[::-1], limits, below, edges, axes))
    parts.traces.append(_lines(panel, below, panel_px, axes))
    return parts


def _heatmap(
    panel: CalendarPanel, values: Floats, limits: Limits, below: Place, edges: Mapping[str, object], axes: Mapping[str, str]
) -> go.Heatmap:
    """The cells with a value; hovering says the day."""
    is_log = panel.scale == "log"
    grid = panel.grid
    days = np.full(values.shape, "", dtype=object)
    form = {"hours": "%Y-%m-%d %H:%M", "months": "%b %Y"}.get(grid.kind, "%Y-%m-%d")
    days[len(days) - 1 - grid.rows, grid.columns] = [f"{window.start:{form}}" for window in grid.windows]
    shown = np.vectorize(lambda value: f"{value:.4g}", otypes=[object])(values)
    colors = values
    if is_log:  # zero is a value: it has the lowest colour, only what is missing is grey
        powers = np.log10(np.where(values > 0, values, 10.0 ** limits[0]))
        colors = np.where(np.isnan(values), np.nan, powers)
    return go.Heatmap(
        z=colors.astype(np.float32),
        customdata=np.dstack([days, shown]),
        zmin=limits[0],
        zmax=limits[1],
        zsmooth=False,
        colorscale=look.COLORSCALE,
        hoverongaps=False,
        name=label_to_html(panel.title),
        colorbar=color_bar(panel.title, panel.unit, limits, panel.scale, below),
        hovertemplate=f"%{{customdata[0]}}: %{{customdata[1]}} {unit_to_html(panel.unit)}<extra></extra>",
        **edges,
        **axes,
    )


def _color_limits(panel: CalendarPanel) -> Limits | None:
    """Ends of the colours: the panel's, the others as usual."""
    given = given_ends(panel.panel.z, panel.scale, f"{panel.path}.z.range")
    found = extent([panel.values], panel.scale)
    return chosen_limits(given, _usual_limits(panel, found)) if found is not None else None


def _usual_limits(panel: CalendarPanel, found: Limits) -> Limits:
    """0 to 100 % for a coverage, from 0 for a count; else by the values."""
    if panel.scale == "linear" and panel.show == "coverage":
        return (0.0, _PERCENT)
    if panel.scale == "linear" and panel.show == "count":
        return (0.0, max(1.0, found[1]))
    if found[0] == found[1]:
        return padded_range(*found, panel.scale)
    return (float(np.log10(found[0])), float(np.log10(found[1]))) if panel.scale == "log" else found


def _row_axis(panel: CalendarPanel, below: Place) -> tuple[go.layout.YAxis, float]:
    """The rows' names, the first at the top; every second, third … where they are close."""
    names = panel.grid.row_names
    every = max(1, int(np.ceil(_LABEL_PX * len(names) / below.height_px)))
    shown = [name if place % every == 0 else "" for place, name in enumerate(names)]
    axis = go.layout.YAxis(domain=[below.low, below.high], anchor=below.own_x, type="linear", range=(0.5, len(names) + 0.5))
    axis.update(tickmode="array", tickvals=list(range(len(names), 0, -1)), ticktext=shown, ticks="", showgrid=False)
    axis.minor = {"ticks": ""}
    return axis, max(width_px(name, _FONT_PX) for name in names)


def _column_axis(panel: CalendarPanel, below: Place, panel_px: float) -> go.layout.XAxis:
    """Hours, days of a month, or months, each label at the middle of what it names."""
    grid = panel.grid
    axis = go.layout.XAxis(domain=[0, 1], anchor=below.axis, type="linear", range=(0.5, grid.across + 0.5))
    if grid.kind in ("months", "days of a year"):
        names = [f"{date(_LEAP_YEAR, month, 1):%b}" for month in range(1, 13)]
        texts = [name[0] for name in names] if panel_px < 12 * _MONTH_NAME_PX else names
        values = [float(month) for month in range(1, 13)] if grid.kind == "months" else _month_middles()
    else:
        first, steps = (0, (1, 3, 6, 12)) if grid.kind == "hours" else (1, (1, 5, 10))
        step = next((each for each in steps if panel_px / grid.across * each >= _NUMBER_PX), steps[-1])
        marked = sorted({first, *range(0 if first == 0 else step, grid.across + first, step)})
        values, texts = [float(number - first + 1) for number in marked], [str(number) for number in marked]
    axis.update(tickmode="array", tickvals=values, ticktext=texts, ticks="", showgrid=False, minor={"ticks": ""})
    return axis


def _month_edges() -> list[float]:
    return [date(_LEAP_YEAR, month, 1).timetuple().tm_yday - 0.5 for month in range(1, 13)] + [366.5]


def _month_middles() -> list[float]:
    edges = _month_edges()
    return [(low + high) / 2 for low, high in pairwise(edges)]


def _lines(panel: CalendarPanel, below: Place, panel_px: float, axes: Mapping[str, str]) -> go.Scatter:
    """White lines between cells that are large enough for them, and between rows; between months in rows of years."""
    count, across = len(panel.grid.row_names), panel.grid.across
    x: list[float] = []
    y: list[float] = []
    if below.height_px / count >= _LEAST_LINED_PX:
        for row in range(1, count):
            x, y = [*x, 0.5, across + 0.5, np.nan], [*y, row + 0.5, row + 0.5, np.nan]
    if panel.grid.kind == "days of a year":
        upright = _month_edges()[1:-1]
    else:
        upright = [column + 0.5 for column in range(1, across)] if panel_px / across >= _LEAST_LINED_PX else []
    for place in upright:
        x, y = [*x, place, place, np.nan], [*y, 0.5, count + 0.5, np.nan]
    return go.Scatter(x=x, y=y, mode="lines", line={"color": "white", "width": 1}, hoverinfo="skip", **axes)
