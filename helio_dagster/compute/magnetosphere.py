"""Earth's field with that of the currents outside it, and the feet of its lines: the IGRF and a model of Tsyganenko together.

Positions are in R_E in GSM, the field is in nT.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.field_lines import feet_of_lines
from helio_dagster.compute.frame_axes import tilt_of_dipole
from helio_dagster.compute.frame_change import move_between, rotate_between
from helio_dagster.compute.igrf import igrf_geo_nt
from helio_dagster.compute.tsyganenko import t89_field_nt, t96_field_nt
from helio_dagster.domain.lengths import EARTH_RADIUS_KM

Floats = NDArray[np.float64]
Vector = tuple[Floats, Floats, Floats]
Drivers = tuple[Floats, ...]
"""Kp for T89; pressure in nPa, Dst, By and Bz in nT for T96; shape (record,) each."""

MODELS = {"T89": t89_field_nt, "T96": t96_field_nt}
LOWEST_RE = 0.99
"""Below this the field of the IGRF is not known."""


def external_field_nt(model: str, place_km: Vector, at_ns: NDArray[np.int64], frame: str, drivers: Drivers) -> Vector:
    """The field of the currents outside the Earth alone.

    Parameters
    ----------
    model
        Of `MODELS`.
    place_km
        x, y and z in a geocentric frame, float64, shape (record,) each.
    at_ns
        ns since 1970, naive UTC, int64, not decreasing, shape (record,).
    frame
        That of the places, and of the result.
    drivers
        Of the model, shape (record,) each.

    Returns
    -------
    tuple
        x, y, z in nT, shape (record,) each; NaN where the model does not hold.
    """
    place = tuple(each / EARTH_RADIUS_KM for each in move_between(place_km, at_ns, frame, "GSM", unit_km=1.0))
    x, y, z = place
    is_outside = x * x + y * y + z * z >= LOWEST_RE**2
    bx, by, bz = MODELS[model]((x, y, z), tilt_of_dipole(at_ns), drivers)
    return rotate_between(
        (np.where(is_outside, bx, np.nan), np.where(is_outside, by, np.nan), np.where(is_outside, bz, np.nan)),
        at_ns,
        "GSM",
        frame,
    )


def total_field_nt(model: str, place_km: Vector, at_ns: NDArray[np.int64], frame: str, drivers: Drivers) -> Vector:
    """As `external_field_nt`, with the field of the Earth's interior.

    Parameters
    ----------
    model, frame
        As there.
    place_km, at_ns, drivers
        float64, and int64 in ns since 1970, shape (record,) each.

    Returns
    -------
    tuple
        x, y, z in nT, shape (record,) each.
    """
    outer = external_field_nt(model, place_km, at_ns, frame, drivers)
    inner = rotate_between(igrf_geo_nt(move_between(place_km, at_ns, frame, "GEO", unit_km=1.0), at_ns), at_ns, "GEO", frame)
    return outer[0] + inner[0], outer[1] + inner[1], outer[2] + inner[2]


def foot_points_km(
    model: str,
    place_km: Vector,
    at_ns: NDArray[np.int64],
    frame: str,
    drivers: Drivers,
    *,
    is_north: bool,
    altitude_km: float,
) -> Vector:
    """Where the lines through places come down to an altitude above a sphere of 1 R_E, in GEO.

    Parameters
    ----------
    model
        Of `MODELS`.
    place_km, at_ns, frame
        x, y and z in a geocentric frame, shape (record,) each, at times in ns since 1970.
    drivers
        Of the model.
    is_north
        Whether along the field, to the north, or against it.
    altitude_km
        Above 6371.2 km.

    Returns
    -------
    tuple
        x, y, z in km; NaN for open lines, for those that leave where the model holds, and for places below the altitude.
    """
    tilt, sign = tilt_of_dipole(at_ns), 1.0 if is_north else -1.0
    ones, none = np.ones(len(at_ns)), np.zeros(len(at_ns))
    axes = np.array(
        [rotate_between(unit, at_ns, "GSM", "GEO") for unit in ((ones, none, none), (none, ones, none), (none, none, ones))]
    )

    def direction(place: Floats, lines: NDArray[np.intp]) -> Floats:
        m, (x, y, z) = axes[:, :, lines], place
        geo = [EARTH_RADIUS_KM * (m[0, k] * x + m[1, k] * y + m[2, k] * z) for k in range(3)]
        inner = igrf_geo_nt((geo[0], geo[1], geo[2]), at_ns[lines])
        outer = MODELS[model]((x, y, z), tilt[lines], tuple(each[lines] for each in drivers))
        bx, by, bz = (m[k, 0] * inner[0] + m[k, 1] * inner[1] + m[k, 2] * inner[2] + outer[k] for k in range(3))
        with np.errstate(all="ignore"):
            return np.asarray(np.stack([bx, by, bz]) * (sign / np.sqrt(bx * bx + by * by + bz * bz)))

    start = np.stack(move_between(place_km, at_ns, frame, "GSM", unit_km=1.0)) / EARTH_RADIUS_KM
    x, y, z = feet_of_lines(start, direction, 1 + altitude_km / EARTH_RADIUS_KM) * EARTH_RADIUS_KM
    return rotate_between((x, y, z), at_ns, "GSM", "GEO")
