"""DeHoffmann-Teller frame and Walen relation. Fields come in nT, velocities in km/s, densities in cm^-3."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.constants import PROTON_MASS_KG, VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.electric_variance import electric_frame
from helio_dagster.compute.plain.tables import at_times_of, columns, matched, row
from helio_dagster.compute.straight_lines import least_squares


def dehoffmann_teller(
    velocity: pd.DataFrame,
    field: pd.DataFrame,
    density: pd.DataFrame | None = None,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    tolerance: str,
    min_samples: int,
    helium: float,
) -> pd.DataFrame:
    """V_HT by the inverse of K_0 (Khrabrov and Sonnerup 1998), and the fits of electric fields and of the Walen relation."""
    v, b, alfven = _rows(velocity, field, density, tolerance, helium)
    frame = _frame(v, b, min_samples)
    is_valid = np.isfinite(v + b).all(axis=1)
    if frame is None:
        return row(start, stop, {"samples": int(is_valid.sum())})
    found, spread, left = frame
    electric = least_squares(-np.cross(found, b[is_valid]).ravel(), -np.cross(v[is_valid], b[is_valid]).ravel())
    is_walen = is_valid & np.isfinite(alfven).all(axis=1)
    walen = least_squares(alfven[is_walen].ravel(), (v - found)[is_walen].ravel())
    names = [f"frame_{letter}" for letter in "xyz"]
    numbers = dict(zip(names, found, strict=True)) | {
        f"{name}_uncertainty": each for name, each in zip(names, spread, strict=True)
    }
    numbers |= {"electric_field_left": left, "electric_slope": electric.slope, "electric_r": electric.correlation}
    numbers |= {"walen_slope": walen.slope, "walen_slope_uncertainty": walen.slope_uncertainty, "walen_r": walen.correlation}
    return row(start, stop, numbers | {"samples": int(is_valid.sum())})


def walen(
    velocity: pd.DataFrame,
    field: pd.DataFrame,
    density: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    tolerance: str,
    min_samples: int,
    helium: float,
    component: str,
) -> pd.DataFrame:
    """A component of v - V_HT over that of the Alfven velocity."""
    del start, stop
    v, b, alfven = _rows(velocity, field, density, tolerance, helium)
    frame, place = _frame(v, b, min_samples), "xyz".index(component)
    moved = v[:, place] - (np.nan if frame is None else frame[0][place])
    is_pair = np.isfinite(moved + alfven[:, place])
    return at_times_of(velocity, [np.where(is_pair, each, np.nan) for each in (alfven[:, place], moved)])


def _rows(
    velocity: pd.DataFrame, field: pd.DataFrame, density: pd.DataFrame | None, tolerance: str, helium: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    v, b = np.stack(columns(velocity), axis=1), np.stack(matched(velocity, field, tolerance), axis=1)
    n = np.full(len(v), np.nan) if density is None else matched(velocity, density, tolerance)[0]
    with np.errstate(all="ignore"):
        mass = PROTON_MASS_KG * (1 + 4 * helium) * np.where(n > 0, n, np.nan) * 1e6
        return v, b, b * (1e-12 / np.sqrt(VACUUM_PERMEABILITY_H_PER_M * mass))[:, None]


def _frame(v: np.ndarray, b: np.ndarray, least: int) -> tuple[np.ndarray, np.ndarray, float] | None:
    """V_HT, its standard deviations and D(V_HT) / D(0), by least squares of v x B = V x B; None where nothing is known."""
    is_valid = np.isfinite(v + b).all(axis=1)
    v, b = v[is_valid], b[is_valid]
    if len(v) < least:
        return None
    zero = np.zeros(len(b))
    rows = np.stack([zero, b[:, 2], -b[:, 1], -b[:, 2], zero, b[:, 0], b[:, 1], -b[:, 0], zero], axis=1).reshape(-1, 3)
    sizes = np.linalg.svd(rows, compute_uv=False) ** 2
    if not sizes[2] > 1e-3 * sizes[0]:
        return None
    wanted = np.cross(v, b).ravel()
    found = np.linalg.solve(rows.T @ rows, rows.T @ wanted)
    left = np.sum((wanted - rows @ found) ** 2)
    covariance = np.linalg.inv(rows.T @ rows) * left / (2 * len(v) - 3)
    return found, np.sqrt(np.diag(covariance)), left / np.sum(wanted**2)


def maximum_variance_electric(
    electric: pd.DataFrame,
    field: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    tolerance: str,
    min_samples: int,
    is_moving: bool,
) -> pd.DataFrame:
    """Axes of the variance of E + u n x B, u and n of the minimum Faraday residue (Khrabrov and Sonnerup 1998)."""
    e, b = np.stack(columns(electric), axis=1), np.stack(matched(electric, field, tolerance), axis=1)
    valid = np.isfinite(e + b).all(axis=1)
    e, b = e[valid], b[valid]
    frame = electric_frame(e, b, is_moving=is_moving) if len(e) >= min_samples else None
    if frame is None:
        return row(start, stop, {"samples": len(e)})
    variances = dict(zip(("maximum", "intermediate", "minimum"), frame.variances, strict=True))
    largest, least = variances["maximum"], variances["minimum"]
    found = {
        f"{name}_{letter}": axis[place]
        for axis, name in zip(frame.axes, ("normal", "intermediate", "minimum"), strict=True)
        for place, letter in enumerate("xyz")
    }
    found |= {f"{name}_variance": each for name, each in variances.items()}
    found["ratio"] = largest / variances["intermediate"] if variances["intermediate"] > 0 else np.nan
    for name in ("intermediate", "minimum"):
        other = variances[name]
        size = np.sqrt(least / (len(e) - 1) * (largest + other - least)) / (largest - other) if largest > other else np.nan
        found[f"normal_error_{name}"] = np.degrees(size)
    return row(start, stop, found | {"speed": frame.speed, "samples": len(e)})
