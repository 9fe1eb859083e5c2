"""Models of Earth's magnetopause and bow shock. Pressures come in nPa, fields in nT."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.tables import at_times_of, columns, finite, matched


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
