"""Where a spectrum bends from one power law to another: spectral_break."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.broken_lines import broken_line
from helio_dagster.compute.operations.columns import data_unit, floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import count_column, fact, facts_meta, facts_table, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.straight_lines import means_in_bins
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_MOST_CHANCE = 0.01


class SpectralBreakOptions(Options):
    """Which curve, and which part of it."""

    column: str | None = None
    """Name of the column; by default the sum of all, which is the trace where the spectrum is of a vector."""
    lowest: Annotated[float, Field(gt=0)] | None = None
    """From where on, in the unit of the curve's axis; from its beginning where not given."""
    highest: Annotated[float, Field(gt=0)] | None = None
    """Up to where, in the unit of the curve's axis, included; to its last value where not given."""
    bins_per_decade: Annotated[int, Field(ge=2, le=100)] = 10
    """The lines go through the mean logarithms in bins of equal width along the logarithm of the axis, so many in a decade and
    at least twenty in the band."""

    @model_validator(mode="after")
    def _is_a_band(self) -> SpectralBreakOptions:
        if self.lowest is not None and self.highest is not None and self.lowest >= self.highest:
            raise ValueError("lowest must be less than highest. Change one of them")
        return self


class SpectralBreak(WindowOperation[SpectralBreakOptions]):
    """Two power laws."""

    id = "spectral_break"
    version = 1
    summary = "Break of a spectrum between two power laws: its frequency and both slopes, with uncertainties."
    when = (
        "Use it on a power_spectrum for the break between the inertial range and the dissipation or the 1/f range. Give a band "
        "with one break: it always fits two lines. For one power law use spectral_slope."
    )
    reference = (
        "log10 y = c + b_1 min(x - x_b, 0) + b_2 max(x - x_b, 0), x = log10 axis, least squares over c, b_1, b_2 and x_b "
        "through means of logarithms in bins of x; uncertainties to first order from s^2 = R / (n - 4), R the sum of squared "
        "residuals (Hinkley 1969, doi:10.1093/biomet/56.3.495; Muggeo 2003, doi:10.1002/sim.1545). chance: F test of R against "
        "that of one line, 2 and n - 4 degrees of freedom."
    )
    inputs = {"curve": Input(("curve",), "a spectrum, or another curve of values above zero")}
    output = (
        "Facts: break in the unit of the axis with its uncertainty, slope_below, slope_above, value_at_break, chance (how "
        "often noise about one power law is fitted so much better by two), number of points, x_from, x_to. NaN with fewer than "
        "eight points, where the break is within three points of an end, and where chance is above 0.01: then one power law "
        "does."
    )
    options = SpectralBreakOptions
    examples = (
        Example(
            inputs={
                "curve": ExampleTable(
                    kind="curve",
                    columns={
                        "frequency": tuple(10.0 ** (place / 4) for place in range(-8, 9)),
                        "psd": tuple(10.0 ** (-(1.0 if place < 0 else 3.0) * place / 4) for place in range(-8, 9)),
                    },
                    seconds=(0,) * 17,
                    roles={"frequency": "axis"},
                    units={"psd": "nT^2 Hz^-1", "frequency": "Hz"},
                    bins=BinAxis(label="Frequency", unit="Hz", scale="log"),
                )
            },
            expected={"break": (1,), "slope_below": (-1,), "slope_above": (-3,), "value_at_break": (1,), "points": (17,)},
            window=(0, 60),
            seconds=(0,),
            units={"break": "Hz", "value_at_break": "nT^2 Hz^-1"},
            relative=1e-4,
            source="1 / f below 1 Hz, 1 / f^3 above",
        ),
    )

    def _columns(self, meta: TableMeta, options: SpectralBreakOptions) -> list[ColumnMeta]:
        """The columns whose sum is taken."""
        columns = {column.name: column for column in meta.columns if column.role == "data"}
        if meta.axis_name is None or not columns:
            raise ComputeError(f"{self.id} needs a curve with an axis", hint="Give it the result of power_spectrum.")
        if options.column is None:
            data_unit(meta)
            return list(columns.values())
        if options.column not in columns:
            problem = f"{self.id}: the curve has no column {options.column!r}"
            raise ComputeError(problem, hint=remedy(options.column, list(columns), what="columns"))
        return [columns[options.column]]

    def _meta(self, inputs: Mapping[str, TableMeta], options: SpectralBreakOptions, name: str) -> TableMeta:
        meta = inputs["curve"]
        taken, unit = self._columns(meta, options), (meta.bins or BinAxis()).unit
        label = taken[0].label or taken[0].name if len(taken) == 1 else "the sum of all columns"
        columns = (
            *uncertain_fact("break", "break", unit),
            *uncertain_fact("slope_below", "slope below the break"),
            *uncertain_fact("slope_above", "slope above the break"),
            *fact("value_at_break", f"{label} at the break", taken[0].unit or meta.unit),
            *fact("chance", "chance that one power law gives this"),
            *count_column("points", "number of points"),
            *fact("x_from", "first point of the fit", unit),
            *fact("x_to", "last point of the fit", unit),
        )
        return facts_meta(f"Break of {meta.label or name}", columns)

    def _compute_window(
        self, inputs: Mapping[str, Table], options: SpectralBreakOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        table = inputs["curve"]
        axis = floats(table, table.meta.axis_name or "")
        values = np.sum([floats(table, column.name) for column in self._columns(table.meta, options)], axis=0)
        lowest, highest = options.lowest or 0.0, options.highest or math.inf
        with np.errstate(invalid="ignore"):
            is_taken = (axis >= lowest) & (axis <= highest) & (axis > 0) & (values > 0) & np.isfinite(axis * values)
        x, y = means_in_bins(
            np.log10(axis[is_taken]), np.log10(values[is_taken]), bins_per_unit=options.bins_per_decade, fewest_bins=20
        )
        found: dict[str, float] = {"points": len(x)}
        if is_taken.any():
            found |= {"x_from": float(axis[is_taken].min()), "x_to": float(axis[is_taken].max())}
        line = broken_line(x, y)
        if line is not None:
            found["chance"] = line.chance
            if line.chance <= _MOST_CHANCE:
                place = 10**line.break_x
                found |= {
                    "break": place,
                    "break_uncertainty": place * math.log(10) * line.break_x_uncertainty,
                    "slope_below": line.slope_below,
                    "slope_below_uncertainty": line.slope_below_uncertainty,
                    "slope_above": line.slope_above,
                    "slope_above_uncertainty": line.slope_above_uncertainty,
                    "value_at_break": 10**line.at_break,
                }
        return facts_table(window, found, meta)
