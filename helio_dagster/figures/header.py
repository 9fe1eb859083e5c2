"""The head of a figure: title, exact range, the mark of synthetic data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.events import LABEL_ROW_PX, EventMarks
from helio_dagster.figures.markup import escape
from helio_dagster.figures.text_width import wrap

SYNTHETIC_MARK = "SYNTHETIC DATA"
_TITLE_FONT_PX = 16
_TITLE_LINE_PX = 21
_TITLE_LINES = 2
_RANGE_FONT_PX = 12
_RANGE_LINE_PX = 18
_EDGE_PX = 10
_MARK_ROOM_PX = 150


@dataclass(frozen=True)
class Header:
    """Texts above the panels and the height that they and the events' labels take."""

    annotations: tuple[go.layout.Annotation, ...]
    height_px: int


def make_header(
    title: str, span: TimeRange, marks: EventMarks, panel_width_px: float, *, is_synthetic: bool, is_hatched: bool = False
) -> Header:
    """Title in at most two lines, the exact range below it, and the mark of synthetic data at the right.

    Parameters
    ----------
    title
        Plain text.
    marks
        The events' marks, whose labels are between the header and the panels.
    panel_width_px
        Width of the panels in pixels.
    is_hatched
        Whether a panel hatches what was excluded, which the second line explains.
    """
    lines = wrap(title, panel_width_px - (_MARK_ROOM_PX if is_synthetic else 0), _TITLE_FONT_PX, lines=_TITLE_LINES)
    label_px = marks.label_rows * LABEL_ROW_PX + 2 if marks.label_rows else 6
    height_px = _EDGE_PX + len(lines) * _TITLE_LINE_PX + _RANGE_LINE_PX + label_px
    texts = _title_texts(lines, height_px)
    more = "more events" if marks.shapes else "events"
    left_out = f" · {marks.left_out} {more} not marked" if marks.left_out else ""
    below_title = height_px - _EDGE_PX - len(lines) * _TITLE_LINE_PX
    hatched = " · hatched: excluded" if is_hatched else ""
    texts.append(_text(f"{_range_text(span)}{left_out}{hatched}", below_title, size=_RANGE_FONT_PX, color=look.QUIET))
    if is_synthetic:
        texts.append(_synthetic_mark(height_px))
    return Header(tuple(texts), height_px)


def _title_texts(lines: Sequence[str], height_px: float) -> list[go.layout.Annotation]:
    return [
        _text(f"<b>{escape(line)}</b>", height_px - 8 - index * _TITLE_LINE_PX, size=_TITLE_FONT_PX, color=look.INK)
        for index, line in enumerate(lines)
    ]


def _text(text: str, above_px: float, *, size: int, color: str) -> go.layout.Annotation:
    """A line of text whose upper edge is so many pixels above the panels."""
    return go.layout.Annotation(
        xref="paper",
        yref="paper",
        x=0,
        y=1,
        yshift=above_px,
        xanchor="left",
        yanchor="top",
        text=text,
        showarrow=False,
        borderpad=0,
        font={"size": size, "color": color},
    )


def _range_text(span: TimeRange) -> str:
    """The exact range in words; always with the time of day, since its stop is not part of it."""
    has_fraction = bool(span.start.microsecond or span.stop.microsecond)
    has_seconds = bool(span.start.second or span.stop.second)
    clock = "%H:%M:%S.%f" if has_fraction else "%H:%M:%S" if has_seconds else "%H:%M"
    is_one_day = span.start.date() == span.stop.date()
    stop = f"{span.stop:{clock}}" if is_one_day else f"{span.stop:%Y-%m-%d {clock}}"
    return f"{span.start:%Y-%m-%d {clock}} to {stop} UTC"


def _synthetic_mark(height_px: float) -> go.layout.Annotation:
    return go.layout.Annotation(
        xref="paper",
        yref="paper",
        x=1,
        y=1,
        yshift=height_px - 8,
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
