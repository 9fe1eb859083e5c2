"""Mach numbers of a flow into a shock from the plasma in front of it."""

from __future__ import annotations

import math

from helio_dagster.compute.constants import BOLTZMANN_J_PER_K, PROTON_MASS_KG, VACUUM_PERMEABILITY_H_PER_M


def mach_numbers(
    inflow_km_s: float, field_nt: float, density_cm3: float, warm_k: float, *, adiabatic_index: float, helium: float
) -> dict[str, float]:
    """Alfven, sonic and magnetosonic Mach number by name; none without a density, the first alone without a temperature.

    Parameters
    ----------
    inflow_km_s
        Speed into the shock along its normal.
    field_nt, density_cm3
        Strength of the field and number density of the protons in front of it.
    warm_k
        Temperatures of protons and electrons together; NaN where unknown.
    adiabatic_index, helium
        Ratio of specific heats; alpha particles per proton in the mass density.
    """
    mass_kg_m3 = PROTON_MASS_KG * (1 + 4 * helium) * density_cm3 * 1e6
    if not mass_kg_m3 > 0 or not field_nt > 0:
        return {}
    alfven_km_s = field_nt * 1e-9 / math.sqrt(VACUUM_PERMEABILITY_H_PER_M * mass_kg_m3) * 1e-3
    found = {"alfven_mach": inflow_km_s / alfven_km_s}
    if warm_k > 0:
        sound_km_s = math.sqrt(adiabatic_index * BOLTZMANN_J_PER_K / PROTON_MASS_KG * warm_k) * 1e-3
        found["sonic_mach"] = inflow_km_s / sound_km_s
        found["magnetosonic_mach"] = inflow_km_s / math.sqrt(alfven_km_s**2 + sound_km_s**2)
    return found
