"""Where the demo's spacecraft are, and GSE to GSM."""

from __future__ import annotations

import numpy as np

from helio_dagster.archives.demo.noise import Floats
from helio_dagster.archives.demo.storms import DAY_S

_J2000_S = 946_728_000.0  # 2000-01-01T12:00 UTC, s since 1970


def gse_to_gsm(seconds: Floats, vectors: Floats) -> Floats:
    """Vectors of shape (record, 3) turned from GSE to GSM, with the dipole axis of about 2020.

    Formulas: Hapgood, Planet. Space Sci. 40, 711, 1992 (T1, T2 and T3; good to a tenth of a degree).
    """
    days = (seconds - _J2000_S) / DAY_S
    centuries = days / 36525.0
    anomaly = np.radians(357.528 + 0.9856003 * days)
    longitude = np.radians(280.460 + 0.9856474 * days) + np.radians(1.915) * np.sin(anomaly)
    longitude += np.radians(0.020) * np.sin(2 * anomaly)
    obliquity = np.radians(23.439 - 0.013 * centuries)
    sidereal = np.radians((280.46062 + 360.9856473662862 * days) % 360.0)

    pole_latitude, pole_longitude = np.radians(80.65), np.radians(-72.7)
    x = np.cos(pole_latitude) * np.cos(sidereal + pole_longitude)
    y = np.cos(pole_latitude) * np.sin(sidereal + pole_longitude)
    z = np.sin(pole_latitude)
    y_ecliptic = y * np.cos(obliquity) + z * np.sin(obliquity)
    z_ecliptic = -y * np.sin(obliquity) + z * np.cos(obliquity)
    y_gse = -x * np.sin(longitude) + y_ecliptic * np.cos(longitude)
    tilt = np.arctan2(y_gse, z_ecliptic)
    cosine, sine = np.cos(tilt), np.sin(tilt)
    return np.stack(
        [vectors[:, 0], vectors[:, 1] * cosine - vectors[:, 2] * sine, vectors[:, 1] * sine + vectors[:, 2] * cosine], axis=1
    )


def halo_orbit_km(seconds: Floats) -> Floats:
    """A Lissajous orbit around L1 like that of ACE: position in GSE, km, shape (record, 3)."""
    turn = 2 * np.pi * seconds / DAY_S
    x = 1.475e6 + 6.0e4 * np.cos(turn / 88.5)
    y = 2.63e5 * np.sin(turn / 177.6)
    z = 1.57e5 * np.sin(turn / 184.0 + 1.0)
    return np.stack([x, y, z], axis=1)
