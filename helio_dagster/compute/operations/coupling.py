"""More of what couples the solar wind to the magnetosphere, and Dst without the pressure of the solar wind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Formula, strength
from helio_dagster.compute.operations.plasma import SERIES_OUTPUT, SPEED
from helio_dagster.compute.ring_current import PRESSURE_TERMS

_FIELD = Input(("vector",), "the interplanetary field", ("magnetic field",), "nT", columns=3, frames=("GSM",))
_PRESSURE = Input(("series",), "the dynamic pressure of the solar wind", ("pressure", "dynamic pressure"), "nPa", columns=1)
_BOYNTON_UNIT = "nPa^(1/2) (km/s)^(4/3) nT"


class KanLeeElectricField(Formula[MatchOptions]):
    """Merging electric field."""

    id = "kan_lee_electric_field"
    version = 1
    summary = "Kan-Lee (merging) electric field of the solar wind, V B_T sin^2(theta / 2)."
    when = "Use it as the driver of convection and of the polar cap potential. For storms see dawn_dusk_electric_field, too."
    reference = (
        "E_KL = V B_T sin^2(theta / 2), B_T = sqrt(B_y^2 + B_z^2), theta the clock angle of B in GSM (Kan and Lee 1979, "
        "doi:10.1029/GL006i007p00577)."
    )
    inputs = {"speed": SPEED, "field": _FIELD}
    output = f"{SERIES_OUTPUT} Unit mV/m, 0 for a field straight north."
    options = MatchOptions
    unit = "mV/m"
    label = "Kan-Lee electric field"
    examples = (
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (400, 400, 400, None)}),
                "field": ExampleTable(
                    kind="vector", unit="nT", frame="GSM", columns={"bx": (3,) * 4, "by": (0, -5, 0, 0), "bz": (-5, 0, 5, -5)}
                ),
            },
            expected={"result": (2, 1, 0, None)},
            unit="mV/m",
            source="400 km/s * 5 nT = 2 mV/m southward; half of it at 90 deg, nothing northward",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: MatchOptions) -> Floats:
        del options
        across, sine = _across(given["field"])
        return strength(given["speed"]) * across * (sine * sine) * 1e-3


class BoyntonCoupling(Formula[MatchOptions]):
    """Coupling function found from Dst."""

    id = "boynton_coupling"
    version = 1
    summary = "Boynton coupling function of the solar wind to Dst, p^(1/2) V^(4/3) B_T sin^6(theta / 2)."
    when = "Use it as the driver of Dst in storms: it was found from Dst. For aurora and substorms use newell_coupling."
    reference = (
        "p^(1/2) V^(4/3) B_T sin^6(theta / 2), p the dynamic pressure in nPa, V in km/s, B_T = sqrt(B_y^2 + B_z^2) in nT, "
        "theta the clock angle of B in GSM: up to a constant (Boynton et al. 2011, doi:10.5194/angeo-29-965-2011)."
    )
    inputs = {"speed": SPEED, "field": _FIELD, "pressure": _PRESSURE}
    output = f"{SERIES_OUTPUT} Unit {_BOYNTON_UNIT}; also NaN where the pressure is below 0."
    options = MatchOptions
    unit = _BOYNTON_UNIT
    label = "Boynton coupling"
    examples = (
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (512, 512, 512, 512)}),
                "field": ExampleTable(
                    kind="vector", unit="nT", frame="GSM", columns={"bx": (3,) * 4, "by": (0, 8, 0, 0), "bz": (-8, 0, 8, -8)}
                ),
                "pressure": ExampleTable(unit="nPa", columns={"p": (4, 4, 4, -1)}),
            },
            expected={"result": (65536, 8192, 0, None)},
            unit=_BOYNTON_UNIT,
            source="by hand: 512^(4/3) = 4096, sqrt(4) = 2, times 8; an eighth of it at 90 deg, nothing northward",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: MatchOptions) -> Floats:
        del options
        across, sine = _across(given["field"])
        squared = sine * sine
        driven = np.sqrt(given["pressure"][0]) * np.cbrt(strength(given["speed"]) ** 4)
        return np.asarray(driven * across * (squared * squared * squared))


class PressureOptions(MatchOptions):
    """How inputs meet, and how the pressure is taken out."""

    correction: Literal["obrien_mcpherron", "burton"] = "obrien_mcpherron"
    """obrien_mcpherron: b = 7.26 nT / nPa^(1/2), c = 11 nT; burton: b = 15.8 nT / nPa^(1/2), c = 20 nT."""


class PressureCorrectedDst(Formula[PressureOptions]):
    """Dst*."""

    id = "pressure_corrected_dst"
    version = 1
    summary = "Dst* (pressure-corrected Dst): Dst without the currents at the magnetopause, that of the ring current."
    when = "Use it to get the ring current of a storm, before fitting its growth or decay. It works on SYM-H in the same way."
    reference = (
        "Dst* = Dst - b sqrt(P) + c (Burton et al. 1975, doi:10.1029/JA080i031p04204; O'Brien and McPherron 2000, "
        "doi:10.1029/1998JA000437)."
    )
    inputs = {
        "dst": Input(("series",), "the Dst index, or SYM-H", ("Dst", "SYM-H"), "nT", columns=1),
        "pressure": _PRESSURE,
    }
    output = f"{SERIES_OUTPUT} Unit nT; also NaN where the pressure is below 0."
    options = PressureOptions
    unit = "nT"
    label = "Dst*"
    examples = (
        Example(
            inputs={
                "dst": ExampleTable(unit="nT", columns={"dst": (-100, 0, -100, None)}),
                "pressure": ExampleTable(unit="nPa", columns={"p": (4, 1, -1, 4)}),
            },
            expected={"result": (-103.52, 3.74, None, None)},
            unit="nT",
            source="by hand: -100 - 2 * 7.26 + 11; -7.26 + 11",
        ),
        Example(
            inputs={
                "dst": ExampleTable(unit="nT", columns={"dst": (-100,)}),
                "pressure": ExampleTable(unit="nPa", columns={"p": (4,)}),
            },
            options={"correction": "burton"},
            expected={"result": (-111.6,)},
            unit="nT",
            source="by hand: -100 - 2 * 15.8 + 20",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: PressureOptions) -> Floats:
        per_root, offset = PRESSURE_TERMS[options.correction]
        return np.asarray(given["dst"][0] - per_root * np.sqrt(given["pressure"][0]) + offset)


def _across(field: list[Floats]) -> tuple[Floats, Floats]:
    """Strength across X, and the sine of half the clock angle."""
    _, y, z = field
    return np.sqrt(y * y + z * z), np.sin(np.arctan2(np.abs(y), z) / 2)
