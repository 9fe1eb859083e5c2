"""Angles along the axes of a record: which an axis holds, how much sky a bin takes, and angles to a direction."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np

from helio_dagster.domain.axes import Floats, RecordAxis
from helio_dagster.domain.errors import ComputeError

AngleKind = Literal["azimuth", "colatitude", "elevation", "pitch angle"]
_WORDS: tuple[tuple[AngleKind, str], ...] = (
    ("pitch angle", r"pitch|pangle"),
    ("azimuth", r"phi|azi|longitude|spin"),
    ("elevation", r"elev|latitude|(?<![a-z])ele(?![a-z])"),
    ("colatitude", r"colat|polar|zenith"),
)
_POLAR = r"theta"


def angle_kind(axis: RecordAxis) -> AngleKind | None:
    """What angle an axis holds, from its name, label and fixed centers; None where it is not an angle, or they do not say.

    An axis of angles called theta is an elevation where a center is negative, and a colatitude where one exceeds 90 degrees.
    """
    if axis.unit not in ("deg", "rad"):
        return None
    said = f"{axis.name} {axis.label}".casefold()
    if "colat" in said:
        return "colatitude"
    for kind, words in _WORDS:
        if re.search(words, said) and not (kind == "colatitude" and _has_negative(axis)):
            return kind
    if re.search(_POLAR, said):
        right_angle = 90.0 if axis.unit == "deg" else np.pi / 2
        if _has_negative(axis):
            return "elevation"
        if any(value > right_angle for value in axis.values):
            return "colatitude"
    return None


def _has_negative(axis: RecordAxis) -> bool:
    return any(value < 0 for value in axis.values)


def radians(values: Floats, axis: RecordAxis) -> Floats:
    """Values along an axis of angles, converted from the unit of the axis to radians; the shape stays."""
    return np.radians(values) if axis.unit == "deg" else values


def sky_shares(centers: Floats, widths: Floats, axis: RecordAxis) -> Floats:
    """How much of the way from pole to pole a bin takes by area: the integral of sin(colatitude) over it, shape of `centers`.

    Parameters
    ----------
    centers, widths
        Of a colatitude, pitch angle (0 to 180 deg) or elevation (-90 to 90 deg), in the axis's unit; float64, of one shape.
    axis
        The axis.

    Returns
    -------
    ndarray
        float64, 0 to 2, shape of `centers`; times the width in azimuth, in rad, it is the solid angle in sr.

    Raises
    ------
    ComputeError
        The axis is none of these.
    """
    kind = angle_kind(axis)
    if kind is None or kind == "azimuth":
        raise ComputeError(
            f"the axis {axis.name} is not known to be an angle from a pole",
            hint="Weights by solid angle need a colatitude, an elevation or a pitch angle; use `weights: equal`.",
        )
    middle = radians(centers, axis)
    colatitude = np.pi / 2 - middle if kind == "elevation" else middle
    half = radians(widths, axis) / 2
    first, last = (np.clip(each, 0.0, np.pi) for each in (colatitude - half, colatitude + half))
    shares: Floats = np.cos(first) - np.cos(last)
    return shares


def unit_vectors(azimuth: Floats, polar: Floats, *, is_elevation: bool) -> tuple[Floats, Floats, Floats]:
    """Directions of azimuths and polar angles in rad: x, y and z, float64, of the shape to which the two broadcast.

    A polar angle is measured from the pole, or with `is_elevation` from the plane.
    """
    above, along = (np.sin(polar), np.cos(polar)) if is_elevation else (np.cos(polar), np.sin(polar))
    x, y = np.cos(azimuth) * along, np.sin(azimuth) * along
    return x, y, np.broadcast_to(above, x.shape)
