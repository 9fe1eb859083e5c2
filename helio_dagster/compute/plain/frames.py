"""Vectors, positions and velocities in other coordinate frames."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.attitudes import attitude_at, from_spacecraft, into_spacecraft
from helio_dagster.compute.frame_axes import tilt_of_dipole
from helio_dagster.compute.frame_change import hci_to_rtn, move_between, rotate_between, rtn_to_hci, velocity_between
from helio_dagster.compute.plain.arithmetic import values_near
from helio_dagster.compute.plain.tables import at_times_of, columns, matched, middles, nanoseconds, stamps, strength
from helio_dagster.domain.lengths import SUN_RADIUS_KM


def transform_frame(
    vector: pd.DataFrame,
    position: pd.DataFrame | None = None,
    attitude: pd.DataFrame | None = None,
    *,
    source: str,
    to: str,
    quantity: str = "vector",
    unit_km: float = 1.0,
    unit_km_per_s: float = 1.0,
    position_frame: str = "HCI",
    position_gap: str | None = None,
    attitude_gap: str | None = None,
) -> pd.DataFrame:
    """A vector, position or velocity in another frame; the position in km, the attitude as quaternions from J2000."""
    given, at = tuple(columns(vector)), stamps(vector)
    with np.errstate(all="ignore"):
        if source == to:
            found = given
        elif quantity == "position":
            found = move_between(given, at, source, to, unit_km=unit_km)
        elif quantity == "velocity":
            place = _place(vector, position, position_frame, source, position_gap)
            found = velocity_between(given, place, at, source, to, per_s=1 / unit_km_per_s, unit_km=1.0)
        else:
            if source == "SC":
                given, source = from_spacecraft(given, _quaternions_at(vector, attitude, attitude_gap)), "J2000"
            onto = "J2000" if to == "SC" else to
            if "RTN" not in (source, onto):
                found = rotate_between(given, at, source, onto)
            elif source == "RTN":
                place = _place(vector, position, position_frame, "HCI", position_gap)
                found = rotate_between(rtn_to_hci(given, place), at, "HCI", onto)
            else:
                place = _place(vector, position, position_frame, "HCI", position_gap)
                found = hci_to_rtn(rotate_between(given, at, source, "HCI"), place)
            if to == "SC":
                found = into_spacecraft(found, _quaternions_at(vector, attitude, attitude_gap))
    return at_times_of(vector, list(found))


def dipole_tilt(series: pd.DataFrame) -> pd.DataFrame:
    """Angle of the dipole's axis from Z of GSM in deg, at the times of valid records."""
    lean = np.degrees(tilt_of_dipole(stamps(series)))
    return at_times_of(series, np.where(np.isfinite(series.to_numpy(dtype="float64")).any(axis=1), lean, np.nan))


def source_longitude(
    speed: pd.DataFrame, position: pd.DataFrame, *, tolerance: str, source_radius_rs: float, position_frame: str
) -> pd.DataFrame:
    """Carrington longitude that the wind left, which turned on by 14.1844 deg for each day of its way; the position in km."""
    near = tuple(matched(speed, position, tolerance))
    with np.errstate(all="ignore"):
        place = np.stack(move_between(near, stamps(speed), position_frame, "Carrington", unit_km=1.0))
        way_km = np.linalg.norm(place, axis=0) - source_radius_rs * SUN_RADIUS_KM
        days = way_km / strength(columns(speed)) / 86400
        found = (np.degrees(np.angle(place[0] + 1j * place[1])) + 14.1844 * days) % 360
    return at_times_of(speed, np.where(np.isfinite(found) & (way_km >= 0), found, np.nan))


def _quaternions_at(vector: pd.DataFrame, attitude: pd.DataFrame, gap: str) -> np.ndarray:
    """The quaternions at the times of the vector, the middles of its records first."""
    given, gap_ns = np.stack(columns(attitude)), nanoseconds(gap)
    if vector.attrs.get("extent") == attitude.attrs.get("extent"):
        return attitude_at(stamps(vector), stamps(attitude), given, gap_ns)
    known = middles(attitude)
    found = attitude_at(middles(vector), known, given, gap_ns)
    return np.where(np.isnan(found), attitude_at(stamps(vector), known, given, gap_ns), found)


def _place(vector: pd.DataFrame, position: pd.DataFrame, given_in: str, frame: str, gap: str) -> tuple[np.ndarray, ...]:
    """A position at the times of the vector in a frame, on the line between the samples around."""
    near = [values_near(vector, position, values, "linear", gap, nanoseconds(gap)) for values in columns(position)]
    return move_between(tuple(near), stamps(vector), given_in, frame, unit_km=1.0)
