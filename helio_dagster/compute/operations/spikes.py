"""Outliers of a series: median_filter, despike."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from helio_dagster.compute.local_sums import Windows, count_in_windows, find_windows
from helio_dagster.compute.operations.averages import Length, halved, refuse_varying_bins
from helio_dagster.compute.operations.columns import Floats, floats, like_meta, readable_duration
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import Table, TableMeta

_MOST_AT_ONCE = 2_000_000
"""Samples of windows that are sorted at once."""
_SCALE = 1.4826
"""Standard deviation of normal noise over its median absolute deviation."""
_INPUT = {"series": Input(("series", "vector", "spectrogram"), "what is cleaned, column by column")}


class MedianFilterOptions(Options):
    """The window of the medians."""

    window: Length
    """Length of the moving window, centred, edges included; an ISO 8601 duration such as PT5M."""
    min_samples: Annotated[int, Field(ge=1)] = 1
    """Fewer valid samples in the window than this give NaN."""


class MedianFilter(ShippedOperation[MedianFilterOptions]):
    """Each sample as the median around it."""

    id = "median_filter"
    version = 1
    summary = "Median filter: each valid sample becomes the median of those around it; spikes go, edges stay, fills stay fills."
    when = (
        "Use it to smooth a series with spikes. To remove the spikes and leave all other samples as they are use despike; for "
        "other moving statistics, also at fills, rolling_statistic."
    )
    reference = (
        "m(t) = median of the valid samples with |t_i - t| <= window / 2, at valid samples (Tukey 1977, Exploratory Data "
        "Analysis)."
    )
    inputs = _INPUT
    output = "The input's kind, unit, frame and times; NaN at fills and where the window holds too few valid samples."
    options = MedianFilterOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 1, 100, 4, None)})},
            options={"window": "PT2M"},
            expected={"result": (1, 1, 4, 52, None)},
            unit="nT",
            source="the middle of up to three, the mean of two; the fill stays",
        ),
    )

    def halo(self, options: MedianFilterOptions) -> tuple[timedelta, timedelta]:
        """Half the window on both sides."""
        return halved(options.window), halved(options.window)

    def _meta(self, inputs: Mapping[str, TableMeta], options: MedianFilterOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        refuse_varying_bins(meta, self.id)
        return like_meta(meta, name, label=f"{meta.label or name}, {readable_duration(options.window)} median")

    def _compute(self, inputs: Mapping[str, Table], options: MedianFilterOptions, meta: TableMeta) -> Table:
        from helio_dagster.compute.window_ranks import median_in_windows  # it imports pandas, for which a start need not wait

        table = inputs["series"]
        half_ns = duration_ns(options.window) // 2
        windows = find_windows(table.time, half_ns, half_ns, with_lower_edge=True)
        columns = {}
        for name, source in zip(meta.data_names, table.meta.data_names, strict=True):
            values = floats(table, source)
            is_valid = ~np.isnan(values)
            is_kept = is_valid & (count_in_windows(windows, is_valid) >= options.min_samples)
            columns[name] = np.where(is_kept, median_in_windows(windows, values), np.nan)
        return Table(table.time, columns, meta)


class DespikeOptions(Options):
    """What a spike is, and what becomes of it."""

    window: Length
    """Length of the moving window, centred, edges included; an ISO 8601 duration such as PT5M. It should hold more than twice
    as many samples as a spike."""
    threshold: Annotated[float, Field(gt=0, le=1000)] = 3.0
    """A sample farther from the median of its window than this many robust standard deviations is a spike."""
    smallest: Annotated[float, Field(ge=0)] = 0.0
    """Samples this close to the median, in the unit of the series, are never spikes: give the step of coarsely digitized
    data, whose spread may be 0."""
    replace_by: Literal["gap", "median"] = "gap"
    """`gap`: NaN; `median`: the median of the window."""
    min_samples: Annotated[int, Field(ge=3)] = 3
    """Where fewer samples in the window are valid, nothing is a spike."""


class Despike(ShippedOperation[DespikeOptions]):
    """Hampel's identifier in a moving window."""

    id = "despike"
    version = 1
    summary = "Removes spikes (outliers) from a series: Hampel filter with a moving median; other samples stay as they are."
    when = (
        "Use it to clean data of telemetry errors and single bad samples before anything else. Short real events are spikes to "
        "it: choose the window longer than a spike and shorter than those. To smooth as well use median_filter."
    )
    reference = (
        "|v_i - m_i| > threshold * 1.4826 * median |v_j - m_i|, m_i the median of the valid samples v_j with |t_j - t_i| <= "
        "window / 2 (Hampel 1974, doi:10.1080/01621459.1974.10482962; Pearson et al. 2016, doi:10.1186/s13634-016-0383-6)."
    )
    inputs = _INPUT
    output = "The input's kind, unit, frame and times; NaN at fills, and where a spike was unless it is replaced by the median."
    options = DespikeOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 2, 1, 100, 2, 1, None, 2)})},
            options={"window": "PT4M"},
            expected={"result": (1, 2, 1, None, 2, 1, None, 2)},
            unit="nT",
            source="around 100 the median is 2, the deviations 1, 0, 1, 98, 0 have the median 1; no other is 4.4 away",
        ),
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 2, 1, 100, 2, 1, 2)})},
            options={"window": "PT4M", "replace_by": "median"},
            expected={"result": (1, 2, 1, 2, 2, 1, 2)},
            unit="nT",
            source="as above",
        ),
    )

    def halo(self, options: DespikeOptions) -> tuple[timedelta, timedelta]:
        """Half the window on both sides."""
        return halved(options.window), halved(options.window)

    def _meta(self, inputs: Mapping[str, TableMeta], options: DespikeOptions, name: str) -> TableMeta:
        del options
        meta = inputs["series"]
        refuse_varying_bins(meta, self.id)
        return like_meta(meta, name, label=f"{meta.label or name}, without spikes")

    def _compute(self, inputs: Mapping[str, Table], options: DespikeOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        half_ns = duration_ns(options.window) // 2
        columns = {}
        for name, source in zip(meta.data_names, table.meta.data_names, strict=True):
            values = floats(table, source) + 0.0
            valid = np.flatnonzero(~np.isnan(values))
            kept = values[valid]
            windows = find_windows(table.time[valid], half_ns, half_ns, with_lower_edge=True)
            median, deviation = _medians(windows, kept)
            with np.errstate(invalid="ignore"):
                away = np.abs(kept - median)
                is_spike = (away > options.threshold * _SCALE * deviation) & (away > options.smallest)
            is_spike &= windows.last - windows.first >= options.min_samples
            cleaned = np.full(len(values), np.nan)
            cleaned[valid] = np.where(is_spike, median if options.replace_by == "median" else np.nan, kept)
            columns[name] = cleaned
        return Table(table.time, columns, meta)


def _medians(windows: Windows, values: Floats) -> tuple[Floats, Floats]:
    """Median of each window, and the median distance of its samples from it; all valid, shape (record,)."""
    counts = windows.last - windows.first
    median, deviation = np.full(len(values), np.nan), np.full(len(values), np.nan)
    with np.errstate(all="ignore"):
        for count in np.unique(counts):
            alike = np.flatnonzero(counts == count)
            for begin in range(0, len(alike), max(1, _MOST_AT_ONCE // int(count))):
                taken: NDArray[np.int64] = alike[begin : begin + max(1, _MOST_AT_ONCE // int(count))]
                held = values[windows.first[taken][:, None] + np.arange(count)]
                median[taken] = np.median(held, axis=1)
                deviation[taken] = np.median(np.abs(held - median[taken][:, None]), axis=1)
    return median, deviation
