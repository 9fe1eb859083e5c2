"""Axes of the geocentric frames at given times, from closed formulas: no ephemeris, no file.

Source: Hapgood 1992, Planet. Space Sci. 40, 711, doi:10.1016/0032-0633(92)90012-D, with the corrigendum of 1997 (Planet.
Space Sci. 45, 1047): T0 is counted to the last midnight. Good to about 0.01 deg until 2100, against frames of date. The dipole
is that of IGRF-14 (IAGA 2024, doi:10.5281/zenodo.14218973), linear between its epochs, held before 1900 and carried on after
2030 at the rate of 2025.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Columns = tuple[Floats, Floats, Floats]

CHAIN = ("GEO", "GEI", "GSE", "GSM", "SM")
"""Frames in an order in which one rotation leads from each to the next."""

_IGRF_YEARS = np.arange(1900.0, 2031.0, 5.0)
_IGRF_G10_NT = np.array(
    (
        *(-31543, -31464, -31354, -31212, -31060, -30926, -30805, -30715, -30654, -30594, -30554, -30500, -30421, -30334),
        *(-30220, -30100, -29992, -29873, -29775, -29692, -29619.4, -29554.63, -29496.57, -29441.46, -29403.41),
        *(-29350.0, -29350.0 + 5 * 12.6),
    )
)
_IGRF_G11_NT = np.array(
    (
        *(-2298, -2298, -2297, -2306, -2317, -2318, -2316, -2306, -2292, -2285, -2250, -2215, -2169, -2119),
        *(-2068, -2013, -1956, -1905, -1848, -1784, -1728.2, -1669.05, -1586.42, -1501.77, -1451.37),
        *(-1410.3, -1410.3 + 5 * 10.0),
    )
)
_IGRF_H11_NT = np.array(
    (
        *(5922, 5909, 5898, 5875, 5845, 5817, 5808, 5812, 5821, 5810, 5815, 5820, 5791, 5776),
        *(5737, 5675, 5604, 5500, 5406, 5306, 5186.1, 5077.99, 4944.26, 4795.99, 4653.35),
        *(4545.5, 4545.5 - 5 * 21.5),
    )
)
_DAY_NS = 86_400 * 10**9
_J2000_DAY = 10957.5
"""2000-01-01T12:00 in days after 1970-01-01."""


def rotate_between(vector: Columns, time: NDArray[np.datetime64], source: str, target: str) -> Columns:
    """A vector given in one frame of `CHAIN`, in another.

    Parameters
    ----------
    vector
        float64, shape (record,) each: x, y, z in `source`.
    time
        `datetime64[ns]`, naive UTC, shape (record,); UT1 is taken to be UTC.

    Returns
    -------
    tuple
        x, y, z in `target`, NaN where a component is.
    """
    place, goal = CHAIN.index(source), CHAIN.index(target)
    while place < goal:
        vector = _onward(vector, time, place)
        place += 1
    while place > goal:
        place -= 1
        vector = _back(vector, time, place)
    return vector


def dipole_tilt_deg(time: NDArray[np.datetime64]) -> Floats:
    """Angle of the dipole's northern end to the z axis of GSM, positive towards the Sun, in degrees, shape (record,)."""
    x, y, z = _dipole_in_gse(time)
    return np.degrees(np.arctan2(x, np.sqrt(y * y + z * z)))


def _onward(vector: Columns, time: NDArray[np.datetime64], place: int) -> Columns:
    match CHAIN[place]:
        case "GEO":
            return _about_z(vector, -_sidereal_angle(time))
        case "GEI":
            longitude, obliquity = _sun(time)
            return _about_z(_about_x(vector, obliquity), longitude)
        case "GSE":
            return _about_x(vector, -_gsm_angle(time))
        case _:
            return _about_y(vector, -np.radians(dipole_tilt_deg(time)))


def _back(vector: Columns, time: NDArray[np.datetime64], place: int) -> Columns:
    match CHAIN[place]:
        case "GEO":
            return _about_z(vector, _sidereal_angle(time))
        case "GEI":
            longitude, obliquity = _sun(time)
            return _about_x(_about_z(vector, -longitude), -obliquity)
        case "GSE":
            return _about_x(vector, _gsm_angle(time))
        case _:
            return _about_y(vector, np.radians(dipole_tilt_deg(time)))


def _about_x(vector: Columns, angle: Floats) -> Columns:
    """Components in axes turned by `angle` (rad) about x."""
    x, y, z = vector
    cosine, sine = np.cos(angle), np.sin(angle)
    return x + 0.0 * (y + z), y * cosine + z * sine, z * cosine - y * sine


def _about_y(vector: Columns, angle: Floats) -> Columns:
    """Components in axes turned by `angle` (rad) about y, from x towards z."""
    x, y, z = vector
    cosine, sine = np.cos(angle), np.sin(angle)
    return x * cosine + z * sine, y + 0.0 * (x + z), z * cosine - x * sine


def _about_z(vector: Columns, angle: Floats) -> Columns:
    """Components in axes turned by `angle` (rad) about z."""
    x, y, z = vector
    cosine, sine = np.cos(angle), np.sin(angle)
    return x * cosine + y * sine, y * cosine - x * sine, z + 0.0 * (x + y)


def _clock(time: NDArray[np.datetime64]) -> tuple[Floats, Floats]:
    """Julian centuries from J2000 to the last midnight, and the hours since."""
    at = time.astype("datetime64[ns]").astype(np.int64)
    day = at // _DAY_NS
    centuries: Floats = (day - _J2000_DAY).astype(np.float64) / 36525.0
    return centuries, (at - day * _DAY_NS).astype(np.float64) / 3.6e12


def _sidereal_angle(time: NDArray[np.datetime64]) -> Floats:
    """Greenwich mean sidereal time as an angle, rad (Hapgood 1992, section 3.2)."""
    centuries, hours = _clock(time)
    return np.radians(np.fmod(100.461 + 36000.770 * centuries + 15.04107 * hours, 360.0))


def _sun(time: NDArray[np.datetime64]) -> tuple[Floats, Floats]:
    """Ecliptic longitude of the Sun and obliquity of the ecliptic, rad (Hapgood 1992, section 3.3)."""
    centuries, hours = _clock(time)
    anomaly = np.radians(np.fmod(357.528 + 35999.050 * centuries + 0.04107 * hours, 360.0))
    mean_longitude = np.fmod(280.460 + 36000.772 * centuries + 0.04107 * hours, 360.0)
    center = (1.915 - 0.0048 * centuries) * np.sin(anomaly) + 0.020 * np.sin(2 * anomaly)
    longitude: Floats = np.radians(mean_longitude + center)
    obliquity: Floats = np.radians(23.439 - 0.013 * centuries)
    return longitude, obliquity


def _dipole_in_gse(time: NDArray[np.datetime64]) -> Columns:
    """The northern end of the dipole's axis in GSE, a unit vector."""
    centuries, hours = _clock(time)
    year = 2000.0 + (centuries * 36525.0 + 0.5 + hours / 24.0) / 365.25
    g10, g11, h11 = (np.interp(year, _IGRF_YEARS, values) for values in (_IGRF_G10_NT, _IGRF_G11_NT, _IGRF_H11_NT))
    late = np.maximum(year - _IGRF_YEARS[-1], 0.0)
    g10, g11, h11 = g10 + 12.6 * late, g11 + 10.0 * late, h11 - 21.5 * late
    moment = np.sqrt(g10 * g10 + g11 * g11 + h11 * h11)
    return rotate_between((-g11 / moment, -h11 / moment, -g10 / moment), time, "GEO", "GSE")


def _gsm_angle(time: NDArray[np.datetime64]) -> Floats:
    """Angle from the z axis of GSE to that of GSM, about x, positive towards y, rad (Hapgood 1992, section 3.4)."""
    _, y, z = _dipole_in_gse(time)
    return np.arctan2(y, z)
