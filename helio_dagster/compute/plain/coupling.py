"""Coupling of the solar wind to the magnetosphere. Speeds come in km/s, fields in nT, pressures in nPa."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.tables import at_times_of, columns, finite, matched, strength


def kan_lee_electric_field(speed: pd.DataFrame, field: pd.DataFrame, *, tolerance: str) -> pd.DataFrame:
    """V B_T sin^2(clock angle / 2) in mV/m: with sin^2(a / 2) = (1 - cos a) / 2."""
    _, y, z = matched(speed, field, tolerance)
    return at_times_of(speed, finite(strength(columns(speed)) * (np.hypot(y, z) - z) / 2e3))


def boynton_coupling(speed: pd.DataFrame, field: pd.DataFrame, pressure: pd.DataFrame, *, tolerance: str) -> pd.DataFrame:
    """P^(1/2) V^(4/3) B_T sin^6(clock angle / 2)."""
    _, y, z = matched(speed, field, tolerance)
    sine = np.sin(np.arctan2(np.abs(y), z) / 2)
    with np.errstate(all="ignore"):
        driven = matched(speed, pressure, tolerance)[0] ** 0.5 * strength(columns(speed)) ** (4 / 3)
    return at_times_of(speed, finite(driven * np.hypot(y, z) * sine**6))


def pressure_corrected_dst(dst: pd.DataFrame, pressure: pd.DataFrame, *, tolerance: str, correction: str) -> pd.DataFrame:
    """Dst - b sqrt(P) + c in nT, with b and c of O'Brien and McPherron (2000) or Burton et al. (1975)."""
    b, c = {"obrien_mcpherron": (7.26, 11.0), "burton": (15.8, 20.0)}[correction]
    with np.errstate(all="ignore"):
        return at_times_of(dst, finite(columns(dst)[0] - b * matched(dst, pressure, tolerance)[0] ** 0.5 + c))
