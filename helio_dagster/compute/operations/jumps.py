"""Sudden changes of the level of a series."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

import numpy as np
from pydantic import Field

from helio_dagster.compute.local_sums import find_windows
from helio_dagster.compute.operations.averages import Length, mean_in_windows
from helio_dagster.compute.operations.columns import data_unit, readable_duration
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import fact
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.sample_demand import SampleDemand
from helio_dagster.domain.table import Table, TableMeta


class JumpsOptions(Options):
    """How large a jump is, and over how long its levels are taken."""

    change: Annotated[float, Field(gt=0)]
    """The mean must change by more than this, up or down, in the unit of the series."""
    window: Length
    """Over how long the means before and after are taken, an ISO 8601 duration such as PT10M."""
    apart: Length | None = None
    """Of several changes at most this far apart, an ISO 8601 duration such as PT30M, the largest counts; by default window."""
    min_samples: Annotated[int, Field(ge=1)] = 2
    """Where fewer samples than this are valid in one of the two windows, there is no jump."""

    @property
    def distance(self) -> timedelta:
        """Of jumps."""
        return self.apart if self.apart is not None else self.window


class Jumps(ShippedOperation[JumpsOptions]):
    """Events of a moment."""

    id = "jumps"
    version = 1
    summary = "Discontinuities of a series: moments at which its mean changes suddenly, as events."
    when = (
        "Use it to list shocks, boundaries and steps in a quantity. For the crossing of a fixed value use crossings, for the "
        "rate of change derivative."
    )
    reference = (
        "d(t_i) = mean of the valid samples in [t_i, t_i + window) minus mean of those in [t_i - window, t_i); a jump is where "
        "|d| is greater than change and the greatest up to apart away, the first of equal ones (a two-window test for change "
        "points: Truong, Oudre and Vayatis 2020, doi:10.1016/j.sigpro.2019.107299)."
    )
    inputs = {"series": Input(("series",), "what jumps", columns=1)}
    output = "Events at the first sample after the jump: change, mean before, mean after, in the unit of the series."
    options = JumpsOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 2, 1, 2, 9, 8, None, 9, 8, 9)})},
            options={"change": 5, "window": "PT2M"},
            expected={"change": (7,), "before": (1.5,), "after": (8.5,)},
            seconds=(240,),
            units={"change": "nT"},
            source="by hand: 9 and 8 after 1 and 2",
        ),
    )

    def halo(self, options: JumpsOptions) -> tuple[timedelta, timedelta]:
        """Window and apart, on both sides."""
        reach = duration_from_ns(duration_ns(options.window) + duration_ns(options.distance))
        return reach, reach

    def sample_demands(self, options: JumpsOptions) -> tuple[SampleDemand, ...]:
        """Those of the window before a sample, and that sample."""
        return (SampleDemand("series", options.min_samples + 1, options.window),)

    def _meta(self, inputs: Mapping[str, TableMeta], options: JumpsOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        columns = [column for each in ("change", "before", "after") for column in fact(each, each, data_unit(meta))]
        label = f"Jumps of {meta.label or name} by more than {options.change:g} in {readable_duration(options.window)}"
        return TableMeta(kind="events", columns=tuple(columns), label=label)

    def _compute(self, inputs: Mapping[str, Table], options: JumpsOptions, meta: TableMeta) -> Table:
        from helio_dagster.compute.window_ranks import is_greatest_around  # it imports pandas, for which a start need not wait

        (values,) = self._values(inputs, "series")
        is_valid = np.isfinite(values)
        time, values = inputs["series"].time[is_valid], values[is_valid]
        if not len(values):
            return Table.empty(meta)
        window_ns = duration_ns(options.window)
        with np.errstate(all="ignore"):
            before = mean_in_windows(find_windows(time, window_ns, -1, with_lower_edge=True), values, options.min_samples)
            after = mean_in_windows(find_windows(time, 0, window_ns - 1, with_lower_edge=True), values, options.min_samples)
            change = after - before
        size = np.where(np.isfinite(change), np.abs(change), np.nan)
        is_jump = (size > options.change) & is_greatest_around(time, size, duration_ns(options.distance))
        place = np.flatnonzero(is_jump)
        columns = {"change": change[place], "before": before[place], "after": after[place]}
        return Table(time[place].astype("datetime64[ns]"), columns, meta)
