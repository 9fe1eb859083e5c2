"""Formulas of plasma physics. Fields come in nT, densities in cm^-3, speeds in km/s, temperatures in K."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.constants import (
    ALPHA_MASS_KG,
    BOLTZMANN_J_PER_K,
    ELECTRON_MASS_KG,
    ELEMENTARY_CHARGE_C,
    PROTON_MASS_KG,
    VACUUM_PERMEABILITY_H_PER_M,
)
from helio_dagster.compute.plain.tables import at_times_of, columns, finite, matched, strength
from helio_dagster.domain.lengths import AU_KM, EARTH_RADIUS_KM, SUN_RADIUS_KM

_MASS_AND_CHARGE = {
    "proton": (PROTON_MASS_KG, ELEMENTARY_CHARGE_C),
    "electron": (ELECTRON_MASS_KG, ELEMENTARY_CHARGE_C),
    "alpha": (ALPHA_MASS_KG, 2 * ELEMENTARY_CHARGE_C),
}


def dynamic_pressure(density: pd.DataFrame, speed: pd.DataFrame, *, tolerance: str, helium: float) -> pd.DataFrame:
    """m_p n V^2 (1 + 4 f) in nPa."""
    n_m3, v_ms = columns(density)[0] * 1e6, strength(matched(density, speed, tolerance)) * 1e3
    return at_times_of(density, finite(PROTON_MASS_KG * (1 + 4 * helium) * n_m3 * v_ms**2 * 1e9))


def alfven_speed(field: pd.DataFrame, density: pd.DataFrame, *, tolerance: str, helium: float) -> pd.DataFrame:
    """B / sqrt(mu_0 m_p n (1 + 4 f)) in km/s."""
    return at_times_of(field, finite(_alfven_km_s(columns(field), matched(field, density, tolerance)[0], helium)))


def alfven_mach(
    speed: pd.DataFrame, field: pd.DataFrame, density: pd.DataFrame, *, tolerance: str, helium: float
) -> pd.DataFrame:
    """V over the Alfven speed."""
    slow = _alfven_km_s(matched(speed, field, tolerance), matched(speed, density, tolerance)[0], helium)
    with np.errstate(all="ignore"):
        return at_times_of(speed, finite(strength(columns(speed)) / slow))


def sonic_mach(
    speed: pd.DataFrame,
    temperature: pd.DataFrame,
    *,
    tolerance: str,
    adiabatic_index: float,
    electron_temperature_k: float,
) -> pd.DataFrame:
    """V over sqrt(gamma k_B (T_p + T_e) / m_p)."""
    both_k = matched(speed, temperature, tolerance)[0] + electron_temperature_k
    with np.errstate(all="ignore"):
        sound_ms = np.sqrt(adiabatic_index * BOLTZMANN_J_PER_K * both_k / PROTON_MASS_KG)
        return at_times_of(speed, finite(strength(columns(speed)) * 1e3 / sound_ms))


def magnetosonic_mach(
    speed: pd.DataFrame,
    field: pd.DataFrame,
    density: pd.DataFrame,
    temperature: pd.DataFrame,
    *,
    tolerance: str,
    adiabatic_index: float,
    electron_temperature_k: float,
    helium: float,
) -> pd.DataFrame:
    """V over sqrt(v_A^2 + c_s^2)."""
    n = matched(speed, density, tolerance)[0]
    both_k = matched(speed, temperature, tolerance)[0] + electron_temperature_k
    slow = _alfven_km_s(matched(speed, field, tolerance), np.where(n > 0, n, np.nan), helium)
    with np.errstate(all="ignore"):
        sound_km_s = np.sqrt(adiabatic_index * BOLTZMANN_J_PER_K * both_k / PROTON_MASS_KG) / 1e3
        return at_times_of(speed, finite(strength(columns(speed)) / np.hypot(slow, sound_km_s)))


def plasma_beta(density: pd.DataFrame, temperature: pd.DataFrame, field: pd.DataFrame, *, tolerance: str) -> pd.DataFrame:
    """N k_B T / (B^2 / (2 mu_0))."""
    thermal_pa = columns(density)[0] * 1e6 * BOLTZMANN_J_PER_K * matched(density, temperature, tolerance)[0]
    b_t = strength(matched(density, field, tolerance)) * 1e-9
    with np.errstate(all="ignore"):
        return at_times_of(density, finite(thermal_pa * 2 * VACUUM_PERMEABILITY_H_PER_M / b_t**2))


def total_pressure(
    field: pd.DataFrame,
    density: pd.DataFrame,
    temperature: pd.DataFrame,
    electron_temperature: pd.DataFrame | None = None,
    speed: pd.DataFrame | None = None,
    *,
    tolerance: str,
    electron_temperature_k: float,
    helium: float,
    result: str,
) -> pd.DataFrame:
    """B^2 / (2 mu_0) + n k_B (T_p + T_e), and m_p n V^2 (1 + 4 f) of a flow, in nPa; or one of the three."""
    parts = plasma_pressures(
        field, density, temperature, electron_temperature, speed, tolerance, electron_temperature_k, helium
    )
    found = parts.sum(axis=1, skipna=False) if result == "total" else parts[result]
    return at_times_of(field, finite(found.to_numpy()))


def plasma_pressures(
    field: pd.DataFrame,
    density: pd.DataFrame,
    temperature: pd.DataFrame,
    electrons: pd.DataFrame | None,
    speed: pd.DataFrame | None,
    tolerance: str,
    electrons_k: float,
    helium: float,
) -> pd.DataFrame:
    """Magnetic, thermal and ram pressure in nPa at the times of the field."""
    n_m3 = pd.Series(matched(field, density, tolerance)[0] * 1e6).where(lambda n: n >= 0)
    ions_k = pd.Series(matched(field, temperature, tolerance)[0]).where(lambda t: t >= 0)
    if electrons is not None:
        electrons_k = pd.Series(matched(field, electrons, tolerance)[0]).where(lambda t: t >= 0)
    v_ms = 0.0 if speed is None else strength(matched(field, speed, tolerance)) * 1e3
    return pd.DataFrame(
        {
            "magnetic": (strength(columns(field)) * 1e-9) ** 2 / (2 * VACUUM_PERMEABILITY_H_PER_M) * 1e9,
            "thermal": n_m3 * BOLTZMANN_J_PER_K * (ions_k + electrons_k) * 1e9,
            "dynamic": 0.0 if speed is None else PROTON_MASS_KG * (1 + 4 * helium) * n_m3 * v_ms**2 * 1e9,
        }
    )


def gyrofrequency(field: pd.DataFrame, *, species: str) -> pd.DataFrame:
    """|q| B / (2 pi m) in Hz."""
    mass_kg, charge_c = _MASS_AND_CHARGE[species]
    return at_times_of(field, finite(charge_c * strength(columns(field)) * 1e-9 / (2 * np.pi * mass_kg)))


def gyroradius(field: pd.DataFrame, temperature: pd.DataFrame, *, tolerance: str, species: str) -> pd.DataFrame:
    """M v / (|q| B) of the most probable speed sqrt(2 k_B T / m), in km."""
    mass_kg, charge_c = _MASS_AND_CHARGE[species]
    with np.errstate(all="ignore"):
        momentum = np.sqrt(2 * mass_kg * BOLTZMANN_J_PER_K * matched(field, temperature, tolerance)[0])
        return at_times_of(field, finite(momentum / (charge_c * strength(columns(field)) * 1e-9) * 1e-3))


def parker_spiral_angle(
    speed: pd.DataFrame,
    distance: pd.DataFrame | None = None,
    latitude: pd.DataFrame | None = None,
    *,
    tolerance: str,
    latitude_deg: float,
    rotation_period_d: float,
    source_radius_rs: float,
    distance_au: float = np.nan,
) -> pd.DataFrame:
    """Angle of the spiral to the radial direction in deg, at distances in km and latitudes in deg where they are given."""
    distance_km = distance_au * AU_KM if distance is None else matched(speed, distance, tolerance)[0]
    north_deg = latitude_deg if latitude is None else matched(speed, latitude, tolerance)[0]
    reach_km = distance_km - source_radius_rs * SUN_RADIUS_KM
    across_km_s = 2 * np.pi / (rotation_period_d * 86400) * reach_km * np.cos(np.radians(north_deg))
    with np.errstate(all="ignore"):
        return at_times_of(speed, finite(np.degrees(np.arctan(across_km_s / strength(columns(speed))))))


def convection_electric_field(velocity: pd.DataFrame, field: pd.DataFrame, *, tolerance: str) -> pd.DataFrame:
    """-V x B in mV/m."""
    flow, b = np.stack(columns(velocity), axis=1), np.stack(matched(velocity, field, tolerance), axis=1)
    return at_times_of(velocity, list(-np.cross(flow, b).T * 1e-3))


def dawn_dusk_electric_field(speed: pd.DataFrame, bz: pd.DataFrame, *, tolerance: str, southward_only: bool) -> pd.DataFrame:
    """-V Bz in mV/m; with southward_only 0 where Bz is northward."""
    southward = -matched(speed, bz, tolerance)[0]
    southward = np.maximum(southward, 0) if southward_only else southward
    return at_times_of(speed, finite(strength(columns(speed)) * southward * 1e-3))


def epsilon(speed: pd.DataFrame, field: pd.DataFrame, *, tolerance: str, length_re: float) -> pd.DataFrame:
    """4 pi / mu_0 V B^2 sin^4(clock angle / 2) l^2 in GW."""
    x, y, z = matched(speed, field, tolerance)
    sine = np.sin(np.arctan2(np.abs(y), z) / 2)
    power_w = (
        4
        * np.pi
        / VACUUM_PERMEABILITY_H_PER_M
        * (strength(columns(speed)) * 1e3)
        * (x * x + y * y + z * z)
        * 1e-18
        * sine**4
        * (length_re * EARTH_RADIUS_KM * 1e3) ** 2
    )
    return at_times_of(speed, finite(power_w * 1e-9))


def newell_coupling(speed: pd.DataFrame, field: pd.DataFrame, *, tolerance: str) -> pd.DataFrame:
    """V^(4/3) B_T^(2/3) sin^(8/3)(clock angle / 2) in (km/s)^(4/3) nT^(2/3)."""
    _, y, z = matched(speed, field, tolerance)
    sine, across = np.sin(np.arctan2(np.abs(y), z) / 2), np.sqrt(y * y + z * z)
    return at_times_of(speed, finite(strength(columns(speed)) ** (4 / 3) * across ** (2 / 3) * sine ** (8 / 3)))


def _alfven_km_s(field_nt: list[np.ndarray], density_cm3: np.ndarray, helium: float) -> np.ndarray:
    with np.errstate(all="ignore"):
        mass_kg_m3 = PROTON_MASS_KG * (1 + 4 * helium) * density_cm3 * 1e6
        return strength(field_nt) * 1e-9 / np.sqrt(VACUUM_PERMEABILITY_H_PER_M * mass_kg_m3) * 1e-3


def temperature_anisotropy(
    perpendicular: pd.DataFrame,
    parallel: pd.DataFrame,
    density: pd.DataFrame | None = None,
    field: pd.DataFrame | None = None,
    *,
    tolerance: str,
    result: str,
) -> pd.DataFrame:
    """T_perp / T_par; mirror and firehose parameters of a fluid; thresholds of Hellinger et al. (2006)."""
    across, along = columns(perpendicular)[0], matched(perpendicular, parallel, tolerance)[0]
    with np.errstate(all="ignore"):
        across, along = np.where(across > 0, across, np.nan), np.where(along > 0, along, np.nan)
        found = across / along
        if result != "ratio":
            n = matched(perpendicular, density, tolerance)[0] * 1e6
            b_t = strength(matched(perpendicular, field, tolerance)) * 1e-9
            b_t = np.where(b_t > 0, b_t, np.nan)
            per_k = np.where(n > 0, n, np.nan) * BOLTZMANN_J_PER_K * 2 * VACUUM_PERMEABILITY_H_PER_M / b_t**2
            beta, beta_across = per_k * along, per_k * across
            size, power, start = {
                "proton_cyclotron_threshold": (0.43, 0.42, -0.0004),
                "mirror_threshold": (0.77, 0.76, -0.016),
                "parallel_firehose_threshold": (-0.47, 0.53, 0.59),
                "oblique_firehose_threshold": (-1.4, 1.0, -0.11),
            }.get(result, (1.0, 1.0, 0.0))
            limit = 1 + size / np.where(beta > start, beta - start, np.nan) ** power
            found = {
                "parallel_beta": beta,
                "mirror": beta_across * (found - 1),
                "firehose": (beta - beta_across) / 2,
            }.get(result, np.where((limit > 0) & np.isfinite(across), limit, np.nan))
    return at_times_of(perpendicular, finite(found))
