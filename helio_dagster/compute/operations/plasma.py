"""Parameters of a proton plasma from field, density, temperature and speed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from helio_dagster.compute.constants import BOLTZMANN_J_PER_K, PROTON_MASS_KG, VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Formula, strength

FIELD = Input(("series", "vector"), "the field, or its strength", ("magnetic field",), "nT", columns=1)
DENSITY = Input(("series",), "the number density of the protons", ("density",), "cm^-3", columns=1)
SPEED = Input(("series", "vector"), "the bulk flow, or its speed", ("speed", "velocity"), "km/s", columns=1)
TEMPERATURE = Input(("series",), "the temperature of the protons, or as an energy in eV", ("temperature",), "K", columns=1)
SERIES_OUTPUT = (
    "A series at the times of the first input; NaN where an input has no valid sample or the formula no finite value."
)


class HeliumOptions(MatchOptions):
    """How inputs meet, and how much helium there is."""

    helium: Annotated[float, Field(ge=0, le=1)] = 0.05
    """Number of alpha particles per proton, 0 to 1, of four proton masses each; by default the 0.05 that OMNI assumes."""


class DynamicPressure(Formula[HeliumOptions]):
    """Ram pressure."""

    id = "dynamic_pressure"
    version = 1
    summary = "Dynamic (ram) pressure of a plasma flow from proton density and speed, alpha particles included by assumption."
    when = (
        "Use it to get the pressure of the solar wind on a magnetosphere or another obstacle. For the magnetic "
        "pressure scale B^2."
    )
    reference = (
        "P = m_p n V^2 (1 + 4 f), f = alpha particles per proton; OMNI's flow pressure with f = 0.05 where it is not measured "
        "(King and Papitashvili 2005, doi:10.1029/2004JA010649)."
    )
    inputs = {"density": DENSITY, "speed": SPEED}
    output = f"{SERIES_OUTPUT} Unit nPa."
    options = HeliumOptions
    unit = "nPa"
    label = "Dynamic pressure"
    examples = (
        Example(
            inputs={
                "density": ExampleTable(unit="cm^-3", columns={"n": (5, 10, None)}),
                "speed": ExampleTable(unit="m/s", columns={"v": (400e3, 800e3, 400e3)}),
            },
            expected={"result": (1.60571704891, 12.8457363913, None)},
            unit="nPa",
            relative=1e-11,
            source="1.67262192595e-27 kg * 5e6 m^-3 * (4e5 m/s)^2 * 1.2 = 1.60571704891e-9 Pa; twice n, twice V: eight times",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: HeliumOptions) -> Floats:
        density_m3, speed_ms = given["density"][0] * 1e6, strength(given["speed"]) * 1e3
        return PROTON_MASS_KG * (1 + 4 * options.helium) * density_m3 * speed_ms * speed_ms * 1e9


class MassOptions(MatchOptions):
    """How inputs meet, and how much helium there is."""

    helium: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Number of alpha particles per proton, 0 to 1, of four proton masses each; by default protons alone."""


class AlfvenSpeed(Formula[MassOptions]):
    """Speed of Alfven waves along the field."""

    id = "alfven_speed"
    version = 1
    summary = "Alfven speed from the strength of the field and the proton density."
    when = "Use it to compare waves, reconnection or shocks with the characteristic speed of the plasma."
    reference = (
        "v_A = B / sqrt(mu_0 rho), rho = m_p n (1 + 4 f), f = alpha particles per proton, electrons left out "
        "(Alfven 1942, doi:10.1038/150405d0; NRL Plasma Formulary 2019)."
    )
    inputs = {"field": FIELD, "density": DENSITY}
    output = f"{SERIES_OUTPUT} Unit km/s."
    options = MassOptions
    unit = "km/s"
    label = "Alfven speed"
    examples = (
        Example(
            inputs={
                "field": ExampleTable(unit="nT", columns={"b": (5, 10, 5, None)}),
                "density": ExampleTable(unit="cm^-3", columns={"n": (5, 5, 0, 5)}),
            },
            expected={"result": (48.7732, 97.5464, None, None)},
            unit="km/s",
            relative=1e-5,
            source="by hand; NRL Plasma Formulary 2019 has 2.18e11 cm/s B/G / sqrt(n/cm^-3)",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: MassOptions) -> Floats:
        return _alfven_speed_km_s(strength(given["field"]), given["density"][0], options.helium)


class PlasmaBeta(Formula[MatchOptions]):
    """Thermal over magnetic pressure."""

    id = "plasma_beta"
    version = 1
    summary = "Plasma beta: thermal pressure of the given species over the magnetic pressure."
    when = "Use it to see whether field or plasma dominates: magnetic clouds (low), plasma sheet and current sheets (high)."
    reference = (
        "beta = n k_B T / (B^2 / (2 mu_0)), of the species whose density and temperature are given "
        "(Baumjohann and Treumann 1996, Basic Space Plasma Physics)."
    )
    inputs = {"density": DENSITY, "temperature": TEMPERATURE, "field": FIELD}
    output = f"{SERIES_OUTPUT} A pure number."
    options = MatchOptions
    unit = ""
    label = "Plasma beta"
    examples = (
        Example(
            inputs={
                "density": ExampleTable(unit="cm^-3", columns={"n": (5, 5, 5)}),
                "temperature": ExampleTable(unit="eV", columns={"t": (10, 10, 10)}),
                "field": ExampleTable(unit="nT", columns={"b": (5, 10, 0)}),
            },
            expected={"result": (0.805342, 0.201335, None)},
            relative=1e-5,
            source="by hand; NRL Plasma Formulary 2019 has 4.03e-11 n/cm^-3 T/eV / (B/G)^2",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: MatchOptions) -> Floats:
        del options
        pressure_pa = given["density"][0] * 1e6 * BOLTZMANN_J_PER_K * given["temperature"][0]
        field_t = strength(given["field"]) * 1e-9
        return pressure_pa * (2 * VACUUM_PERMEABILITY_H_PER_M) / (field_t * field_t)


class AlfvenMach(Formula[MassOptions]):
    """Flow speed in Alfven speeds."""

    id = "alfven_mach"
    version = 1
    summary = "Alfven Mach number: flow speed over Alfven speed."
    when = "Use it to get the strength of a shock, or to see whether a flow is sub-Alfvenic."
    reference = "M_A = V / v_A, v_A as alfven_speed (Baumjohann and Treumann 1996, Basic Space Plasma Physics)."
    inputs = {"speed": SPEED, "field": FIELD, "density": DENSITY}
    output = f"{SERIES_OUTPUT} A pure number."
    options = MassOptions
    unit = ""
    label = "Alfven Mach number"
    examples = (
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (487.732, 487.732)}),
                "field": ExampleTable(unit="nT", columns={"b": (5, 0)}),
                "density": ExampleTable(unit="cm^-3", columns={"n": (5, 5)}),
            },
            expected={"result": (10, None)},
            relative=1e-5,
            source="ten times the Alfven speed of 48.7732 km/s, NRL Plasma Formulary 2019",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: MassOptions) -> Floats:
        return strength(given["speed"]) / _alfven_speed_km_s(strength(given["field"]), given["density"][0], options.helium)


class SonicMachOptions(MatchOptions):
    """How inputs meet, and what the electrons do."""

    adiabatic_index: Annotated[float, Field(ge=1, le=3)] = 5 / 3
    """Ratio of specific heats of protons and electrons, 1 to 3."""
    electron_temperature_k: Annotated[float, Field(ge=0, le=1e9)] = 1.28e5
    """Temperature of the electrons in K, which is seldom measured; by default that which OMNI assumes at 1 AU."""


class SonicMach(Formula[SonicMachOptions]):
    """Flow speed in speeds of sound."""

    id = "sonic_mach"
    version = 1
    summary = "Sonic Mach number: flow speed over the speed of sound of protons and electrons."
    when = "Use it to get the strength of a shock in a plasma of high beta. Where the field dominates use alfven_mach."
    reference = (
        "M_s = V / c_s, c_s = sqrt(gamma k_B (T_p + T_e) / m_p), T_e constant as OMNI assumes "
        "(https://omniweb.gsfc.nasa.gov/ftpbrowser/bow_derivation.html)."
    )
    inputs = {"speed": SPEED, "temperature": TEMPERATURE}
    output = f"{SERIES_OUTPUT} A pure number."
    options = SonicMachOptions
    unit = ""
    label = "Sonic Mach number"
    examples = (
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (400, None)}),
                "temperature": ExampleTable(unit="K", columns={"t": (7.2e4, 7.2e4)}),
            },
            expected={"result": (7.62567, None)},
            relative=1e-5,
            source="by hand: c_s = 0.1172917 km/s sqrt(2e5) = 52.4544 km/s; OMNI rounds the factor to 0.12",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: SonicMachOptions) -> Floats:
        return np.asarray(strength(given["speed"]) * 1e3 / _sound_ms(given["temperature"][0], options))


class MagnetosonicOptions(SonicMachOptions):
    """How inputs meet, what the electrons do, and how much helium there is."""

    helium: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Number of alpha particles per proton in the Alfven speed, 0 to 1; by default protons alone."""


class MagnetosonicMach(Formula[MagnetosonicOptions]):
    """Flow speed in fast speeds across the field."""

    id = "magnetosonic_mach"
    version = 1
    summary = "Magnetosonic (fast) Mach number: flow speed over the speed of fast waves across the field."
    when = "Use it to get the strength of a shock, or of the solar wind at the bow shock, where field and pressure both count."
    reference = (
        "M_ms = V / sqrt(v_A^2 + c_s^2), v_A as alfven_speed, c_s as sonic_mach: the fast speed across the field, the largest "
        "(Baumjohann and Treumann 1996, Basic Space Plasma Physics; https://omniweb.gsfc.nasa.gov/ftpbrowser/bow_derivation.html)."
    )
    inputs = {"speed": SPEED, "field": FIELD, "density": DENSITY, "temperature": TEMPERATURE}
    output = f"{SERIES_OUTPUT} A pure number."
    options = MagnetosonicOptions
    unit = ""
    label = "Magnetosonic Mach number"
    examples = (
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (400, 400, 400)}),
                "field": ExampleTable(unit="nT", columns={"b": (5, 0, 5)}),
                "density": ExampleTable(unit="cm^-3", columns={"n": (5, 5, 0)}),
                "temperature": ExampleTable(unit="K", columns={"t": (7.2e4, 7.2e4, 7.2e4)}),
            },
            expected={"result": (5.584561, 7.62567, None)},
            relative=1e-5,
            source="by hand: v_A = 48.7732 km/s, c_s = 52.4544 km/s; without a field the sonic Mach number",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: MagnetosonicOptions) -> Floats:
        sound_km_s = _sound_ms(given["temperature"][0], options) * 1e-3
        alfven_km_s = _alfven_speed_km_s(strength(given["field"]), given["density"][0], options.helium)
        alfven_km_s = np.where(given["density"][0] > 0, alfven_km_s, np.nan)
        return np.asarray(strength(given["speed"]) / np.sqrt(alfven_km_s * alfven_km_s + sound_km_s * sound_km_s))


def _sound_ms(temperature_k: Floats, options: SonicMachOptions) -> Floats:
    total_k = temperature_k + options.electron_temperature_k
    return np.asarray(np.sqrt(options.adiabatic_index * BOLTZMANN_J_PER_K / PROTON_MASS_KG * total_k))


def _alfven_speed_km_s(field_nt: Floats, density_cm3: Floats, helium: float) -> Floats:
    density_kg_m3 = PROTON_MASS_KG * (1 + 4 * helium) * (density_cm3 * 1e6)
    return np.asarray(field_nt * 1e-9 / np.sqrt(VACUUM_PERMEABILITY_H_PER_M * density_kg_m3) * 1e-3)
