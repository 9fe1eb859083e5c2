"""A pipeline's figure over its tables as a plotly figure: the one entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import plotly.graph_objects as go

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.exclusions import NO_INTERVALS, Intervals, union_of
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.columns import ColumnOfPanels, columns_of, lettered, side_by_side
from helio_dagster.figures.composing import Content, compose
from helio_dagster.figures.downsample import points_of_lines
from helio_dagster.figures.events import Event, check_events, events_in_span
from helio_dagster.figures.palettes import recolored
from helio_dagster.figures.panel_marks import check_marks
from helio_dagster.figures.panels import check_figure
from helio_dagster.figures.planned_row import PlannedRow
from helio_dagster.figures.remarks import remarks_of
from helio_dagster.figures.rows import plan_row
from helio_dagster.figures.shared_colors import check_one_column
from helio_dagster.figures.sheet import SCREEN, Sheet

_MOST_TRIES = 5


def draw(
    figure: Figure,
    tables: Mapping[str, Table],
    span: TimeRange,
    *,
    title: str,
    events: Table | None = None,
    excluded: Mapping[str, Intervals] | None = None,
    spacecraft: Mapping[str, str] | None = None,
    sheet: Sheet = SCREEN,
) -> go.Figure:
    """Draw stacked panels; those over time share one axis over exactly `[start, stop)`, the others have their own.

    Panels of several columns stand beside each other where the sheet has room, else below each other.

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
    spacecraft
        Reference to whose data they are: named in the title of a panel of one spacecraft, and beside lines of several.
    sheet
        Its size, and what stands around the panels.

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
    columns = columns_of(figure, tables, sheet)
    rows = [_plan_rows(figure, column, tables, span, spacecraft) for column in columns]
    points = points_of_lines(sum(row.lines for own in rows for row in own))
    if events is None and figure.events is not None:
        events = tables.get(figure.events)  # a step that a panel draws too
    if events is not None and figure.events is not None:
        check_events(events.meta, figure.events)
    found = events_in_span(events, span) if events is not None and events.meta.columns else []
    used = [tables[trace.data] for panel in figure.panels for trace in panel.traces]
    is_synthetic = any(table.meta.synthetic for table in used) or (events is not None and events.meta.synthetic)
    remarks = remarks_of([table.meta for table in used])
    title = figure.title or title
    contents = [
        Content(
            figure=_part(figure, column, own, is_whole=len(columns) == 1),
            tables=tables,
            rows=own,
            numbers=[index + 1 for index in column.panels],
            events=found if len(columns) == 1 or _has_time(own) else [],
            excluded=[_lost(figure, index, excluded) for index in column.panels],
            title=title,
            points=points,
            is_synthetic=is_synthetic and len(columns) == 1,
            remarks=remarks if len(columns) == 1 else (),
        )
        for column, own in zip(columns, rows, strict=True)
    ]
    if len(contents) == 1:
        content, drawn = _draw_stack(contents[0], span, sheet)
        if sheet.height_px is not None:
            drawn = _fit(content, drawn, span, sheet, sheet.height_px)
    else:
        drawn = _draw_columns(columns, contents, span, sheet, found, is_synthetic=is_synthetic, remarks=remarks)
    return recolored(drawn, figure, sheet.palette or figure.palette, sheet.colormap or figure.colormap)


def _plan_rows(
    figure: Figure,
    column: ColumnOfPanels,
    tables: Mapping[str, Table],
    span: TimeRange,
    spacecraft: Mapping[str, str] | None,
) -> list[PlannedRow]:
    """The rows of a column, as high as its sheet makes them."""
    sheet, found = column.sheet, []
    for index in column.panels:
        panel, path = figure.panels[index], f"figure.panels[{index}]"
        row = plan_row(panel, tables, span, path, panel_count=len(column.panels), sheet=sheet, spacecraft=spacecraft)
        check_marks(panel, row.form, path)
        found.append(row if row.is_of_sheet else replace(row, height_px=sheet.height_factor * row.height_px))
    return found


def _part(figure: Figure, column: ColumnOfPanels, rows: Sequence[PlannedRow], *, is_whole: bool) -> Figure:
    """The figure with the panels of one column; values below the time axis only where it has one."""
    changes: dict[str, object] = {"panels": [figure.panels[index] for index in column.panels]}
    if not is_whole and not _has_time(rows):
        changes["below"] = ()
    return figure.model_copy(update=changes)


def _has_time(rows: Sequence[PlannedRow]) -> bool:
    return any(row.form == "time" for row in rows)


def _lost(figure: Figure, index: int, excluded: Mapping[str, Intervals] | None) -> Intervals:
    """What is excluded from the data of a panel."""
    return union_of([(excluded or {}).get(trace.data, NO_INTERVALS) for trace in figure.panels[index].traces])


def _draw_stack(content: Content, span: TimeRange, sheet: Sheet) -> tuple[Content, go.Figure]:
    """A stack drawn, and with rows as high as the width that is left for them wants."""
    drawn = compose(content, span, sheet)
    if any(row.resized is not None for row in content.rows):  # what is around the panels is known now
        panel_px = sheet.width_px - drawn.layout.margin.l - drawn.layout.margin.r
        content = replace(content, rows=[row.resized(panel_px) if row.resized is not None else row for row in content.rows])
        drawn = compose(content, span, sheet)
    return content, drawn


def _draw_columns(
    columns: Sequence[ColumnOfPanels],
    contents: Sequence[Content],
    span: TimeRange,
    sheet: Sheet,
    events: Sequence[Event],
    *,
    is_synthetic: bool,
    remarks: Sequence[str],
) -> go.Figure:
    """Each column by itself, as high as the highest, or as the sheet asks for; then beside each other."""
    made: list[tuple[Content, go.Figure]] = []
    for column, content in zip(columns, contents, strict=True):
        first = sum(lettered(drawn) for _, drawn in made)
        made.append(_draw_stack(replace(content, first_letter=first), span, column.sheet))
    check_one_column([drawn for _, drawn in made] if contents[0].figure.color_bar == "shared" else [])
    left_out = 0 if any(_has_time(content.rows) for content in contents) else len(events)
    whole = side_by_side(
        [drawn for _, drawn in made],
        columns,
        span,
        sheet,
        is_synthetic=is_synthetic,
        remarks=remarks,
        left_out=left_out,
    )
    around_px = whole.layout.height - max(_stack_px(drawn) for _, drawn in made)
    stack_px = max(_stack_px(drawn) for _, drawn in made) if sheet.height_px is None else sheet.height_px - around_px
    fitted = []
    for column, (content, drawn) in zip(columns, made, strict=True):
        is_high = _stack_px(drawn) > stack_px + 1
        is_low = _stack_px(drawn) < stack_px - 1 and not all(row.is_of_sheet for row in content.rows)
        wanted_px = drawn.layout.height + stack_px - _stack_px(drawn)
        fitted.append(_fit(content, drawn, span, column.sheet, wanted_px) if is_high or is_low else drawn)
    return side_by_side(fitted, columns, span, sheet, is_synthetic=is_synthetic, remarks=remarks, left_out=left_out)


def _stack_px(drawn: go.Figure) -> float:
    """Height of all panels of a stack and of the gaps between them."""
    return float(drawn.layout.height - drawn.layout.margin.t - drawn.layout.margin.b)


def _fit(content: Content, drawn: go.Figure, span: TimeRange, sheet: Sheet, height_px: float) -> go.Figure:
    """The figure with panels so high that the whole is as high as asked for; what is around them may change with them."""
    lower: go.Figure | None = None
    for _ in range(_MOST_TRIES):
        free = [not row.is_of_sheet for row in content.rows] if height_px > drawn.layout.height else []
        free = free if any(free) else [True] * len(content.rows)  # what is as high as it is wide grows last
        panels_px = sum(row.height_px for row, is_free in zip(content.rows, free, strict=True) if is_free)
        factor = (height_px - drawn.layout.height + panels_px) / panels_px
        rows = [
            replace(row, height_px=factor * row.height_px) if is_free else row
            for row, is_free in zip(content.rows, free, strict=True)
        ]
        if min(row.height_px for row in rows) < look.LOWEST_PANEL_PX / 2:
            raise FigureError(
                "there is no room for the panels in this height",
                where="figure.print.height",
                hint="Make the figure higher, or its font smaller, or leave its title out.",
            )
        content = replace(content, rows=rows)
        drawn = compose(content, span, sheet)
        if abs(drawn.layout.height - height_px) <= 1:
            return drawn
        if drawn.layout.height < height_px and (lower is None or drawn.layout.height > lower.layout.height):
            lower = drawn
    if lower is not None:  # a line of labels more or less: the height in between is blank
        left_px = round(height_px - lower.layout.height)
        lower.layout.height += left_px
        lower.layout.margin.b += left_px
        return lower
    return drawn
