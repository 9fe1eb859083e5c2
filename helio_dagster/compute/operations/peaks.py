"""The peak of a curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from helio_dagster.compute.lag_spread import spread_of_place, top_half_width
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

PAIRS, INDEPENDENT = "pairs", "independent_pairs"
"""Names of the columns of a correlation's curve that say how many pairs there are, and how many of them are independent."""


class PeakOptions(Options):
    """Which peak, of which column."""

    column: str | None = None
    """Name of the column; by default the first."""
    largest: Literal["value", "absolute", "negative"] = "value"
    """`value`: the largest value. `absolute`: the one farthest from zero, as of a correlation that may be negative. `negative`:
    the least value."""
    neighbours: Annotated[int, Field(ge=1, le=1000)] | None = None
    """How many values on either side of the largest the parabola is fitted to, 1 to 1000: more than 1 where noise makes the top
    of the curve rough. By default as many as the top of a correlation is wide, down to 0.95 (of 1) to 0.7 (of 0.8 and less) of
    its height; else 1."""


class PeakOf(WindowOperation[PeakOptions]):
    """Position and height of a peak."""

    id = "peak_of"
    version = 3
    summary = "Position and value of the largest value of a curve, such as the best lag of two series, with its uncertainty."
    when = "Use it on cross_correlation for the lag, on power_spectrum for the strongest frequency, on histogram for the mode."
    reference = (
        "The vertex x_p of the parabola through the largest value y_0 and its neighbours (of least squares through more than "
        "two), y'' its curvature (Jacovitti and Scarano 1993, IEEE Trans. Signal Process. 41, 525). sigma(x_p): of a "
        "correlation over n independent pairs with r_p at its peak, cov(r_j, r_k) = [2 (1 - r_p) r(p + j - k) + (1 - r_p)^2 "
        "delta_jk] / n carried through the vertex (Bartlett 1946, doi:10.2307/2983611, for a course that both share and noise "
        "of equal strength); of a curve with uncertainties, theirs carried through the vertex; else not known."
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
                "lag_uncertainty": (0.0500580,),
                "correlation": (0.9,),
                "pairs": (101,),
            },
            window=(0, 60),
            seconds=(0,),
            units={"lag": "min"},
            relative=1e-6,
            source="by hand: y'' = 0.5 - 1.8 + 0.7 = -0.6, slope 0.1 at the middle; beside the peak 0.6 on average, then 0.1; "
            "derivatives of the vertex -5/9, -5/9, 10/9",
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
        if _has(meta, PAIRS) and column.name != PAIRS:
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
        pairs = float(floats(table, PAIRS)[place]) if _has(table.meta, PAIRS) else math.nan
        if _has(table.meta, PAIRS):
            found[PAIRS] = pairs
        if 0 < place < len(axis) - 1 and np.isfinite(height[place - 1 : place + 2]).all():
            beside = options.neighbours or (top_half_width(height, place) if pairs > 0 else 1)
            near = slice(max(place - beside, 0), place + beside + 1)
            known = np.flatnonzero(np.isfinite(height[near])) + near.start
            vertex, gradient = _vertex(axis[known] - axis[place], height[known])
            uncertainty = math.nan
            if pairs > 0 and 0 < height[place] <= 1:
                independent = float(floats(table, INDEPENDENT)[place]) if _has(table.meta, INDEPENDENT) else pairs
                uncertainty = _of_correlation(gradient, known, height, place, independent)
            elif spread is not None:
                uncertainty = float(np.sqrt(np.sum((gradient * spread[known]) ** 2)))
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


def _has(meta: TableMeta, name: str) -> bool:
    return any(column.name == name for column in meta.value_columns)


def _vertex(x: Floats, y: Floats) -> tuple[float, Floats]:
    """Place of the vertex of the parabola through points, x counted from the peak's own, and its derivatives by their heights.

    Where there is none between them the place is 0 and the derivatives are NaN.
    """
    fit = np.linalg.pinv(np.vander(x, 3))
    curvature, slope, _ = fit @ y
    vertex = float(-slope / (2.0 * curvature)) if curvature < 0 else math.nan
    if not x[0] <= vertex <= x[-1]:
        return 0.0, np.full(len(x), np.nan)
    return vertex, (slope * fit[0] / curvature - fit[1]) / (2.0 * curvature)


def _of_correlation(gradient: Floats, known: NDArray[np.intp], height: Floats, place: int, pairs: float) -> float:
    """Uncertainty of the vertex of a correlation, whose noise counts as independent from pair to pair."""
    along = np.zeros(int(known[-1] - known[0]) + 1)
    along[known - known[0]] = gradient
    beside = [[height[at] for at in (place - lag, place + lag) if 0 <= at < len(height)] for lag in range(len(along))]
    shared = np.array([np.mean(finite) if (finite := [each for each in some if np.isfinite(each)]) else 0.0 for some in beside])
    return spread_of_place(along, shared, np.array([1.0 - height[place]]), pairs)
