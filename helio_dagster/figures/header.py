"""The head of a figure: title, exact range, the mark of synthetic data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.events import LABEL_ROW_PX, EventMarks
from helio_dagster.figures.markup import escape
from helio_dagster.figures.text_width import width_px, wrap

SYNTHETIC_MARK = "SYNTHETIC DATA"
_TITLE_FONT_PX = 16
_TITLE_LINE_PX = 21
_TITLE_LINES = 2
_RANGE_FONT_PX = 12
_RANGE_LINE_PX = 18
_EDGE_PX = 10
_BOLD = 1.06
"""How much wider bold letters are."""
_MARK_ROOM_PX = 150
_MARK_LINE_PX = 26
_NARROW_PX = 480.0
"""Panels so wide have room for a title beside the mark of synthetic data; above narrower ones it stands alone."""


@dataclass(frozen=True)
class Header:
    """Texts above the panels and the height that they and the events' labels take."""

    annotations: tuple[go.layout.Annotation, ...]
    height_px: int


def make_header(
    title: str,
    span: TimeRange,
    marks: EventMarks,
    panel_width_px: float,
    *,
    is_synthetic: bool,
    is_hatched: bool = False,
    remarks: Sequence[str] = (),
    has_title: bool = True,
    beside_px: float = 0.0,
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
    remarks
        What must be known of the data, such as that they are not definitive.
    has_title
        Whether title and range are shown; what must be known of the marks always is.
    beside_px
        How far texts may reach beyond the panels at their right.
    """
    is_narrow = is_synthetic and panel_width_px < _NARROW_PX
    room_px = panel_width_px + beside_px - (_MARK_ROOM_PX if is_synthetic and not is_narrow else 0)
    lines = wrap(title, room_px / _BOLD, _TITLE_FONT_PX, lines=_TITLE_LINES) if has_title else []
    more = "more events" if marks.shapes else "events"
    notes = [
        *([_range_text(span)] if has_title else []),
        *([f"{marks.left_out} {more} not marked"] if marks.left_out else []),
        *([f"{marks.unnamed} of the events' names have no room"] if marks.unnamed else []),
        *(["hatched: excluded"] if is_hatched else []),
        *remarks,
    ]
    label_px = marks.label_rows * LABEL_ROW_PX + 2 if marks.label_rows else 6
    said = _lines_of(notes, panel_width_px + beside_px)
    row_px = _RANGE_LINE_PX * len(said) if notes else _TITLE_LINE_PX if is_synthetic else 0
    below_mark = len(lines) * _TITLE_LINE_PX + row_px + label_px
    height_px = _EDGE_PX + below_mark + (_MARK_LINE_PX if is_narrow else 0)
    texts = _title_texts(lines, _EDGE_PX + below_mark)
    below_title = below_mark - len(lines) * _TITLE_LINE_PX
    if notes:
        rows = [
            _text(line, below_title - index * _RANGE_LINE_PX, size=_RANGE_FONT_PX, color=look.QUIET)
            for index, line in enumerate(said)
        ]
        texts += [rows[0].update(name="range") if has_title else rows[0], *rows[1:]]  # the page finds it by that after a zoom
    if is_synthetic:
        texts.append(_synthetic_mark(height_px))
    return Header(tuple(texts), height_px)


def _lines_of(notes: Sequence[str], room_px: float) -> list[str]:
    """Notes beside each other, in as many lines as they need."""
    lines: list[str] = []
    for note in notes:
        joined = f"{lines[-1]} · {note}" if lines else note
        if lines and width_px(joined, _RANGE_FONT_PX) <= room_px:
            lines[-1] = joined
        else:
            lines.append(note)
    return lines


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
