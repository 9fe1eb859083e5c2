"""Where the panels are: heights and domains of stacked rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_RIGHT_AXES_FROM = 1000
_TIME_AXES_FROM = 1500


@dataclass(frozen=True)
class Place:
    """One row of a stack, by its number among the figure's panels, from 1.

    `low` and `high` are the ends of its domain as fractions of `stack_px`, the height of all panels and gaps together.
    """

    index: int
    low: float
    high: float
    stack_px: float

    @property
    def axis(self) -> str:
        """Plotly's id of the row's value axis."""
        return axis_name(self.index)

    @property
    def axis_key(self) -> str:
        """Plotly's layout key of the row's value axis."""
        return "yaxis" if self.index == 1 else f"yaxis{self.index}"

    @property
    def right_axis(self) -> str:
        """Plotly's id of the row's right-hand axis."""
        return right_axis_name(self.index)

    @property
    def right_axis_key(self) -> str:
        """Plotly's layout key of the row's right-hand axis."""
        return f"yaxis{self.right_axis[1:]}"

    @property
    def own_x(self) -> str:
        """Plotly's id of the row's own horizontal axis; the time axis is `x`."""
        return f"x{self.index + 1}"

    @property
    def own_x_key(self) -> str:
        """Plotly's layout key of the row's own horizontal axis."""
        return f"xaxis{self.index + 1}"

    @property
    def middle(self) -> float:
        """Middle of the domain."""
        return (self.low + self.high) / 2

    @property
    def height_px(self) -> float:
        """Height of the panel in pixels."""
        return (self.high - self.low) * self.stack_px


def axis_name(index: int) -> str:
    """Plotly's id of the value axis of a row, counted from 1 at the top."""
    return "y" if index == 1 else f"y{index}"


def right_axis_name(index: int) -> str:
    """Plotly's id of the right-hand axis of a row, counted from 1 at the top: behind those of all rows."""
    return f"y{_RIGHT_AXES_FROM + index}"


def time_axis_name(column: int) -> str:
    """Plotly's id of the time axis of a column of panels over time, counted from 0."""
    return f"x{_TIME_AXES_FROM + column}" if column else "x"


def stack_rows(
    heights_px: Sequence[float], rooms_px: Sequence[float], above_px: float = 0.0, *, numbers: Sequence[int] = ()
) -> list[Place]:
    """Places of stacked panels from top to bottom.

    Parameters
    ----------
    heights_px
        Height of each panel.
    rooms_px
        Room below each panel but the last.
    above_px
        Room above the first panel.
    numbers
        By which the axes of each panel are called; from 1 at the top where not given.
    """
    stack_px = above_px + sum(heights_px) + sum(rooms_px)
    places: list[Place] = []
    top = stack_px - above_px
    indices = numbers or range(1, len(heights_px) + 1)
    for index, height, room in zip(indices, heights_px, [*rooms_px, 0], strict=True):
        low = max(0.0, (top - height) / stack_px)
        places.append(Place(index, low, top / stack_px, stack_px))
        top -= height + room
    return places
