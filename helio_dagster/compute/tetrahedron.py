"""Gradients from four points in space: reciprocal vectors of the tetrahedron, and how flat or long it is.

Sources: Chanteur 1998 (reciprocal vectors) and Robert et al. 1998 (shape), ISSI SR-001, chapters 14 and 13.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Vector = tuple[Floats, Floats, Floats]


def reciprocal_vectors(points: Sequence[Vector]) -> tuple[Vector, ...]:
    """The vectors k of four points: `sum k_a f_a` is the gradient of what is linear in space and has the values f_a there.

    Parameters
    ----------
    points
        Four points: x, y, z, float64, shape (record,) each.

    Returns
    -------
    tuple
        Four vectors, per unit of length of the points; not finite where the points lie in a plane.
    """
    found = []
    for place in range(4):
        first, second, third = (points[(place + step) % 4] for step in (1, 2, 3))
        normal = cross(minus(second, first), minus(third, first))
        height = dot(normal, minus(points[place], first))
        found.append((normal[0] / height, normal[1] / height, normal[2] / height))
    return tuple(found)


def elongation_and_planarity(points: Sequence[Vector]) -> tuple[Floats, Floats]:
    """Shape of the tetrahedron: `1 - b / a` and `1 - c / b` of its axes a >= b >= c, both 0 for a regular one.

    Parameters
    ----------
    points
        As `reciprocal_vectors`.

    Returns
    -------
    tuple
        Elongation, 1 for four points on a line, and planarity, 1 for four in a plane; float64, shape (record,). NaN where a
        coordinate is not finite and where two points suffice to say all, as for four in one place.
    """
    centre = barycentre(points)
    apart = np.stack([np.stack(minus(point, centre)) for point in points])  # (point, axis, record)
    is_known = np.isfinite(apart).all(axis=(0, 1))
    rows = np.ascontiguousarray(np.where(is_known, apart, 0.0).transpose(2, 0, 1))
    axes = np.linalg.svd(rows, compute_uv=False)
    with np.errstate(invalid="ignore"):  # 0 / 0 where the points are in one place, or on a line
        elongation, planarity = 1 - axes[:, 1] / axes[:, 0], 1 - axes[:, 2] / axes[:, 1]
    return np.where(is_known, elongation, np.nan), np.where(is_known, planarity, np.nan)


def shape_words(elongation: float, planarity: float, *, most: tuple[float, float]) -> str:
    """How four spacecraft lie that are no tetrahedron, for people; `most` are the greatest elongation and planarity."""
    if not np.isfinite(elongation):
        return "the four spacecraft are in one place"
    flat = f"planarity {planarity:.3f}, up to {most[1]:g} is allowed, " if np.isfinite(planarity) else ""
    long = f"elongation {elongation:.3f}, up to {most[0]:g}{'' if flat else ' is allowed'}"
    return f"the four spacecraft are nearly in a plane or on a line: {flat}{long}"


def barycentre(points: Sequence[Vector]) -> Vector:
    """Mean of four vectors."""
    x, y, z = (0.25 * points[0][k] + 0.25 * points[1][k] + 0.25 * points[2][k] + 0.25 * points[3][k] for k in range(3))
    return x, y, z


def minus(a: Vector, b: Vector) -> Vector:
    """Difference a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def dot(a: Vector, b: Vector) -> Floats:
    """Scalar product of each record, shape (record,), in the product of both units."""
    return np.asarray(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
