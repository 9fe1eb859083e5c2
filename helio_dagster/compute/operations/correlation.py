"""How two series go together in a moving window."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

import numpy as np
from pydantic import Field

from helio_dagster.compute.local_sums import find_windows
from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.averages import Length, halved
from helio_dagster.compute.operations.columns import readable_duration, scalar_meta
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Paired
from helio_dagster.compute.window_moments import correlation_in_windows
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import Table, TableMeta


class RollingCorrelationOptions(MatchOptions):
    """Window, and how the two time bases meet."""

    window: Length
    """Length of the moving window, centred, edges included; an ISO 8601 duration such as P1D."""
    min_samples: Annotated[int, Field(ge=3)] = 3
    """Fewer pairs of valid samples in the window than this give NaN."""


class RollingCorrelation(Paired[RollingCorrelationOptions]):
    """Correlation of two series in a moving window."""

    id = "rolling_correlation"
    version = 1
    summary = "Pearson's correlation of two series in a moving time window, -1 to 1."
    when = (
        "Use it to see whether two quantities rise and fall together. It finds linear relations without delay. It "
        "makes a series, not one number for a whole range."
    )
    reference = (
        "r = sum (a_i - mean a)(b_i - mean b) / sqrt(sum (a_i - mean a)^2 sum (b_i - mean b)^2) over the n pairs with "
        "|t_i - t| <= window / 2 (Pearson 1895, doi:10.1098/rspl.1895.0041; Chan, Golub and LeVeque 1983, "
        "doi:10.1080/00031305.1983.10483115, for the order of summation)."
    )
    inputs = {
        "a": Input(("series",), "what gives the times", columns=1),
        "b": Input(("series",), "of which the sample nearest to each time of a counts", columns=1),
    }
    output = (
        "A series without unit at the times of a; NaN where the window holds too few pairs, or one of the two does not vary."
    )
    options = RollingCorrelationOptions
    examples = (
        Example(
            inputs={
                "a": ExampleTable(columns={"v": (1, 2, 3, 4)}),
                "b": ExampleTable(columns={"w": (1, 2, 3, 2)}),
            },
            options={"window": "PT2M"},
            expected={"result": (None, 1, 0, None)},
            source="by hand: 1, 2, 3 beside 1, 2, 3; 2, 3, 4 beside 2, 3, 2; two pairs at either end are too few",
        ),
    )

    def halo(self, options: RollingCorrelationOptions) -> tuple[timedelta, timedelta]:
        """Half the window on both sides, and as far again as the tolerance."""
        reach = halved(options.window) + options.tolerance
        return reach, reach

    def _meta(self, inputs: Mapping[str, TableMeta], options: RollingCorrelationOptions, name: str) -> TableMeta:
        label = f"Correlation, {readable_duration(options.window)}"
        meta = scalar_meta(name, label=label, unit="", frame=None, scale=inputs["a"])
        return meta.model_copy(update={"scale": "linear"})

    def _compute(self, inputs: Mapping[str, Table], options: RollingCorrelationOptions, meta: TableMeta) -> Table:
        time = inputs["a"].time
        (a,), (b,) = (self._matched(inputs, name, options) for name in ("a", "b"))
        half_ns = duration_ns(options.window) // 2
        windows = find_windows(time, half_ns, half_ns, with_lower_edge=True)
        found = correlation_in_windows(windows, a, b)
        values = np.where(found.count >= options.min_samples, found.correlation, np.nan)
        return Table(time, {meta.columns[0].name: values}, meta)
