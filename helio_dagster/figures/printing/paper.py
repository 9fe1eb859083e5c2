"""From how a figure is wanted on paper to its sheet and its print, by styles of journals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.printing import MM_PER_INCH, POINTS_PER_INCH, Printing
from helio_dagster.figures import look
from helio_dagster.figures.printing.picture import Print
from helio_dagster.figures.sheet import Sheet

_POINTS_PER_MM = POINTS_PER_INCH / MM_PER_INCH
_LEAST_WIDTH_PX = 300.0
DEFAULT_DPI = 600

_DARK: Mapping[str, str] = {
    "white": "#12161A",
    look.INK: "#E8EBED",
    look.QUIET: "#9BA6AD",
    look.FRAME: "#AAB3B9",
    look.GRID: "#262D33",
    look.GAP_GREY: "#3A4249",
    look.BLUE: "#4FB0D8",
    look.BROWN: "#D08A4E",
    look.SLATE: "#AEB8BF",
    look.EVENT_TEXT: "#E5C15A",
    "#999999": "#77828A",
    "#A9B0B4": "#5C666D",
    "#FDECEA": "#4A1E1B",
    look.WARNING: "#FF8A80",
}
"""Colours of a dark sheet."""


@dataclass(frozen=True)
class _Style:
    """Widths of a column and of a page in mm, size of the font in points, colours that are others."""

    column_mm: float = 85.0
    page_mm: float = 180.0
    font_pt: float = 8.0
    instead: Mapping[str, str] = field(default_factory=dict)


_STYLES: Mapping[str | None, _Style] = {
    None: _Style(),
    "agu": _Style(column_mm=95.0, page_mm=190.0),
    "aas": _Style(column_mm=85.0, page_mm=180.0),
    "springer": _Style(column_mm=84.0, page_mm=174.0),
    "dark": _Style(instead=_DARK),
    "talk": _Style(column_mm=160.0, page_mm=320.0, font_pt=16.0),
}
"""Widths of columns and pages as the journals' instructions for authors give them."""


def sheet_of(wanted: Printing, footer: str = "") -> tuple[Sheet, Print]:
    """The sheet to lay a figure out on, and how it is printed.

    Parameters
    ----------
    wanted
        What is not given is the style's: a page wide, 8 points, 600 dots per inch.
    footer
        Text of the footer, for figures that want one.

    Raises
    ------
    InputError
        There is no room for the panels: the figure is too narrow for its font.
    """
    style = _STYLES[wanted.style]
    widths = {"column": style.column_mm, "page": style.page_mm}
    width = wanted.width or "page"
    width_mm = widths[width] if isinstance(width, str) else width
    points_per_px = (wanted.font or style.font_pt) / look.FONT_PX
    px_per_mm = _POINTS_PER_MM / points_per_px
    width_px = width_mm * px_per_mm
    if width_px < _LEAST_WIDTH_PX:
        least = _LEAST_WIDTH_PX / px_per_mm
        raise InputError(
            f"a figure {width_mm:g} mm wide has no room for labels of {points_per_px * look.FONT_PX:g} pt",
            hint=f"Make it {least:.0f} mm wide or wider, or the font smaller.",
        )
    sheet = Sheet(
        width_px=width_px,
        height_px=None if wanted.height is None else wanted.height * px_per_mm,
        has_title=wanted.title,
        has_letters=wanted.letters,
        footer=footer if wanted.footer else "",
        palette=wanted.palette,
        colormap=wanted.colormap,
    )
    return sheet, Print(points_per_px=points_per_px, dpi=wanted.dpi or DEFAULT_DPI, instead=style.instead)
