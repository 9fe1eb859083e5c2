"""What is known of a row before it is drawn, and where the rows of a figure are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from helio_dagster.figures import look
from helio_dagster.figures.forms import OWN_AXES, Form
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.own_axes import OWN_AXIS_PX
from helio_dagster.figures.parts import LABEL_SHIFT_PX, Parts
from helio_dagster.figures.text_width import width_px

LONGEST_OWN_LABEL_PX = 270
"""Width of labels of a panel with axes of its own, which hold facts."""
_LONGEST_LABEL_PX = 220
_TEXT_BOTTOM_PX = 16


@dataclass(frozen=True)
class Room:
    """What a row is drawn into: its place, the width for labels at its right, about the width of the panels, in pixels.

    `points` are those that a line over time may have.
    """

    place: Place
    label_px: float
    panel_px: float
    points: int


@dataclass(frozen=True)
class PlannedRow:
    """A panel of which everything is known but its place.

    Parameters
    ----------
    labels
        Markup of the labels at its right, for which the figure keeps room.
    bar_px
        Width of the colour bar or the axis at its right; 0 without one.
    height_px
        Its height.
    draw
        Draws it.
    lines
        How many lines over time it has.
    is_square
        Whether it is only as wide as it is high, with its labels in the room at its right.
    fits_sheet
        Whether its height already goes by the width of the sheet.
    own_axis
        What its own horizontal axis shows, that of another panel where it is equal; None where that does not matter.
    resized
        The row as high as panels of a width in pixels want it; None where the width does not matter.
    """

    form: Form
    labels: tuple[str, ...]
    bar_px: float
    height_px: float
    draw: Callable[[Room], Parts]
    lines: int = 0
    is_square: bool = False
    fits_sheet: bool = False
    own_axis: tuple[object, ...] | None = None
    resized: Callable[[float], PlannedRow] | None = None

    @property
    def is_of_sheet(self) -> bool:
        """Whether its height is that of its content, on any sheet."""
        return self.form == "facts" or self.fits_sheet

    @property
    def right_px(self) -> float:
        """Room at its right: for labels, behind an axis or a colour bar."""
        labels_px = max((width_px(text, look.FONT_PX) + LABEL_SHIFT_PX + 8 for text in self.labels), default=0.0)
        return self.bar_px + min(labels_px, _LONGEST_LABEL_PX if self.form == "time" else LONGEST_OWN_LABEL_PX)

    @property
    def room_px(self) -> int:
        """Room below it, where another panel follows: that of its own axis."""
        return OWN_AXIS_PX if self.form in OWN_AXES else look.GAP_PX


@dataclass(frozen=True)
class Stack:
    """The rows of a figure, from top to bottom: what each is, and where."""

    forms: Sequence[Form]
    places: Sequence[Place]

    @property
    def last_time(self) -> Place | None:
        """The lowest row over time, which carries the time axis."""
        return next(
            (place for form, place in reversed(list(zip(self.forms, self.places, strict=True))) if form == "time"), None
        )

    @property
    def is_time_first(self) -> bool:
        """Whether the uppermost row is over time."""
        return self.forms[0] == "time"

    @property
    def time_bands(self) -> list[tuple[float, float]]:
        """Lower and upper end of each group of rows over time, as fractions of the height of all rows."""
        if all(form == "time" for form in self.forms):
            return [(0, 1)]
        bands: list[tuple[float, float]] = []
        was_time = False
        for form, place in zip(self.forms, self.places, strict=True):
            if form == "time":
                bands = [*bands[:-1], (place.low, bands[-1][1])] if was_time else [*bands, (place.low, place.high)]
            was_time = form == "time"
        return bands

    @property
    def bottom_px(self) -> int:
        """Margin below the lowest row."""
        return _TEXT_BOTTOM_PX if self.forms[-1] in ("facts", "polar") else look.BOTTOM_PX
