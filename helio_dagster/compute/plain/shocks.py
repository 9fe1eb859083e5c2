"""Parameters of a shock. Fields come in nT, velocities in km/s, densities in cm^-3, temperatures in K."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from helio_dagster.compute.constants import BOLTZMANN_J_PER_K, PROTON_MASS_KG, VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.plain.tables import nanoseconds, row, stamps
from helio_dagster.compute.shock_normals import METHODS, shock_normal


def shock_parameters(
    field: pd.DataFrame,
    velocity: pd.DataFrame,
    density: pd.DataFrame,
    temperature: pd.DataFrame | None = None,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    clear: str,
    longest: str,
    windows: int,
    upstream: str,
    method: str,
    adiabatic_index: float,
    electron_temperature_k: float,
    helium: float,
    time: str | None = None,
) -> pd.DataFrame:
    """Normals by coplanarity (Schwartz 1998), from all pairs of averages of both sides: means and standard deviations."""
    at = start.value + (stop.value - start.value) // 2 if time is None else pd.Timestamp(time).value
    inputs = [field, velocity, density, *([] if temperature is None else [temperature])]
    near, whole = nanoseconds(clear), nanoseconds(longest)
    reaches = [near + whole * count // windows for count in range(1, windows + 1)]
    before = averages(inputs, [(at - reach, at - near) for reach in reaches])
    after = averages(inputs, [(at + near, at + reach) for reach in reaches])
    if not before or not after:
        return row(start, stop, {"pairs": 0})
    is_after = before[-1][2][0] > after[-1][2][0] if upstream == "auto" else upstream == "after"
    up, down = (after, before) if is_after else (before, after)
    given = {"method": method, "adiabatic_index": adiabatic_index, "helium": helium}
    return of_pairs(start, stop, up, down, electron_temperature_k=electron_temperature_k, **given)


def of_pairs(
    start: pd.Timestamp,
    stop: pd.Timestamp,
    upstream: Sequence[Any],
    downstream: Sequence[Any],
    *,
    method: str,
    adiabatic_index: float,
    electron_temperature_k: float,
    helium: float,
) -> pd.DataFrame:
    """What all pairs of averages of both sides say."""
    rows, normals = [], []
    for (b_u, v_u, n_u, *t_u), (b_d, v_d, n_d, *_) in product(upstream, downstream):
        found: dict[str, Any] = {"density_ratio": n_d[0] / n_u[0], "field_ratio": np.linalg.norm(b_d) / np.linalg.norm(b_u)}
        for name in METHODS:
            normal = shock_normal(name, (b_u, v_u), (b_d, v_d))
            if normal is None:
                continue
            angle = np.degrees(np.arccos(np.minimum(abs(b_u @ normal) / np.linalg.norm(b_u), 1.0)))
            found[f"theta_bn_{name}"] = angle
            if name == method:
                normals.append(normal)
                is_jump = max(n_u[0], n_d[0]) >= 1.05 * min(n_u[0], n_d[0])
                speed = (n_d * v_d - n_u * v_u) @ normal / (n_d[0] - n_u[0]) if is_jump else np.nan
                inflow = abs(v_u @ normal - speed)
                mass = PROTON_MASS_KG * (1 + 4 * helium) * n_u[0] * 1e6
                alfven = np.linalg.norm(b_u) * 1e-12 / np.sqrt(VACUUM_PERMEABILITY_H_PER_M * mass)
                warm = t_u[0][0] + electron_temperature_k if t_u else np.nan
                sound = np.sqrt(adiabatic_index * BOLTZMANN_J_PER_K * warm / PROTON_MASS_KG) / 1e3
                found |= {"theta_bn": angle, "shock_speed": speed, "alfven_mach": inflow / alfven}
                found |= {"sonic_mach": inflow / sound, "magnetosonic_mach": inflow / np.hypot(alfven, sound)}
        rows.append(found)
    if not rows:
        return row(start, stop, {"pairs": 0})
    table = pd.DataFrame(rows)
    spread = {f"{name}_uncertainty": value for name, value in table.std().items() if not str(name).startswith("theta_bn_")}
    if not normals:
        return row(start, stop, {"pairs": 0, **table.mean()})
    mean = np.mean(normals, axis=0) / np.linalg.norm(np.mean(normals, axis=0))
    turned = np.degrees(np.arccos(np.clip(np.array(normals) @ mean, -1, 1)))
    spread["normal_uncertainty"] = np.sqrt(np.sum(turned**2) / (len(normals) - 1)) if len(normals) > 1 else np.nan
    along = dict(zip(("normal_x", "normal_y", "normal_z"), mean, strict=True))
    return row(start, stop, {**along, **table.mean(), **spread, "pairs": len(normals)})


def averages(inputs: Sequence[pd.DataFrame], spans: Sequence[tuple[int, int]]) -> list[list[np.ndarray]]:
    """Means of all inputs over spans of ns, but for those in which field, velocity or density has fewer than two records."""
    found = []
    for least, greatest in spans:
        means = []
        for table in inputs:
            inside = table[(stamps(table) >= least) & (stamps(table) <= greatest)].dropna()
            means.append(inside.mean().to_numpy() if len(inside) > 1 else np.full(table.shape[1], np.nan))
        if all(np.isfinite(each).all() for each in means[:3]):
            found.append(means)
    return found
