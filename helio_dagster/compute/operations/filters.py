"""Filters by frequency."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.butterworth import FilterDesign, filter_series
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import floats, like_meta
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.table import Table, TableMeta

LONGEST_SETTLE = 2**18
_GAP_CADENCES = 3
_Hertz = Annotated[float, Field(gt=0, le=1e6)]


class ButterworthOptions(Options):
    """What passes, and how samples come. `below_hz` alone: low pass. `above_hz` alone: high pass. Both: band pass."""

    cadence: Length
    """Distance of samples, an ISO 8601 duration such as PT1S, to the nanosecond. Samples fall into the nearest slot of an even
    grid of it; those that share one are averaged, in a causal filter the first counts."""
    above_hz: _Hertz | None = None
    """Frequencies above this pass, in Hz; at the edge itself half the power does (a quarter with zero phase)."""
    below_hz: _Hertz | None = None
    """Frequencies below this pass, in Hz, less than half a sample per cadence."""
    order: Annotated[int, Field(ge=1, le=8)] = 4
    """Of the filter, 1 to 8; zero phase applies it twice."""
    zero_phase: bool = True
    """Forward and backward, without delay. Else causal: only what came before counts, and is delayed."""
    max_gap: Length | None = None
    """Samples farther apart than this, an ISO 8601 duration such as PT5S, are not joined, and the filter starts
    again; by default three cadences."""

    @model_validator(mode="after")
    def _can_be_built(self) -> ButterworthOptions:
        edges = [edge for edge in (self.above_hz, self.below_hz) if edge is not None]
        if not edges:
            raise ValueError("give above_hz, below_hz or both")
        if edges != sorted(set(edges)):
            raise ValueError("above_hz must be less than below_hz: what lies between them passes")
        nyquist_hz = 0.5 / self.cadence.total_seconds()
        if edges[-1] >= nyquist_hz:
            raise ValueError(f"{edges[-1]:g} Hz is not below {nyquist_hz:g} Hz, half a sample per cadence. Lower it")
        if self.max_gap is not None and self.max_gap < self.cadence:
            raise ValueError("max_gap must not be shorter than cadence")
        if self.design.settle_count > LONGEST_SETTLE:
            raise ValueError(f"{edges[0]:g} Hz is too slow for a cadence of {self.cadence.total_seconds():g} s. Resample first")
        return self

    @property
    def design(self) -> FilterDesign:
        """The filter."""
        gap = self.max_gap if self.max_gap is not None else _GAP_CADENCES * self.cadence
        cadence_ns, gap_ns = (duration_ns(length) for length in (self.cadence, gap))
        return FilterDesign(self.above_hz, self.below_hz, self.order, self.zero_phase, cadence_ns, gap_ns)


class Butterworth(ShippedOperation[ButterworthOptions]):
    """Low, high and band pass."""

    id = "butterworth"
    version = 1
    summary = "Low-pass, high-pass or band-pass Butterworth filter, of zero phase or causal."
    when = (
        "Use it to get the waves in a band of frequencies, or to remove the slow or the fast changes. For plain "
        "smoothing use rolling_mean."
    )
    reference = (
        "|H(f)|^2 = 1 / (1 + (f / f_c)^(2 order)), bilinear transform with prewarped edges, in second-order sections "
        "(Butterworth 1930, Exp. Wireless 7, 536; Oppenheim and Schafer 2010, Discrete-Time Signal Processing, section 7.2). "
        "Blocks since 1970 with as much data around them as the filter remembers, to a part in 10^9. Stretches between gaps "
        "begin and stop mirrored through their last samples (zero phase), or begin as if the first had always stood (causal)."
    )
    inputs = {"series": Input(("series", "vector"), "what is filtered, column by column")}
    output = (
        "The input's kind, unit, frame and times; NaN at fills, and with zero phase in stretches between gaps of up to about "
        "3 (order + 1) samples, twice as many for a band pass. Within a period of a gap the values guess at what the gap hides."
    )
    options = ButterworthOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (7,) * 40}, seconds=tuple(range(40)))},
            options={"cadence": "PT1S", "below_hz": 0.1, "order": 2},
            expected={"result": (7,) * 40},
            unit="nT",
            relative=1e-9,
            source="a constant passes a low pass as it is",
        ),
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (0, 1, 1, 1)}, seconds=(0, 1, 2, 3))},
            options={"cadence": "PT1S", "below_hz": 0.25, "order": 1, "zero_phase": False},
            expected={"result": (0, 0.5, 1, 1)},
            unit="nT",
            source="order 1 at a quarter of the sample rate is y_j = (x_j + x_j-1) / 2: tan(pi / 4) = 1",
        ),
    )

    def halo(self, options: ButterworthOptions) -> tuple[timedelta, timedelta]:
        """A block and what the filter remembers; only before where it is causal."""
        design = options.design
        reach = duration_from_ns(design.block_ns + design.guard_ns)
        return reach, reach if options.zero_phase else timedelta(0)

    def _meta(self, inputs: Mapping[str, TableMeta], options: ButterworthOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        passed = [
            f"{sign} {edge:g} Hz" for sign, edge in ((">", options.above_hz), ("<", options.below_hz)) if edge is not None
        ]
        return like_meta(meta, name, label=f"{meta.label or name}, {' '.join(passed)}").model_copy(update={"scale": "linear"})

    def _compute(self, inputs: Mapping[str, Table], options: ButterworthOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        at = table.time.astype("datetime64[ns]").astype(np.int64)
        columns = {
            name: filter_series(at, floats(table, source), options.design)
            for name, source in zip(meta.data_names, table.meta.data_names, strict=True)
        }
        return Table(table.time, columns, meta)
