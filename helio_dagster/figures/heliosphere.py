"""Where the Earth is as seen from the Sun, and the spirals that the rotating Sun winds its wind into."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.lengths import AU_KM

Floats = NDArray[np.float64]

SUN_ROTATION_PER_S = 2 * np.pi / (25.38 * 86400)
"""Sidereal rotation of the Sun, of 25.38 days: Carrington's, that of the equatorial wind's sources."""
FRAMES = ("HAE", "HCI", "HGI", "HEE", "HEEQ")
"""Frames in which the longitude of the Earth is known here."""

_J2000_MS = 946_728_000_000.0
_DAY_MS = 86_400_000.0
_NODE_DEG, _INCLINATION_DEG = 75.76, 7.25
_PRECESSION_DEG_PER_DAY = 0.0139697 / 365.25


def earth_place(time_ms: float, frame: str) -> tuple[float, float] | None:
    """Longitude of the Earth in degrees and its distance in AU; None in a frame that is not one of `FRAMES`.

    Parameters
    ----------
    time_ms
        Milliseconds since 1970-01-01 UTC.

    Notes
    -----
    The Sun's place in low precision, to 0.01 deg between 1950 and 2050, is that of the Astronomical Almanac (2024), page C5.
    The Sun's equator (node 75.76 deg, inclination 7.25 deg) and the frames are those of Fränz and Harper (2002),
    doi:10.1016/S0032-0633(01)00119-2. HGI is taken as HCI.
    """
    if frame in ("HEE", "HEEQ"):
        longitude = 0.0
    elif frame not in FRAMES:
        return None
    days = (time_ms - _J2000_MS) / _DAY_MS
    anomaly = np.radians(357.528 + 0.9856003 * days)
    distance = 1.00014 - 0.01671 * np.cos(anomaly) - 0.00014 * np.cos(2 * anomaly)
    if frame not in ("HEE", "HEEQ"):
        sun = 280.460 + 0.9856474 * days + 1.915 * np.sin(anomaly) + 0.020 * np.sin(2 * anomaly)
        longitude = float(sun + 180 - _PRECESSION_DEG_PER_DAY * days)
        if frame != "HAE":
            from_node = np.radians(longitude - _NODE_DEG)
            tilt = np.cos(np.radians(_INCLINATION_DEG))
            longitude = float(np.degrees(np.arctan2(tilt * np.sin(from_node), np.cos(from_node))))
    return longitude % 360, float(distance)


def parker_spiral(radius_au: float, longitude_rad: float, speed_km_s: float, distances_au: Floats) -> Floats:
    """Longitudes in rad, at distances from the Sun, of the spiral through a place: wind of one speed off a rotating Sun.

    Distances and longitudes are of one shape, (point,).

    Parker (1958), Astrophys. J. 128, 664, doi:10.1086/146579, in the Sun's equator and with all speed from its centre on.
    """
    longitudes: Floats = longitude_rad + SUN_ROTATION_PER_S * AU_KM / speed_km_s * (radius_au - distances_au)
    return longitudes
