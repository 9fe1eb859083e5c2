"""Moments at which a series crosses a value."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal

import numpy as np

from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import data_unit
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import fact, times_ns
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import Table, TableMeta


class CrossingsOptions(Options):
    """Which value, and in which direction."""

    value: float = 0.0
    """The value that is crossed, in the unit of the series."""
    direction: Literal["both", "up", "down"] = "both"
    """`up`: from below to the value or above. `down`: from the value or above to below."""
    gaps: Length = timedelta(hours=1)
    """Neighbours farther apart than this, an ISO 8601 duration such as PT10M, are not joined: between them the moment is not
    known. Give more than the distance of the samples."""


class Crossings(ShippedOperation[CrossingsOptions]):
    """Events of a moment."""

    id = "crossings"
    marks_records = True
    version = 1
    summary = "Moments at which a series crosses a value, upward or downward, as events."
    when = (
        "Use it to list sector boundaries, crossings of a plane or a threshold. Smooth a noisy series first: it crosses many "
        "times. For how long a series stays beyond a limit use intervals_where."
    )
    reference = (
        "Between neighbouring valid samples with v_i < x <= v_(i + 1) (up) or v_i >= x > v_(i + 1) (down), t = t_i + (x - v_i) "
        "/ (v_(i + 1) - v_i) (t_(i + 1) - t_i): linear interpolation to the nearest ns (Press et al. 2007, Numerical Recipes, "
        "section 3.2). Of samples with an extent these are times of stamps, and the extent is kept."
    )
    inputs = {"series": Input(("series",), "what crosses the value", columns=1)}
    output = (
        "Events at the moments of crossing: direction (1 up, -1 down), and the step from the sample before to the sample after "
        "in the unit of the series. Where one of them is infinite, the moment is that of the sample after."
    )
    options = CrossingsOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (-1, 3, 2, -2, None, 5)})},
            options={"gaps": "PT1M"},
            expected={"direction": (1, -1), "step": (4, -4)},
            seconds=(15, 150),
            units={"step": "nT"},
            source="a quarter of the way up, half of the way down; across the gap the moment is not known",
        ),
    )

    def halo(self, options: CrossingsOptions) -> tuple[timedelta, timedelta]:
        """The longest gap, on both sides."""
        return options.gaps, options.gaps

    def _meta(self, inputs: Mapping[str, TableMeta], options: CrossingsOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        columns = (*fact("direction", "direction"), *fact("step", "step", data_unit(meta)))
        return TableMeta(kind="events", columns=columns, label=f"{meta.label or name} crosses {options.value:g}")

    def _compute(self, inputs: Mapping[str, Table], options: CrossingsOptions, meta: TableMeta) -> Table:
        (values,) = self._values(inputs, "series")
        is_valid = ~np.isnan(values)
        at, values = times_ns(inputs["series"])[is_valid], values[is_valid]
        is_above = values >= options.value
        goes_up = ~is_above[:-1] & is_above[1:] & (options.direction != "down")
        goes_down = is_above[:-1] & ~is_above[1:] & (options.direction != "up")
        place = np.flatnonzero((goes_up | goes_down) & (np.diff(at) <= duration_ns(options.gaps)))
        with np.errstate(all="ignore"):
            step = values[place + 1] - values[place]
            share = (options.value - values[place]) / step
        share = np.where(np.isfinite(step) & np.isfinite(share), np.clip(share, 0.0, 1.0), 1.0)
        moment = at[place] + np.rint(share * (at[place + 1] - at[place])).astype(np.int64)
        columns = {"direction": np.where(goes_up[place], 1.0, -1.0), "step": step}
        return Table(moment.astype("datetime64[ns]"), columns, meta)
