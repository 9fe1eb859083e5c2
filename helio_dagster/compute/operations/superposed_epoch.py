"""A series around events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats, data_unit, floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta

MOST_LAGS = 2000
_LAG_UNITS = (("d", timedelta(days=1)), ("h", timedelta(minutes=10)), ("min", timedelta(seconds=10)))


class SuperposedEpochOptions(Options):
    """From when to when around an event, and in which steps."""

    before: Length
    """How long before the event, an ISO 8601 duration such as PT12H."""
    after: Length
    """How long after the event, an ISO 8601 duration such as P1D."""
    bin: Length
    """Length of a lag bin, an ISO 8601 duration such as PT1H; `before` and `after` must be whole numbers of it. At most
    2000 bins."""
    statistic: Literal["mean", "median"] = "mean"
    """What is taken of the valid samples of a bin."""

    @model_validator(mode="after")
    def _has_whole_bins(self) -> SuperposedEpochOptions:
        if self.before % self.bin or self.after % self.bin:
            raise ValueError("before and after must be whole numbers of bin. Change one of them")
        if self.lags > MOST_LAGS:
            raise ValueError(f"{self.lags} bins are more than {MOST_LAGS}. Give a longer bin")
        return self

    @property
    def lags(self) -> int:
        """Number of bins."""
        return (self.before + self.after) // self.bin


class SuperposedEpoch(ShippedOperation[SuperposedEpochOptions]):
    """One record per event, one column per lag.

    What a partition of it means: a stack over events is a sum over all that were ever listed, and has no partitions. The
    contribution of one event has: it belongs to the partition of the event's time, and is made from the samples around it.
    So the result holds the rows of which a stack is made; the mean over those of a year is one `resample` away.
    """

    id = "superposed_epoch"
    keeps_times = False
    has_record_per_event = True
    version = 1
    summary = "A series around each event of a table, binned by lag: one record per event, one column per lag."
    when = (
        "Use it to compare or stack the storms, shocks or crossings of a list. To stack the events of up to a year, use the "
        "operation resample (mean or median) on the result, with a cadence of that length, at most P366D: each column is then "
        "the mean over the events in a bin."
    )
    reference = (
        "x(event, k) = mean (median) of the valid samples with k bin <= t - t_event < (k + 1) bin, -before <= k bin < after "
        "(Chree 1913, doi:10.1098/rsta.1913.0003)."
    )
    inputs = {
        "series": Input(("series",), "what is looked at", columns=1),
        "events": Input(("events",), "a table of events; the time of a row is lag zero"),
    }
    output = (
        "A spectrogram in the series' unit with lag bins: a record at the time of each event that has a record of the series "
        "around it; NaN in lags without a valid sample."
    )
    options = SuperposedEpochOptions
    examples = (
        Example(
            inputs={
                "series": ExampleTable(unit="nT", columns={"v": (0, 1, 2, 3, None, 5)}),
                "events": ExampleTable(kind="events", columns={"size": (1, 2)}, seconds=(120, 90000)),
            },
            options={"before": "PT2M", "after": "PT4M", "bin": "PT2M"},
            expected={"lag_0": (0.5,), "lag_1": (2.5,), "lag_2": (5,)},
            seconds=(120,),
            unit="nT",
            source="the means of each two valid samples; nothing lies around the second event",
        ),
    )

    def halo(self, options: SuperposedEpochOptions) -> tuple[timedelta, timedelta]:
        """An event in the partition reaches as far as its lags."""
        return options.before, options.after

    def _meta(self, inputs: Mapping[str, TableMeta], options: SuperposedEpochOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        unit, size = next(((unit, size) for unit, size in _LAG_UNITS if options.bin >= size), ("s", timedelta(seconds=1)))
        size = {"h": timedelta(hours=1), "min": timedelta(minutes=1)}.get(unit, size)
        digits = len(str(options.lags - 1))
        centers = tuple(((place + 0.5) * options.bin - options.before) / size for place in range(options.lags))
        columns = tuple(
            ColumnMeta(name=f"lag_{place:0{digits}d}", label=f"{center:g} {unit}", unit=data_unit(meta))
            for place, center in enumerate(centers)
        )
        return TableMeta(
            kind="spectrogram",
            columns=columns,
            label=f"{meta.label or name} around events",
            unit=data_unit(meta),
            frame=meta.frame,
            scale=meta.scale,
            bins=BinAxis(label="Lag", unit=unit, centers=centers),
        )

    def _compute(self, inputs: Mapping[str, Table], options: SuperposedEpochOptions, meta: TableMeta) -> Table:
        series, events = inputs["series"], inputs["events"]
        at = series.time.astype("datetime64[ns]").astype(np.int64)
        values = floats(series, series.meta.data_names[0])
        onsets = events.time.astype("datetime64[ns]").astype(np.int64)
        before_ns, after_ns, bin_ns = (duration_ns(length) for length in (options.before, options.after, options.bin))
        first, last = np.searchsorted(at, onsets - before_ns), np.searchsorted(at, onsets + after_ns)
        found = np.flatnonzero(last > first)
        rows = np.full((len(found), options.lags), np.nan)
        for row, event in zip(rows, found, strict=True):
            inside = slice(first[event], last[event])
            lag = (at[inside] - onsets[event] + before_ns) // bin_ns
            _fill(row, lag, values[inside], options.statistic)
        columns = {name: np.ascontiguousarray(rows[:, place]) for place, name in enumerate(meta.data_names)}
        return Table(events.time[found].astype("datetime64[ns]"), columns, meta)


def _fill(row: Floats, lag: NDArray[np.int64], values: Floats, statistic: str) -> None:
    """Write what is taken of each lag's valid samples into a row, shape (lag,)."""
    is_valid = ~np.isnan(values)
    lag, values = lag[is_valid], values[is_valid]
    with np.errstate(all="ignore"):
        edges = np.searchsorted(lag, np.arange(len(row) + 1))
        for place in np.unique(lag):
            inside = values[edges[place] : edges[place + 1]]
            row[place] = np.mean(inside) if statistic == "mean" else np.median(inside)
