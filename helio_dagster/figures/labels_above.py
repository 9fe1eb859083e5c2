"""Labels above their panels: where a sheet is so narrow that beside them they would leave the panels no room."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from helio_dagster.figures import look
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.parts import LABEL_NAME, Parts
from helio_dagster.figures.planned_row import PlannedRow
from helio_dagster.figures.sheet import Sheet
from helio_dagster.figures.text_width import width_px

_MOST_BESIDE = 0.22
"""Of the width of a narrow sheet: what labels beside the panels may take."""
_MOST_OF_NARROW = 0.35
"""The same, with a colour bar or an axis before them."""
_MOST_AT_RIGHT = 0.29
"""Of the width of any other: what all that is at the right of the panels may take."""
_GAP_PX = 14.0
_UP_PX = 6
"""Clear of half of a number at the upper end of a right-hand axis."""
_EDGE_PX = 8.0


def are_above(rows: Sequence[PlannedRow], sheet: Sheet) -> bool:
    """Whether the labels of a figure stand above its panels."""
    if not sheet.is_narrow:
        return max(row.right_px for row in rows) > _MOST_AT_RIGHT * sheet.width_px
    is_wide = max(row.right_px - row.bar_px for row in rows) > _MOST_BESIDE * sheet.width_px
    return is_wide or max(row.right_px for row in rows) > _MOST_OF_NARROW * sheet.width_px or any(row.is_square for row in rows)


def lines_of_labels(parts: Parts, room_px: float) -> list[list[go.layout.Annotation]]:
    """The labels of a panel, in lines of a width in pixels."""
    lines: list[list[go.layout.Annotation]] = []
    used = 0.0
    for label in (note for note in parts.annotations if note.name == LABEL_NAME):
        width = _width_px(label)
        if not lines or used + width > room_px:
            lines.append([])
            used = 0.0
        lines[-1].append(label)
        used += width + _GAP_PX
    return lines


def room_above_px(lines: Sequence[Sequence[go.layout.Annotation]]) -> float:
    """The height that lines of labels need above their panel."""
    return len(lines) * look.LABEL_LINE_PX + _EDGE_PX if lines else 0.0


def move_above(lines: Sequence[Sequence[go.layout.Annotation]], place: Place) -> None:
    """Put the labels of a panel there, from its left."""
    for number, line in enumerate(reversed(lines)):
        x = 0.0
        for label in line:
            label.update(xref="paper", yref="paper", x=0, y=place.high, xshift=x, yshift=_UP_PX + number * look.LABEL_LINE_PX)
            label.update(xanchor="left", yanchor="bottom", bgcolor="white")
            x += _width_px(label) + _GAP_PX


def _width_px(label: go.layout.Annotation) -> float:
    return width_px(label.text, look.FONT_PX)
