"""The foot of a figure on paper: where its data and numbers come from, in small letters."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from helio_dagster.figures import look
from helio_dagster.figures.markup import escape
from helio_dagster.figures.sheet import Sheet
from helio_dagster.figures.text_width import wrap

_FONT_PX = 9.5
_LINE_PX = 1.3 * _FONT_PX
_EDGE_PX = 10
_MOST_LINES = 12


@dataclass(frozen=True)
class Footer:
    """Text below the panels and the height that it takes."""

    annotations: tuple[go.layout.Annotation, ...]
    height_px: int


def make_footer(sheet: Sheet, below_px: float) -> Footer:
    """The sheet's footer, its lines broken to the width of the figure.

    Parameters
    ----------
    below_px
        How far below the panels it begins.
    """
    if not sheet.footer:
        return Footer((), 0)
    room = sheet.width_px - 2 * _EDGE_PX
    lines = [line for part in sheet.footer.split("\n") for line in wrap(part, room, _FONT_PX, lines=_MOST_LINES)]
    text = go.layout.Annotation(
        xref="paper",
        yref="paper",
        x=0.5,
        y=0,
        yshift=-below_px,
        xanchor="center",
        yanchor="top",
        align="left",
        text="<br>".join(map(escape, lines)),
        showarrow=False,
        borderpad=0,
        font={"size": _FONT_PX, "color": look.QUIET},
    )
    return Footer((text,), round(len(lines) * _LINE_PX + 8))
