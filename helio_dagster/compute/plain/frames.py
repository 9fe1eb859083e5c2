"""Vectors, positions and velocities in other coordinate frames."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.attitudes import attitude_at, from_spacecraft, into_spacecraft
from helio_dagster.compute.field_aligned import along_field
from helio_dagster.compute.frame_axes import tilt_of_dipole
from helio_dagster.compute.frame_change import hci_to_rtn, move_between, rotate_between, rtn_to_hci, velocity_between
from helio_dagster.compute.plain.arithmetic import values_near
from helio_dagster.compute.plain.tables import at_times_of, columns, matched, middles, nanoseconds, stamps, strength
from helio_dagster.domain.lengths import SUN_RADIUS_KM


def transform_frame(
    vector: pd.DataFrame,
    position: pd.DataFrame | None = None,
    attitude: pd.DataFrame | None = None,
    field: pd.DataFrame | None = None,
    *,
    source: str,
    to: str,
    quantity: str = "vector",
    unit_km: float = 1.0,
    unit_km_per_s: float = 1.0,
    position_frame: str = "HCI",
    position_gap: str | None = None,
    attitude_gap: str | None = None,
    average: str | None = None,
    perpendicular: str = "x",
) -> pd.DataFrame:
    """A vector, position or velocity in another frame; the position in km, the attitude as quaternions from J2000."""
    given, at = tuple(columns(vector)), stamps(vector)
    with np.errstate(all="ignore"):
        if source == to:
            found = given
        elif to == "MFA":
            direction = _direction(vector, position, source, perpendicular, position_frame, position_gap)
            mean = _mean_field(vector, field, average)
            found = along_field(given, mean, direction, is_second=perpendicular == "azimuthal")
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


def _mean_field(vector: pd.DataFrame, field: pd.DataFrame | None, average: str) -> tuple[np.ndarray, ...]:
    """The field averaged over a centred window at the times of the vector, on the line between its own times."""
    rows = vector if field is None else field
    is_valid = np.isfinite(rows.to_numpy(dtype="float64")).all(axis=1)
    valid = at_times_of(rows, [np.where(is_valid, each, np.nan) for each in columns(rows)])
    length = pd.Timedelta(nanoseconds(average) // 2 * 2)
    means = columns(valid.rolling(length, center=True, closed="both", min_periods=2).mean())
    if field is None:
        return tuple(means)
    return tuple(values_near(vector, field, each, "linear", average, nanoseconds(average)) for each in means)


def _direction(
    vector: pd.DataFrame, position: pd.DataFrame | None, source: str, which: str, given_in: str, gap: str | None
) -> tuple[np.ndarray, ...]:
    """Where an axis across the field points: along x, y or z, away from the origin, or eastward."""
    if source == "RTN":
        which = {"radial": "x", "azimuthal": "y"}.get(which, which)
    if which == "radial":
        return _place(vector, position, given_in, source, gap)
    if which == "azimuthal":
        around = "HCI" if source in ("HCI", "HAE", "HEE", "HEEQ", "Carrington") else "SM"
        x, y, _ = _place(vector, position, given_in, around, gap)
        return rotate_between((-y, x, 0 * x), stamps(vector), around, source)
    return tuple(np.full(len(vector), float(which == each)) for each in "xyz")


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
