"""The field of the magnetosphere by models of Tsyganenko, and the feet of its lines. They need the package geopack."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.magnetosphere import external_field_nt, foot_points_km, total_field_nt
from helio_dagster.compute.plain.tables import at_times_of, columns, matched, stamps


def tsyganenko_field(
    position: pd.DataFrame,
    kp: pd.DataFrame | None = None,
    pressure: pd.DataFrame | None = None,
    dst: pd.DataFrame | None = None,
    imf: pd.DataFrame | None = None,
    *,
    model: str,
    kp_factor: int,
    tolerance: str,
    result: str,
    position_frame: str,
    fixed_kp: float | None = None,
) -> pd.DataFrame:
    """Field of the magnetosphere in nT in the frame of the position; the total has that of the Earth's interior."""
    field = external_field_nt if result == "external" else total_field_nt
    drivers = _drivers(position, (kp, pressure, dst, imf), fixed_kp, (kp_factor, tolerance))
    with np.errstate(all="ignore"):
        found = np.stack(field(model, tuple(columns(position)), stamps(position), position_frame, drivers))
    return at_times_of(position, list(np.where(np.isfinite(found).all(axis=0), found, np.nan)))


def foot_points(
    position: pd.DataFrame,
    kp: pd.DataFrame | None = None,
    pressure: pd.DataFrame | None = None,
    dst: pd.DataFrame | None = None,
    imf: pd.DataFrame | None = None,
    *,
    model: str,
    kp_factor: int,
    tolerance: str,
    hemisphere: str,
    altitude_km: float,
    result: str,
    position_frame: str,
    fixed_kp: float | None = None,
) -> pd.DataFrame:
    """Foot points of the field lines through places: latitude or longitude in deg, or the position in GEO in km."""
    drivers = _drivers(position, (kp, pressure, dst, imf), fixed_kp, (kp_factor, tolerance))
    place, is_north = tuple(columns(position)), hemisphere == "north"
    with np.errstate(all="ignore"):
        x, y, z = foot_points_km(
            model, place, stamps(position), position_frame, drivers, is_north=is_north, altitude_km=altitude_km
        )
    if result == "position":
        return at_times_of(position, [x, y, z])
    return at_times_of(position, np.degrees(np.arctan2(z, np.hypot(x, y)) if result == "latitude" else np.arctan2(y, x)))


def _drivers(
    position: pd.DataFrame,
    given: tuple[pd.DataFrame | None, ...],
    fixed_kp: float | None,
    meeting: tuple[int, str],
) -> tuple[np.ndarray, ...]:
    """Kp, or pressure, Dst, By and Bz, at the times of the position."""
    if fixed_kp is not None:
        return (np.full(len(position), fixed_kp),)
    factor, tolerance = meeting
    near = [matched(position, each, tolerance) for each in given if each is not None]
    return (near[0][0] / factor,) if len(near) == 1 else (near[0][0], near[1][0], near[2][1], near[2][2])
