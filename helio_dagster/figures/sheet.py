"""The sheet that a figure is laid out on: the page of a screen, or a column on paper."""

from __future__ import annotations

from dataclasses import dataclass

from helio_dagster.domain.palettes import Colormap, Palette
from helio_dagster.figures import look

_NARROW_PX = 560.0
_PAGE_PX = 800.0
_LEAST_FACTOR = 0.66


@dataclass(frozen=True)
class Sheet:
    """Size in pixels of the layout, in which a label is 13 high, and what stands around the panels.

    Parameters
    ----------
    width_px
        Width of the whole figure.
    height_px
        Height of the whole figure; by its panels where None.
    has_title
        Whether title and range stand above the panels.
    has_letters
        Whether the panels are lettered (a), (b), (c).
    footer
        Plain text below everything; empty for none.
    palette, colormap
        Colours of lines and of values; the figure's own where None.
    """

    width_px: float = look.WIDTH_PX
    height_px: float | None = None
    has_title: bool = True
    has_letters: bool = False
    footer: str = ""
    palette: Palette | None = None
    colormap: Colormap | None = None

    @property
    def is_narrow(self) -> bool:
        """Whether it is a column rather than a page."""
        return self.width_px < _NARROW_PX

    @property
    def height_factor(self) -> float:
        """How high panels are, in parts of those on a page."""
        return min(1.0, max(_LEAST_FACTOR, self.width_px / _PAGE_PX))


SCREEN = Sheet()
"""The page of a screen."""
