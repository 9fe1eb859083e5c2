"""Operations over stretches of time: rolling_mean, resample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field

from helio_dagster.compute.local_sums import Windows, count_in_windows, find_windows, sum_in_windows
from helio_dagster.compute.operations.columns import Floats, floats, like_meta, readable_duration
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.time_bins import bin_records, bins_halo
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.extent import Extent
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.pipeline_fields import Duration
from helio_dagster.domain.table import Table, TableMeta

_MICROSECOND = timedelta(microseconds=1)
_LONGEST = timedelta(days=366)


def _bounded(length: timedelta) -> timedelta:
    if not _MICROSECOND < length <= _LONGEST:
        raise ValueError("a duration above PT0.000001S and up to P366D is needed")
    return length


Length = Annotated[Duration, AfterValidator(_bounded)]


class RollingMeanOptions(Options):
    """Window of the mean."""

    window: Length
    """Length of the moving window, an ISO 8601 duration such as PT10M."""
    centered: bool = True
    """Centred: samples up to half a window before and after, edges included. Else trailing: `(time - window, time]`."""
    min_samples: Annotated[int, Field(ge=1)] = 1
    """Fewer valid samples in the window than this give NaN."""


class RollingMean(ShippedOperation[RollingMeanOptions]):
    """Mean over a moving window."""

    id = "rolling_mean"
    version = 1
    summary = "Mean of the valid samples in a moving time window, at the input's own times."
    reference = (
        "mean(t) = sum of v(t_i) / n over the n valid samples with |t_i - t| <= window / 2 (centred), the boxcar filter."
    )
    when = (
        "Use it to smooth a series and keep its times. For fewer samples use resample, for other statistics rolling_statistic."
    )
    inputs = {"series": Input(("series", "vector", "spectrogram"), "what is smoothed, column by column")}
    output = "The input's kind, unit, frame and times; NaN where the window holds too few valid samples."
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (0, 3, 6, 30)})},
            options={"window": "PT2M"},
            expected={"result": (1.5, 3, 13, 18)},
            unit="nT",
            source="of one sample a minute a centred window of two holds three, at the ends two",
        ),
    )
    options = RollingMeanOptions

    def halo(self, options: RollingMeanOptions) -> tuple[timedelta, timedelta]:
        """Half the window on both sides (to the next whole microsecond), or the window before."""
        if not options.centered:
            return options.window, timedelta(0)
        return halved(options.window), halved(options.window)

    def _meta(self, inputs: Mapping[str, TableMeta], options: RollingMeanOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        refuse_varying_bins(meta, self.id)
        return like_meta(meta, name, label=f"{meta.label or name}, {readable_duration(options.window)} mean")

    def _compute(self, inputs: Mapping[str, Table], options: RollingMeanOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        window_ns = duration_ns(options.window)
        before_ns, after_ns = (window_ns // 2, window_ns // 2) if options.centered else (window_ns, 0)
        windows = find_windows(table.time, before_ns, after_ns, with_lower_edge=options.centered)
        columns = {}
        for name, source in zip(meta.data_names, table.meta.data_names, strict=True):
            columns[name] = mean_in_windows(windows, floats(table, source), options.min_samples)
        return Table(table.time, columns, meta)


class ResampleOptions(Options):
    """Bins and what is taken of each."""

    cadence: Length
    """Length of a bin, an ISO 8601 duration such as PT1M. Bins begin at its multiples since 1970-01-01T00:00Z."""
    method: Literal["mean", "median", "min", "max", "std", "sum", "count"] = "mean"
    """What is taken of a bin's valid samples. std divides by n - 1; sum depends on how dense the samples are."""


class Resample(ShippedOperation[ResampleOptions]):
    """One value per bin of fixed length."""

    id = "resample"
    version = 2
    summary = "One value per time bin; a bin is labelled by its start and belongs to the partition of its start."
    reference = (
        "v(k) = mean (median, min, max, std, sum, count) of the valid samples with "
        "k * cadence <= t - 1970-01-01T00:00Z < (k + 1) * cadence; std = sqrt(sum (v_i - mean)^2 / (n - 1)). A sample that has "
        "an extent counts by its middle where that is before its stamp."
    )
    when = "Use it to get fewer samples, or several inputs on one even time axis. To keep the times use rolling_mean."
    inputs = {"series": Input(("series", "vector", "spectrogram"), "what is binned, column by column")}
    output = (
        "The input's kind, unit (count: none) and frame, one record per bin that holds records; NaN where none is valid "
        "(std: fewer than two, count: 0)."
    )
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 3, None, None, 7, 9)})},
            options={"cadence": "PT2M"},
            expected={"result": (2, None, 8)},
            seconds=(0, 120, 240),
            unit="nT",
            source="the mean of each two",
        ),
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 3, None, 5, 7, 9)})},
            options={"cadence": "PT2M", "method": "std"},
            expected={"result": (2**0.5, None, 2**0.5)},
            seconds=(0, 120, 240),
            unit="nT",
            source="by hand: of two values their distance over the root of two; of one none",
        ),
    )
    options = ResampleOptions

    def halo(self, options: ResampleOptions) -> tuple[timedelta, timedelta]:
        """A bin that begins in the partition may reach one cadence past its stop."""
        return bins_halo(options.cadence)

    def _meta(self, inputs: Mapping[str, TableMeta], options: ResampleOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        refuse_varying_bins(meta, self.id)
        label = f"{meta.label or name}, {readable_duration(options.cadence)} {options.method}"
        binned = like_meta(meta, name, label=label, unit="" if options.method == "count" else None)
        return binned.model_copy(update={"extent": Extent.of_bin(options.cadence)})

    def _compute(self, inputs: Mapping[str, Table], options: ResampleOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        bins, reduce = bin_records(table, options.cadence), _REDUCERS[options.method]
        columns = {
            name: reduce(floats(table, source), bins.first)
            for name, source in zip(meta.data_names, table.meta.data_names, strict=True)
        }
        return Table(bins.starts, columns, meta)


def halved(window: timedelta) -> timedelta:
    """Half a window, to the next whole microsecond: what a centred one reaches to either side."""
    return timedelta(microseconds=-(-duration_ns(window) // 2000))


def mean_in_windows(windows: Windows, values: Floats, least: int) -> Floats:
    """Mean of the valid samples of each window, NaN where there are fewer than `least`; float64, shape (window,)."""
    is_valid = ~np.isnan(values)
    sums = sum_in_windows(windows, np.where(is_valid, values, 0.0))
    return _quotient(sums, count_in_windows(windows, is_valid), least)


def refuse_varying_bins(meta: TableMeta, operation_id: str) -> None:
    """Refuse a spectrogram whose columns mean another bin in each record."""
    if meta.bins is not None and not meta.bins.is_fixed:
        raise ComputeError(
            f"{operation_id} cannot average a spectrogram whose bins vary from record to record",
            hint="Draw it as it is, or take a parameter with fixed bins.",
        )


def _quotient(sums: Floats, count: NDArray[np.int64], least: int) -> Floats:
    """`sums / count`, NaN where `count < least`."""
    means = np.full(len(sums), np.nan)
    np.divide(sums, count, out=means, where=count >= least)
    return means


def mean_of_bins(values: Floats, starts: NDArray[np.int64]) -> Floats:
    """Mean of the valid samples of each bin, NaN where there is none; float64, shape (bin,).

    Parameters
    ----------
    values
        float64, shape (record,); NaN does not count.
    starts
        Index of the first record of each bin, ascending, shape (bin,); the last bin reaches to the last record.
    """
    is_valid = ~np.isnan(values)
    sums = np.add.reduceat(np.where(is_valid, values, 0.0), starts)
    return _quotient(sums, np.add.reduceat(is_valid, starts, dtype=np.int64), 1)


def _median_of_bins(values: Floats, starts: NDArray[np.int64]) -> Floats:
    lengths = np.diff(np.append(starts, len(values)))
    ordered = values[np.lexsort((values, np.repeat(np.arange(len(starts)), lengths)))]  # NaN come last in each bin
    count = np.add.reduceat(~np.isnan(values), starts, dtype=np.int64)
    lower = ordered[starts + np.maximum(count - 1, 0) // 2]
    upper = ordered[starts + np.minimum(count // 2, lengths - 1)]
    return np.asarray(np.where(lower == upper, lower, 0.5 * (lower + upper)))


def _least_of_bins(values: Floats, starts: NDArray[np.int64]) -> Floats:
    return np.asarray(np.fmin.reduceat(values, starts), dtype=np.float64)


def _greatest_of_bins(values: Floats, starts: NDArray[np.int64]) -> Floats:
    return np.asarray(np.fmax.reduceat(values, starts), dtype=np.float64)


def _spread_of_bins(values: Floats, starts: NDArray[np.int64]) -> Floats:
    is_valid = ~np.isnan(values)
    lengths = np.diff(np.append(starts, len(values)))
    count = np.add.reduceat(is_valid, starts, dtype=np.int64)
    with np.errstate(all="ignore"):  # infinities make their bins NaN
        apart = values - np.repeat(mean_of_bins(values, starts), lengths)
        squares = np.add.reduceat(np.where(is_valid, apart * apart, 0.0), starts)
        spread = np.sqrt(squares / np.maximum(count - 1, 1))
    return np.where((count > 1) & np.isfinite(spread), spread, np.nan)


def _sum_of_bins(values: Floats, starts: NDArray[np.int64]) -> Floats:
    is_valid = ~np.isnan(values)
    sums = np.add.reduceat(np.where(is_valid, values, 0.0), starts)
    return np.where(np.add.reduceat(is_valid, starts, dtype=np.int64) > 0, sums, np.nan)


def _count_of_bins(values: Floats, starts: NDArray[np.int64]) -> Floats:
    return np.add.reduceat(~np.isnan(values), starts, dtype=np.int64).astype(np.float64)


_REDUCERS: dict[str, Callable[[Floats, NDArray[np.int64]], Floats]] = {
    "mean": mean_of_bins,
    "median": _median_of_bins,
    "min": _least_of_bins,
    "max": _greatest_of_bins,
    "std": _spread_of_bins,
    "sum": _sum_of_bins,
    "count": _count_of_bins,
}
