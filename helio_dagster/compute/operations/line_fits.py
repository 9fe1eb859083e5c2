"""Straight lines as facts: spectral_slope, fit_line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.operations.columns import Floats, floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import count_column, fact, facts_meta, facts_table, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.straight_lines import Line, least_squares, line_through_means, orthogonal
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.units import divide_units, is_same_unit

_LINES = (
    "b = sum (x_i - mean x)(y_i - mean y) / sum (x_i - mean x)^2, sigma_b^2 = s^2 / sum (x_i - mean x)^2, sigma_a^2 = s^2 (1 / "
    "n + mean x^2 / sum (x_i - mean x)^2), s^2 = sum (y_i - a - b x_i)^2 / (n - 2)"
)
_MEANS = (
    "b = sum d_i (y_i - mean y) / S, d_i = x_i - mean x, S = sum d_i^2; means of few points scatter more than means of many, "
    "so sigma_b^2 = sum d_i^2 u_i^2 / S^2, sigma_a^2 = sum (1 / n - d_i mean x / S)^2 u_i^2, u_i = (y_i - a - b x_i) / (1 - 1 "
    "/ n - d_i^2 / S) (HC3 of MacKinnon and White 1985, doi:10.1016/0304-4076(85)90158-7)"
)
_SOURCE = "(Isobe et al. 1990, doi:10.1086/169390, for the choice of line)"


class SpectralSlopeOptions(Options):
    """Which part of the curve is taken."""

    lowest: Annotated[float, Field(gt=0)] | None = None
    """From where on, in the unit of the curve's axis; from its beginning where not given."""
    highest: Annotated[float, Field(gt=0)] | None = None
    """Up to where, in the unit of the curve's axis, included; to its last value where not given."""
    bins_per_decade: Annotated[int, Field(ge=0, le=100)] = 5
    """The line goes through the mean logarithms in bins of equal width along the logarithm of the axis, so many in a decade
    and at least ten in the band: the many points at the upper end of a spectrum do not outweigh the few at its lower end. 0
    fits all points alike."""

    @model_validator(mode="after")
    def _is_a_band(self) -> SpectralSlopeOptions:
        if self.lowest is not None and self.highest is not None and self.lowest >= self.highest:
            raise ValueError("lowest must be less than highest. Change one of them")
        return self


class SpectralSlope(WindowOperation[SpectralSlopeOptions]):
    """Exponent of a power law."""

    id = "spectral_slope"
    version = 4
    summary = "Exponent of a power law through a curve, such as the slope of a power spectrum, with its uncertainty."
    when = "Use it on a power_spectrum for the slope of turbulence; give a band in which the spectrum is a power law."
    reference = (
        "y = log10 value, x = log10 axis over the points of the band that are above zero, averaged in bins of x (Papadakis and "
        f"Lawrence 1993, doi:10.1093/mnras/261.3.612); {_MEANS}. All points alike: {_LINES} {_SOURCE}."
    )
    inputs = {"curve": Input(("curve",), "a spectrum, or another curve of values above zero")}
    output = (
        "Facts: slope, intercept (log10 of the value where the axis is 1), r of the logarithms, number of points that the line "
        "goes through, which are the means of bins; for each data column, named after it where there are several; x_from and "
        "x_to, the first and last place on the axis that counts. NaN with fewer than two points, uncertainties with fewer than "
        "three."
    )
    options = SpectralSlopeOptions
    examples = (
        Example(
            inputs={
                "curve": ExampleTable(
                    kind="curve",
                    columns={"frequency": (1, 10, 100, 1000), "psd": (100, 1, 0.01, 7)},
                    seconds=(0, 0, 0, 0),
                    roles={"frequency": "axis"},
                    units={"psd": "nT^2 Hz^-1", "frequency": "Hz"},
                    bins=BinAxis(label="Frequency", unit="Hz", scale="log"),
                )
            },
            options={"highest": 100},
            expected={
                "slope": (-2,),
                "slope_uncertainty": (0,),
                "intercept": (2,),
                "points": (3,),
                "x_from": (1,),
                "x_to": (100,),
            },
            window=(0, 60),
            seconds=(0,),
            source="100 f^-2 up to 100 Hz",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: SpectralSlopeOptions, name: str) -> TableMeta:
        del options
        meta = inputs["curve"]
        bins = meta.bins or BinAxis()
        names = self._names(meta)
        columns: list[ColumnMeta] = []
        for column in meta.columns:
            if column.role == "data":
                prefix, unit = names[column.name], column.unit or meta.unit
                at = f"log10 of {column.label or column.name} ({unit or '1'}) at 1 {bins.unit}".rstrip()
                columns += uncertain_fact(f"{prefix}slope", f"slope of {column.label or column.name}")
                columns += uncertain_fact(f"{prefix}intercept", at)
                columns += fact(f"{prefix}r", "r of the logarithms")
                columns += count_column(f"{prefix}points", "number of points")
        columns += fact("x_from", "first point of the fit", bins.unit)
        columns += fact("x_to", "last point of the fit", bins.unit)
        return facts_meta(f"Slope of {meta.label or name}", columns, frame=meta.frame, scale="log")

    @staticmethod
    def _names(meta: TableMeta) -> dict[str, str]:
        """Data column to what stands before the names of its facts."""
        return {name: "" if len(meta.data_names) == 1 else f"{name}_" for name in meta.data_names}

    def _compute_window(
        self, inputs: Mapping[str, Table], options: SpectralSlopeOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        table = inputs["curve"]
        if table.meta.axis_name is None:
            raise ComputeError(f"{self.id} needs a curve with an axis", hint="Give it the result of power_spectrum.")
        axis = floats(table, table.meta.axis_name)
        lowest = options.lowest if options.lowest is not None else 0.0
        highest = options.highest if options.highest is not None else math.inf
        found: dict[str, float] = {}
        places: list[Floats] = [np.empty(0)]
        for name, prefix in self._names(table.meta).items():
            values = floats(table, name)
            with np.errstate(invalid="ignore"):
                is_taken = (axis >= lowest) & (axis <= highest) & (axis > 0) & (values > 0) & np.isfinite(axis * values)
            x, y = np.log10(axis[is_taken]), np.log10(values[is_taken])
            bins = options.bins_per_decade
            line = line_through_means(x, y, bins_per_unit=bins) if bins else least_squares(x, y)
            found |= {f"{prefix}{key}": value for key, value in _facts(line).items()}
            places.append(axis[is_taken])
        used = np.concatenate(places)
        if len(used):
            found |= {"x_from": float(used.min()), "x_to": float(used.max())}
        return facts_table(window, found, meta)


class FitLineOptions(Options):
    """Which distances are made least."""

    method: Literal["least_squares", "orthogonal"] = "least_squares"
    """`least_squares` in y, where x is known well; `orthogonal`, perpendicular to the line, where both scatter: then both must
    have the same unit."""


class FitLine(WindowOperation[FitLineOptions]):
    """A line through a scatter."""

    id = "fit_line"
    version = 2
    summary = "Straight line through points: slope, intercept, correlation and number of points, with uncertainties."
    when = (
        "Use it on a scatter of two quantities, as for a Walen test or a calibration. For the exponent of a spectrum use "
        "spectral_slope."
    )
    reference = (
        f"Least squares: {_LINES}. Orthogonal: along the axis of the larger variance l_1 of the points, tan(2 phi) = 2 S_xy / "
        "(S_xx - S_yy), sigma_phi = sqrt(l_1 l_2 / (n - 2)) / (l_1 - l_2) (Pearson 1901, doi:10.1080/14786440109462720; "
        f"Anderson 1963, doi:10.1214/aoms/1177704248) {_SOURCE}. Points count as independent: the uncertainty is too small "
        "where they are not."
    )
    inputs = {"points": Input(("points",), "pairs: x, then y", columns=2)}
    output = (
        "Facts: slope, intercept, r, number of points; NaN with fewer than two points, uncertainties with fewer than three."
    )
    options = FitLineOptions
    examples = (
        Example(
            inputs={"points": ExampleTable(kind="points", columns={"x": (0, 1, 2, None), "y": (1, 3, 5, 9)})},
            expected={"slope": (2,), "slope_uncertainty": (0,), "intercept": (1,), "r": (1,), "points": (3,)},
            window=(0, 600),
            seconds=(0,),
            source="y = 1 + 2 x, the last point is not valid",
        ),
        Example(
            inputs={"points": ExampleTable(kind="points", columns={"x": (0, 2, 1, 3), "y": (0, 2, 2, 2)})},
            expected={"slope": (0.6,), "intercept": (0.6,), "r": (0.6**0.5,)},
            window=(0, 600),
            seconds=(0,),
            source="by hand: S_xy = 3, S_xx = 5, S_yy = 3, means 1.5",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: FitLineOptions, name: str) -> TableMeta:
        meta = inputs["points"]
        x, y = self.inputs["points"].used_columns(meta, operation_id=self.id)
        units = x.unit or meta.unit, y.unit or meta.unit
        if options.method == "orthogonal" and not is_same_unit(*units):
            hint = "Bring both to one unit, or use least_squares."
            raise ComputeError(
                f"an orthogonal line needs one unit, not {' and '.join(unit or 'none' for unit in units)}", hint=hint
            )
        columns = (
            *uncertain_fact("slope", "slope", divide_units(units[1], units[0])),
            *uncertain_fact("intercept", "intercept", units[1]),
            *fact("r", "r"),
            *count_column("points", "number of points"),
        )
        return facts_meta(f"Line through {meta.label or name}", columns)

    def _compute_window(
        self, inputs: Mapping[str, Table], options: FitLineOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        x, y = self._values(inputs, "points")
        is_pair = np.isfinite(x) & np.isfinite(y)
        fit = orthogonal if options.method == "orthogonal" else least_squares
        with np.errstate(all="ignore"):
            return facts_table(window, _facts(fit(x[is_pair], y[is_pair])), meta)


def _facts(line: Line) -> dict[str, float]:
    return {
        "slope": line.slope,
        "slope_uncertainty": line.slope_uncertainty,
        "intercept": line.intercept,
        "intercept_uncertainty": line.intercept_uncertainty,
        "r": line.correlation,
        "points": line.count,
    }
