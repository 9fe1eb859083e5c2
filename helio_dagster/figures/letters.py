"""The letters (a), (b), (c) of panels, for captions to refer to."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from helio_dagster.figures import look
from helio_dagster.figures.forms import Form
from helio_dagster.figures.free_corners import CORNERS, freest_corner
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.parts import Parts

_INSET_PX = 7
LETTER_NAME = "letter"
"""Name of the letters of panels."""


def panel_letters(
    parts: Sequence[Parts],
    places: Sequence[Place],
    forms: Sequence[Form],
    first: int = 0,
    *,
    panel_px: float,
    span_ms: tuple[float, float],
) -> list[go.layout.Annotation]:
    """A letter in each panel that has axes, aa after z: in the upper left corner, or in another one where there are data.

    Outside a calendar, as it would hide cells. `first` is how many letters were given to panels before, `panel_px` the width
    of the panels, `span_ms` the ends of the time axis.
    """
    letters: list[go.layout.Annotation] = []
    for part, place, form in zip(parts, places, forms, strict=True):
        if part.axis is None:
            continue
        is_outside = form == "calendar"
        across, up = CORNERS[0] if is_outside else freest_corner(part, place, panel_px, span_ms)
        inward = 1 if across == "left" else -1
        letters.append(
            go.layout.Annotation(
                name=LETTER_NAME,
                xref="paper",
                yref=f"{place.axis} domain",
                x=int(across == "right"),
                y=int(up == "top"),
                xshift=-_INSET_PX if is_outside else inward * _INSET_PX,
                yshift=0 if is_outside else -_INSET_PX if up == "top" else _INSET_PX,
                xanchor="right" if is_outside else across,
                yanchor="bottom" if is_outside else up,
                text=f"<b>({_letter(first + len(letters))})</b>",
                showarrow=False,
                font={"size": look.FONT_PX},
                bgcolor="rgba(255, 255, 255, 0.8)",
                borderpad=1,
            )
        )
    return letters


def _letter(number: int) -> str:
    return (_letter(number // 26 - 1) if number >= 26 else "") + chr(ord("a") + number % 26)
