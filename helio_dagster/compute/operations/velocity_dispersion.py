"""Path length and release time of particles from their onsets at several energies: velocity_dispersion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.constants import ELECTRON_MASS_KG, ELEMENTARY_CHARGE_C, PROTON_MASS_KG, SPEED_OF_LIGHT_M_PER_S
from helio_dagster.compute.operations.columns import Floats, floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import count_column, fact, facts_meta, facts_table, times_ns, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.straight_lines import least_squares
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.lengths import AU_KM
from helio_dagster.domain.table import BinAxis, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.unit_conversion import conversion_factor

LIGHT_S_PER_AU = AU_KM * 1e3 / SPEED_OF_LIGHT_M_PER_S
MASS_KG = {"electron": ELECTRON_MASS_KG, "proton": PROTON_MASS_KG}


class VelocityDispersionOptions(Options):
    """Which particles, and which of their energies."""

    species: Literal["electron", "proton"]
    """electron or proton; proton also for ions whose energy is per nucleon."""
    lowest: Annotated[float, Field(gt=0)] | None = None
    """Channels from this energy on, in the unit of the curve's axis."""
    highest: Annotated[float, Field(gt=0)] | None = None
    """Channels up to this energy, in the unit of the curve's axis."""


class VelocityDispersion(WindowOperation[VelocityDispersionOptions]):
    """Onset time against 1 / beta."""

    id = "velocity_dispersion"
    version = 1
    summary = "Velocity dispersion analysis: path length and release time of particles from their onsets at several energies."
    when = (
        "Use it on particle_onsets of a spectrogram. Leave out channels whose onset is late because of their background. A "
        "length well below the distance from the Sun, or far above 1.2 AU at 1 AU, means that the first particles did not "
        "come without scattering, or were not released at once."
    )
    reference = (
        "t_onset = t_release + L / (c beta), beta = sqrt(E (E + 2 m c^2)) / (E + m c^2), least squares over all channels "
        "alike; uncertainties from the scatter about the line (Vainio et al. 2013, doi:10.1051/swsc/2013030; on its errors "
        "Lintunen and Vainio 2004, doi:10.1051/0004-6361:20034247)."
    )
    inputs = {"onsets": Input(("curve",), "a curve over energy with a column onset, in s after the start of the range")}
    output = (
        "Facts: path_length in AU, release_time at the Sun by the spacecraft's clock (add 499 s per AU to compare it with "
        "light seen there) and its uncertainty in min, r of onset and 1 / beta, number of channels. Uncertainties are one "
        "standard deviation, NaN with two channels. NaN with fewer than two, and where the faster particles come later."
    )
    options = VelocityDispersionOptions
    examples = (
        Example(
            inputs={
                "onsets": ExampleTable(
                    kind="curve",
                    columns={
                        "energy": (0.01, 0.1, 1.0),
                        "onset": tuple(3600 + 499.0047838 * 1.2 * each for each in (5.128583627, 1.824082354, 1.062609789)),
                    },
                    seconds=(0, 0, 0),
                    roles={"energy": "axis"},
                    units={"energy": "MeV", "onset": "s"},
                    bins=BinAxis(label="Energy", unit="MeV", scale="log"),
                )
            },
            options={"species": "electron"},
            expected={"path_length": (1.2,), "release_time": (3600,), "r": (1,), "channels": (3,)},
            window=(0, 86400),
            seconds=(0,),
            units={"path_length": "AU", "release_uncertainty": "min"},
            relative=1e-5,
            source="beta of electrons of 10 keV, 100 keV and 1 MeV is 0.19499, 0.54822, 0.94108; 1.2 AU after 1 h",
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: VelocityDispersionOptions) -> dict[str, Any]:
        """And how many eV a unit of the axis is."""
        return {**super().plain_options(inputs, options), "unit_ev": self._electronvolts(inputs["onsets"])}

    def _dtypes(self, meta: TableMeta) -> Mapping[str, str]:
        return {**meta.dtypes, "release_time": "datetime64[ns]"}

    def _meta(self, inputs: Mapping[str, TableMeta], options: VelocityDispersionOptions, name: str) -> TableMeta:
        del options
        self._electronvolts(inputs["onsets"])
        columns = (
            *uncertain_fact("path_length", "path length", "AU"),
            *fact("release_time", "release time"),
            *fact("release_uncertainty", "uncertainty of the release time", "min"),
            *fact("r", "r of onset and 1 / beta"),
            *count_column("channels", "number of channels"),
        )
        return facts_meta(f"Velocity dispersion of {inputs['onsets'].label or name}", columns)

    def _electronvolts(self, meta: TableMeta) -> float:
        """How many eV a unit of the axis is.

        Raises
        ------
        ComputeError
            The curve has no onsets, or is not over energy.
        """
        unit = (meta.bins or BinAxis()).unit
        if meta.axis_name is None or "onset" not in meta.data_names:
            raise ComputeError(f"{self.id} needs a curve with a column onset", hint="Give it particle_onsets of a spectrogram.")
        try:
            return float(conversion_factor(unit.split("/n")[0], "eV"))
        except ComputeError as error:
            raise ComputeError(f"{self.id}: the axis is not an energy: {error.problem}", hint=error.hint) from None

    def _compute_window(
        self, inputs: Mapping[str, Table], options: VelocityDispersionOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        table = inputs["onsets"]
        energy, onset = floats(table, table.meta.axis_name or ""), floats(table, "onset")
        is_taken = np.isfinite(onset) & (energy > 0) & (energy >= (options.lowest or 0.0))
        is_taken &= energy <= (math.inf if options.highest is None else options.highest)
        joules = energy[is_taken] * (self._electronvolts(table.meta) * ELEMENTARY_CHARGE_C)
        slowness = inverse_beta(joules, MASS_KG[options.species])
        line = least_squares(slowness, onset[is_taken])
        found: dict[str, float | np.datetime64] = {"channels": int(is_taken.sum()), "release_time": np.datetime64("NaT", "ns")}
        if line.slope > 0:
            start = int(times_ns(table)[0])
            found |= {
                "path_length": line.slope / LIGHT_S_PER_AU,
                "path_length_uncertainty": line.slope_uncertainty / LIGHT_S_PER_AU,
                "release_time": np.datetime64(start + round(line.intercept * 1e9), "ns"),
                "release_uncertainty": line.intercept_uncertainty / 60,
                "r": line.correlation,
            }
        return facts_table(window, found, meta)


def inverse_beta(energy_j: Floats, mass_kg: float) -> Floats:
    """Speed of light over that of particles of a kinetic energy; float64, shape (channel,)."""
    rest = mass_kg * SPEED_OF_LIGHT_M_PER_S**2
    return np.asarray((energy_j + rest) / np.sqrt(energy_j * (energy_j + 2 * rest)))
