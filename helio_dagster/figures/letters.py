"""The letters (a), (b), (c) of panels, for captions to refer to."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from helio_dagster.figures import look
from helio_dagster.figures.forms import Form
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.parts import Parts

_INSET_PX = 7
LETTER_NAME = "letter"
"""Name of the letters of panels."""


def panel_letters(
    parts: Sequence[Parts], places: Sequence[Place], forms: Sequence[Form], first: int = 0
) -> list[go.layout.Annotation]:
    """A letter in the upper left corner of each panel that has axes, aa after z; outside a calendar, as it would hide cells.

    `first` is how many letters were given to panels before.
    """
    rows = zip(parts, places, forms, strict=True)
    lettered = [(place, form == "calendar") for part, place, form in rows if part.axis is not None]
    return [
        go.layout.Annotation(
            name=LETTER_NAME,
            xref="paper",
            yref=f"{place.axis} domain",
            x=0,
            y=1,
            xshift=-_INSET_PX if is_outside else _INSET_PX,
            yshift=0 if is_outside else -_INSET_PX,
            xanchor="right" if is_outside else "left",
            yanchor="bottom" if is_outside else "top",
            text=f"<b>({_letter(number)})</b>",
            showarrow=False,
            font={"size": look.FONT_PX},
            bgcolor="rgba(255, 255, 255, 0.8)",
            borderpad=1,
        )
        for number, (place, is_outside) in enumerate(lettered, start=first)
    ]


def _letter(number: int) -> str:
    return (_letter(number // 26 - 1) if number >= 26 else "") + chr(ord("a") + number % 26)
