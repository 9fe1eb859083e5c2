"""Models of Earth's magnetopause and bow shock. Pressures come in nPa, fields in nT."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.constants import VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.frame_axes import tilt_of_dipole
from helio_dagster.compute.plain.tables import at_times_of, columns, finite, matched, stamps


def magnetopause_distance(
    pressure: pd.DataFrame,
    bz: pd.DataFrame,
    position: pd.DataFrame | None = None,
    *,
    tolerance: str,
    angle_deg: float,
    extrapolate: bool,
) -> pd.DataFrame:
    """Shue et al. (1998) in R_E, fitted at 0.5 to 8.5 nPa and -18 to 15 nT; the direction up to 150 deg from the Sun."""
    p, b = columns(pressure)[0], matched(pressure, bz, tolerance)[0]
    cosine = _cosine(pressure, position, tolerance, angle_deg)
    with np.errstate(all="ignore"):
        found = _shue_nose(p, b) * (2 / (1 + cosine)) ** ((0.58 - 0.007 * b) * (1 + 0.024 * np.log(p)))
    return at_times_of(pressure, finite(found if extrapolate else np.where(_is_fitted(p, b), found, np.nan)))


def bow_shock_distance(
    pressure: pd.DataFrame, position: pd.DataFrame | None = None, *, tolerance: str, angle_deg: float
) -> pd.DataFrame:
    """Paraboloid of Jelinek et al. (2012) in R_E; the direction up to 150 deg from the Sun."""
    cosine = _cosine(pressure, position, tolerance, angle_deg)
    with np.errstate(all="ignore"):
        nose = 15.02 / columns(pressure)[0] ** (1 / 6.55)
        return at_times_of(pressure, finite(2 * nose / (cosine + np.sqrt(cosine**2 + 1.17**2 * (1 - cosine**2)))))


def bow_shock_standoff(
    pressure: pd.DataFrame,
    bz: pd.DataFrame,
    mach: pd.DataFrame,
    *,
    tolerance: str,
    adiabatic_index: float,
    extrapolate: bool,
) -> pd.DataFrame:
    """Farris and Russell (1994) in front of the magnetopause of Shue et al. (1998), in R_E."""
    p, b, m = columns(pressure)[0], matched(pressure, bz, tolerance)[0], matched(pressure, mach, tolerance)[0]
    with np.errstate(all="ignore"):
        ratio = ((adiabatic_index - 1) * m**2 + 2) / ((adiabatic_index + 1) * (m**2 - 1))
        found = np.where((m > 1) & (extrapolate | _is_fitted(p, b)), _shue_nose(p, b) * (1 + 1.1 * ratio), np.nan)
    return at_times_of(pressure, finite(found))


def _shue_nose(p: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (10.22 + 1.29 * np.tanh(0.184 * (b + 8.14))) / p ** (1 / 6.6)


def _is_fitted(p: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (p >= 0.5) & (p <= 8.5) & (b >= -18) & (b <= 15)


def _cosine(first: pd.DataFrame, position: pd.DataFrame | None, tolerance: str, angle_deg: float) -> np.ndarray | float:
    """Cosine of the angle from X, of the position where there is one; NaN beyond 150 deg."""
    if position is None:
        return np.cos(np.radians(angle_deg))
    place = np.stack(matched(first, position, tolerance))
    with np.errstate(all="ignore"):
        cosine = place[0] / np.linalg.norm(place, axis=0)
    return np.where(cosine >= np.cos(np.radians(150)), cosine, np.nan)


def lin_magnetopause_distance(
    pressure: pd.DataFrame,
    field: pd.DataFrame,
    position: pd.DataFrame | None = None,
    *,
    tolerance: str,
    angle_deg: float,
    azimuth_deg: float,
    tilt_deg: float | None = None,
) -> pd.DataFrame:
    """Lin et al. (2010) in R_E, from the angle to X, the azimuth from +Y towards +Z, and the tilt of the dipole."""
    p, b = columns(pressure)[0], np.stack(matched(pressure, field, tolerance))
    total = p + np.sum(b**2, axis=0) * 1e-9 / (2 * VACUUM_PERMEABILITY_H_PER_M)
    tilt = tilt_of_dipole(stamps(pressure)) if tilt_deg is None else np.full(len(p), np.radians(tilt_deg))
    place = np.array([np.cos(np.radians(angle_deg)), *np.sin(np.radians(angle_deg)) * _circle(azimuth_deg)])[:, None]
    if position is not None:
        place = np.stack(matched(pressure, position, tolerance))
    with np.errstate(all="ignore"):
        x, y, z = place / np.linalg.norm(place, axis=0)
        theta, phi = np.arccos(np.clip(x, -1, 1)), np.arctan2(z, y)
        size = 12.544 * total**-0.194 * (1 + _of_bz(b[2], 0.305, 0.0573, 2.178))
        flaring = -0.999 + _of_bz(b[2], 16.473, 0.00152, 0.382) + 0.0431 * np.cos(phi)
        flaring = flaring + (-0.00763 - 0.21 * tilt) * np.sin(phi) + 0.0405 * np.sin(phi) ** 2
        found = size * (np.cos(theta / 2) + 0.0571 * np.sin(2 * theta) * (1 - np.exp(-theta))) ** flaring
        for sign in (1, -1):
            cusp, lean = 1.103 - 0.907 * sign * tilt, sign * tilt
            away = np.arccos(np.clip(x * np.cos(cusp) + sign * z * np.sin(cusp), -1, 1))
            found = found - 4.43 * total**-0.636 * np.exp((-2.6 + 0.832 * lean - 5.328 * lean**2) * away**1.45)
    return at_times_of(pressure, finite(np.where((p > 0) & (theta <= np.radians(150)), found, np.nan)))


def _circle(azimuth_deg: float) -> np.ndarray:
    return np.array([np.cos(np.radians(azimuth_deg)), np.sin(np.radians(azimuth_deg))])


def _of_bz(b: np.ndarray, size: float, slow: float, fast: float) -> np.ndarray:
    return size * (np.exp(slow * b) - 1) / (np.exp(fast * b) + 1)
