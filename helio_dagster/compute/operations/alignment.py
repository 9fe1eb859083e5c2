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
from helio_dagster.domain.fine_duration import duration_ns
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
    reference = "linear: v = v1 + (v2 - v1) (t - t1) / (t2 - t1) between the samples at t1 < t < t2."
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
        a, b = inputs["a"], inputs["b"]
        wanted, known = (table.time.astype("datetime64[ns]").astype(np.int64) for table in (a, b))
        gap_ns = duration_ns(options.max_gap)
        has_record = ~np.isnan(_values_at(wanted, known, np.zeros(len(known)), options.method, gap_ns))
        columns = {}
        for name, source in zip(meta.data_names, b.meta.data_names, strict=True):
            values = floats(b, source)
            is_valid = ~np.isnan(values)
            columns[name] = _values_at(wanted[has_record], known[is_valid], values[is_valid], options.method, gap_ns)
        return Table(a.time[has_record], columns, meta)


def _values_at(wanted: NDArray[np.int64], known: NDArray[np.int64], values: Floats, method: str, gap_ns: int) -> Floats:
    """Values at the wanted times from valid samples, NaN where none is near enough; times in ns, float64, shape (wanted,)."""
    if not len(known):
        return np.full(len(wanted), np.nan)
    after = np.searchsorted(known, wanted, side="left")
    later = np.minimum(after, len(known) - 1)
    is_exact = known[later] == wanted
    earlier = np.where(is_exact, later, np.maximum(after - 1, 0))
    if method == "previous":
        distance = wanted - known[earlier]
        return np.where((distance >= 0) & (distance <= gap_ns), values[earlier], np.nan)
    if method == "nearest":
        index = np.where(np.abs(known[later] - wanted) < np.abs(wanted - known[earlier]), later, earlier)
        return np.where(np.abs(known[index] - wanted) <= gap_ns, values[index], np.nan)
    span = known[later] - known[earlier]
    is_between = (wanted > known[earlier]) & (wanted < known[later]) & (span <= gap_ns)
    with np.errstate(all="ignore"):
        share = (wanted - known[earlier]) / np.maximum(span, 1)
        line = values[earlier] + (values[later] - values[earlier]) * share
    return np.where(is_exact, values[earlier], np.where(is_between, line, np.nan))
