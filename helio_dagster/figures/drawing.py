"""A pipeline's figure over its tables as a plotly figure: the one entry. Files are made in `rendering`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from helio_dagster.domain.pipeline import Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.events import LABEL_ROW_PX, EventMarks, events_in_span, mark_events
from helio_dagster.figures.geometry import stack_rows
from helio_dagster.figures.lines import draw_lines, label_items
from helio_dagster.figures.panels import Row, check_figure, make_row
from helio_dagster.figures.parts import LABEL_SHIFT_PX, Parts, title_annotation
from helio_dagster.figures.spectrograms import COLOR_BAR_PX, draw_spectrogram
from helio_dagster.figures.unit_text import escape, label_to_html, width_px, wrap

SYNTHETIC_MARK = "SYNTHETIC DATA"
_TITLE_FONT_PX = 16
_TITLE_LINE_PX = 21
_SUBTITLE_FONT_PX = 12
_TITLE_LINES = 2
_BADGE_PX = 150
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
        Data by the references that the figure's traces use; what lies outside the span is not drawn.
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
    title_shift_px = _title_shift_px(parts)
    left_px = round(title_shift_px + max(part.title.thickness_px for part in parts) / 2 + _EDGE_PX)
    panel_width_px = look.WIDTH_PX - left_px - right_px
    marks = mark_events(events_in_span(events, span) if events is not None else [], span, panel_width_px)
    used = {trace.data for panel in figure.panels for trace in panel.traces}
    is_synthetic = any(tables[reference].meta.synthetic for reference in used)
    title_lines = wrap(
        figure.title or title, panel_width_px - (_BADGE_PX if is_synthetic else 0), _TITLE_FONT_PX, lines=_TITLE_LINES
    )
    top_px = _top_margin_px(len(title_lines), marks.label_rows)
    layout = go.Layout(
        template=look.make_template(),
        height=round(places[0].stack_px + top_px + look.BOTTOM_PX),
        margin={"l": left_px, "r": right_px, "t": top_px, "b": look.BOTTOM_PX},
        xaxis=_time_axis(span, places[-1].axis),
        shapes=[*(shape for part in parts for shape in part.shapes), *marks.shapes],
        annotations=[
            *(title_annotation(part.title, place, title_shift_px) for part, place in zip(parts, places, strict=True)),
            *(text for part in parts for text in part.annotations),
            *marks.annotations,
            *_header(title_lines, span, marks, top_px),
            _utc_mark(title_shift_px),
            *([_synthetic_badge(top_px)] if is_synthetic else []),
        ],
        **{place.axis_key: part.axis for place, part in zip(places, parts, strict=True)},
        meta={"title": figure.title or title},
    )
    return go.Figure(data=[trace for part in parts for trace in part.traces], layout=layout)


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
    """How far left of the panels the middle of all axis titles stands: clear of the widest tick label, and of UTC."""
    widest = max(part.tick_px for part in parts)
    return max(_LEAST_TITLE_SHIFT_PX, widest + 10 + max(part.title.thickness_px for part in parts) / 2)


def _right_margin_px(rows: Sequence[Row]) -> int:
    """Room for the widest label, or for a colour bar."""
    least, most = _RIGHT_PX
    widths = [width_px(label_to_html(text), look.FONT_PX) + LABEL_SHIFT_PX + 8 for row in rows for text, _ in label_items(row)]
    bars = [float(COLOR_BAR_PX) for row in rows if row.image is not None]
    return round(min(most, max(least, *bars, *widths, 0.0)))


def _top_margin_px(title_lines: int, label_rows: int) -> int:
    return 10 + title_lines * _TITLE_LINE_PX + 18 + (label_rows * LABEL_ROW_PX + 2 if label_rows else 6)


def _header(title_lines: Sequence[str], span: TimeRange, marks: EventMarks, top_px: float) -> list[go.layout.Annotation]:
    """Title, and the exact range below it."""
    left_out = f" · {marks.left_out} more events not marked" if marks.left_out else ""
    texts = [
        (f"<b>{escape(line)}</b>", _TITLE_FONT_PX, look.INK, top_px - 8 - index * _TITLE_LINE_PX)
        for index, line in enumerate(title_lines)
    ]
    subtitle = f"{_range_text(span)}{left_out}"
    texts.append((subtitle, _SUBTITLE_FONT_PX, look.QUIET, top_px - 10 - len(title_lines) * _TITLE_LINE_PX))
    return [
        go.layout.Annotation(
            xref="paper",
            yref="paper",
            x=0,
            y=1,
            yshift=shift,
            xanchor="left",
            yanchor="top",
            text=text,
            showarrow=False,
            borderpad=0,
            font={"size": size, "color": color},
        )
        for text, size, color, shift in texts
    ]


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


def _range_text(span: TimeRange) -> str:
    """The exact range in words; always with the time of day, since its stop is not part of it."""
    has_fraction = bool(span.start.microsecond or span.stop.microsecond)
    has_seconds = bool(span.start.second or span.stop.second)
    clock = "%H:%M:%S.%f" if has_fraction else "%H:%M:%S" if has_seconds else "%H:%M"
    is_one_day = span.start.date() == span.stop.date()
    stop = f"{span.stop:{clock}}" if is_one_day else f"{span.stop:%Y-%m-%d {clock}}"
    return f"{span.start:%Y-%m-%d {clock}} to {stop} UTC"


def _synthetic_badge(top_px: float) -> go.layout.Annotation:
    return go.layout.Annotation(
        xref="paper",
        yref="paper",
        x=1,
        y=1,
        yshift=top_px - 8,
        xanchor="right",
        yanchor="top",
        text=f"<b>{SYNTHETIC_MARK}</b>",
        showarrow=False,
        font={"size": 13, "color": look.WARNING},
        bordercolor=look.WARNING,
        borderwidth=1,
        borderpad=3,
        bgcolor="#FDECEA",
    )
