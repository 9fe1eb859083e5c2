"""Earth's own field, and where a place is in that of a dipole. Positions come in km."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import factorial, lpmv

from helio_dagster.compute.frame_change import move_between, rotate_between
from helio_dagster.compute.igrf_coefficients import (
    IGRF_EPOCHS,
    IGRF_FIRST_YEAR,
    IGRF_NT,
    IGRF_STEP_YEARS,
)
from helio_dagster.compute.plain.tables import at_times_of, columns, finite, stamps
from helio_dagster.domain.lengths import EARTH_RADIUS_KM


def igrf_field(position: pd.DataFrame, *, degree: int, position_frame: str) -> pd.DataFrame:
    """IGRF-14 in nT in the frame of the position, 1955 to 2030, from 6308 km up."""
    at = stamps(position)
    with np.errstate(all="ignore"):
        x, y, z = move_between(tuple(columns(position)), at, position_frame, "GEO", unit_km=1.0)
        r, phi = np.sqrt(x**2 + y**2 + z**2), np.arctan2(y, x)
        cosine, sine = z / r, np.maximum(np.hypot(x, y) / r, 1e-12)
        known = np.array(IGRF_NT.split(), dtype="float64").reshape(-1, IGRF_EPOCHS)
        epochs = (_decimal_years(position) - IGRF_FIRST_YEAR) / IGRF_STEP_YEARS
        held = np.array([np.interp(epochs, np.arange(IGRF_EPOCHS), each, left=np.nan, right=np.nan) for each in known])
        radial, south, east, place = np.zeros(len(r)), np.zeros(len(r)), np.zeros(len(r)), 0
        for n in range(1, degree + 1):
            for m in range(n + 1):
                g, h = held[place], held[place + 1] if m else 0.0
                place += 2 if m else 1
                norm = (-1) ** m * np.sqrt((2 if m else 1) * factorial(n - m) / factorial(n + m))
                legendre, below = norm * lpmv(m, n, cosine), norm * lpmv(m, n - 1, cosine)
                slope = (n * cosine * legendre - (n + m) * below) / sine
                along, around = g * np.cos(m * phi) + h * np.sin(m * phi), h * np.cos(m * phi) - g * np.sin(m * phi)
                falling = (EARTH_RADIUS_KM / r) ** (n + 2)
                radial, south = radial + (n + 1) * falling * along * legendre, south - falling * along * slope
                east = east - falling * m * around * legendre / sine
        outward = radial * sine + south * cosine
        b = (
            outward * np.cos(phi) - east * np.sin(phi),
            outward * np.sin(phi) + east * np.cos(phi),
            radial * cosine - south * sine,
        )
        turned = rotate_between(
            tuple(np.where(r >= 0.99 * EARTH_RADIUS_KM, each, np.nan) for each in b), at, "GEO", position_frame
        )
    is_known = np.isfinite(turned).all(axis=0)
    return at_times_of(position, [np.where(is_known, each, np.nan) for each in turned])


def dipole_coordinates(position: pd.DataFrame, *, result: str, position_frame: str) -> pd.DataFrame:
    """L, magnetic latitude in deg, magnetic local time in h, or invariant latitude in deg, of a centred dipole."""
    with np.errstate(all="ignore"):
        place = np.stack(move_between(tuple(columns(position)), stamps(position), position_frame, "SM", unit_km=1.0))
        r = np.linalg.norm(place, axis=0)
        latitude = np.arcsin(place[2] / r)
        shell = r / EARTH_RADIUS_KM / np.cos(latitude) ** 2
        found = {
            "l_shell": shell,
            "magnetic_latitude": np.degrees(latitude),
            "magnetic_local_time": (np.degrees(np.arctan2(place[1], place[0])) / 15 + 12) % 24,
            "invariant_latitude": np.degrees(np.arccos(np.where(shell >= 1, shell, np.nan) ** -0.5)),
        }[result]
    is_on_axis = (place[0] == 0) & (place[1] == 0) & (result not in ("magnetic_latitude", "invariant_latitude"))
    return at_times_of(position, np.where(is_on_axis, np.nan, finite(found)))


def _decimal_years(table: pd.DataFrame) -> np.ndarray:
    day = table.index.dayofyear - 1 + (table.index - table.index.normalize()) / pd.Timedelta("1D")
    return (table.index.year + day / np.where(table.index.is_leap_year, 366, 365)).to_numpy(dtype="float64")
