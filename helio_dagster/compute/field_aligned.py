"""Vectors along a field and across it, record by record. What field and which directions belong to the operation."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Columns = tuple[Floats, Floats, Floats]

LEAST_ANGLE_DEG = 1.0
"""A direction that is nearer to the field than this does not say where the axes across the field point."""


def along_field(vector: Columns, field: Columns, direction: Columns, *, is_second: bool) -> Columns:
    """Components of a vector along axes of which the third is along a field.

    Parameters
    ----------
    vector, field, direction
        x, y and z in one frame, float64, shape (record,) each; of field and direction only where they point counts.
    is_second
        Whether the direction is that of the second axis, else it is that of the first: as near to it as an axis across the
        field can be.

    Returns
    -------
    tuple
        Components along the three axes, which are right-handed; NaN where the field or the direction has no length, or they
        are less than 1 deg from parallel or antiparallel.
    """
    third = _direction_of(field)
    towards = _direction_of(direction)
    across = _across(third, towards)
    sine = _length_of(across)
    is_known = sine >= math.sin(math.radians(LEAST_ANGLE_DEG))
    across = _times(across, np.where(is_known, 1 / sine, np.nan))
    other = _across(across, third)
    axes = (_times(across, -1.0), other, third) if is_second else (other, across, third)
    one, two, three = (axis[0] * vector[0] + axis[1] * vector[1] + axis[2] * vector[2] for axis in axes)
    return one, two, np.where(is_known, three, np.nan)


def east_of(place: Columns) -> Columns:
    """The direction round the z axis at a place, eastward: x, y and z in the same frame, of no particular length."""
    x, y, _ = place
    return -y, x, 0.0 * x


def _length_of(vector: Columns) -> Floats:
    x, y, z = vector
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def _direction_of(vector: Columns) -> Columns:
    return _times(vector, 1 / _length_of(vector))


def _times(vector: Columns, by: Floats | float) -> Columns:
    x, y, z = vector
    return x * by, y * by, z * by


def _across(a: Columns, b: Columns) -> Columns:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
