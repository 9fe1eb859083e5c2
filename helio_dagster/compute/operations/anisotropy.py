"""Anisotropy of a temperature and the instabilities that limit it: temperature_anisotropy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from helio_dagster.compute.constants import BOLTZMANN_J_PER_K, VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Formula, strength
from helio_dagster.compute.operations.plasma import DENSITY, FIELD, SERIES_OUTPUT
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import ColumnMeta, TableMeta

THRESHOLDS = {
    "proton_cyclotron_threshold": (0.43, 0.42, -0.0004),
    "mirror_threshold": (0.77, 0.76, -0.016),
    "parallel_firehose_threshold": (-0.47, 0.53, 0.59),
    "oblique_firehose_threshold": (-1.4, 1.0, -0.11),
}
"""a, b and beta_0 of Hellinger et al. (2006), table 1: a growth rate of 1e-3 proton gyrofrequencies."""
_LABELS = {
    "ratio": "T_perp / T_par",
    "parallel_beta": "Parallel beta",
    "mirror": "Mirror parameter",
    "firehose": "Firehose parameter",
    **{name: f"T_perp / T_par at the {name.replace('_', ' ')}" for name in THRESHOLDS},
}


class AnisotropyOptions(MatchOptions):
    """How inputs meet, and what comes out."""

    result: Literal[
        "ratio",
        "parallel_beta",
        "mirror",
        "firehose",
        "proton_cyclotron_threshold",
        "mirror_threshold",
        "parallel_firehose_threshold",
        "oblique_firehose_threshold",
    ] = "ratio"
    """ratio: T_perp / T_par. parallel_beta. mirror, firehose: parameters of a fluid, unstable above 1. The thresholds are the
    T_perp / T_par of protons at which an instability grows, at the parallel beta of the record; all but ratio need density and
    field."""


def _temperature(direction: str) -> Input:
    return Input(
        ("series",), f"the temperature {direction} to the field, or as an energy in eV", ("temperature",), "K", columns=1
    )


class TemperatureAnisotropy(Formula[AnisotropyOptions]):
    """T_perp over T_par."""

    id = "temperature_anisotropy"
    version = 1
    summary = "Temperature anisotropy T_perp / T_par, and how near it is to mirror, firehose and ion cyclotron instability."
    when = (
        "Use it in the magnetosheath or solar wind: draw the ratio with its thresholds in one panel, of which it keeps inside. "
        "The thresholds are of protons with two temperatures and a small drift; electrons and beams have others."
    )
    reference = (
        "beta = n k_B T 2 mu_0 / B^2; mirror: beta_perp (T_perp / T_par - 1) > 1 (Hasegawa 1969, doi:10.1063/1.1692407); "
        "firehose: (beta_par - beta_perp) / 2 > 1 (Parker 1958, doi:10.1103/PhysRev.109.1874), one species alone; thresholds: "
        "1 + a / (beta_par - beta_0)^b at a growth rate of 1e-3 proton gyrofrequencies: proton cyclotron 0.43, 0.42, -0.0004; "
        "mirror 0.77, 0.76, -0.016; parallel firehose -0.47, 0.53, 0.59; oblique firehose -1.4, 1.0, -0.11 (Hellinger et al. "
        "2006, doi:10.1029/2006GL025925)."
    )
    inputs = {
        "perpendicular": _temperature("perpendicular"),
        "parallel": _temperature("parallel"),
        "density": Input(DENSITY.kinds, DENSITY.meaning, DENSITY.quantity, DENSITY.unit, columns=1, is_optional=True),
        "field": Input(FIELD.kinds, FIELD.meaning, FIELD.quantity, FIELD.unit, columns=1, is_optional=True),
    }
    output = (
        f"{SERIES_OUTPUT} A pure number; also NaN where a temperature, density or field is not above 0, and, of a firehose "
        "threshold, at a parallel beta so low that no anisotropy is unstable."
    )
    options = AnisotropyOptions
    unit = ""
    label = "T_perp / T_par"
    examples = (
        Example(
            inputs={
                "perpendicular": ExampleTable(unit="eV", columns={"t": (200, 50, 100, -1)}),
                "parallel": ExampleTable(unit="eV", columns={"t": (100, 100, 0, 100)}),
            },
            expected={"result": (2, 0.5, None, None)},
            source="by hand",
        ),
        Example(
            inputs={
                "perpendicular": ExampleTable(unit="eV", columns={"t": (200, 200)}),
                "parallel": ExampleTable(unit="eV", columns={"t": (100, 700)}),
                "density": ExampleTable(unit="cm^-3", columns={"n": (20, 20)}),
                "field": ExampleTable(unit="nT", columns={"b": (28.37853, 28.37853)}),
            },
            options={"result": "firehose"},
            expected={"result": (-0.5, 2.5)},
            relative=1e-5,
            source="by hand: n k T of 100 eV is 0.32043532 nPa, B^2 / (2 mu_0) as much, so that beta is 1 for each 100 eV",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: AnisotropyOptions, name: str) -> TableMeta:
        missing = [each for each in ("density", "field") if each not in inputs]
        if missing and options.result != "ratio":
            hint = "Give density and field, or take the result ratio."
            raise ComputeError(f"{self.id}: {options.result} needs the input {' and '.join(missing)}", hint=hint)
        label = _LABELS[options.result]
        column = ColumnMeta(name=name, label=label, unit=self.unit)
        return super()._meta(inputs, options, name).model_copy(update={"columns": (column,), "label": label})

    def _formula(self, given: Mapping[str, list[Floats]], options: AnisotropyOptions) -> Floats:
        across, along = (np.where(given[name][0] > 0, given[name][0], np.nan) for name in ("perpendicular", "parallel"))
        if options.result == "ratio":
            return np.asarray(across / along)
        density_m3 = np.where(given["density"][0] > 0, given["density"][0], np.nan) * 1e6
        field_t = np.where(strength(given["field"]) > 0, strength(given["field"]), np.nan) * 1e-9
        per_k = density_m3 * BOLTZMANN_J_PER_K * 2 * VACUUM_PERMEABILITY_H_PER_M / (field_t * field_t)
        beta, beta_across = per_k * along, per_k * across
        match options.result:
            case "parallel_beta":
                return np.asarray(beta)
            case "mirror":
                return np.asarray(beta_across * (across / along - 1))
            case "firehose":
                return np.asarray((beta - beta_across) / 2)
        size, power, start = THRESHOLDS[options.result]
        limit = 1 + size / np.where(beta > start, beta - start, np.nan) ** power
        return np.asarray(np.where((limit > 0) & np.isfinite(across), limit, np.nan))
