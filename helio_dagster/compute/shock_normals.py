"""Normals of a shock from what is measured on both sides: coplanarity of fields and velocities."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Method = Literal["magnetic", "velocity", "mixed_1", "mixed_2", "mixed_3"]
METHODS: tuple[Method, ...] = ("magnetic", "velocity", "mixed_1", "mixed_2", "mixed_3")
LEAST_SINE = math.sin(math.radians(2.0))
"""Vectors that are nearer than 2 deg to parallel span no plane: noise alone would decide on the normal."""
LEAST_CHANGE = 0.05
"""A field that changes by less than this share of the stronger side gives no normal."""
LEAST_PUSH_KM_S = 5.0
"""A velocity that changes by less gives none either, and no sign."""


def shock_normal(method: Method, upstream: tuple[Floats, Floats], downstream: tuple[Floats, Floats]) -> Floats | None:
    """The unit normal that points upstream, or None where the vectors span no plane or hardly change.

    Parameters
    ----------
    method
        Which vectors are in the plane of coplanarity, or perpendicular to the normal.
    upstream, downstream
        Field and velocity in km/s of each side, float64, shape (3,) each, all in one frame; the field in any unit.

    Returns
    -------
    ndarray or None
        Unit vector in that frame, float64, shape (3,).

    Notes
    -----
    Schwartz (1998), ISSI SR-001, chapter 10, after Colburn and Sonett (1966),
    doi:10.1007/BF00240575, and Abraham-Shrauner (1972), doi:10.1029/JA077i004p00736. Compression along the normal decides its
    sign: the velocity grows upstream to downstream in its direction.
    """
    (before, flow_before), (behind, flow_behind) = upstream, downstream
    jump, push = behind - before, flow_behind - flow_before
    if not _length(push) >= LEAST_PUSH_KM_S:
        return None
    if method != "velocity" and not _length(jump) >= LEAST_CHANGE * max(_length(before), _length(behind)):
        return None
    if method == "velocity":
        normal: Floats | None = push
    else:
        first, second = {
            "magnetic": (behind, before),
            "mixed_1": (before, push),
            "mixed_2": (behind, push),
            "mixed_3": (jump, push),
        }[method]
        within = _perpendicular(first, second)
        normal = None if within is None else _perpendicular(within, jump)
    length = 0.0 if normal is None else _length(normal)
    if normal is None or not length > 0:
        return None
    normal = normal / length
    along = float(np.sum(normal * push))
    return None if along == 0 or not math.isfinite(along) else normal * math.copysign(1.0, along)


def _perpendicular(first: Floats, second: Floats) -> Floats | None:
    """Unit vector perpendicular to both; None where they are parallel."""
    lengths = _length(first) * _length(second)
    crossed = np.cross(first, second)
    size = _length(crossed)
    return crossed / size if lengths > 0 and size >= LEAST_SINE * lengths else None


def _length(vector: Floats) -> float:
    return math.sqrt(float(np.sum(vector * vector)))
