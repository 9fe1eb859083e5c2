"""One table on the times of another."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.operations.averages import Length, refuse_varying_bins
from helio_dagster.compute.operations.columns import Floats, floats, like_meta
from helio_dagster.compute.operations.contract import UNKNOWN_META, Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.time_matching import have_same_extent, nearest_records
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.record_times import middles_ns, stamps_ns
from helio_dagster.domain.table import Table, TableMeta


class AlignOptions(Options):
    """How a value is found, and how far away it may be."""

    max_gap: Length
    """An ISO 8601 duration such as PT5M. nearest, previous: greatest distance of the sample that counts. linear: greatest
    distance of the two samples around."""
    method: Literal["nearest", "previous", "linear"] = "nearest"
    """nearest: the nearest sample, of two equally near ones the earlier. previous: the last one not later. linear: on the
    straight line between the samples around; a sample at the very time counts as it is."""


class Align(ShippedOperation[AlignOptions]):
    """b at the times of a."""

    id = "align"
    version = 1
    summary = "b brought onto the times of a: nearest, previous or linearly interpolated, never over more than a maximum gap."
    when = (
        "Use it to bring two datasets of different cadence into one table or one code step. Operations with several inputs "
        "match their times by themselves."
    )
    reference = (
        "linear: v = v1 + (v2 - v1) (t - t1) / (t2 - t1) between the samples at t1 < t < t2. Nearest and linear take t at the "
        "middle of an extent where one is known, and at the stamp where nothing is near the middle."
    )
    inputs = {
        "a": Input(("series", "vector", "spectrogram"), "what gives the times"),
        "b": Input(("series", "vector", "spectrogram"), "what is brought onto them, column by column"),
    }
    output = (
        "The kind, columns, unit and frame of b at those times of a that have a record of b near enough; NaN where none of the "
        "records near enough is valid."
    )
    options = AlignOptions
    examples = (
        Example(
            inputs={
                "a": ExampleTable(columns={"a": (0, 0, 0, 0)}, seconds=(0, 30, 60, 300)),
                "b": ExampleTable(unit="nT", columns={"b": (1, 3)}, seconds=(0, 60)),
            },
            options={"method": "linear", "max_gap": "PT1M"},
            expected={"result": (1, 2, 3)},
            seconds=(0, 30, 60),
            unit="nT",
            source="halfway between 1 and 3; nothing is near 300 s",
        ),
        Example(
            inputs={
                "a": ExampleTable(columns={"a": (0, 0, 0, 0)}, seconds=(0, 59, 61, 300)),
                "b": ExampleTable(unit="nT", columns={"b": (1, 3, None)}, seconds=(0, 60, 290)),
            },
            options={"method": "previous", "max_gap": "PT1M"},
            expected={"result": (1, 1, 3, None)},
            unit="nT",
            source="the last sample at or before each time; that at 290 s is a fill",
        ),
    )

    def halo(self, options: AlignOptions) -> tuple[timedelta, timedelta]:
        """The maximum gap, on both sides unless only earlier samples count."""
        return options.max_gap, timedelta(0) if options.method == "previous" else options.max_gap

    def _meta(self, inputs: Mapping[str, TableMeta], options: AlignOptions, name: str) -> TableMeta:
        del options
        meta = inputs["b"]
        refuse_varying_bins(meta, self.id)
        return like_meta(meta, name, label=meta.label or name) if meta.columns else UNKNOWN_META

    def _compute(self, inputs: Mapping[str, Table], options: AlignOptions, meta: TableMeta) -> Table:
        a, b, gap_ns = inputs["a"], inputs["b"], duration_ns(options.max_gap)
        has_record = ~np.isnan(values_near(a, b, np.zeros(len(b)), options.method, gap_ns))
        columns = {
            name: values_near(a, b, floats(b, source), options.method, gap_ns)[has_record]
            for name, source in zip(meta.data_names, b.meta.data_names, strict=True)
        }
        return Table(a.time[has_record], columns, meta)


def values_near(a: Table, b: Table, values: Floats, method: str, gap_ns: int) -> Floats:
    """Values of b at the times of a from valid samples, NaN where none is near enough; float64, shape (record of a,)."""
    is_valid = ~np.isnan(values)
    if not is_valid.any():
        return np.full(len(a), np.nan)
    b = Table(b.time[is_valid], {name: each[is_valid] for name, each in b.columns.items()}, b.meta)
    values = values[is_valid]
    if method == "nearest":
        index, is_near = nearest_records(a, b, tolerance_ns=gap_ns)
        return np.where(is_near, values[index], np.nan)
    if method == "previous":
        return _previous(stamps_ns(a), stamps_ns(b), values, gap_ns)
    if have_same_extent(a, b):
        return _on_the_line(stamps_ns(a), stamps_ns(b), values, gap_ns)
    found = _on_the_line(middles_ns(a), middles_ns(b), values, gap_ns)
    return np.where(np.isnan(found), _on_the_line(stamps_ns(a), middles_ns(b), values, gap_ns), found)


def _previous(wanted: NDArray[np.int64], known: NDArray[np.int64], values: Floats, gap_ns: int) -> Floats:
    place = np.searchsorted(known, wanted, side="right") - 1
    earlier = np.maximum(place, 0)
    return np.where((place >= 0) & (wanted - known[earlier] <= gap_ns), values[earlier], np.nan)


def _on_the_line(wanted: NDArray[np.int64], known: NDArray[np.int64], values: Floats, gap_ns: int) -> Floats:
    later = np.minimum(np.searchsorted(known, wanted, side="left"), len(known) - 1)
    is_exact = known[later] == wanted
    earlier = np.where(is_exact, later, np.maximum(later - 1, 0))
    span = known[later] - known[earlier]
    is_between = (wanted > known[earlier]) & (wanted < known[later]) & (span <= gap_ns)
    with np.errstate(all="ignore"):
        share = (wanted - known[earlier]) / np.maximum(span, 1)
        line = values[earlier] + (values[later] - values[earlier]) * share
    return np.where(is_exact, values[earlier], np.where(is_between, line, np.nan))
