"""How particles turn about the field: gyrofrequency and gyroradius."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from helio_dagster.compute.constants import (
    ALPHA_MASS_KG,
    BOLTZMANN_J_PER_K,
    ELECTRON_MASS_KG,
    ELEMENTARY_CHARGE_C,
    PROTON_MASS_KG,
)
from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Formula, strength
from helio_dagster.compute.operations.plasma import FIELD, SERIES_OUTPUT

_MASS_AND_CHARGE = {
    "proton": (PROTON_MASS_KG, ELEMENTARY_CHARGE_C),
    "electron": (ELECTRON_MASS_KG, ELEMENTARY_CHARGE_C),
    "alpha": (ALPHA_MASS_KG, 2 * ELEMENTARY_CHARGE_C),
}


Species = Literal["proton", "electron", "alpha"]


class GyrofrequencyOptions(Options):
    """Which particle."""

    species: Species = "proton"
    """Whose mass and charge count."""


class GyroradiusOptions(MatchOptions):
    """Which particle, and how inputs meet."""

    species: Species = "proton"
    """Whose mass and charge count."""


class Gyrofrequency(Formula[GyrofrequencyOptions]):
    """Cyclotron frequency."""

    id = "gyrofrequency"
    version = 1
    summary = "Gyrofrequency of protons, electrons or alpha particles in the field."
    when = "Use it to compare waves with the cyclotron frequency, for example as a line over a spectrogram."
    reference = "f_c = |q| B / (2 pi m) in Hz (Baumjohann and Treumann 1996, Basic Space Plasma Physics)."
    inputs = {"field": FIELD}
    output = f"{SERIES_OUTPUT} Unit Hz."
    options = GyrofrequencyOptions
    unit = "Hz"
    label = "Gyrofrequency"
    examples = (
        Example(
            inputs={"field": ExampleTable(unit="nT", columns={"b": (5, None)})},
            expected={"result": (0.0762259, None)},
            unit="Hz",
            relative=1e-5,
            source="by hand; NRL Plasma Formulary 2019 has 1.52e3 Hz per G",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: GyrofrequencyOptions) -> Floats:
        mass_kg, charge_c = _MASS_AND_CHARGE[options.species]
        return charge_c / (2 * np.pi * mass_kg) * (strength(given["field"]) * 1e-9)


class Gyroradius(Formula[GyroradiusOptions]):
    """Thermal gyroradius."""

    id = "gyroradius"
    version = 1
    summary = "Gyroradius of protons, electrons or alpha particles of the most probable thermal speed."
    when = "Use it to compare a scale or the thickness of a boundary with the particles' own scale."
    reference = (
        "r_g = m v / (|q| B) with v = sqrt(2 k_B T / m), the most probable speed; other authors take sqrt(k_B T / m) "
        "(Baumjohann and Treumann 1996, Basic Space Plasma Physics)."
    )
    inputs = {
        "field": FIELD,
        "temperature": Input(("series",), "the temperature of the species, or in eV", ("temperature",), "K", columns=1),
    }
    output = f"{SERIES_OUTPUT} Unit km."
    options = GyroradiusOptions
    unit = "km"
    label = "Gyroradius"
    examples = (
        Example(
            inputs={
                "field": ExampleTable(unit="nT", columns={"b": (5, 0)}),
                "temperature": ExampleTable(unit="eV", columns={"t": (10, 10)}),
            },
            expected={"result": (91.3879, None)},
            unit="km",
            relative=1e-5,
            source="by hand; NRL Plasma Formulary 2019 has 1.02e2 cm sqrt(T/eV) / (B/G) for sqrt(k_B T / m)",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: GyroradiusOptions) -> Floats:
        mass_kg, charge_c = _MASS_AND_CHARGE[options.species]
        momentum = np.sqrt(2 * mass_kg * BOLTZMANN_J_PER_K * given["temperature"][0])
        return np.asarray(momentum / (charge_c * strength(given["field"]) * 1e-9) * 1e-3)
