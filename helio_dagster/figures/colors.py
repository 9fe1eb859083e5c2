"""Which colour a line gets: by component, by quantity, or from the colourway; and whether a given colour is one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from helio_dagster.domain.errors import FigureError
from helio_dagster.figures import look

Role = Literal["x", "y", "z", "total"]

COMPONENT_COLORS: dict[Role, str] = {"x": look.BLUE, "y": look.CORAL, "z": look.GREEN, "total": look.INK}
DASHES = ("solid", "dot", "dash", "dashdot")

CHANNEL_END = 0.85
"""How far the colours of many channels go along a colour map; beyond it they are too pale for a line."""

_ROLE_OF_LETTER: dict[str, Role] = {"x": "x", "r": "x", "y": "y", "t": "y", "z": "z", "n": "z"}
_TOTAL_WORD = re.compile(r"\||(?<![a-z])(mag|magnitude|tot|total)(?![a-z])|(?<=[a-z])(total|tot)(?![a-z])", re.IGNORECASE)
_TOTAL_LETTER = re.compile(r"^[bvej]_?t(?=\s|$)", re.IGNORECASE)
_LETTER = re.compile(r"^[BVEJ]_?([xyzrtn])(?![A-Za-z0-9])|^([xyz])(?![A-Za-z0-9])|[_ -]([xyz])$", re.IGNORECASE)
_COLOR_OF_UNIT = {"nT": look.INK, "cm^-3": look.PURPLE, "km/s": look.BROWN, "K": look.CORAL, "eV": look.CORAL}


def vector_roles(labels: Sequence[str]) -> tuple[Role, ...] | None:
    """The components of a vector column by column: three, or three and their magnitude; None for other counts."""
    order: tuple[Role, ...] = ("x", "y", "z")
    if len(labels) == 3:
        return order
    if len(labels) != 4:
        return None
    for pattern in (_TOTAL_WORD, _TOTAL_LETTER):  # Bt is the total beside Bz, the tangential component beside |B|
        totals = [index for index, label in enumerate(labels) if pattern.search(label)]
        if len(totals) == 1:
            return (*order[: totals[0]], "total", *order[totals[0] :])
    return (*order, "total")


def series_role(label: str, frame: str | None) -> Role | None:
    """Which component a single series is, read from its label (`BR (RTN)`, `Bz`, `|B|`); None if the label does not say."""
    is_rtn = frame == "RTN" or "RTN" in label.upper()
    letter = _LETTER.search(label)
    is_total = bool(_TOTAL_WORD.search(label) or _TOTAL_LETTER.search(label))
    if letter is not None and (is_rtn or not is_total):
        return _ROLE_OF_LETTER[next(filter(None, letter.groups())).lower()]
    return "total" if is_total else None


def color_of_unit(unit: str) -> str:
    """The colour of a lone series: a quantity keeps it from figure to figure."""
    return _COLOR_OF_UNIT.get(unit, look.BLUE)


def channel_colors(count: int) -> list[str]:
    """Colours for many channels of one instrument, in order, none too pale to see."""
    places = [CHANNEL_END * index / max(1, count - 1) for index in range(count)]
    return [str(color) for color in sample_colorscale(look.COLORSCALE, places)]


def check_color(color: str, where: str) -> None:
    """Refuse what is not a colour.

    Raises
    ------
    FigureError
        The text is not a CSS colour name, `#rrggbb` or `rgb(…)`.
    """
    try:
        go.scatter.Line(color=color)
    except ValueError:
        is_color = False
    else:
        is_color = "--" not in color
    if not is_color:
        raise FigureError(
            f"{color!r} is not a colour",
            where=where,
            hint="Write a CSS colour name such as firebrick, #rrggbb or rgb(178, 34, 34).",
        )
