"""What a row contributes to a figure, and the texts around a panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

from helio_dagster.domain.table import Scale
from helio_dagster.figures import look
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.given_ends import Limits, chosen_limits, given_ends
from helio_dagster.figures.markup import SPACE, escape, label_to_html, unit_to_html
from helio_dagster.figures.panels import Row
from helio_dagster.figures.text_width import shorten, width_px
from helio_dagster.figures.ticks import Ticks, linear_labels, log_ticks

LABEL_SHIFT_PX = 9
LABEL_NAME = "label"
"""Name of the labels that stand beside a panel."""
_TITLE_SIZES = (look.FONT_PX, 12, 11)
_BROKEN_SIZES = (12, 11, 10, 9)
"""Fonts of titles so long that their words are in both lines."""
_EASY_FONT_PX = 12
_TICK_FONT_PX = 12
_LABEL_TICK_PX = 24
_MOST_TICKS = 10


@dataclass(frozen=True)
class AxisTitle:
    """The upright title of a value axis: markup, font size, and its thickness across the lines, in pixels."""

    text: str
    font_px: int
    thickness_px: float


@dataclass(frozen=True)
class ColorKey:
    """What the colours of a spectrogram stand for: title, unit, scale, and which path in the pipeline asks for it."""

    title: str
    unit: str
    scale: Scale
    path: str


@dataclass
class Parts:
    """Title, value axis, traces, texts and shapes of one row; `tick_px` is the width of its tick labels.

    `own_x` is the horizontal axis of a row that is not over time, `right` the right-hand axis of one with two units. A row of
    text has no axis. A row of several subplots has `more_axes` by plotly's layout keys, and `more_titles` at the left
    of it, each beside its place; its own title is then empty. `colors` says what those of a spectrogram stand for.
    """

    title: AxisTitle
    axis: go.layout.YAxis | None
    tick_px: float
    traces: list[BaseTraceType] = field(default_factory=list)
    annotations: list[go.layout.Annotation] = field(default_factory=list)
    shapes: list[go.layout.Shape] = field(default_factory=list)
    own_x: go.layout.XAxis | None = None
    right: go.layout.YAxis | None = None
    more_axes: dict[str, go.layout.XAxis | go.layout.YAxis] = field(default_factory=dict)
    colors: ColorKey | None = None
    more_titles: list[tuple[AxisTitle, Place]] = field(default_factory=list)


def value_axis(row: Row, place: Place, limits: tuple[float, float] | None, *, scale: Scale | None = None) -> go.layout.YAxis:
    """The value axis of a row: scale (the row's where not given), range and ticks.

    Parameters
    ----------
    limits
        Ends of the axis, as powers of ten on a log axis; None where there is nothing to show, not even a range.
    """
    scale = scale or row.scale
    axis = go.layout.YAxis(domain=[place.low, place.high], anchor="x", type=scale, range=limits or (0, 1))
    most = min(_MOST_TICKS, max(2, round(place.height_px / _LABEL_TICK_PX)))
    if limits is None:
        axis.showticklabels = False
        axis.showgrid = False
        axis.ticks = ""
        axis.minor = {"ticks": ""}
    elif scale == "log":
        set_ticks(axis, log_ticks(*limits, most=most))
    else:
        axis.nticks = most
    return axis


def value_limits(row: Row, found: Limits | None) -> Limits | None:
    """Ends of the value axis of a row, as powers of ten on a log axis: the panel's own, the others as found.

    Raises
    ------
    FigureError
        A log axis begins or ends at or below zero.
    """
    return chosen_limits(given_ends(row.panel.y, row.scale, f"{row.path}.y.range"), found)


def set_ticks(axis: go.layout.XAxis | go.layout.YAxis, ticks: Ticks) -> None:
    """Give an axis explicit ticks; the minor ones without labels."""
    axis.tickmode = "array"
    axis.tickvals = list(ticks.values)
    axis.ticktext = list(ticks.labels)
    axis.minor = {"tickmode": "array", "tickvals": list(ticks.minor)} if ticks.minor else {"ticks": ""}


def tick_width_px(axis: go.layout.YAxis) -> float:
    """Estimated width of the widest tick label of a value axis, in pixels."""
    if axis.showticklabels is False:
        return 0.0
    labels = axis.ticktext or linear_labels(*axis.range, most=axis.nticks or 5)
    return max((width_px(label, _TICK_FONT_PX) for label in labels), default=0.0)


def title_annotation(title: AxisTitle, place: Place, shift_px: float, *, is_right: bool = False) -> go.layout.Annotation:
    """The title beside its panel, its middle `shift_px` off it: an annotation, as plotly's own wander with the ticks."""
    return go.layout.Annotation(
        xref="paper",
        yref="paper",
        x=int(is_right),
        y=place.middle,
        xshift=shift_px if is_right else -shift_px,
        xanchor="center",
        yanchor="middle",
        textangle=-90,
        text=title.text,
        showarrow=False,
        borderpad=0,
        font={"size": title.font_px},
    )


def fit_title(title: str, unit: str, room_px: float) -> AxisTitle:
    """Title and unit in one line or two, at the largest font with which they fit into `room_px`.

    Where no font is small enough, words in the middle are left out: the first says whose data they are, the last ones which.
    """
    shown, unit_shown = label_to_html(title), unit_to_html(unit)
    bracket = f"[{unit_shown}]" if unit_shown else ""
    for size in _TITLE_SIZES:
        one = f"{shown} {bracket}".strip()
        for lines in ([one], [shown, bracket]):
            if all(width_px(line, size) <= room_px for line in lines) and (size >= _EASY_FONT_PX or len(lines) > 1):
                return _stacked(lines, size)
    words = SPACE.sub(" ", title).strip().split(" ")
    for size in _BROKEN_SIZES:
        if (broken := _broken(words, bracket, room_px, size)) is not None:
            return _stacked(broken, size)
    size = _BROKEN_SIZES[-1]
    for left_out in range(1, len(words) - 1):
        kept = [words[0], "…", *words[left_out + 1 :]]
        if (broken := _broken(kept, bracket, room_px, size)) is not None:
            return _stacked(broken, size)
    return _stacked([label_to_html(shorten(title, room_px, size, markup=label_to_html)), bracket], size)


def _broken(words: Sequence[str], bracket: str, room_px: float, font_px: int) -> list[str] | None:
    """Words in two lines, the unit at the end of the second, as equally long as may be; None where they do not fit."""
    found: list[tuple[float, list[str]]] = []
    for count in range(1, len(words)):
        first, second = (label_to_html(" ".join(part)) for part in (words[:count], words[count:]))
        lines = [first, f"{second} {bracket}".strip()]
        longest = max(width_px(line, font_px) for line in lines)
        if longest <= room_px:
            found.append((longest, lines))
    return min(found)[1] if found else None


def _stacked(lines: Sequence[str], font_px: int) -> AxisTitle:
    filled = [line for line in lines if line]
    return AxisTitle("<br>".join(filled), font_px, 1.3 * font_px * len(filled))


def side_labels(
    items: Sequence[tuple[str, str]],
    place: Place,
    room_px: float,
    *,
    inside: bool = False,
    above: int = 0,
    shift_px: float = 0,
) -> list[go.layout.Annotation]:
    """Coloured labels at the right of a panel, or inside it, one below the other; those without room are counted in the last.

    Parameters
    ----------
    items
        Plain text and colour of each label.
    room_px
        Width for them, in pixels.
    above
        How many labels stand above them already.
    shift_px
        How much further right they stand, behind an axis.
    """
    marked = [(fit_label(text, room_px), color) for text, color in items]
    return marked_labels(marked, place, inside=inside, above=above, shift_px=shift_px)


def fit_label(text: str, room_px: float) -> str:
    """A label as markup, cut to a width in pixels."""
    return label_to_html(shorten(text, room_px, look.FONT_PX, markup=label_to_html))


def marked_labels(
    items: Sequence[tuple[str, str]],
    place: Place,
    *,
    inside: bool = False,
    above: int = 0,
    xref: str = "paper",
    shift_px: float = 0,
) -> list[go.layout.Annotation]:
    """As `side_labels`, for texts that are markup already, `shift_px` further right of what `xref` names."""
    most = max(1, int(place.height_px // look.LABEL_LINE_PX) - above)
    shown = list(items) if len(items) <= most else [*items[: most - 1], (f"+ {len(items) - most + 1} more", look.QUIET)]
    return [
        go.layout.Annotation(
            name=None if inside else LABEL_NAME,
            xref=xref,
            yref="paper" if xref == "paper" else f"{place.axis} domain",
            x=1,
            y=place.high if xref == "paper" else 1,
            xshift=-LABEL_SHIFT_PX if inside else LABEL_SHIFT_PX + shift_px,
            yshift=-line * look.LABEL_LINE_PX - (LABEL_SHIFT_PX if inside else 0),
            xanchor="right" if inside else "left",
            yanchor="top",
            align="left",
            text=text,
            showarrow=False,
            font={"color": color},
            bgcolor="rgba(255, 255, 255, 0.8)" if inside else None,
            borderpad=0,
        )
        for line, (text, color) in enumerate(shown, start=above)
    ]


def panel_note(text: str, place: Place) -> go.layout.Annotation:
    """Grey letters in the middle of a panel: why it shows nothing."""
    return go.layout.Annotation(
        xref="paper",
        yref="paper",
        x=0.5,
        y=place.middle,
        xanchor="center",
        yanchor="middle",
        text=escape(text),
        showarrow=False,
        font={"size": 15, "color": look.QUIET},
        bgcolor="white",
        borderpad=3,
    )
