"""From each panel of a figure to how it is drawn: over time, as curves, as points, as a map, as a table of facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.axis_curves import check_axes, check_curve
from helio_dagster.figures.calendar_cells import check_calendar
from helio_dagster.figures.calendar_panels import CalendarPanel, draw_calendar, make_calendar_panel, plan_calendar
from helio_dagster.figures.curve_panels import CurvePanel, draw_curves, make_curve_panel
from helio_dagster.figures.cuts import as_curves, cut_table, cut_words
from helio_dagster.figures.each_panels import EachPanel, check_each, draw_each, make_each_panel, plan_each
from helio_dagster.figures.event_panels import EVENT_LANE_PX, EventTrace, add_events, draw_events_alone, event_traces
from helio_dagster.figures.facts_panels import FactsPanel, draw_facts, make_facts_panel
from helio_dagster.figures.forms import Form, known_tables, panel_form, refuse_records
from helio_dagster.figures.gaps import records_in_span
from helio_dagster.figures.intervals import rows_in_span
from helio_dagster.figures.lines import RIGHT_AXIS_PX, draw_lines, label_items, sides
from helio_dagster.figures.longitudes import check_polar
from helio_dagster.figures.map_panels import MapPanel, check_map, check_single_map, draw_map, make_map_panel
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.orbit_panels import OrbitPanel, draw_orbit, make_orbit_panel, plan_orbit
from helio_dagster.figures.panels import Row, make_row
from helio_dagster.figures.parts import LABEL_SHIFT_PX, Parts, side_labels
from helio_dagster.figures.planned_row import LONGEST_OWN_LABEL_PX, PlannedRow, Room
from helio_dagster.figures.point_panels import PointPanel, draw_points, make_point_panel
from helio_dagster.figures.point_sets import check_colors, check_points
from helio_dagster.figures.polar_panels import PolarPanel, draw_polar, make_polar_panel, plan_polar
from helio_dagster.figures.positions import check_orbit
from helio_dagster.figures.sheet import SCREEN, Sheet
from helio_dagster.figures.spectrograms import COLOR_BAR_PX, INSIDE_LABEL_PX, draw_spectrogram
from helio_dagster.figures.spreads import check_spreads

_OWN_DATA: dict[Form, Callable[[Panel, Mapping[str, TableMeta], str], None]] = {
    "orbit": check_orbit,
    "polar": check_polar,
    "calendar": check_calendar,
}
"""Panels that take their data as they are, and how they check them."""

_OWN_PX = {1: 420, 2: 300}
_OWN_OF_MANY_PX = 250
_SQUARE_PX = {1: 460}
_SQUARE_OF_MANY_PX = 360


def plan_row(
    panel: Panel,
    tables: Mapping[str, Table],
    span: TimeRange,
    path: str,
    *,
    panel_count: int,
    sheet: Sheet = SCREEN,
    spacecraft: Mapping[str, str] | None = None,
) -> PlannedRow:
    """How a panel is drawn.

    Parameters
    ----------
    tables
        Data by reference, also what is outside the span.
    panel_count
        How many panels the figure has: the fewer, the taller.
    sheet
        What the figure is laid out on.
    spacecraft
        Reference to whose data they are.

    Raises
    ------
    FigureError
        A table is missing, has not the component asked for, or cannot be drawn as asked.
    """
    _check_given(panel, tables, path)
    if panel.cut is not None:
        check_form(panel, {trace.data: tables[trace.data].meta for trace in panel.traces}, path)
        known = {trace.data: records_in_span(tables[trace.data], span) for trace in panel.traces}
        cuts = {reference: cut_table(table, panel.cut) for reference, table in known.items()}
        notes = tuple(cut_words(panel.cut, known))
        plain = panel.model_copy(update={"cut": None})
        given = known_tables(plain, cuts, "curve")
        curves = replace(make_curve_panel(plain, given, path, spacecraft), notes=notes)
        return _plan_curves(curves, panel.height * _OWN_PX.get(panel_count, _OWN_OF_MANY_PX))
    form = check_form(panel, {reference: table.meta for reference, table in tables.items()}, path)
    if form in _OWN_DATA:
        own = {trace.data: rows_in_span(tables[trace.data], span) for trace in panel.traces}
        if form == "polar":
            return _plan_polar(make_polar_panel(panel, own, path, span, spacecraft), sheet)
        if form == "calendar":
            return _plan_calendar(plan_calendar(make_calendar_panel(panel, own, path, span, spacecraft), sheet))
        return _plan_orbit(make_orbit_panel(panel, own, path, spacecraft), sheet)
    if form == "each":
        return _plan_each(make_each_panel(panel, tables, span, path, spacecraft), sheet)
    given = known_tables(panel, tables, form)
    clipped = {reference: rows_in_span(table, span) for reference, table in given.items()}
    px = look.panel_height_px(panel_count)
    if form == "curve":
        curves = make_curve_panel(panel, clipped, path, spacecraft)
        return _plan_curves(curves, panel.height * _OWN_PX.get(panel_count, _OWN_OF_MANY_PX))
    if form == "map":
        return _plan_map(
            make_map_panel(panel, clipped, path, spacecraft), panel.height * _OWN_PX.get(panel_count, _OWN_OF_MANY_PX)
        )
    if form == "points":
        points = make_point_panel(panel, clipped, path, spacecraft)
        heights, many = (_SQUARE_PX, _SQUARE_OF_MANY_PX) if points.is_square else (_OWN_PX, _OWN_OF_MANY_PX)
        return _plan_points(points, panel.height * heights.get(panel_count, many), sheet)
    if form == "facts":
        facts = make_facts_panel(panel, clipped, path)
        return _plan_facts(facts, max(look.LOWEST_PANEL_PX, min(facts.natural_px, 3 * panel.height * px)))
    events = event_traces(panel, given, span, path)
    named = {each.data for trace in panel.traces for _, each in trace.spreads if each.data is not None}
    beside = {reference: tables[reference] for reference in named if reference in tables}
    drawn = {reference: _clip(table, span) for reference, table in {**beside, **given}.items()}
    row = make_row(panel, drawn, path, span, spacecraft)
    if not row.curves and row.image is None:
        px = EVENT_LANE_PX * len(events)
    return _plan_time(row, events, span, max(panel.height * px, look.LOWEST_PANEL_PX))


def check_form(panel: Panel, metas: Mapping[str, TableMeta], path: str) -> Form:
    """What a panel is; refuses traces that cannot be drawn so. Metadata without columns are unknown.

    Raises
    ------
    FigureError
        The first fault, with its path inside the step.
    """
    refuse_records(panel, metas, path)
    panel, metas = as_curves(panel, metas, path)
    form = panel_form(panel, [metas[trace.data] for trace in panel.traces], path)
    check_spreads(panel, metas, path, is_over_time=form in ("time", "each"))
    check_each(panel, metas, form, path)
    if form in _OWN_DATA:
        _OWN_DATA[form](panel, metas, path)
        return form
    checks: dict[Form, Callable[[Trace, TableMeta, str], None]] = {
        "curve": check_curve,
        "map": check_map,
        "points": check_points,
    }
    own = [(index, trace) for index, trace in enumerate(panel.traces) if metas[trace.data].kind != "facts"]
    if form in checks:
        for index, trace in own:
            checks[form](trace, metas[trace.data], f"{path}.traces[{index}]")
    if form == "curve":
        check_axes(own, metas, path)
    elif form == "map":
        check_single_map(panel.traces, path)
    elif form == "points":
        check_colors(own, metas, path)
    return form


def _check_given(panel: Panel, tables: Mapping[str, Table], path: str) -> None:
    for index, trace in enumerate(panel.traces):
        if trace.data not in tables:
            raise FigureError(
                f"there is no data of {trace.data} for this figure",
                where=f"{path}.traces[{index}].data",
                hint="Run that step for this time range first.",
            )


def _clip(table: Table, span: TimeRange) -> Table:
    return table if table.meta.kind == "events" else records_in_span(table, span)


def _plan_time(row: Row, events: list[EventTrace], span: TimeRange, height_px: float) -> PlannedRow:
    own, beside = label_items(row), [trace.item for trace in events]
    is_bare = not row.curves and row.image is None
    axis_px = RIGHT_AXIS_PX if sides(row)[1] is not None else 0

    def draw(room: Room) -> Parts:
        if is_bare:
            parts = draw_events_alone(row.panel, events, room.place, span, room.panel_px)
        elif row.image is None:
            parts = draw_lines(row, room.place, room.label_px, room.points)
        else:
            parts = draw_spectrogram(row, row.image, room.place, span, room.points)
        if events and not is_bare:
            add_events(parts, events, room.place, span, room.panel_px)
        if row.image is None:
            room_px = room.label_px - axis_px
            parts.annotations += side_labels(beside, room.place, room_px, above=len(own), shift_px=axis_px)
        else:
            parts.annotations += side_labels(beside, room.place, INSIDE_LABEL_PX, inside=True, above=len(own))
        return parts

    if row.image is not None:
        return PlannedRow("time", (), COLOR_BAR_PX, height_px, draw, len(row.curves))  # its labels are inside
    labels = tuple(label_to_html(text) for text, _ in [*own, *beside])
    return PlannedRow("time", labels, axis_px, height_px, draw, len(row.curves))


def _plan_curves(panel: CurvePanel, height_px: float) -> PlannedRow:
    labels = tuple(text for text, _ in panel.labels(LONGEST_OWN_LABEL_PX - LABEL_SHIFT_PX))
    return PlannedRow(
        "curve",
        labels,
        0,
        height_px,
        lambda room: draw_curves(panel, room.place, room.label_px, room.panel_px),
        own_axis=panel.axis_shown,
    )


def _plan_map(panel: MapPanel, height_px: float) -> PlannedRow:
    return PlannedRow("map", (), COLOR_BAR_PX, height_px, lambda room: draw_map(panel, room.place, room.panel_px))


def _plan_points(panel: PointPanel, height_px: float, sheet: Sheet) -> PlannedRow:
    labels = tuple(text for text, _ in panel.labels(LONGEST_OWN_LABEL_PX - LABEL_SHIFT_PX))
    bar_px = COLOR_BAR_PX if panel.has_colors else 0

    def draw(room: Room) -> Parts:
        return draw_points(panel, room.place, room.label_px, room.panel_px)

    if panel.is_square:
        return _plan_square(labels, bar_px, height_px, sheet, draw)
    return PlannedRow("points", labels, bar_px, height_px, draw)


def _plan_square(
    labels: Sequence[str], bar_px: float, height_px: float, sheet: Sheet, draw: Callable[[Room], Parts]
) -> PlannedRow:
    """A square panel, no higher than it can be wide with its labels and colour bar at its right, in its own row."""
    wished = PlannedRow("points", (), 0, sheet.height_factor * height_px, draw, is_square=True, fits_sheet=True)
    beside = replace(wished, labels=() if sheet.is_narrow else tuple(labels), bar_px=bar_px).right_px

    def resized(panel_px: float) -> PlannedRow:
        return replace(wished, height_px=max(look.LOWEST_PANEL_PX, min(wished.height_px, panel_px - beside)))

    return replace(wished, resized=resized)


def _plan_orbit(panel: OrbitPanel, sheet: Sheet, panel_px: float | None = None) -> PlannedRow:
    planned = plan_orbit(panel, sheet, panel_px)

    def draw(room: Room) -> Parts:
        return draw_orbit(planned, room.place, room.panel_px)

    return _of_width("orbit", planned.height_px, draw, lambda width_px: _plan_orbit(panel, sheet, width_px))


def _plan_polar(panel: PolarPanel, sheet: Sheet, panel_px: float | None = None) -> PlannedRow:
    planned = plan_polar(panel, sheet, panel_px)

    def draw(room: Room) -> Parts:
        return draw_polar(planned, room.place, room.panel_px)

    return _of_width("polar", planned.height_px, draw, lambda width_px: _plan_polar(panel, sheet, width_px))


def _of_width(
    form: Form, height_px: float, draw: Callable[[Room], Parts], resized: Callable[[float], PlannedRow]
) -> PlannedRow:
    """A row of square subplots, which is planned again when the width of the panels is known."""
    return PlannedRow(form, (), 0, height_px, draw, fits_sheet=True, resized=resized)


def _plan_each(panel: EachPanel, sheet: Sheet) -> PlannedRow:
    planned = plan_each(panel, sheet)
    return PlannedRow(
        "each",
        (),
        0,
        planned.height_px,
        lambda room: draw_each(planned, room.place, room.panel_px, room.points),
        lines=planned.line_count,
        fits_sheet=True,
    )


def _plan_calendar(panel: CalendarPanel) -> PlannedRow:
    return PlannedRow(
        "calendar",
        (),
        COLOR_BAR_PX,
        panel.height_px,
        lambda room: draw_calendar(panel, room.place, room.panel_px),
        fits_sheet=True,
    )


def _plan_facts(panel: FactsPanel, height_px: float) -> PlannedRow:
    return PlannedRow("facts", (), 0, height_px, lambda room: draw_facts(panel, room.place, room.panel_px))
