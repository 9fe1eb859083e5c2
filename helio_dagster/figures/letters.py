"""The letters (a), (b), (c) of panels, for captions to refer to."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from helio_dagster.figures import look
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.parts import Parts

_INSET_PX = 7


def panel_letters(parts: Sequence[Parts], places: Sequence[Place]) -> list[go.layout.Annotation]:
    """A letter in the upper left corner of each panel that has axes; aa after z."""
    lettered = [place for part, place in zip(parts, places, strict=True) if part.axis is not None]
    return [
        go.layout.Annotation(
            xref="paper",
            yref=f"{place.axis} domain",
            x=0,
            y=1,
            xshift=_INSET_PX,
            yshift=-_INSET_PX,
            xanchor="left",
            yanchor="top",
            text=f"<b>({_letter(number)})</b>",
            showarrow=False,
            font={"size": look.FONT_PX},
            bgcolor="rgba(255, 255, 255, 0.8)",
            borderpad=1,
        )
        for number, place in enumerate(lettered)
    ]


def _letter(number: int) -> str:
    return (_letter(number // 26 - 1) if number >= 26 else "") + chr(ord("a") + number % 26)
