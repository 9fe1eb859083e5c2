"""Two series against each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Paired, axis_column
from helio_dagster.domain.table import Table, TableMeta


class Scatter(Paired[MatchOptions]):
    """Pairs of values."""

    id = "scatter"
    version = 1
    summary = "Two series against each other: pairs of samples that meet in time, as points."
    when = "Use it to see how two quantities depend on each other; fit_line puts a line through the points."
    reference = "(x, y)(t) = (x(t), y(t')), t' the sample of y nearest to t (the earlier of two equally near)."
    inputs = {
        "x": Input(("series",), "what is along the axis; it gives the times", columns=1),
        "y": Input(("series",), "of which the sample nearest to each time of x counts", columns=1),
    }
    output = "Points x, y at the times of x, each in its own unit; both NaN where one has no valid sample near enough."
    options = MatchOptions
    examples = (
        Example(
            inputs={
                "x": ExampleTable(unit="nT", columns={"b": (1, 2, 3)}),
                "y": ExampleTable(unit="km/s", columns={"v": (10, 30)}, seconds=(5, 118)),
            },
            options={"tolerance": "PT10S"},
            expected={"x": (1, None, 3), "y": (10, None, 30)},
            units={"x": "nT", "y": "km/s"},
            source="nothing lies within 10 s of the second",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: MatchOptions, name: str) -> TableMeta:
        del options, name
        columns = tuple(axis_column(self, inputs[axis], axis) for axis in ("x", "y"))
        units = {column.unit for column in columns}
        label = f"{columns[1].label} against {columns[0].label}"
        return TableMeta(kind="points", columns=columns, label=label, unit=units.pop() if len(units) == 1 else "")

    def _compute(self, inputs: Mapping[str, Table], options: MatchOptions, meta: TableMeta) -> Table:
        (x,), (y,) = (self._matched(inputs, name, options) for name in ("x", "y"))
        is_pair = ~(np.isnan(x) | np.isnan(y))
        return Table(inputs["x"].time, {"x": np.where(is_pair, x, np.nan), "y": np.where(is_pair, y, np.nan)}, meta)
