"""Vectors and their columns, record by record."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.tables import at_times_of, columns, matched, strength


def magnitude(vector: pd.DataFrame) -> pd.DataFrame:
    """Length of a vector."""
    return at_times_of(vector, strength(columns(vector)))


def component(vector: pd.DataFrame, *, component: str) -> pd.DataFrame:
    """One column of a table."""
    return vector[[component]].astype("float64")


def compose_vector(first: pd.DataFrame, second: pd.DataFrame, third: pd.DataFrame, *, frame: str | None = None) -> pd.DataFrame:
    """A vector of three columns at the times of the first; NaN where one has no value at that time."""
    del frame
    parts = [matched(first, each, "PT0S")[0] for each in (first, second, third)]
    is_whole = ~np.isnan(parts).any(axis=0)
    return at_times_of(first, [np.where(is_whole, each, np.nan) for each in parts])


def angle_between(a: pd.DataFrame, b: pd.DataFrame, *, tolerance: str, plane: str) -> pd.DataFrame:
    """Angle between two vectors in deg, or between their projections on a plane."""
    kept = np.array([float(plane == "all" or axis in plane) for axis in "xyz"])
    one, other = kept * np.stack(matched(a, a, tolerance), axis=1), kept * np.stack(matched(a, b, tolerance), axis=1)
    with np.errstate(all="ignore"):
        across, along = np.linalg.norm(np.cross(one, other), axis=1), np.sum(one * other, axis=1)
        angle = np.degrees(np.arctan2(across, along))
    return at_times_of(a, np.where((across > 0) | (along != 0), angle, np.nan))


def direction(vector: pd.DataFrame, *, angle: str, full_circle: bool) -> pd.DataFrame:
    """One angle of a vector's direction in deg."""
    x, y, z = columns(vector)
    with np.errstate(all="ignore"):
        up, along = {
            "latitude": (z, np.sqrt(x * x + y * y)),
            "longitude": (y + 0 * z, x),
            "clock": (y + 0 * x, z),
            "cone": (np.sqrt(y * y + z * z), x),
        }[angle]
        found = np.degrees(np.arctan2(up, along))
    if full_circle and angle in ("longitude", "clock"):
        found = np.where(found < 0, found + 360, found)
    return at_times_of(vector, np.where((up != 0) | (along != 0), found, np.nan))


def rotate(
    vector: pd.DataFrame,
    axes: pd.DataFrame | None = None,
    *,
    matrix: list[list[float]] | None = None,
    axis: str | None = None,
    angle_deg: float | None = None,
    frame: str = "rotated",
) -> pd.DataFrame:
    """A vector in other axes: a matrix, an angle about an axis, or the axes L, M and N of minimum_variance_frame."""
    del frame
    if axes is not None:
        names = [f"{row}_{component}" for row in ("maximum", "intermediate", "normal") for component in "xyz"]
        latest = axes[names].reindex(vector.index, method="ffill")
        rows = latest.to_numpy(dtype="float64").T.reshape(3, 3, -1)
    elif matrix is not None:
        rows = np.array(matrix)
    else:
        cosine, sine = np.cos(np.radians(angle_deg or 0.0)), np.sin(np.radians(angle_deg or 0.0))
        turned = {
            "x": [[1, 0, 0], [0, cosine, sine], [0, -sine, cosine]],
            "y": [[cosine, 0, -sine], [0, 1, 0], [sine, 0, cosine]],
            "z": [[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]],
        }
        rows = np.array(turned[axis or "z"])
    x, y, z = columns(vector)
    with np.errstate(all="ignore"):
        return at_times_of(vector, [row[0] * x + row[1] * y + row[2] * z for row in rows])
