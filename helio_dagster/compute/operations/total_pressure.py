"""Magnetic and thermal pressure together: total_pressure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.constants import BOLTZMANN_J_PER_K, PROTON_MASS_KG, VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Formula, strength
from helio_dagster.compute.operations.plasma import DENSITY, FIELD, SERIES_OUTPUT, TEMPERATURE
from helio_dagster.domain.table import ColumnMeta, TableMeta

ELECTRONS = Input(
    ("series",), "the temperature of the electrons, or as an energy in eV", ("temperature",), "K", columns=1, is_optional=True
)
NORMAL_SPEED = Input(
    ("series", "vector"),
    "the flow whose ram pressure is added: along the normal of a boundary, or all of it",
    ("speed", "velocity"),
    "km/s",
    columns=1,
    is_optional=True,
)
_LABELS = {"total": "Total pressure", "magnetic": "Magnetic pressure", "thermal": "Thermal pressure", "dynamic": "Ram pressure"}


class PlasmaPressureOptions(MatchOptions):
    """How inputs meet, and what counts."""

    electron_temperature_k: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """Temperature of the electrons in K where the input electron_temperature is not given; by default they do not count."""
    helium: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Number of alpha particles per proton in the ram pressure, 0 to 1, of four masses each; by default protons alone."""


class TotalPressureOptions(PlasmaPressureOptions):
    """How inputs meet, what counts, and which pressure comes out."""

    result: Literal["total", "magnetic", "thermal", "dynamic"] = "total"
    """total: the sum of all; magnetic, thermal, dynamic: one of its parts."""


class TotalPressure(Formula[TotalPressureOptions]):
    """Total pressure."""

    id = "total_pressure"
    version = 1
    summary = "Total pressure of a plasma: magnetic and thermal, with the ram pressure of a flow if one is given; or one part."
    when = (
        "Use it to see whether a structure is in pressure balance, as a magnetopause, flux rope, mirror mode or current sheet: "
        "the total is constant where its parts are not. pressure_balance gives numbers on it. For their ratio use plasma_beta."
    )
    reference = (
        "P = B^2 / (2 mu_0) + n k_B (T_p + T_e) + m_p n V^2 (1 + 4 f), electrons as many as protons (Baumjohann and Treumann "
        "1996, Basic Space Plasma Physics; NRL Plasma Formulary 2019)."
    )
    inputs = {
        "field": FIELD,
        "density": DENSITY,
        "temperature": TEMPERATURE,
        "electron_temperature": ELECTRONS,
        "speed": NORMAL_SPEED,
    }
    output = f"{SERIES_OUTPUT} Unit nPa; also NaN where a density or temperature is below 0."
    options = TotalPressureOptions
    unit = "nPa"
    label = "Total pressure"
    examples = (
        Example(
            inputs={
                "field": ExampleTable(unit="nT", columns={"b": (50.1325656, 0, 10)}),
                "density": ExampleTable(unit="cm^-3", columns={"n": (20, 20, -1)}),
                "temperature": ExampleTable(unit="eV", columns={"t": (100, 100, 100)}),
            },
            expected={"result": (1 + 20 * 100 * 1.602176634e-4, 20 * 100 * 1.602176634e-4, None)},
            unit="nPa",
            relative=1e-8,
            source="by hand: B^2 / (2 mu_0) of sqrt(2 mu_0 1e-9 Pa) is 1 nPa; 1 eV cm^-3 is 1.602176634e-4 nPa",
        ),
        Example(
            inputs={
                "field": ExampleTable(unit="nT", columns={"b": (0,)}),
                "density": ExampleTable(unit="cm^-3", columns={"n": (5,)}),
                "temperature": ExampleTable(unit="K", columns={"t": (0,)}),
                "speed": ExampleTable(unit="km/s", columns={"v": (400,)}),
            },
            options={"helium": 0.05, "result": "dynamic"},
            expected={"result": (1.60571704891,)},
            unit="nPa",
            relative=1e-11,
            source="1.67262192595e-27 kg * 5e6 m^-3 * (4e5 m/s)^2 * 1.2, as in dynamic_pressure",
        ),
        Example(
            inputs={
                "field": ExampleTable(unit="nT", columns={"b": (50.1325656,)}),
                "density": ExampleTable(unit="cm^-3", columns={"n": (5,)}),
                "temperature": ExampleTable(unit="eV", columns={"t": (1,)}),
                "electron_temperature": ExampleTable(unit="eV", columns={"te": (2,)}),
                "speed": ExampleTable(unit="km/s", columns={"v": (400,)}),
            },
            options={"helium": 0.05},
            expected={"result": (1 + 5 * 3 * 1.602176634e-4 + 1.60571704891,)},
            unit="nPa",
            relative=1e-8,
            source="by hand: the sum of the three, as above",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: TotalPressureOptions, name: str) -> TableMeta:
        label = _LABELS[options.result]
        column = ColumnMeta(name=name, label=label, unit=self.unit)
        return super()._meta(inputs, options, name).model_copy(update={"columns": (column,), "label": label})

    def _formula(self, given: Mapping[str, list[Floats]], options: TotalPressureOptions) -> Floats:
        magnetic, thermal, dynamic = pressures_npa(given, options)
        whole = magnetic + thermal + dynamic
        parts = {"total": whole, "magnetic": magnetic, "thermal": thermal, "dynamic": dynamic}
        return np.asarray(parts[options.result])


def pressures_npa(given: Mapping[str, list[Floats]], options: PlasmaPressureOptions) -> tuple[Floats, Floats, Floats]:
    """Magnetic, thermal and ram pressure in nPa, float64, shape (record,) each; the last is 0 without a flow.

    Parameters
    ----------
    given
        Columns of shape (record,) each: `field` in nT, one or three; `density` of protons in cm^-3; `temperature` of protons in
        K; if there are any, `electron_temperature` in K, and `speed` in km/s, one or three.
    options
        The share of alpha particles, and the temperature of electrons where none is given.
    """
    field_t, density_m3 = strength(given["field"]) * 1e-9, given["density"][0] * 1e6
    electrons = given.get("electron_temperature")
    electrons_k = options.electron_temperature_k if electrons is None else electrons[0]
    temperature_k = np.where(given["temperature"][0] >= 0, given["temperature"][0], np.nan)
    density_m3 = np.where(density_m3 >= 0, density_m3, np.nan)
    magnetic = field_t * field_t * (1e9 / (2 * VACUUM_PERMEABILITY_H_PER_M))
    thermal = density_m3 * (BOLTZMANN_J_PER_K * 1e9) * (temperature_k + np.where(np.less(electrons_k, 0), np.nan, electrons_k))
    if "speed" not in given:
        return magnetic, thermal, np.zeros(len(magnetic))
    speed_ms = strength(given["speed"]) * 1e3
    return magnetic, thermal, PROTON_MASS_KG * (1 + 4 * options.helium) * density_m3 * speed_ms * speed_ms * 1e9
