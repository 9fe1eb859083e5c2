"""A pipeline's figure over its tables as a plotly figure: the one entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from helio_dagster.domain.pipeline import Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.events import Event, events_in_span, mark_events
from helio_dagster.figures.geometry import Place, stack_rows
from helio_dagster.figures.header import make_header
from helio_dagster.figures.lines import draw_lines, label_items
from helio_dagster.figures.markup import label_to_html
from helio_dagster.figures.panels import Row, check_figure, make_row
from helio_dagster.figures.parts import LABEL_SHIFT_PX, Parts, title_annotation
from helio_dagster.figures.spectrograms import COLOR_BAR_PX, draw_spectrogram
from helio_dagster.figures.text_width import width_px

_LEAST_TITLE_SHIFT_PX = 62.0
_EDGE_PX = 12
_RIGHT_PX = (64, 220)
"""Least and most room at the right of the panels."""


def draw(
    figure: Figure,
    tables: Mapping[str, Table],
    span: TimeRange,
    *,
    title: str,
    events: Table | None = None,
) -> go.Figure:
    """Draw stacked panels over exactly `[start, stop)`.

    What has no data says so in its panel and never fails the figure. Any synthetic table marks the whole figure.

    Parameters
    ----------
    figure
        The pipeline's figure step.
    tables
        Data by the references that the figure's traces use; what is outside the span is not drawn.
    span
        Range of the time axis, UTC.
    title
        Title where the figure gives none.
    events
        Rows to mark in all panels: their time is the start, columns `stop` and `name` are optional.

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
    clipped = {reference: table.clip(span) for reference, table in tables.items()}
    rows = [make_row(panel, clipped, f"figure.panels[{index}]") for index, panel in enumerate(figure.panels)]
    places = stack_rows([panel.height for panel in figure.panels])
    right_px = _right_margin_px(rows)
    parts = [
        draw_lines(row, place, right_px - LABEL_SHIFT_PX)
        if row.image is None
        else draw_spectrogram(row, row.image, place, span)
        for row, place in zip(rows, places, strict=True)
    ]
    used = [tables[trace.data] for panel in figure.panels for trace in panel.traces]
    is_synthetic = any(table.meta.synthetic for table in used) or (events is not None and events.meta.synthetic)
    found = events_in_span(events, span) if events is not None else []
    layout = _lay_out(places, parts, span, found, right_px, title=figure.title or title, is_synthetic=is_synthetic)
    return go.Figure(data=[trace for part in parts for trace in part.traces], layout=layout)


def _lay_out(
    places: Sequence[Place],
    parts: Sequence[Parts],
    span: TimeRange,
    events: Sequence[Event],
    right_px: int,
    *,
    title: str,
    is_synthetic: bool,
) -> go.Layout:
    """Margins, axes, marks and texts around the rows."""
    title_shift_px = _title_shift_px(parts)
    left_px = round(title_shift_px + max(part.title.thickness_px for part in parts) / 2 + _EDGE_PX)
    panel_width_px = look.WIDTH_PX - left_px - right_px
    marks = mark_events(events, span, panel_width_px)
    header = make_header(title, span, marks, panel_width_px, is_synthetic=is_synthetic)
    return go.Layout(
        template=look.make_template(),
        height=round(places[0].stack_px + header.height_px + look.BOTTOM_PX),
        margin={"l": left_px, "r": right_px, "t": header.height_px, "b": look.BOTTOM_PX},
        xaxis=_time_axis(span, places[-1].axis),
        shapes=[*(shape for part in parts for shape in part.shapes), *marks.shapes],
        annotations=[
            *(title_annotation(part.title, place, title_shift_px) for part, place in zip(parts, places, strict=True)),
            *(text for part in parts for text in part.annotations),
            *marks.annotations,
            *header.annotations,
            _utc_mark(title_shift_px),
        ],
        **{place.axis_key: part.axis for place, part in zip(places, parts, strict=True)},
        meta={"title": title},
    )


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


def _right_margin_px(rows: Sequence[Row]) -> int:
    """Room for the widest label, or for a colour bar."""
    least, most = _RIGHT_PX
    widths = [width_px(label_to_html(text), look.FONT_PX) + LABEL_SHIFT_PX + 8 for row in rows for text, _ in label_items(row)]
    bars = [float(COLOR_BAR_PX) for row in rows if row.image is not None]
    return round(min(most, max(least, *bars, *widths, 0.0)))


def _utc_mark(shift_px: float) -> go.layout.Annotation:
    """The letters UTC before the time labels."""
    return go.layout.Annotation(
        xref="paper",
        yref="paper",
        x=0,
        y=0,
        xshift=-shift_px,
        yshift=-4,
        xanchor="center",
        yanchor="top",
        text="UTC",
        showarrow=False,
        font={"size": 12},
        borderpad=0,
    )
