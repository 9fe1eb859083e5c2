"""One horizontal axis for panels that stand below each other and have the same one, as in a superposed epoch analysis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from helio_dagster.figures.geometry import Place
from helio_dagster.figures.own_axes import TITLE_NAME
from helio_dagster.figures.parts import Parts
from helio_dagster.figures.planned_row import PlannedRow


def are_shared(rows: Sequence[PlannedRow]) -> list[bool]:
    """For each row whether the next one carries its axis: the same quantity, unit, scale and range."""
    return [*(row.own_axis is not None and row.own_axis == below.own_axis for row, below in pairwise(rows)), False]


def share_axes(rows: Sequence[PlannedRow], parts: Sequence[Parts], places: Sequence[Place]) -> None:
    """Leave numbers and title to the lowest of panels with one axis, and let them zoom together."""
    for is_shared, part, below in zip(are_shared(rows), parts, places[1:], strict=False):
        if is_shared and part.own_x is not None:
            part.own_x.update(showticklabels=False, matches=below.own_x)
            part.annotations = [note for note in part.annotations if note.name != TITLE_NAME]
