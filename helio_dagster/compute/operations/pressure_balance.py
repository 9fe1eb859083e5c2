"""Whether a structure is in pressure balance: pressure_balance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.pairing import matched
from helio_dagster.compute.operations.plasma import DENSITY, FIELD, TEMPERATURE
from helio_dagster.compute.operations.results import count_column, fact, facts_meta, facts_table
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.operations.total_pressure import ELECTRONS, NORMAL_SPEED, PlasmaPressureOptions, pressures_npa
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.time_range import TimeRange


class BalanceOptions(PlasmaPressureOptions):
    """How inputs meet, what counts, and how many samples there must be."""

    min_samples: Annotated[int, Field(ge=3)] = 8
    """With fewer valid samples in the window than this nothing is known, at least 3."""


class PressureBalance(WindowOperation[BalanceOptions]):
    """How constant the total pressure is."""

    id = "pressure_balance"
    version = 2  # 1 gave a mean ram pressure of 0 without a speed
    of_one_spacecraft = ("field", "density", "temperature", "electron_temperature", "speed")
    summary = "Whether a window is in pressure balance: means and variation of the total pressure and its parts, as facts."
    when = (
        "Use it over the crossing of a current sheet, magnetopause, flux rope or mirror mode: in balance the total varies much "
        "less than its parts, which are anticorrelated. total_pressure gives the series."
    )
    reference = (
        "Pressures as total_pressure. variation: standard deviation (n - 1) of the total over its mean. imbalance: variance of "
        "the total over the sum of the variances of its parts, 0 in balance, 1 where the parts vary on their own, up to 2 (of "
        "two parts) or 3 where they vary together. correlation: Pearson's of magnetic and thermal pressure, -1 in balance "
        "(Burlaga and Ogilvie 1970, doi:10.1007/BF00149597)."
    )
    inputs = {
        "field": FIELD,
        "density": DENSITY,
        "temperature": TEMPERATURE,
        "electron_temperature": ELECTRONS,
        "speed": NORMAL_SPEED,
    }
    output = (
        "Facts: mean and standard deviation of the total in nPa, means of its parts, variation, imbalance, correlation, beta "
        "as the ratio of mean thermal and magnetic pressure, number of samples, at the times of the field. NaN with too few "
        "samples, for a quotient by 0, and for the mean ram pressure without a speed."
    )
    options = BalanceOptions
    examples = (
        Example(
            inputs={
                "field": ExampleTable(unit="nT", columns={"b": (50.1325656, 35.4490771, 0, 50.1325656)}),
                "density": ExampleTable(unit="cm^-3", columns={"n": (10, 35, 60, 12)}),
                "temperature": ExampleTable(unit="eV", columns={"t": (124.830181489,) * 4}),
            },
            options={"min_samples": 4},
            expected={
                "total_mean": (1.21,),
                "total_std": (0.02,),
                "magnetic_mean": (0.625,),
                "thermal_mean": (0.585,),
                "variation": (0.02 / 1.21,),
                "beta": (0.936,),
                "samples": (4,),
            },
            window=(0, 241),
            seconds=(0,),
            units={"total_mean": "nPa", "correlation": ""},
            relative=1e-7,
            source="by hand: magnetic pressures of 1, 0.5, 0 and 1 nPa, thermal ones of 0.2, 0.7, 1.2 and 0.24 nPa",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: BalanceOptions, name: str) -> TableMeta:
        del inputs, options, name
        columns = [
            *fact("total_mean", "mean total pressure", "nPa"),
            *fact("total_std", "standard deviation of the total pressure", "nPa"),
            *fact("magnetic_mean", "mean magnetic pressure", "nPa"),
            *fact("thermal_mean", "mean thermal pressure", "nPa"),
            *fact("dynamic_mean", "mean ram pressure", "nPa"),
            *fact("variation", "standard deviation over mean of the total pressure"),
            *fact("imbalance", "variance of the total over the sum of those of its parts"),
            *fact("correlation", "correlation of magnetic and thermal pressure"),
            *fact("beta", "thermal over magnetic pressure"),
            *count_column("samples", "samples"),
        ]
        return facts_meta("Pressure balance", columns)

    def _compute_window(
        self, inputs: Mapping[str, Table], options: BalanceOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        given = {name: matched(self, inputs, name, options.tolerance) for name in self.inputs if name in inputs}
        with np.errstate(all="ignore"):
            parts = np.stack(pressures_npa(given, options))
            numbers = _numbers(parts[:, np.isfinite(parts).all(axis=0)], options.min_samples)
        return facts_table(window, numbers if "speed" in inputs else numbers | {"dynamic_mean": np.nan}, meta)


def _numbers(parts: Floats, least: int) -> dict[str, float]:
    """Facts of magnetic, thermal and ram pressure, shape (part, sample), all finite."""
    count = parts.shape[1]
    if count < least:
        return {"samples": float(count)}
    total, means, variances = parts.sum(axis=0), parts.mean(axis=1), parts.var(axis=1, ddof=1)
    deviations = parts[:2] - means[:2, None]
    mean, variance = float(total.mean()), float(total.var(ddof=1))
    return {
        "total_mean": mean,
        "total_std": float(np.sqrt(variance)),
        "magnetic_mean": float(means[0]),
        "thermal_mean": float(means[1]),
        "dynamic_mean": float(means[2]),
        "variation": float(np.sqrt(variance)) / mean if mean else np.nan,
        "imbalance": float(variance / variances.sum()),
        "correlation": float(np.sum(deviations[0] * deviations[1]) / np.sqrt(np.sum(deviations**2, axis=1).prod())),
        "beta": float(means[1] / means[0]),
        "samples": float(count),
    }
