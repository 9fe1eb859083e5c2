"""Fit of the Rankine-Hugoniot relations. Fields come in nT, velocities in km/s, densities in cm^-3, temperatures in K."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.tables import nanoseconds, row, stamps
from helio_dagster.compute.rankine_hugoniot import fit_shock, side_of


def rankine_hugoniot(
    field: pd.DataFrame,
    velocity: pd.DataFrame,
    density: pd.DataFrame,
    temperature: pd.DataFrame | None = None,
    electron_temperature: pd.DataFrame | None = None,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    clear: str,
    length: str,
    upstream: str,
    adiabatic_index: float,
    electron_temperature_k: float,
    helium: float,
    time: str | None = None,
) -> pd.DataFrame:
    """Normal and speed that fulfil the relations best (Vinas and Scudder 1986)."""
    at = start.value + (stop.value - start.value) // 2 if time is None else pd.Timestamp(time).value
    near, reach = nanoseconds(clear), nanoseconds(clear) + nanoseconds(length)
    tables = {"field": field, "velocity": velocity, "density": density}
    tables |= {"temperature": temperature} if temperature is not None else {}
    tables |= {"electron_temperature": electron_temperature} if electron_temperature is not None else {}
    before, after = (
        {
            name: table[(stamps(table) >= least) & (stamps(table) <= most)].to_numpy("float64").T
            for name, table in tables.items()
        }
        for least, most in ((at - reach, at - near), (at + near, at + reach))
    )
    is_after = upstream == "after"
    if upstream == "auto":
        is_after = bool(pd.Series(before["density"][0]).mean() > pd.Series(after["density"][0]).mean())
    if is_after:
        before, after = after, before
    sides = [side_of(each, electron_temperature_k) for each in (before, after)]
    found: dict[str, float] = {}
    if sides[0] is not None and sides[1] is not None:
        found = fit_shock(sides[0], sides[1], adiabatic_index=adiabatic_index, helium=helium)
    counts = {"upstream_samples": before, "downstream_samples": after}
    return row(start, stop, {name: np.isfinite(each["field"]).all(axis=0).sum() for name, each in counts.items()} | found)
