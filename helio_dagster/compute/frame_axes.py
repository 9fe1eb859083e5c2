"""The axes and the origin of each frame at given times. Turning vectors into them does not belong here.

Frames of date and of J2000 as in Fränz and Harper (2002), Planet. Space Sci. 50, 217, doi:10.1016/S0032-0633(01)00119-2; the
Sun's axis and prime meridian are those of the IAU (Archinal et al. 2018, doi:10.1007/s10569-017-9805-5), as SPICE and sunpy
have them.
"""

from __future__ import annotations

from collections.abc import Sequence

import erfa
import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.dipole import dipole_axis_in_geo
from helio_dagster.compute.sun_and_earth import SunAndEarth, days_since_j2000, sun_and_earth

Floats = NDArray[np.float64]

GEOCENTRIC = ("J2000", "GEI", "GEO", "MAG", "GSE", "GSM", "SM")
HELIOCENTRIC = ("HCI", "HAE", "HEE", "HEEQ", "Carrington")
TURNING_WITH_EARTH = ("GEO", "MAG", "GSM", "SM")
"""Frames whose axes follow the rotation of the Earth or of its dipole."""

_POLE_LONGITUDE, _POLE_LATITUDE = np.radians(286.13), np.radians(63.87)
_MERIDIAN_DEG, CARRINGTON_DEG_PER_DAY = 84.176, 14.1844
"""Of the Sun's rotation axis in the ICRF, and of the meridian of Carrington longitude 0."""
_SUN_NORTH = np.array(
    [
        [np.cos(_POLE_LATITUDE) * np.cos(_POLE_LONGITUDE)],
        [np.cos(_POLE_LATITUDE) * np.sin(_POLE_LONGITUDE)],
        [np.sin(_POLE_LATITUDE)],
    ]
)
_ECLIPTIC_2000 = np.asarray(erfa.ecm06(2451545.0, 0.0))[:, :, None]
"""Mean ecliptic and equinox of J2000: its rows are the axes in the ICRF."""


def frame_axes(frames: Sequence[str], at_ns: NDArray[np.int64]) -> tuple[list[Floats], Floats]:
    """The axes of frames, and where Earth is.

    Parameters
    ----------
    frames
        Of `GEOCENTRIC` and `HELIOCENTRIC`.
    at_ns
        ns since 1970, naive UTC, shape (time,).

    Returns
    -------
    tuple
        For each frame a matrix whose rows are its axes in the ICRF, shape (axis, axis, time); and Earth's centre from the
        Sun's in the axes of the ICRF, AU, shape (axis, time).
    """
    known = sun_and_earth(at_ns)
    return [_axes(frame, known, at_ns) for frame in frames], known.earth_au


def tilt_of_dipole(at_ns: NDArray[np.int64]) -> Floats:
    """Angle of the dipole's axis from Z of GSM in rad, positive where its northern end leans to the Sun, shape (time,)."""
    if not len(at_ns):
        return np.zeros(0)
    known = sun_and_earth(at_ns)
    sunward, axis = -_unit(known.earth_au), _dipole(known, at_ns)
    sine = sunward[0] * axis[0] + sunward[1] * axis[1] + sunward[2] * axis[2]
    return np.asarray(np.arcsin(sine))


def matrix_product(a: Floats, b: Floats) -> Floats:
    """Products of matrices, shape (axis, axis, time); the same bits however many there are."""
    return np.stack([np.stack([a[i, 0] * b[0, k] + a[i, 1] * b[1, k] + a[i, 2] * b[2, k] for k in range(3)]) for i in range(3)])


def _axes(frame: str, known: SunAndEarth, at_ns: NDArray[np.int64]) -> Floats:
    sunward, ecliptic_north = -_unit(known.earth_au), known.ecliptic[2]
    match frame:
        case "J2000":
            return np.broadcast_to(np.eye(3)[:, :, None], (3, 3, len(at_ns)))
        case "GEI":
            return known.mean_equator
        case "GEO":
            return _geographic(known)
        case "MAG":
            return _magnetic(known, at_ns)
        case "GSE":
            return _from_x(sunward, ecliptic_north)
        case "GSM":
            return _from_x(sunward, _dipole(known, at_ns))
        case "SM":
            return _from_z(_dipole(known, at_ns), sunward)
        case "HEE":
            return _from_x(-sunward, ecliptic_north)
        case "HEEQ":
            return _from_z(np.broadcast_to(_SUN_NORTH, sunward.shape), -sunward)
        case "HCI":
            return np.broadcast_to(_from_z(_SUN_NORTH, _cross(_ECLIPTIC_2000[2], _SUN_NORTH)), (3, 3, len(at_ns)))
        case "HAE":
            return np.broadcast_to(_ECLIPTIC_2000, (3, 3, len(at_ns)))
        case _:
            return _carrington(at_ns)


def _geographic(known: SunAndEarth) -> Floats:
    return matrix_product(_turn_about_z(known.sidereal), known.true_equator)


def _magnetic(known: SunAndEarth, at_ns: NDArray[np.int64]) -> Floats:
    dipole, south = dipole_axis_in_geo(at_ns), np.array([[0.0], [0.0], [-1.0]])
    return matrix_product(_from_z(dipole, np.broadcast_to(south, dipole.shape)), _geographic(known))


def _dipole(known: SunAndEarth, at_ns: NDArray[np.int64]) -> Floats:
    """The northern end of the dipole's axis in the ICRF."""
    axis, geographic = dipole_axis_in_geo(at_ns), _geographic(known)
    return np.stack([geographic[0, k] * axis[0] + geographic[1, k] * axis[1] + geographic[2, k] * axis[2] for k in range(3)])


def _carrington(at_ns: NDArray[np.int64]) -> Floats:
    meridian = np.radians(np.fmod(_MERIDIAN_DEG + CARRINGTON_DEG_PER_DAY * days_since_j2000(at_ns), 360.0))
    node = _cross(np.array([[0.0], [0.0], [1.0]]), _SUN_NORTH)
    return matrix_product(_turn_about_z(meridian), np.broadcast_to(_from_z(_SUN_NORTH, node), (3, 3, len(at_ns))))


def _turn_about_z(angle: Floats) -> Floats:
    cosine, sine, none = np.cos(angle), np.sin(angle), np.zeros(len(angle))
    return np.stack([np.stack([cosine, sine, none]), np.stack([-sine, cosine, none]), np.stack([none, none, none + 1])])


def _from_x(x: Floats, towards_z: Floats) -> Floats:
    """Axes with that x, and z as near as can be to a direction."""
    y = _unit(_cross(towards_z, x))
    return np.stack([x, y, _cross(x, y)])


def _from_z(z: Floats, towards_x: Floats) -> Floats:
    """Axes with that z, and x as near as can be to a direction."""
    y = _unit(_cross(z, towards_x))
    return np.stack([_cross(y, z), y, z + 0.0 * y])


def _cross(a: Floats, b: Floats) -> Floats:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]))
