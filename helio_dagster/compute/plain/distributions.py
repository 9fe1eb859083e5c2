"""Moments and units of distributions, record by record; for their form see `records`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.records import records_of, rows_of, sky
from helio_dagster.compute.plain.tables import at_times_of, matched

ELECTRON_KG, PROTON_KG, ALPHA_KG = 9.1093837139e-31, 1.67262192595e-27, 6.6446573450e-27
MASSES_KG = {
    "electron": ELECTRON_KG,
    "proton": PROTON_KG,
    "alpha": ALPHA_KG,
    "He+": ALPHA_KG + ELECTRON_KG,
    "O+": 15.99491461926 * 1.66053906892e-27 - ELECTRON_KG,
}
CHARGES = {"electron": -1, "proton": 1, "alpha": 2, "He+": 1, "O+": 1}
POWERS = {"phase space density": 0, "flux": 1, "energy flux": 2, "counts": 2}
JOULES = {"eV": 1.602176634e-19, "keV": 1.602176634e-16, "MeV": 1.602176634e-13, "J": 1.0}
SCALES = {"density": 1e-6, "velocity": 1e-3, "pressure": 1e9, "temperature": 1 / 1.602176634e-19, "heat flux": 1e3}


def per_density(quantity: str, mass_kg: float, geometric_factor: float | None, accumulation_s: float | None) -> float:
    """What a phase-space density at 1 J is multiplied by to be another quantity, in SI units."""
    gain = (geometric_factor or 0.0) * 1e-4 * (accumulation_s or 0.0) if quantity == "counts" else 1.0
    return 2 / mass_kg**2 * gain if POWERS[quantity] else 1.0


def convert_distribution(
    distribution: pd.DataFrame,
    *,
    axis: int,
    quantity: str,
    to: str,
    factor: float,
    species: str,
    unit: str | None = None,
    given_unit: str | None = None,
    geometric_factor: float | None = None,
    accumulation_s: float | None = None,
) -> pd.DataFrame:
    """Values of a quantity as another; `factor` leads from the one unit to the other, both taken as SI units."""
    del unit, given_unit
    mass_kg, power = MASSES_KG[species], POWERS[to] - POWERS[quantity]
    if quantity != to:
        asked, given = (per_density(each, mass_kg, geometric_factor, accumulation_s) for each in (to, quantity))
        factor = factor * asked / given
    axes = distribution.attrs["axes"]
    joules = JOULES[axes[axis]["unit"]]
    found: list[tuple[Any, ...]] = []
    for record in records_of(distribution):
        energy = (record["centers"][axis] * joules).reshape([-1 if place == axis else 1 for place in range(len(axes))])
        with np.errstate(all="ignore"):
            values = record["values"] * (factor * energy ** float(power))
        found.append((np.where(np.isfinite(values), values, np.nan), record["centers"], record["widths"]))
    return rows_of(distribution, found, axes)


def moments(
    distribution: pd.DataFrame,
    potential: pd.DataFrame | None = None,
    *,
    tolerance: str,
    species: str,
    quantity: str,
    factor: float,
    azimuth: int | None,
    polar: int,
    axis: int,
    given_unit: str | None = None,
    moment: str = "density",
    directions: str | None = None,
    energies: list[float] | None = None,
    skip_missing: bool = False,
    geometric_factor: float | None = None,
    accumulation_s: float | None = None,
) -> pd.DataFrame:
    """Integrals over velocity space, bin by bin; `factor` leads to SI units, the axes are given by their positions."""
    del given_unit
    volts = matched(distribution, potential, tolerance)[0] if potential is not None else np.zeros(len(distribution))
    about, axes = distribution.attrs["axes"], [polar, axis] if azimuth is None else [azimuth, polar, axis]
    mass_kg, charge, joules, power = MASSES_KG[species], CHARGES[species], JOULES[about[axis]["unit"]], POWERS[quantity]
    factor = factor / per_density(quantity, mass_kg, geometric_factor, accumulation_s)
    sign, scale = -1.0 if directions == "look" else 1.0, SCALES[moment]
    rows: list[list[float]] = []
    for record, volt in zip(records_of(distribution), volts, strict=True):
        values = np.transpose(record["values"], axes)
        centers, widths = ([np.asarray(record[name][place]) for place in axes] for name in ("centers", "widths"))
        if azimuth is None:  # pitch angles alone: four gyrophases have the means of the circle
            values = np.broadcast_to(values, (4, *values.shape))
            phi, d_phi = np.pi / 2 * np.arange(4), np.full(4, np.pi / 2)
        else:
            to_rad = np.pi / 180 if about[azimuth]["unit"] == "deg" else 1.0
            phi, d_phi = centers.pop(0) * to_rad, widths.pop(0) * to_rad
        (theta, energy), (d_theta, d_energy) = centers, widths
        d_sky = sky(theta, d_theta, about[polar])
        theta = np.radians(theta) if about[polar]["unit"] == "deg" else theta
        theta = np.pi / 2 - theta if about[polar]["angle"] == "elevation" else theta
        is_used = np.isfinite(energy)
        if energies is not None:
            is_used &= (energy >= energies[0]) & (energy <= energies[1])
        gained = -charge * 1.602176634e-19 * volt
        top = (energy + d_energy / 2) * joules
        width = np.clip(top - max(gained, 0.0), 0, d_energy * joules)
        far = np.maximum(np.where(width < d_energy * joules, top - width / 2, energy * joules) - gained, 0)
        speed = np.sqrt(2 * far / mass_kg)
        volume = np.where(is_used, width * np.sqrt(2 * far / mass_kg**3), 0)
        speed = np.where(is_used, speed, 0)
        angle = np.abs(d_phi)[:, None] * d_sky[None, :]
        is_used = np.isfinite(angle)[:, :, None] & (volume != 0)[None, None, :]
        with np.errstate(all="ignore"):
            density = values * factor / (energy * joules) ** power
        if skip_missing and not np.isnan(density[is_used]).all():
            density = np.nan_to_num(density)
        f = np.where(is_used, density, 0) * np.nan_to_num(angle)[:, :, None] * volume
        x = sign * np.cos(phi)[:, None] * np.sin(theta)[None, :]
        y = sign * np.sin(phi)[:, None] * np.sin(theta)[None, :]
        z = sign * np.cos(theta)[None, :] + 0 * x
        v = [np.nan_to_num(each)[:, :, None] * speed for each in (x, y, z)]
        n = f.sum()
        bulk = [(f * each).sum() / n if n > 0 else np.nan for each in v]
        w = [each - mean for each, mean in zip(v, bulk, strict=True)]
        pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
        if moment == "density":
            rows.append([n])
        elif moment == "velocity":
            rows.append(bulk)
        elif moment == "heat flux":
            rows.append([mass_kg / 2 * (f * (w[0] ** 2 + w[1] ** 2 + w[2] ** 2) * each).sum() for each in w])
        elif moment == "pressure":
            rows.append([mass_kg * (f * w[one] * w[other]).sum() for one, other in pairs])
        else:
            rows.append([mass_kg * sum((f * each**2).sum() for each in w) / 3 / n if n > 0 else np.nan])
    found = np.array(rows, dtype="float64") * scale
    if azimuth is None:  # nothing goes across the field, but for the rounding of sines
        found[:, {"velocity": [0, 1], "heat flux": [0, 1], "pressure": [3, 4, 5]}.get(moment, [])] *= 0
    return at_times_of(distribution, found)
