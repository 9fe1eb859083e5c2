"""Where models have the magnetopause and the bow shock of Earth, from the solar wind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Formula
from helio_dagster.domain.boundaries import bow_shock_nose_re, bow_shock_re, magnetopause_re

MOST_DEG = 150.0
"""Beyond this angle from the Sun the surfaces, which open without limit down the tail, are not evaluated."""
PRESSURES_NPA, BZ_NT = (0.5, 8.5), (-18.0, 15.0)
"""The solar wind of the crossings that Shue et al. (1997, 1998) fitted."""

PRESSURE = Input(("series",), "the dynamic pressure of the solar wind", ("pressure", "dynamic pressure"), "nPa", columns=1)
_BZ = Input(("series",), "the z component of its field", ("magnetic field",), "nT", columns=1, frames=("GSM",))
_MACH = Input(("series",), "its magnetosonic Mach number", ("Mach number",), "", columns=1)
_POSITION = Input(
    ("vector",),
    "a place, towards which the distance is taken; only its direction counts",
    ("position",),
    columns=3,
    frames=("GSE", "GSM"),
    is_optional=True,
)
_RANGE = "0.5 to 8.5 nPa and -18 to 15 nT"


class DirectionOptions(MatchOptions):
    """How inputs meet, and in which direction."""

    angle_deg: Annotated[float, Field(ge=0, le=MOST_DEG)] = 0.0
    """Angle from the direction to the Sun in degrees, 0 (the nose) to 150; 90 is the flank. A position takes its place."""


class MagnetopauseOptions(DirectionOptions):
    """How inputs meet, in which direction, and how far the model is trusted."""

    extrapolate: bool = False
    """Also evaluate the model outside the solar wind it was fitted to, as in great storms."""


class StandoffOptions(MatchOptions):
    """How inputs meet, and how far the models are trusted."""

    adiabatic_index: Annotated[float, Field(gt=1, le=3)] = 5 / 3
    """Ratio of specific heats, above 1, up to 3."""
    extrapolate: bool = False
    """Also evaluate the magnetopause outside the solar wind it was fitted to, as in great storms."""


class MagnetopauseDistance(Formula[MagnetopauseOptions]):
    """Distance of Shue's magnetopause."""

    id = "magnetopause_distance"
    version = 1
    summary = "Distance of the model magnetopause of Shue et al. (1998) from Earth: standoff distance, or at an angle."
    when = (
        "Use it to see how far the solar wind pushes the magnetosphere in, or, with a spacecraft's position, on which side of "
        "the boundary it is: compare with the length of the position. Orbits draw the same curve for one solar wind."
    )
    reference = (
        "r = r_0 (2 / (1 + cos theta))^alpha, r_0 = (10.22 + 1.29 tanh(0.184 (Bz + 8.14))) Dp^(-1/6.6), "
        "alpha = (0.58 - 0.007 Bz)(1 + 0.024 ln Dp) (Shue et al. 1998, doi:10.1029/98JA01103), theta from the X axis of GSE or "
        f"GSM without aberration. The model was fitted to crossings at {_RANGE}."
    )
    inputs = {"pressure": PRESSURE, "bz": _BZ, "position": _POSITION}
    output = (
        f"A series in R_E at the times of the pressure; NaN where an input has no valid sample, outside {_RANGE} unless "
        "extrapolate is true, and beyond 150 deg from the Sun."
    )
    options = MagnetopauseOptions
    unit = "R_E"
    label = "Magnetopause distance"
    examples = (
        Example(
            inputs={
                "pressure": ExampleTable(unit="nPa", columns={"p": (1, 1, 2, 20, None)}),
                "bz": ExampleTable(unit="nT", frame="GSM", columns={"bz": (-8.14, 0, 0, 0, 0)}),
            },
            expected={"result": (10.22, 11.38712, 10.25187, None, None)},
            unit="R_E",
            relative=1e-5,
            source="by hand: tanh 0 = 0; tanh(1.49776) = 0.904743, 2^(-1/6.6) = 0.900305; 20 nPa is outside the range",
        ),
        Example(
            inputs={
                "pressure": ExampleTable(unit="nPa", columns={"p": (1, 1)}),
                "bz": ExampleTable(unit="nT", frame="GSM", columns={"bz": (-8.14, -8.14)}),
                "position": ExampleTable(
                    kind="vector", unit="km", frame="GSE", columns={"x": (9, 0), "y": (0, 3), "z": (0, 4)}
                ),
            },
            expected={"result": (10.22, 10.22 * 2**0.63698)},
            unit="R_E",
            relative=1e-9,
            source="by hand: towards the Sun, and at 90 deg, alpha = 0.58 + 0.007 * 8.14",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: MagnetopauseOptions) -> Floats:
        pressure, bz = given["pressure"][0], given["bz"][0]
        found = magnetopause_re(_angle(given, options), pressure, bz)
        return found if options.extrapolate else np.where(_is_fitted(pressure, bz), found, np.nan)


class BowShockDistance(Formula[DirectionOptions]):
    """Distance of Jelinek's bow shock."""

    id = "bow_shock_distance"
    version = 1
    summary = "Distance of the model bow shock of Jelinek et al. (2012) from Earth: standoff distance, or at an angle."
    when = (
        "Use it where only the pressure of the solar wind is known, or the distance is needed off the nose. Where the "
        "magnetosonic Mach number is known, or low, use bow_shock_standoff."
    )
    reference = (
        "x = R - lambda^2 rho^2 / (4 R), R = 15.02 Dp^(-1/6.55), lambda = 1.17, as a distance over the angle: "
        "r = 2 R / (cos theta + sqrt(cos^2 theta + lambda^2 sin^2 theta)) (Jelinek et al. 2012, doi:10.1029/2011JA017252), "
        "theta from the X axis of GSE or GSM without aberration."
    )
    inputs = {"pressure": PRESSURE, "position": _POSITION}
    output = (
        "A series in R_E at the times of the pressure; NaN where an input has no valid sample, without pressure, and beyond "
        "150 deg from the Sun."
    )
    options = DirectionOptions
    unit = "R_E"
    label = "Bow shock distance"
    examples = (
        Example(
            inputs={"pressure": ExampleTable(unit="nPa", columns={"p": (1, 2, 0, None)})},
            expected={"result": (15.02, 13.511743, None, None)},
            unit="R_E",
            relative=1e-6,
            source="by hand: 2^(-1/6.55) = 0.8995834",
        ),
        Example(
            inputs={
                "pressure": ExampleTable(unit="nPa", columns={"p": (1, 1)}),
                "position": ExampleTable(
                    kind="vector", unit="R_E", frame="GSE", columns={"x": (0, -9), "y": (5, 1), "z": (0, 0)}
                ),
            },
            expected={"result": (2 * 15.02 / 1.17, None)},
            unit="R_E",
            relative=1e-9,
            source="the paraboloid at x = 0: rho = 2 R / lambda; then far down the tail",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: DirectionOptions) -> Floats:
        pressure = given["pressure"][0]
        return np.where(pressure > 0, bow_shock_re(_angle(given, options), pressure), np.nan)


class BowShockStandoff(Formula[StandoffOptions]):
    """Nose of Farris and Russell's bow shock."""

    id = "bow_shock_standoff"
    version = 1
    summary = "Standoff distance of the bow shock of Farris and Russell (1994), from the magnetopause and the Mach number."
    when = (
        "Use it where the magnetosonic_mach number is known: the shock moves out as it falls. For a distance at an angle use "
        "bow_shock_distance."
    )
    reference = (
        "R_bs = R_mp (1 + 1.1 ((gamma - 1) M^2 + 2) / ((gamma + 1)(M^2 - 1))) (Farris and Russell 1994, "
        "doi:10.1029/94JA01020), R_mp the nose of magnetopause_distance, M the magnetosonic Mach number."
    )
    inputs = {"pressure": PRESSURE, "bz": _BZ, "mach": _MACH}
    output = (
        f"A series in R_E at the times of the pressure; NaN where an input has no valid sample, where M is 1 or less, and "
        f"outside {_RANGE} unless extrapolate is true."
    )
    options = StandoffOptions
    unit = "R_E"
    label = "Bow shock standoff distance"
    examples = (
        Example(
            inputs={
                "pressure": ExampleTable(unit="nPa", columns={"p": (1, 1, 1, 9)}),
                "bz": ExampleTable(unit="nT", frame="GSM", columns={"bz": (-8.14, -8.14, -8.14, 0)}),
                "mach": ExampleTable(columns={"m": (2, 1e9, 1, 5)}),
            },
            expected={"result": (10.22 * (1 + 1.1 * (8 / 3 + 2) / 8), 10.22 * 1.275, None, None)},
            unit="R_E",
            relative=1e-9,
            source="by hand: M = 2, and 1 + 1.1 / 4 for a very strong shock; no shock at M = 1; 9 nPa is outside the range",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: StandoffOptions) -> Floats:
        pressure, bz, mach = given["pressure"][0], given["bz"][0], given["mach"][0]
        found = bow_shock_nose_re(magnetopause_re(0.0, pressure, bz), mach, options.adiabatic_index)
        is_known = (mach > 1) if options.extrapolate else (mach > 1) & _is_fitted(pressure, bz)
        return np.where(is_known, found, np.nan)


def _angle(given: Mapping[str, list[Floats]], options: DirectionOptions) -> Floats | float:
    """Angle from X in rad: of the position where there is one, NaN beyond `MOST_DEG` and for no direction."""
    if "position" not in given:
        return float(np.radians(options.angle_deg))
    x, y, z = given["position"]
    across = np.sqrt(y * y + z * z)
    angle = np.arctan2(across, x)
    is_known = (angle <= np.radians(MOST_DEG)) & ((across > 0) | (x > 0))
    return np.where(is_known, angle, np.nan)


def _is_fitted(pressure_npa: Floats, bz_nt: Floats) -> NDArray[np.bool_]:
    (low, high), (south, north) = PRESSURES_NPA, BZ_NT
    return np.asarray((pressure_npa >= low) & (pressure_npa <= high) & (bz_nt >= south) & (bz_nt <= north))
