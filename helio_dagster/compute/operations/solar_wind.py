"""What the solar wind does: spiral angle, electric fields, coupling to a magnetosphere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from helio_dagster.compute.constants import VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.operations.arithmetic import MatchOptions, shared_frame
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Formula, Paired, strength
from helio_dagster.compute.operations.plasma import SERIES_OUTPUT, SPEED
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.lengths import AU_KM, EARTH_RADIUS_KM, SUN_RADIUS_KM
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

_MV_PER_M = 1e-3
"""One km/s times one nT, in mV/m."""
_NEWELL_UNIT = "(km/s)^(4/3) nT^(2/3)"


class ParkerSpiralOptions(MatchOptions):
    """Where the flow is, how inputs meet, and how fast the Sun turns."""

    distance_au: Annotated[float, Field(gt=0, le=200)] | None = None
    """Distance in AU, up to 200; required without that input."""
    latitude_deg: Annotated[float, Field(ge=-90, le=90)] = 0.0
    """In degrees, without that input."""
    source_radius_rs: Annotated[float, Field(ge=0, le=100)] = 0.0
    """Where corotation ends, in solar radii, 0 to 100."""
    rotation_period_d: Annotated[float, Field(ge=20, le=40)] = 25.38
    """Sidereal, of the Sun, in days; by default Carrington's."""


class ParkerSpiralAngle(Formula[ParkerSpiralOptions]):
    """Angle of the spiral field to the radial direction."""

    id = "parker_spiral_angle"
    version = 1
    summary = "Angle of Parker's spiral to the radial direction."
    when = "Use it to compare the measured direction of the field with the spiral."
    reference = (
        "tan(psi) = Omega (r - r_0) cos(latitude) / V, Omega = 2 pi / rotation period (Parker 1958, doi:10.1086/146579)."
    )
    inputs = {
        "speed": SPEED,
        "distance": Input(("series",), "from the Sun", unit="km", columns=1, is_optional=True),
        "latitude": Input(("series",), "heliographic", unit="deg", columns=1, is_optional=True),
    }
    output = f"{SERIES_OUTPUT} Unit deg, from 0 to 90."
    options = ParkerSpiralOptions
    unit = "deg"
    label = "Parker spiral angle"
    examples = (
        Example(
            inputs={"speed": ExampleTable(unit="km/s", columns={"v": (428.64713, 742.43861, None)})},
            options={"distance_au": 1},
            expected={"result": (45, 30, None)},
            unit="deg",
            relative=1e-6,
            source="2 pi * 149597870.7 km / (25.38 * 86400 s) = 428.6471 km/s, of which the tangents are 1 and 1/sqrt(3)",
        ),
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (428.64713, 428.64713, 428.64713)}),
                "distance": ExampleTable(unit="AU", columns={"r": (1, 2, None)}),
                "latitude": ExampleTable(unit="deg", columns={"lat": (0, 60, 0)}),
            },
            expected={"result": (45, 45, None)},
            unit="deg",
            relative=1e-6,
            source="as above; at twice the distance and 60 deg of latitude the same, and nothing where the distance is unknown",
        ),
    )

    def result_meta(self, inputs: Mapping[str, TableMeta], options: ParkerSpiralOptions, name: str = "result") -> TableMeta:
        """As any formula's; refused where nothing says how far from the Sun the flow is."""
        if "distance" not in inputs and options.distance_au is None:
            hint = (
                "Give the spacecraft's distance from the Sun as the input distance, or the option distance_au: 1 at the Earth."
            )
            raise InputError(f"{self.id} needs the distance from the Sun", hint=hint)
        return super().result_meta(inputs, options, name)

    def _formula(self, given: Mapping[str, list[Floats]], options: ParkerSpiralOptions) -> Floats:
        rate_per_s = 2 * math.pi / (options.rotation_period_d * 86400.0)
        distance_km = given["distance"][0] if "distance" in given else np.float64((options.distance_au or np.nan) * AU_KM)
        latitude = np.radians(given["latitude"][0] if "latitude" in given else options.latitude_deg)
        reach_km = distance_km - options.source_radius_rs * SUN_RADIUS_KM
        return np.degrees(np.arctan(rate_per_s * reach_km * np.cos(latitude) / strength(given["speed"])))


class ConvectionElectricField(Paired[MatchOptions]):
    """E = -V x B."""

    id = "convection_electric_field"
    version = 1
    summary = "Convection (motional) electric field -V x B of a flow, as a vector."
    when = (
        "Use it to get the electric field of a frozen-in flow as a vector. From speed and Bz alone use "
        "dawn_dusk_electric_field."
    )
    reference = "E = -V x B, ideal Ohm's law (Baumjohann and Treumann 1996, Basic Space Plasma Physics)."
    inputs = {
        "velocity": Input(("vector",), "the bulk velocity", ("velocity",), "km/s", columns=3),
        "field": Input(("vector",), "the field, in the same frame", ("magnetic field",), "nT", columns=3),
    }
    output = "A vector in mV/m at the times and in the frame of the velocity; NaN where either has no valid sample."
    options = MatchOptions
    examples = (
        Example(
            inputs={
                "velocity": ExampleTable(
                    kind="vector", unit="km/s", frame="GSM", columns={"vx": (-400, -400), "vy": (0, 30), "vz": (0, 0)}
                ),
                "field": ExampleTable(
                    kind="vector", unit="nT", frame="GSM", columns={"bx": (3, 3), "by": (4, 4), "bz": (-5, -5)}
                ),
            },
            expected={"ex": (0, 0.15), "ey": (2, 2), "ez": (1.6, 1.69)},
            unit="mV/m",
            source="by hand; a southward field of 5 nT at 400 km/s makes 2 mV/m towards dusk",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: MatchOptions, name: str) -> TableMeta:
        del options, name
        velocity, field = inputs["velocity"], inputs["field"]
        frame = shared_frame(velocity, field, names=("velocity", "field")) if field.columns else velocity.frame
        columns = tuple(ColumnMeta(name=f"e{axis}", label=f"E{axis}", unit="mV/m") for axis in "xyz")
        return TableMeta(kind="vector", columns=columns, label="E = -V x B", unit="mV/m", frame=frame)

    def _compute(self, inputs: Mapping[str, Table], options: MatchOptions, meta: TableMeta) -> Table:
        vx, vy, vz = self._matched(inputs, "velocity", options)
        bx, by, bz = self._matched(inputs, "field", options)
        with np.errstate(all="ignore"):
            crossed = (vz * by - vy * bz, vx * bz - vz * bx, vy * bx - vx * by)
        columns = {name: values * _MV_PER_M for name, values in zip(meta.data_names, crossed, strict=True)}
        return Table(inputs["velocity"].time, columns, meta)


class DawnDuskOptions(MatchOptions):
    """How inputs meet, and whether a northward field counts."""

    southward_only: bool = False
    """Whether a northward field counts as none: V B_s, which is never below zero."""


class DawnDuskElectricField(Formula[DawnDuskOptions]):
    """E_y of the solar wind."""

    id = "dawn_dusk_electric_field"
    version = 1
    summary = "Dawn-dusk electric field -V Bz of the solar wind, positive for a southward field."
    when = (
        "Use it to get the driver of storms and substorms as one number. From velocity and field vectors use "
        "convection_electric_field."
    )
    reference = (
        "E_y = -V B_z, V the speed (positive), B_z in GSM: OMNI's electric field (King and Papitashvili 2005, "
        "doi:10.1029/2004JA010649); southward_only: V B_s, B_s = max(-B_z, 0) (Burton et al. 1975, "
        "doi:10.1029/JA080i031p04204)."
    )
    inputs = {
        "speed": SPEED,
        "bz": Input(("series",), "the z component of the field", ("magnetic field",), "nT", columns=1, frames=("GSM",)),
    }
    output = f"{SERIES_OUTPUT} Unit mV/m."
    options = DawnDuskOptions
    unit = "mV/m"
    label = "Ey"
    examples = (
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (400, 500, 500)}),
                "bz": ExampleTable(unit="nT", frame="GSM", columns={"bz": (-5, 4, None)}),
            },
            expected={"result": (2, -2, None)},
            unit="mV/m",
            source="1 km/s * 1 nT = 1e-3 mV/m",
        ),
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (400, 500, 500)}),
                "bz": ExampleTable(unit="nT", frame="GSM", columns={"bz": (-5, 4, None)}),
            },
            options={"southward_only": True},
            expected={"result": (2, 0, None)},
            unit="mV/m",
            source="V max(-Bz, 0), by hand",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: DawnDuskOptions) -> Floats:
        southward = -given["bz"][0]
        return strength(given["speed"]) * (np.maximum(southward, 0.0) if options.southward_only else southward) * _MV_PER_M


class EpsilonOptions(MatchOptions):
    """How inputs meet, and how large the magnetosphere is."""

    length_re: Annotated[float, Field(gt=0, le=50)] = 7.0
    """Length l_0 of the magnetosphere's cross-section in Earth radii of 6371.2 km, above 0, up to 50."""


class Epsilon(Formula[EpsilonOptions]):
    """Akasofu's coupling parameter."""

    id = "epsilon"
    version = 1
    summary = "Epsilon parameter: solar wind power into the magnetosphere, after Akasofu."
    when = "Use it to get the energy input of a storm, or its integral over time. For pressure use dynamic_pressure."
    reference = (
        "epsilon = (4 pi / mu_0) V B^2 sin^4(theta / 2) l_0^2, theta the clock angle of B in GSM, l_0 = 7 R_E (Perreault and "
        "Akasofu 1978, doi:10.1111/j.1365-246X.1978.tb05494.x; Akasofu 1981, doi:10.1007/BF00218810; in SI: Koskinen and "
        "Tanskanen 2002, doi:10.1029/2002JA009283)."
    )
    inputs = {
        "speed": SPEED,
        "field": Input(("vector",), "the interplanetary field", ("magnetic field",), "nT", columns=3, frames=("GSM",)),
    }
    output = f"{SERIES_OUTPUT} Unit GW."
    options = EpsilonOptions
    unit = "GW"
    label = "epsilon"
    examples = (
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (400, 400, 400)}),
                "field": ExampleTable(
                    kind="vector", unit="nT", frame="GSM", columns={"bx": (0, 0, 0), "by": (0, 5, 0), "bz": (-5, 0, 5)}
                ),
            },
            expected={"result": (198.902, 49.7254, 0)},
            unit="GW",
            relative=1e-5,
            source="by hand: 1e7 m/H * 4e5 m/s * (5e-9 T)^2 * (7 * 6.3712e6 m)^2; a quarter of it at 90 deg, nothing northward",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: EpsilonOptions) -> Floats:
        x, y, z = given["field"]
        squared_t2 = (x * x + y * y + z * z) * 1e-18
        half = np.arctan2(np.abs(y), z) / 2
        sine_squared = np.sin(half) * np.sin(half)
        length_m = options.length_re * EARTH_RADIUS_KM * 1e3
        power_w = (
            (4 * math.pi / VACUUM_PERMEABILITY_H_PER_M)
            * (strength(given["speed"]) * 1e3)
            * squared_t2
            * (sine_squared * sine_squared)
            * (length_m * length_m)
        )
        return np.asarray(power_w * 1e-9)


class NewellCoupling(Formula[MatchOptions]):
    """Newell's universal coupling function."""

    id = "newell_coupling"
    version = 1
    summary = "Newell coupling function of the solar wind to the magnetosphere, v^(4/3) B_T^(2/3) sin^(8/3)(theta / 2)."
    when = (
        "Use it as the driver of aurora, substorms and geomagnetic indices: it goes with most of them better than epsilon or "
        "the dawn_dusk_electric_field."
    )
    reference = (
        "d Phi / dt = v^(4/3) B_T^(2/3) sin^(8/3)(theta / 2), v in km/s, B_T = sqrt(B_y^2 + B_z^2) in nT, theta the clock "
        "angle of B in GSM: a rate of magnetic flux up to a constant (Newell et al. 2007, doi:10.1029/2006JA012015)."
    )
    inputs = {
        "speed": SPEED,
        "field": Input(("vector",), "the interplanetary field", ("magnetic field",), "nT", columns=3, frames=("GSM",)),
    }
    output = f"{SERIES_OUTPUT} Unit {_NEWELL_UNIT}: typically some thousands, above 20000 in storms."
    options = MatchOptions
    unit = _NEWELL_UNIT
    label = "Newell coupling"
    examples = (
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (512, 512, 512, None)}),
                "field": ExampleTable(
                    kind="vector",
                    unit="nT",
                    frame="GSM",
                    columns={"bx": (3, 3, 3, 3), "by": (0, 8, 0, 0), "bz": (-8, 0, 8, -8)},
                ),
            },
            expected={"result": (16384, 16384 * 0.5 ** (4 / 3), 0, None)},
            unit=_NEWELL_UNIT,
            source="by hand: 512^(4/3) = 4096, 8^(2/3) = 4; sin^2(45 deg) = 1/2; nothing northward",
        ),
    )

    def _formula(self, given: Mapping[str, list[Floats]], options: MatchOptions) -> Floats:
        del options
        _, y, z = given["field"]
        half = np.arctan2(np.abs(y), z) / 2
        across = np.sqrt(y * y + z * z)
        speed = strength(given["speed"])
        return np.asarray(np.cbrt(speed**4) * np.cbrt(across * across) * np.cbrt(np.sin(half) ** 8))
