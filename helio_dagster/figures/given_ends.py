"""The ends of an axis or of colours that a panel gives: both, one, or none. The data say the others."""

from __future__ import annotations

import math
from typing import overload

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Axis, Ends
from helio_dagster.domain.table import Scale

Limits = tuple[float, float]

_LEAST_SHARE = 0.05
"""Length of an axis, as a share of its one given end, where all data lie beyond that end."""


def given_ends(axis: Axis, scale: Scale, where: str) -> Ends | None:
    """The ends that a panel gives for an axis, as powers of ten on a log axis.

    Raises
    ------
    FigureError
        A log axis begins or ends at or below zero.
    """
    return log_ends(axis.range, where) if axis.range is not None and scale == "log" else axis.range


def log_ends(ends: Ends, where: str) -> Ends:
    """Ends as powers of ten.

    Raises
    ------
    FigureError
        One is at or below zero.
    """
    for end, verb in zip(ends, ("begin", "end"), strict=True):
        if end is not None and end <= 0:
            problem = f"a logarithmic axis cannot {verb} at {end:g}"
            raise FigureError(problem, where=where, hint=f"{verb.capitalize()} above zero, or set `scale: linear`.")
    low, high = ends
    return None if low is None else math.log10(low), None if high is None else math.log10(high)


@overload
def chosen_limits(given: Ends | None, found: Limits) -> Limits: ...
@overload
def chosen_limits(given: Ends | None, found: Limits | None) -> Limits | None: ...
def chosen_limits(given: Ends | None, found: Limits | None) -> Limits | None:
    """Both ends of an axis: the given ones, the others as found in the data; None where one is neither given nor found.

    An axis whose data all lie beyond its one given end is a short one from there.
    """
    low, high = given or (None, None)
    if low is not None and high is not None:
        return low, high
    if found is None:
        return None
    if low is not None:
        return low, found[1] if found[1] > low else low + _shortest(low)
    if high is not None:
        return found[0] if found[0] < high else high - _shortest(high), high
    return found


def _shortest(end: float) -> float:
    return abs(end) * _LEAST_SHARE or 1.0
