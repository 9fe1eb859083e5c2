"""The peak of a curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.operations.columns import Floats, floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import count_column, fact, facts_meta, facts_table, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

PAIRS = "pairs"
"""Name of the column of a correlation's curve that says how many pairs there are."""


class PeakOptions(Options):
    """Which peak, of which column."""

    column: str | None = None
    """Name of the column; by default the first."""
    largest: Literal["value", "absolute", "negative"] = "value"
    """`value`: the largest value. `absolute`: the one farthest from zero, as of a correlation that may be negative. `negative`:
    the least value."""
    neighbours: Annotated[int, Field(ge=1, le=1000)] = 1
    """How many values on either side of the largest the parabola is fitted to, 1 to 1000. More than 1 where noise makes the top
    of the curve rough: as many as its round top is wide."""


class PeakOf(WindowOperation[PeakOptions]):
    """Position and height of a peak."""

    id = "peak_of"
    version = 2
    summary = "Position and value of the largest value of a curve, such as the best lag of two series, with its uncertainty."
    when = "Use it on cross_correlation for the lag, on power_spectrum for the strongest frequency, on histogram for the mode."
    reference = (
        "The vertex x_p of the parabola through the largest value y_0 and its neighbours (of least squares through more than "
        "two), y'' its curvature (Jacovitti and Scarano 1993, IEEE Trans. Signal Process. 41, 525). sigma(x_p): of a "
        "correlation r over n pairs, sigma^2 = (r / |y''|) (1 - r^2) / (n r^2) (Zucker 2003, "
        "doi:10.1046/j.1365-8711.2003.06633.x), n counted as independent; of a curve with uncertainties, theirs carried "
        "through the vertex; else not known."
    )
    inputs = {"curve": Input(("curve",), "the curve; the pairs of a correlation must be in a column `pairs`")}
    output = (
        "Facts named like the columns of the curve: where on the axis, the value there (the curve's own, not the parabola's), "
        "and the number of pairs where the curve has it. Where the largest value is at an edge of the curve, or beside a NaN, "
        "the place is that of the value, without uncertainty: there may be a larger one beyond."
    )
    options = PeakOptions
    examples = (
        Example(
            inputs={
                "curve": ExampleTable(
                    kind="curve",
                    columns={"lag": (-1, 0, 1, 2), "correlation": (0.1, 0.5, 0.9, 0.7), "pairs": (101, 101, 101, 101)},
                    seconds=(0, 0, 0, 0),
                    roles={"lag": "axis"},
                    bins=BinAxis(label="Lag", unit="min"),
                )
            },
            expected={
                "lag": (1 + 1 / 6,),
                "lag_uncertainty": ((0.9 / 0.6 * (1 - 0.81) / (101 * 0.81)) ** 0.5,),
                "correlation": (0.9,),
                "pairs": (101,),
            },
            window=(0, 60),
            seconds=(0,),
            units={"lag": "min"},
            source="by hand: y'' = 0.5 - 1.8 + 0.7 = -0.6, slope 0.1 at the middle",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: PeakOptions, name: str) -> TableMeta:
        meta = inputs["curve"]
        column = self._column(meta, options)
        bins, unit = meta.bins or BinAxis(), column.unit or meta.unit
        label = column.label or column.name
        position = uncertain_fact(meta.axis_name or "position", f"{bins.label or 'position'} of the peak", bins.unit)
        value = uncertain_fact if "uncertainty" in meta.companions(column.name) else fact
        columns = [*position, *value(column.name, f"{label} at the peak", unit)]
        if _has_pairs(meta) and column.name != PAIRS:
            columns += count_column(PAIRS, "number of pairs")
        return facts_meta(f"Peak of {meta.label or name}", columns, frame=meta.frame)

    def _compute_window(self, inputs: Mapping[str, Table], options: PeakOptions, meta: TableMeta, window: TimeRange) -> Table:
        table = inputs["curve"]
        if table.meta.axis_name is None:
            raise ComputeError(f"{self.id} needs a curve with an axis", hint="Give it the result of cross_correlation.")
        column = self._column(table.meta, options)
        axis, values = floats(table, table.meta.axis_name), floats(table, column.name)
        height = {"value": values, "absolute": np.abs(values), "negative": -values}[options.largest]
        if not np.isfinite(height).any():
            return facts_table(window, {}, meta)
        place = int(np.nanargmax(np.where(np.isfinite(height), height, -np.inf)))
        where, what = table.meta.axis_name, column.name
        found = {where: axis[place], what: values[place]}
        companion = table.meta.companions(column.name).get("uncertainty")
        spread = floats(table, companion) if companion is not None else None
        if spread is not None:
            found[f"{what}_uncertainty"] = spread[place]
        pairs = float(floats(table, PAIRS)[place]) if _has_pairs(table.meta) else math.nan
        if _has_pairs(table.meta):
            found[PAIRS] = pairs
        if 0 < place < len(axis) - 1 and np.isfinite(height[place - 1 : place + 2]).all():
            near = slice(max(place - options.neighbours, 0), place + options.neighbours + 1)
            known = np.flatnonzero(np.isfinite(height[near])) + near.start
            errors = None if spread is None else spread[known]
            vertex, uncertainty = _vertex(axis[known] - axis[place], height[known], errors, pairs, float(height[place]))
            found |= {where: axis[place] + vertex, f"{where}_uncertainty": uncertainty}
        return facts_table(window, found, meta)

    def _column(self, meta: TableMeta, options: PeakOptions) -> ColumnMeta:
        columns = {column.name: column for column in meta.columns if column.role == "data"}
        if options.column is None:
            return next(iter(columns.values()))
        if options.column not in columns:
            problem = f"{self.id}: the curve has no column {options.column!r}"
            raise ComputeError(problem, hint=remedy(options.column, list(columns), what="columns"))
        return columns[options.column]


def _has_pairs(meta: TableMeta) -> bool:
    return any(column.name == PAIRS for column in meta.value_columns)


def _vertex(x: Floats, y: Floats, spread: Floats | None, pairs: float, height: float) -> tuple[float, float]:
    """Place of the vertex of the parabola through points, x counted from the peak's own, and its uncertainty."""
    fit = np.linalg.pinv(np.vander(x, 3))
    curvature, slope, _ = fit @ y
    if not curvature < 0:
        return 0.0, math.nan
    vertex = float(-slope / (2.0 * curvature))
    if not x[0] <= vertex <= x[-1]:
        return 0.0, math.nan
    if pairs > 0 and 0 < height <= 1:
        return vertex, math.sqrt(height / (-2.0 * curvature) * (1.0 - height**2) / (pairs * height**2))
    if spread is None:
        return vertex, math.nan
    of_values = (slope * fit[0] / curvature - fit[1]) / (2.0 * curvature)
    return vertex, float(np.sqrt(np.sum((of_values * spread) ** 2)))
