"""Statistics of moving windows other than the mean."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.local_sums import Windows, count_in_windows, find_windows
from helio_dagster.compute.operations.averages import RollingMean, RollingMeanOptions, refuse_varying_bins
from helio_dagster.compute.operations.columns import Floats, data_unit, floats, like_meta, readable_duration
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.window_moments import moments_in_windows
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.units import raise_unit


class RollingStatisticOptions(RollingMeanOptions):
    """Window, and what is taken of it."""

    statistic: Literal["median", "std", "variance", "min", "max"]
    """What is taken of the window's valid samples. std and variance divide by n - 1."""
    min_samples: Annotated[int, Field(ge=1)] = 1
    """Fewer valid samples in the window than this give NaN; std and variance need two in any case."""


class RollingStatistic(ShippedOperation[RollingStatisticOptions]):
    """Median, spread or extremes over a moving window."""

    id = "rolling_statistic"
    version = 1
    summary = "Median, standard deviation, variance, minimum or maximum of the valid samples in a moving time window."
    when = (
        "Use it to remove spikes (median), or to get the level of fluctuation (std) or an envelope (min, max). For "
        "the mean use rolling_mean."
    )
    reference = (
        "Over the n valid samples with |t_i - t| <= window / 2 (centred): the middle value, or the mean of the two "
        "middle ones; "
        "variance = sum (v_i - mean)^2 / (n - 1), std its root (Chan, Golub and LeVeque 1983, "
        "doi:10.1080/00031305.1983.10483115, for the order of summation)."
    )
    inputs = {"series": Input(("series", "vector", "spectrogram"), "the input to take the statistic of, column by column")}
    output = "The input's kind, frame and times, in its unit (variance: squared); NaN where too few samples are valid."
    options = RollingStatisticOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 1, 100, 4, None)})},
            options={"window": "PT2M", "statistic": "median"},
            expected={"result": (1, 1, 4, 52, 4)},
            unit="nT",
            source="the middle of up to three, the mean of two",
        ),
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (2, 4, 6, 10)})},
            options={"window": "PT2M", "statistic": "variance"},
            expected={"result": (2, 4, 28 / 3, 8)},
            unit="nT^2",
            source="by hand: 4, 6, 10 have the mean 20/3 and the squares 64/9 + 4/9 + 100/9 = 56/3",
        ),
    )

    def halo(self, options: RollingStatisticOptions) -> tuple[timedelta, timedelta]:
        """As for a mean: half the window on both sides, or the window before."""
        return RollingMean().halo(options)

    def _meta(self, inputs: Mapping[str, TableMeta], options: RollingStatisticOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        refuse_varying_bins(meta, self.id)
        label = f"{meta.label or name}, {readable_duration(options.window)} {options.statistic}"
        if options.statistic != "variance":
            return like_meta(meta, name, label=label)
        return like_meta(meta, name, label=label, unit=raise_unit(data_unit(meta), 2))

    def _compute(self, inputs: Mapping[str, Table], options: RollingStatisticOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        window_ns = duration_ns(options.window)
        before_ns, after_ns = (window_ns // 2, window_ns // 2) if options.centered else (window_ns, 0)
        windows = find_windows(table.time, before_ns, after_ns, with_lower_edge=options.centered)
        columns = {}
        for name, source in zip(meta.data_names, table.meta.data_names, strict=True):
            values = floats(table, source)
            count = count_in_windows(windows, ~np.isnan(values))
            found = _take(options.statistic, windows, table, values)
            columns[name] = np.where(count >= options.min_samples, found, np.nan)
        return Table(table.time, columns, meta)


def _take(statistic: str, windows: Windows, table: Table, values: Floats) -> Floats:
    """A statistic of each window, NaN where it holds no valid sample; float64, shape (record,)."""
    if statistic in ("std", "variance"):
        moments = moments_in_windows(windows, table.time, values)
        with np.errstate(all="ignore"):
            variance = np.where(moments.count > 1, moments.squares / np.maximum(moments.count - 1, 1), np.nan)
            variance = np.where(np.isfinite(variance), variance, np.nan)
        return np.sqrt(variance) if statistic == "std" else variance
    from helio_dagster.compute import window_ranks  # it imports pandas, for which a start need not wait

    taken = {"median": window_ranks.median_in_windows, "min": window_ranks.least_in_windows}
    return taken.get(statistic, window_ranks.greatest_in_windows)(windows, values)
