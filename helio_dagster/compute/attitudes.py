"""How a spacecraft is turned, as unit quaternions: between their times, and vectors along the axes of the spacecraft.

A quaternion `q0 + q1 i + q2 j + q3 k` is of SPICE's kind (Rotation Required Reading): its matrix turns the components of a
vector in J2000 into those along the axes of the spacecraft.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Columns = tuple[Floats, Floats, Floats]
_SMALL = 1e-9
"""Half the angle between two attitudes, rad, below which the arc between them is a straight line in double precision."""


def attitude_at(wanted: NDArray[np.int64], known: NDArray[np.int64], attitude: Floats, gap_ns: int) -> Floats:
    """An attitude at other times: turned evenly about one axis between two samples, on the shorter way.

    Parameters
    ----------
    wanted, known
        int64, ns since 1970; `known` increasing, shape (sample,).
    attitude
        float64, shape (4, sample), of length 1; a sample with a NaN does not count.
    gap_ns
        Greatest distance of two samples that are turned between.

    Returns
    -------
    ndarray
        Shape (4, wanted), NaN where no two samples are near enough (Shoemake 1985, doi:10.1145/325165.325242).
    """
    is_valid = ~np.isnan(attitude).any(axis=0)
    known, attitude = known[is_valid], attitude[:, is_valid]
    if not len(known):
        return np.full((4, len(wanted)), np.nan)
    later = np.minimum(np.searchsorted(known, wanted, side="left"), len(known) - 1)
    is_exact = known[later] == wanted
    earlier = np.where(is_exact, later, np.maximum(later - 1, 0))
    span = known[later] - known[earlier]
    is_between = (wanted > known[earlier]) & (wanted < known[later]) & (span <= gap_ns)
    share = (wanted - known[earlier]) / np.maximum(span, 1)
    first, second = attitude[:, earlier], attitude[:, later]
    cosine = first[0] * second[0] + first[1] * second[1] + first[2] * second[2] + first[3] * second[3]
    second = np.where(cosine < 0, -second, second)
    apart, joint = first - second, first + second
    half = 2 * np.arctan2(_norm(apart), _norm(joint))
    sine = np.where(half < _SMALL, 1.0, np.sin(half))
    weights = [np.where(half < _SMALL, part, np.sin(part * half) / sine) for part in (1 - share, share)]
    found = weights[0] * first + weights[1] * second
    found = found / _norm(found)
    return np.where(is_exact, first, np.where(is_between, found, np.nan))


def into_spacecraft(vector: Columns, attitude: Floats) -> Columns:
    """A vector of J2000 along the axes of the spacecraft, shape (record,) each; the attitude of shape (4, record)."""
    m, (x, y, z) = _turning_matrix(attitude), vector
    first, second, third = (row[0] * x + row[1] * y + row[2] * z for row in m)
    return first, second, third


def from_spacecraft(vector: Columns, attitude: Floats) -> Columns:
    """A vector along the axes of the spacecraft in J2000, shape (record,) each; the attitude of shape (4, record)."""
    m, (x, y, z) = _turning_matrix(attitude), vector
    first, second, third = (m[0][k] * x + m[1][k] * y + m[2][k] * z for k in range(3))
    return first, second, third


def _turning_matrix(q: Floats) -> tuple[Columns, Columns, Columns]:
    a, b, c, d = q
    return (
        (1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)),
        (2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)),
        (2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)),
    )


def _norm(q: Floats) -> Floats:
    return np.asarray(np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]))
