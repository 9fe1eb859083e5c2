"""Where the model of Lin et al. has the magnetopause: lin_magnetopause_distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from helio_dagster.compute.constants import VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.frame_axes import tilt_of_dipole
from helio_dagster.compute.operations.boundaries import MOST_DEG, PRESSURE, DirectionOptions
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Formula
from helio_dagster.domain.asymmetric_magnetopause import lin_magnetopause_re
from helio_dagster.domain.record_times import stamps_ns
from helio_dagster.domain.table import Table


class LinOptions(DirectionOptions):
    """How inputs meet, in which direction, and how the dipole leans."""

    azimuth_deg: Annotated[float, Field(ge=-360, le=360)] = 0.0
    """Angle about X from +Y (dusk) towards +Z (north) of GSM in degrees: 90 is north, 180 dawn. A position takes its place."""
    tilt_deg: Annotated[float, Field(ge=-40, le=40)] | None = None
    """Tilt of the dipole in degrees, positive where its northern end leans to the Sun; by default that of the time."""


_FIELD = ExampleTable(kind="vector", unit="nT", frame="GSM", columns={"bx": (3, 3, 3), "by": (4, 4, 4), "bz": (-5, -5, -5)})


class LinMagnetopauseDistance(Formula[LinOptions]):
    """Distance of Lin's magnetopause."""

    id = "lin_magnetopause_distance"
    version = 1
    summary = "Distance of the model magnetopause of Lin et al. (2010), not round and dented at the cusps, from Earth."
    when = (
        "Use it at high latitudes, near the cusps, on the flanks, and far from equinox; with a spacecraft's position, compare "
        "with the length of the position. At low latitudes and for a number that is widely used take magnetopause_distance."
    )
    reference = (
        "r = r_0 (cos(theta / 2) + a_5 sin(2 theta)(1 - exp(-theta)))^(b_0 + b_1 cos phi + b_2 sin phi + b_3 sin^2 phi) + c "
        "(exp(d_n psi_n^e) + exp(d_s psi_s^e)), psi the angles from the middles of the cusps, with 22 coefficients on the "
        "dynamic and magnetic pressure, Bz and the tilt of the dipole (Lin et al. 2010, doi:10.1029/2009JA014235), theta from "
        "X of GSM without aberration. The tilt is that of dipole_tilt."
    )
    inputs = {
        "pressure": PRESSURE,
        "field": Input(
            ("vector",),
            "its field: Bz and the magnetic pressure count",
            ("magnetic field",),
            "nT",
            columns=3,
            frames=("GSM",),
        ),
        "position": Input(
            ("vector",),
            "a place, towards which the distance is taken; only its direction counts",
            ("position",),
            columns=3,
            frames=("GSM",),
            is_optional=True,
        ),
    }
    output = (
        "A series in R_E at the times of the pressure; NaN where an input has no valid sample, without pressure, and beyond "
        "150 deg from the Sun. No range of the solar wind is enforced."
    )
    options = LinOptions
    unit = "R_E"
    label = "Magnetopause distance (Lin)"
    examples = (
        Example(
            inputs={
                "pressure": ExampleTable(unit="nPa", columns={"p": (2, 0, None)}),
                "field": _FIELD,
            },
            options={"tilt_deg": 17.188733853924695},
            expected={"result": (9.773119154424, None, None)},
            unit="R_E",
            relative=1e-9,
            source="spok 0.1.1, mp_lin2010, at the nose with a tilt of 0.3 rad",
        ),
        Example(
            inputs={
                "pressure": ExampleTable(unit="nPa", columns={"p": (2, 2, 2)}),
                "field": _FIELD,
                "position": ExampleTable(
                    kind="vector",
                    unit="km",
                    frame="GSM",
                    columns={"x": (1, 0, -9), "y": (0, 0, 1), "z": (np.sqrt(3), 0, 0)},
                ),
            },
            options={"tilt_deg": 17.188733853924695},
            expected={"result": (9.344912852861, None, None)},
            unit="R_E",
            relative=1e-9,
            source="spok 0.1.1, mp_lin2010, at 60 deg towards the north; no direction; far down the tail",
        ),
    )

    def _given(self, inputs: Mapping[str, Table], options: LinOptions) -> dict[str, list[Floats]]:
        at_ns = stamps_ns(inputs["pressure"])
        tilt = tilt_of_dipole(at_ns) if options.tilt_deg is None else np.full(len(at_ns), np.radians(options.tilt_deg))
        return super()._given(inputs, options) | {"tilt": [tilt]}

    def _formula(self, given: Mapping[str, list[Floats]], options: LinOptions) -> Floats:
        pressure, (bx, by, bz) = given["pressure"][0], given["field"]
        magnetic_npa = (bx * bx + by * by + bz * bz) * (1e-9 / (2 * VACUUM_PERMEABILITY_H_PER_M))
        theta, azimuth = _direction(given, options)
        found = lin_magnetopause_re(theta, azimuth, pressure + magnetic_npa, bz, given["tilt"][0])
        return np.where(pressure > 0, found, np.nan)


def _direction(given: Mapping[str, list[Floats]], options: LinOptions) -> tuple[Floats | float, Floats | float]:
    """Angles from X and about it in rad: of the position where there is one, NaN beyond `MOST_DEG` and for no direction."""
    if "position" not in given:
        return float(np.radians(options.angle_deg)), float(np.radians(options.azimuth_deg))
    x, y, z = given["position"]
    across = np.sqrt(y * y + z * z)
    theta = np.arctan2(across, x)
    is_known = (theta <= np.radians(MOST_DEG)) & ((across > 0) | (x > 0))
    return np.where(is_known, theta, np.nan), np.arctan2(z, y)
