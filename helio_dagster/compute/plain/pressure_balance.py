"""How constant the total pressure of a window is. Fields come in nT, densities in cm^-3, speeds in km/s, temperatures in K."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.plasma import plasma_pressures
from helio_dagster.compute.plain.tables import row


def pressure_balance(
    field: pd.DataFrame,
    density: pd.DataFrame,
    temperature: pd.DataFrame,
    electron_temperature: pd.DataFrame | None = None,
    speed: pd.DataFrame | None = None,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    tolerance: str,
    electron_temperature_k: float,
    helium: float,
    min_samples: int,
) -> pd.DataFrame:
    """Means in nPa, variation, imbalance, correlation and beta."""
    parts = plasma_pressures(
        field, density, temperature, electron_temperature, speed, tolerance, electron_temperature_k, helium
    ).replace([np.inf, -np.inf], np.nan)
    parts = parts.dropna()
    if len(parts) < min_samples:
        return row(start, stop, {"samples": len(parts)})
    total = parts.sum(axis=1)
    with np.errstate(all="ignore"):
        found = {f"{name}_mean": parts[name].mean() for name in parts} | {
            "total_mean": total.mean(),
            "total_std": total.std(),
            "variation": total.std() / total.mean(),
            "imbalance": total.var() / parts.var().sum(),
            "correlation": parts.magnetic.corr(parts.thermal),
            "beta": parts.thermal.mean() / parts.magnetic.mean(),
        }
    if speed is None:
        found["dynamic_mean"] = np.nan
    return row(start, stop, found | {"samples": len(parts)})
