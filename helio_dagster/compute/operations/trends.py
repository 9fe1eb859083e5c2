"""Changes in time: detrend and derivative."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from helio_dagster.compute.local_sums import count_in_windows, find_windows
from helio_dagster.compute.operations.averages import Length, halved, mean_in_windows, refuse_varying_bins
from helio_dagster.compute.operations.columns import Floats, data_unit, floats, like_meta, readable_duration
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.window_moments import moments_in_windows
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.units import divide_units


class DetrendOptions(Options):
    """Window, and what is taken away."""

    window: Length
    """Length of the moving window, an ISO 8601 duration such as PT1H; it is centred, edges included."""
    method: Literal["mean", "linear"] = "mean"
    """mean: the mean of the window. linear: the straight line of least squares through its samples."""
    min_samples: Annotated[int, Field(ge=1)] = 2
    """Fewer valid samples in the window than this give NaN."""


class Detrend(ShippedOperation[DetrendOptions]):
    """What is left when the trend is taken away."""

    id = "detrend"
    version = 1
    summary = "The input minus its mean, or its straight line, over a moving centred window."
    when = (
        "Use it to get the fluctuations about a slow trend, for example before a spectrum. For a sharp edge in "
        "frequency use butterworth."
    )
    reference = (
        "y(t) = v(t) - m(t), m the mean or the least squares line at t of the valid samples with |t_i - t| <= window / 2 "
        "(Bevington and Robinson 2003, Data Reduction and Error Analysis)."
    )
    inputs = {"series": Input(("series", "vector", "spectrogram"), "what is detrended, column by column")}
    output = "The input's kind, unit, frame and times; NaN where the sample is, or its window holds too few valid samples."
    options = DetrendOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (0, 3, 6, 30)})},
            options={"window": "PT2M"},
            expected={"result": (-1.5, 0, -7, 12)},
            unit="nT",
            source="the samples minus 1.5, 3, 13 and 18, the means of up to three",
        ),
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (0, 3, 12, 9)})},
            options={"window": "PT2M", "method": "linear"},
            expected={"result": (0, -2, 4, 0)},
            unit="nT",
            source="by hand; a line through two points leaves nothing, the middle of three is left minus their mean",
        ),
    )

    def halo(self, options: DetrendOptions) -> tuple[timedelta, timedelta]:
        """Half the window on both sides, to the next whole microsecond."""
        return halved(options.window), halved(options.window)

    def _meta(self, inputs: Mapping[str, TableMeta], options: DetrendOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        refuse_varying_bins(meta, self.id)
        label = f"{meta.label or name} minus {readable_duration(options.window)} {options.method}"
        return like_meta(meta, name, label=label).model_copy(update={"scale": "linear"})

    def _compute(self, inputs: Mapping[str, Table], options: DetrendOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        half_ns = duration_ns(options.window) // 2
        windows = find_windows(table.time, half_ns, half_ns, with_lower_edge=True)
        columns = {}
        for name, source in zip(meta.data_names, table.meta.data_names, strict=True):
            values = floats(table, source)
            if options.method == "mean":
                trend = mean_in_windows(windows, values, options.min_samples)
            else:
                count = count_in_windows(windows, ~np.isnan(values))
                trend = np.where(count >= options.min_samples, moments_in_windows(windows, table.time, values).fitted, np.nan)
            with np.errstate(invalid="ignore"):
                columns[name] = values - trend
        return Table(table.time, columns, meta)


class DerivativeOptions(Options):
    """How far apart samples may be."""

    max_gap: Length
    """Neighbours farther apart than this are not joined, an ISO 8601 duration such as PT2M: a few cadences."""


class Derivative(ShippedOperation[DerivativeOptions]):
    """Rate of change."""

    id = "derivative"
    version = 1
    summary = "Rate of change per second by central differences of neighbouring valid samples."
    when = "Use it to get the speed of a change, such as dB/dt in a storm. It amplifies noise, so smooth first."
    reference = (
        "dv/dt = (h1^2 (v2 - v0) + h2^2 (v0 - v1)) / (h1 h2 (h1 + h2)), v1 and v2 the valid samples before and after "
        "v0, h1 and h2 "
        "their distances: the central difference of second order for uneven samples "
        "(Fornberg 1988, doi:10.1090/S0025-5718-1988-0935077-0)."
    )
    inputs = {"series": Input(("series", "vector"), "what changes, column by column")}
    output = (
        "The input's kind, frame and times, in its unit per second; NaN at fills and where a neighbour is missing or too far."
    )
    options = DerivativeOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (0, 100, 900, 1600)}, seconds=(0, 10, 30, 40))},
            options={"max_gap": "PT1M"},
            expected={"result": (None, 20, 60, None)},
            unit="nT/s",
            source="v = t^2, of which the derivative 2 t is exact with central differences",
        ),
    )

    def halo(self, options: DerivativeOptions) -> tuple[timedelta, timedelta]:
        """The greatest distance of a neighbour, on both sides."""
        return options.max_gap, options.max_gap

    def _meta(self, inputs: Mapping[str, TableMeta], options: DerivativeOptions, name: str) -> TableMeta:
        del options
        meta = inputs["series"]
        derived = like_meta(meta, name, label=f"d({meta.label or name})/dt", unit=divide_units(data_unit(meta), "s"))
        return derived.model_copy(update={"scale": "linear"})

    def _compute(self, inputs: Mapping[str, Table], options: DerivativeOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        at, gap_ns = table.time.astype("datetime64[ns]").astype(np.int64), duration_ns(options.max_gap)
        columns = {
            name: _central_difference(at, floats(table, source), gap_ns)
            for name, source in zip(meta.data_names, table.meta.data_names, strict=True)
        }
        return Table(table.time, columns, meta)


def _central_difference(at: NDArray[np.int64], values: Floats, gap_ns: int) -> Floats:
    derived = np.full(len(values), np.nan)
    valid = np.flatnonzero(~np.isnan(values))
    distance = np.diff(at[valid])
    before, after = distance[:-1] * 1e-9, distance[1:] * 1e-9
    with np.errstate(all="ignore"):
        rise = np.diff(values[valid]) / (distance * 1e-9)
        slope = (before * rise[1:] + after * rise[:-1]) / (before + after)
    is_near = (distance[:-1] <= gap_ns) & (distance[1:] <= gap_ns)
    derived[valid[1:-1]] = np.where(is_near, slope, np.nan)
    return derived
