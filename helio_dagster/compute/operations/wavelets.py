"""Wavelet power."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.morlet import WaveletDesign, power_at
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import data_unit, floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.units import divide_units, raise_unit

MOST_SAMPLES = 2**20
_GAP_CADENCES = 3
_SHORTEST_CADENCES = 4
_AXIS_UNITS = (("d", 86400.0), ("h", 3600.0), ("min", 60.0))


class WaveletOptions(Options):
    """Periods, and how samples come."""

    cadence: Length
    """Distance of samples, an ISO 8601 duration such as PT1S, to the nanosecond. Samples fall into the nearest slot of an even
    grid of it; those that share one are averaged."""
    shortest: Length
    """Shortest period, an ISO 8601 duration such as PT4S, at least four cadences."""
    longest: Length
    """Longest period, an ISO 8601 duration such as PT2M; about ten times as much is read before and after the partition."""
    per_octave: Annotated[int, Field(ge=1, le=32)] = 8
    """Periods per doubling, 1 to 32."""
    step: Length | None = None
    """Distance of the records, an ISO 8601 duration such as PT10S. It must be a whole number of cadences; they are at
    its multiples since 1970-01-01T00:00Z. By default the cadence."""
    max_gap: Length | None = None
    """Stretches without valid samples up to this long, an ISO 8601 duration such as PT5S, are bridged by straight lines; by
    default three cadences."""

    @model_validator(mode="after")
    def _can_be_transformed(self) -> WaveletOptions:
        if self.shortest < _SHORTEST_CADENCES * self.cadence:
            raise ValueError(f"shortest must be at least {_SHORTEST_CADENCES} cadences. Give a longer one")
        if self.longest < self.shortest:
            raise ValueError("longest must not be shorter than shortest")
        if self.step is not None and self.step % self.cadence:
            raise ValueError("step must be a whole number of cadences. Change one of them")
        if self.design.block_count > MOST_SAMPLES:
            raise ValueError("longest is too long for this cadence. Resample first")
        return self

    @property
    def design(self) -> WaveletDesign:
        """The transform."""
        octaves = math.log2(self.longest / self.shortest)
        count = math.floor(octaves * self.per_octave + 1e-9) + 1
        periods = tuple(self.shortest.total_seconds() * 2.0 ** (place / self.per_octave) for place in range(count))
        gap = self.max_gap if self.max_gap is not None else _GAP_CADENCES * self.cadence
        step_ns, cadence_ns, gap_ns = (duration_ns(length) for length in (self.step or self.cadence, self.cadence, gap))
        return WaveletDesign(periods, step_ns, cadence_ns, gap_ns)


class WaveletPower(ShippedOperation[WaveletOptions]):
    """Morlet wavelet power."""

    id = "wavelet_power"
    keeps_times = False
    version = 1
    summary = "Power of a series by period and time, by the Morlet wavelet transform."
    when = "Waves of periods over several octaves come and go, each to be seen as sharp in time as its period allows."
    reference = (
        "S(t, P) = 2 dt |W(t, s)|^2, W the transform by the Morlet wavelet of omega_0 = 6, "
        "P = 4 pi s / (6 + sqrt(38)) (Torrence and Compo 1998, "
        "doi:10.1175/1520-0477(1998)079<0061:APGTWA>2.0.CO;2, eqs. 2, 4 and 6); wavelets reach five scales s to either side."
    )
    inputs = {"series": Input(("series",), "one component or the magnitude", columns=1)}
    output = (
        "A spectrogram over period in the square of the unit per Hz, of which noise has the level of its one-sided "
        "spectral density; a "
        "record at each multiple of step with a sample within half a step. NaN where a gap that is not bridged is nearer than "
        "sqrt(2) s, the cone of influence; farther gaps count as the mean."
    )
    options = WaveletOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 0, -1, 0) * 24}, seconds=tuple(range(96)))},
            options={"cadence": "PT1S", "shortest": "PT4S", "longest": "PT4S", "step": "PT24S"},
            expected={"p1": (None, 6.81681, 6.81681, 6.81681, None)},
            unit="nT^2 Hz^-1",
            seconds=(0, 24, 48, 72, 96),
            relative=1e-4,
            source="sqrt(pi) s exp(-(2 pi s / P - 6)^2), s = P (6 + sqrt(38)) / (4 pi), for a cosine; the edges: cone",
        ),
    )

    def halo(self, options: WaveletOptions) -> tuple[timedelta, timedelta]:
        """A block and what is around it, on both sides."""
        reach = duration_from_ns(options.design.block_ns + options.design.guard_ns)
        return reach, reach

    def _meta(self, inputs: Mapping[str, TableMeta], options: WaveletOptions, name: str) -> TableMeta:
        meta, periods_s = inputs["series"], options.design.periods_s
        axis_unit, size_s = next(((unit, size) for unit, size in _AXIS_UNITS if periods_s[0] >= size), ("s", 1.0))
        unit = divide_units(raise_unit(data_unit(meta), 2), "Hz")
        digits, centers = len(str(len(periods_s))), tuple(period / size_s for period in periods_s)
        columns = tuple(
            ColumnMeta(name=f"p{place:0{digits}d}", label=f"{center:.4g} {axis_unit}", unit=unit)
            for place, center in enumerate(centers, start=1)
        )
        return TableMeta(
            kind="spectrogram",
            columns=columns,
            label=f"Wavelet power of {meta.label or name}",
            unit=unit,
            frame=meta.frame,
            scale="log",
            bins=BinAxis(label="Period", unit=axis_unit, scale="log", centers=centers),
        )

    def _compute(self, inputs: Mapping[str, Table], options: WaveletOptions, meta: TableMeta) -> Table:
        table, design = inputs["series"], options.design
        at = table.time.astype("datetime64[ns]").astype(np.int64)
        wanted = np.unique((at + design.step_ns // 2) // design.step_ns) * design.step_ns
        power = power_at(wanted, at, floats(table, table.meta.data_names[0]), design)
        columns = {name: np.ascontiguousarray(power[:, place]) for place, name in enumerate(meta.data_names)}
        return Table(wanted.astype("datetime64[ns]"), columns, meta)
