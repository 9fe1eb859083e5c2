"""The power spectrum of a whole window, as a curve."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.even_slots import fill_slots
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats, floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import Nanoseconds, curve_meta, curve_table, times_ns, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.periodograms import Taper, frequencies_hz, power_density, taper_overlap
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import BinAxis, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.units import divide_units, raise_unit

FEWEST_SAMPLES = 8
MOST_SAMPLES = 2**22
_GAP_CADENCES = 3
_USUAL_SAMPLES = 64
"""Fewest samples of a segment whose length is not given, if the window has as many."""


class PowerSpectrumOptions(Options):
    """How a window is divided, and how its segments are transformed."""

    segment: Length | None = None
    """Length of a segment, an ISO 8601 duration such as PT1H (not a number of samples); an odd last sample is left out. By
    default it follows from `parts`."""
    parts: Annotated[int, Field(ge=1, le=10_000)] = 8
    """Where no segment is given, a segment holds this part of the window's valid samples, but at least 64 if there are as many,
    and fits into the longest stretch without a gap too long to bridge: more parts give less scatter and a higher lowest
    frequency. 1 takes that longest stretch as one segment."""
    overlap: Annotated[float, Field(ge=0, le=0.9)] = 0.5
    """Share of a segment that the next one has in common, 0 to 0.9."""
    cadence: Length | None = None
    """Distance of samples, an ISO 8601 duration such as PT16S; samples fall into the nearest slot of an even grid of it. By
    default the median distance of the window's valid samples."""
    taper: Taper = "hann"
    """Window function."""
    trend: Literal["constant", "linear", "none"] = "constant"
    """What is taken away from each segment before it is transformed: its mean, its straight line, nothing."""
    max_gap: Length | None = None
    """Stretches without valid samples up to this long, an ISO 8601 duration such as PT5M, are bridged by straight lines; by
    default three cadences."""

    @model_validator(mode="after")
    def _holds_samples(self) -> PowerSpectrumOptions:
        if self.segment is not None and self.cadence is not None and self.segment < FEWEST_SAMPLES * self.cadence:
            raise ValueError(f"segment must hold at least {FEWEST_SAMPLES} cadences. Give a longer segment")
        return self


class PowerSpectrum(WindowOperation[PowerSpectrumOptions]):
    """Averaged periodograms of a whole window."""

    id = "power_spectrum"
    version = 2
    summary = "Power spectral density of a whole window as one curve over frequency (Welch's method, or one periodogram)."
    when = (
        "Use it for the spectrum of an interval: its level, its peaks, and with spectral_slope its slope. For one spectrum per "
        "time bin use welch, to see how waves change in time use spectrogram."
    )
    reference = (
        "S(f_k) = 2 dt |sum_j w_j x_j exp(-2 pi i j k / n)|^2 / sum_j w_j^2, one-sided, f_k = k / (n dt), k = 1 … n / 2 (not "
        "doubled at n / 2), averaged over K segments; its variance is S^2 / K^2 sum_ij rho(i - j), rho(m) = (sum_k w_k w_(k + "
        "m D))^2 / (sum_k w_k^2)^2 for segments D samples apart (Welch 1967, doi:10.1109/TAU.1967.1161901)."
    )
    inputs = {"series": Input(("series", "vector"), "what is transformed, column by column")}
    output = (
        "A curve over frequency in Hz: for each column its density in the square of the unit per Hz, and one standard "
        "deviation of it. Segments with a gap too long to bridge are left out; NaN where all are."
    )
    options = PowerSpectrumOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 0, -1, 0, 1, 0, -1, 0)}, seconds=tuple(range(8)))},
            options={"taper": "boxcar"},
            expected={"frequency": (0.125, 0.25, 0.375, 0.5), "v": (0, 4, 0, 0), "v_uncertainty": (0, 4, 0, 0)},
            window=(0, 8),
            seconds=(0, 0, 0, 0),
            unit="nT^2 Hz^-1",
            units={"frequency": "Hz", "v": "nT^2 Hz^-1"},
            source=(
                "a cosine of amplitude 1 at 0.25 Hz: its mean square 1/2 over the bin's 1/8 Hz; one periodogram is known to "
                "100 %"
            ),
        ),
        Example(
            inputs={
                "series": ExampleTable(
                    unit="nT", columns={"v": (1, 0, -1, 0, 1, 0, -1, 0, 2, 0, -2, 0, 2, 0, -2, 0)}, seconds=tuple(range(16))
                )
            },
            options={"segment": "PT8S", "taper": "boxcar", "overlap": 0},
            expected={"v": (0, 10, 0, 0), "v_uncertainty": (0, 10 / 2**0.5, 0, 0)},
            window=(0, 16),
            seconds=(0, 0, 0, 0),
            unit="nT^2 Hz^-1",
            source="the mean of 4 and 16, with two independent segments known to 1 / sqrt(2)",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: PowerSpectrumOptions, name: str) -> TableMeta:
        del options
        meta = inputs["series"]
        columns = self.inputs["series"].used_columns(meta, operation_id=self.id)
        units = [divide_units(raise_unit(column.unit or meta.unit, 2), "Hz") for column in columns]
        named = [
            uncertain_fact(column.name, f"PSD of {column.label or column.name}", unit)
            for column, unit in zip(columns, units, strict=True)
        ]
        return curve_meta(
            f"PSD of {meta.label or name}",
            ("frequency", BinAxis(label="Frequency", unit="Hz", scale="log")),
            (each for pair in named for each in pair),
            unit=units[0] if len(set(units)) == 1 else "",
            frame=meta.frame,
            scale="log",
        )

    def _compute_window(
        self, inputs: Mapping[str, Table], options: PowerSpectrumOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        table = inputs["series"]
        at = times_ns(table)
        values = {name: floats(table, name) for name in meta.data_names}
        is_valid = np.logical_or.reduce([np.isfinite(each) for each in values.values()])
        cadence_ns = _cadence_ns(at[is_valid], options.cadence)
        if cadence_ns is None:
            return Table.empty(meta)
        count = _usual_count(at[is_valid], options, cadence_ns) if options.segment is None else 0
        if options.segment is None and not count:
            first, last = _longest_stretch(at[is_valid], _gap_ns(options, cadence_ns))
            inside = (at >= first) & (at <= last)
            at, is_valid = at[inside], is_valid[inside]
            values = {name: column[inside] for name, column in values.items()}
        count = count or self._segment_count(at[is_valid], options, cadence_ns)
        columns = {"frequency": np.array(frequencies_hz(count, cadence_ns / 1e9))}
        for name, column in values.items():
            columns[name], columns[f"{name}_uncertainty"] = _averaged(at, column, count, cadence_ns, options)
        return curve_table(window, columns, meta)

    def _segment_count(self, at: Nanoseconds, options: PowerSpectrumOptions, cadence_ns: int) -> int:
        whole = int(at[-1] - at[0] + cadence_ns // 2) // cadence_ns + 1
        asked = whole if options.segment is None else duration_ns(options.segment) // cadence_ns
        count = asked // 2 * 2
        if not FEWEST_SAMPLES <= count <= MOST_SAMPLES:
            what = "the window" if options.segment is None else "a segment"
            raise ComputeError(
                f"{self.id}: {what} holds {asked} samples {cadence_ns / 1e9:g} s apart, not {FEWEST_SAMPLES} to {MOST_SAMPLES}",
                hint="Give another window or segment, or a cadence that fits the data.",
            )
        return count


def _cadence_ns(at: Nanoseconds, cadence: timedelta | None) -> int | None:
    """The distance of slots; None where there are too few samples to know one."""
    if len(at) < 2:
        return None
    return duration_ns(cadence) if cadence is not None else int(np.median(np.diff(at)))


def _gap_ns(options: PowerSpectrumOptions, cadence_ns: int) -> int:
    """The longest gap that is bridged."""
    return duration_ns(options.max_gap) if options.max_gap is not None else _GAP_CADENCES * cadence_ns


def _longest_stretch(at: Nanoseconds, gap_ns: int) -> tuple[int, int]:
    """First and last time of the longest stretch of valid samples without a gap that is too long; the first of equals."""
    edges = np.flatnonzero(np.diff(at) > gap_ns)
    firsts, lasts = at[np.append(0, edges + 1)], at[np.append(edges, len(at) - 1)]
    place = int(np.argmax(lasts - firsts))
    return int(firsts[place]), int(lasts[place])


def _usual_count(at: Nanoseconds, options: PowerSpectrumOptions, cadence_ns: int) -> int:
    """How many samples a segment holds where its length is not given; 0 where the longest stretch is the one segment.

    Segments begin at multiples of their distance, so a stretch surely holds a whole one if it has room for that distance more.
    """
    if options.parts == 1:
        return 0
    first, last = _longest_stretch(at, _gap_ns(options, cadence_ns))
    longest = (last - first + cadence_ns // 2) // cadence_ns + 1
    if (first, last) != (at[0], at[-1]):
        longest = int(longest / (2 - options.overlap)) - 1
    count = min(longest, max(len(at) // options.parts, _USUAL_SAMPLES), MOST_SAMPLES) // 2 * 2
    return count if count >= FEWEST_SAMPLES else 0


def _averaged(
    at: Nanoseconds, values: Floats, count: int, cadence_ns: int, options: PowerSpectrumOptions
) -> tuple[Floats, Floats]:
    """Mean density over the segments of a column, and its standard deviation; shape (frequency,) each."""
    nothing = np.full(count // 2, np.nan)
    valid = np.flatnonzero(np.isfinite(values))
    if not len(valid):
        return nothing, nothing
    at, values = at[valid], values[valid]
    gap_ns = _gap_ns(options, cadence_ns)
    hop = max(1, round(count * (1 - options.overlap)))
    slots_there = int(at[-1] - at[0] + cadence_ns // 2) // cadence_ns + 1
    places, total = [], np.zeros(count // 2)
    for place in range((slots_there - count) // hop + 1):
        start_ns = int(at[0]) + place * hop * cadence_ns
        first, last = np.searchsorted(at, [start_ns, start_ns + count * cadence_ns])
        slots = fill_slots(
            at[first:last],
            values[first:last],
            start_ns=start_ns,
            count=count,
            cadence_ns=cadence_ns,
            max_gap_ns=gap_ns,
        )
        if slots is not None and not slots.is_gap.any():
            with np.errstate(all="ignore"):
                total += power_density(slots.values, cadence_s=cadence_ns / 1e9, taper=options.taper, trend=options.trend)
            places.append(place)
    if not places:
        return nothing, nothing
    mean = total / len(places)
    return mean, mean * np.sqrt(_relative_variance(np.array(places), count, hop, options.taper))


def _relative_variance(places: Nanoseconds, count: int, hop: int, taper: Taper) -> float:
    """Variance of the mean over these segments, as a share of the squared density."""
    is_used = np.zeros(int(places[-1]) + 1, dtype=np.bool_)
    is_used[places] = True
    total = float(len(places))
    for apart in range(1, min(len(is_used), -(-count // hop))):
        pairs = int(np.count_nonzero(is_used[apart:] & is_used[:-apart]))
        total += 2.0 * pairs * taper_overlap(count, taper, apart * hop)
    return total / len(places) ** 2
