"""Spectra by Fourier transform: spectrogram, welch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from helio_dagster.compute.even_slots import fill_slots
from helio_dagster.compute.operations.averages import Length, halved
from helio_dagster.compute.operations.columns import Floats, data_unit, floats, readable_duration
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.periodograms import frequencies_hz, power_density
from helio_dagster.compute.time_bins import bins_halo
from helio_dagster.domain.extent import Extent
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.record_times import binning_ns
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.units import divide_units, raise_unit

MOST_SAMPLES = 8192
FEWEST_SAMPLES = 8
_MOST_SEGMENTS = 100_000
_GAP_CADENCES = 3


class SpectrumOptions(Options):
    """What all spectra are asked."""

    cadence: Length
    """Distance of samples, an ISO 8601 duration such as PT1S, to the nanosecond. Samples fall into the nearest slot of an even
    grid of it; those that share one are averaged."""
    taper: Literal["hann", "hamming", "boxcar"] = "hann"
    """Window function."""
    trend: Literal["constant", "linear", "none"] = "constant"
    """What is taken away from each stretch before it is transformed: its mean, its straight line, nothing."""
    max_gap: Length | None = None
    """Stretches without valid samples up to this long, an ISO 8601 duration such as PT5S, are bridged by straight lines; by
    default three cadences."""

    @property
    def gap(self) -> timedelta:
        """What is bridged."""
        return self.max_gap if self.max_gap is not None else _GAP_CADENCES * self.cadence


def _check_count(length: timedelta, cadence: timedelta, *, what: str) -> None:
    count = length / cadence
    if length % cadence or count % 2 or not FEWEST_SAMPLES <= count <= MOST_SAMPLES:
        bounds = f"{FEWEST_SAMPLES} to {MOST_SAMPLES}"
        raise ValueError(f"{what} must hold an even number of cadences, {bounds}, not {count:g}. Change one of them")


class SpectrogramOptions(SpectrumOptions):
    """Windows, their distance and how they are transformed."""

    window: Length
    """Length of a window, an ISO 8601 duration such as PT64S. It must hold an even number (8 to 8192) of cadences; the
    frequencies are the multiples of 1 / window."""
    step: Length | None = None
    """Distance of windows, an ISO 8601 duration such as PT10S. Their middles are at its multiples since 1970-01-01T00:00Z; by
    default half a window."""

    @model_validator(mode="after")
    def _holds_samples(self) -> SpectrogramOptions:
        _check_count(self.window, self.cadence, what="window")
        if self.step is not None and self.step < self.cadence:
            raise ValueError("step must not be shorter than cadence")
        return self

    @property
    def distance(self) -> timedelta:
        """Of the middles of windows."""
        return self.step if self.step is not None else duration_from_ns(duration_ns(self.window) // 2)


SpectrumT = TypeVar("SpectrumT", bound=SpectrumOptions)


class _Spectrum(ShippedOperation[SpectrumT], Generic[SpectrumT]):
    """Power spectral densities of stretches of a series."""

    inputs: Mapping[str, Input] = {"series": Input(("series",), "one component or the magnitude", columns=1)}

    def _meta(self, inputs: Mapping[str, TableMeta], options: SpectrumT, name: str) -> TableMeta:
        meta = inputs["series"]
        length = self._transformed(options)
        centers = frequencies_hz(length // options.cadence, options.cadence.total_seconds())
        unit = divide_units(raise_unit(data_unit(meta), 2), "Hz")
        digits = len(str(len(centers)))
        columns = tuple(
            ColumnMeta(name=f"f{place:0{digits}d}", label=f"{center:.5g} Hz", unit=unit)
            for place, center in enumerate(centers, start=1)
        )
        return TableMeta(
            kind="spectrogram",
            columns=columns,
            label=f"PSD of {meta.label or name}, {readable_duration(length)}",
            unit=unit,
            frame=meta.frame,
            scale="log",
            bins=BinAxis(label="Frequency", unit="Hz", scale="log", centers=centers),
            extent=self._extent(options),
        )

    @abstractmethod
    def _extent(self, options: SpectrumT) -> Extent:
        """How far a record reaches."""

    @abstractmethod
    def _transformed(self, options: SpectrumT) -> timedelta:
        """Length of the stretch that is transformed."""


def _density(
    at: NDArray[np.int64], values: Floats, *, start_ns: int, length: timedelta, options: SpectrumOptions
) -> Floats | None:
    """Density of the stretch that begins at `start_ns`, float64, shape (frequency,); None where a gap is in it."""
    cadence_ns, length_ns = (duration_ns(each) for each in (options.cadence, length))
    first, last = np.searchsorted(at, [start_ns, start_ns + length_ns])
    slots = fill_slots(
        at[first:last],
        values[first:last],
        start_ns=start_ns,
        count=length_ns // cadence_ns,
        cadence_ns=cadence_ns,
        max_gap_ns=duration_ns(options.gap),
    )
    if slots is None or slots.is_gap.any():
        return None
    with np.errstate(all="ignore"):
        return power_density(slots.values, cadence_s=options.cadence.total_seconds(), taper=options.taper, trend=options.trend)


def _table(starts_ns: NDArray[np.int64], rows: Floats, meta: TableMeta) -> Table:
    columns = {name: np.ascontiguousarray(rows[:, place]) for place, name in enumerate(meta.data_names)}
    return Table(starts_ns.astype("datetime64[ns]"), columns, meta)


class Spectrogram(_Spectrum[SpectrogramOptions]):
    """Short-time Fourier transform."""

    id = "spectrogram"
    version = 2
    summary = "Power spectral density of a series in moving windows of time (short-time Fourier transform)."
    when = (
        "Use it if waves come and go and you look for their frequency. For one steady spectrum use welch, for periods "
        "over decades wavelet_power."
    )
    reference = (
        "S(f_k) = 2 dt |sum_j w_j x_j exp(-2 pi i j k / n)|^2 / sum_j w_j^2, one-sided, f_k = k / (n dt), k = 1 … n / "
        "2 (not doubled "
        "at n / 2) (Welch 1967, doi:10.1109/TAU.1967.1161901; Harris 1978, doi:10.1109/PROC.1978.10837)."
    )
    output = (
        "A spectrogram over frequency in the square of the unit per Hz; a record at the middle of each window that "
        "holds a record, "
        "NaN where a gap in the window is too long to bridge."
    )
    options = SpectrogramOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 0, -1, 0, 1, 0, -1, 0)}, seconds=tuple(range(8)))},
            options={"window": "PT8S", "step": "PT8S", "cadence": "PT1S", "taper": "boxcar"},
            expected={"f1": (None, None), "f2": (None, None)},
            seconds=(0, 8),
            unit="nT^2 Hz^-1",
            source="windows begin at -4 s and 4 s, and half of each is a gap",
        ),
        Example(
            inputs={
                "series": ExampleTable(
                    unit="nT", columns={"v": (1, 0, -1, 0, 1, 0, -1, 0)}, seconds=tuple(range(8)), start="2024-01-01T00:00:04"
                )
            },
            options={"window": "PT8S", "step": "PT8S", "cadence": "PT1S", "taper": "boxcar"},
            expected={"f1": (0,), "f2": (4,), "f3": (0,), "f4": (0,)},
            seconds=(4,),
            unit="nT^2 Hz^-1",
            source="a cosine of amplitude 1 at 0.25 Hz: its mean square 1/2 over the bin's 1/8 Hz",
        ),
    )

    def halo(self, options: SpectrogramOptions) -> tuple[timedelta, timedelta]:
        """Half a window on both sides."""
        half = halved(options.window)
        return half, half

    def _transformed(self, options: SpectrogramOptions) -> timedelta:
        return options.window

    def _extent(self, options: SpectrogramOptions) -> Extent:
        return Extent.around(options.window)

    def _compute(self, inputs: Mapping[str, Table], options: SpectrogramOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        at, values = table.time.astype("datetime64[ns]").astype(np.int64), floats(table, table.meta.data_names[0])
        half_ns, step_ns = duration_ns(options.window) // 2, duration_ns(options.distance)
        middles = _middles(at, half_ns, step_ns)
        rows = np.full((len(middles), len(meta.data_names)), np.nan)
        for row, middle in zip(rows, middles, strict=True):
            density = _density(at, values, start_ns=int(middle) - half_ns, length=options.window, options=options)
            if density is not None:
                row[:] = density
        return _table(middles, rows, meta)


def _middles(at: NDArray[np.int64], half_ns: int, step_ns: int) -> NDArray[np.int64]:
    """Multiples of the step, in ns, that are the middle of a window `[middle - half, middle + half)` with a record."""
    first, last = (at - half_ns) // step_ns + 1, (at + half_ns) // step_ns
    has_window = first <= last
    first, last = first[has_window], last[has_window]
    if not len(first):
        return np.zeros(0, dtype=np.int64)
    begins = np.flatnonzero(np.append(True, first[1:] > last[:-1]))
    stops = np.append(begins[1:], len(first)) - 1
    runs = [np.arange(first[begin], last[stop] + 1) for begin, stop in zip(begins, stops, strict=True)]
    return np.concatenate(runs) * step_ns


class WelchOptions(SpectrumOptions):
    """Bins, their segments and how these are transformed."""

    bin: Length
    """Length of a bin, an ISO 8601 duration such as PT1H. Bins begin at its multiples since 1970-01-01T00:00Z."""
    segment: Length
    """Length of a segment, an ISO 8601 duration such as PT64S (not a number of samples). It must hold an even number (8 to
    8192) of cadences and not be longer than the bin."""
    overlap: Annotated[float, Field(ge=0, le=0.9)] = 0.5
    """Share of a segment that the next one has in common, 0 to 0.9."""

    @model_validator(mode="after")
    def _holds_samples(self) -> WelchOptions:
        _check_count(self.segment, self.cadence, what="segment")
        if self.segment > self.bin:
            raise ValueError("a segment is longer than bin. Give a longer bin")
        if (self.bin - self.segment) // self.hop > _MOST_SEGMENTS:
            raise ValueError(f"bin holds more than {_MOST_SEGMENTS} segments. Give a longer segment")
        return self

    @property
    def hop(self) -> timedelta:
        """Distance of segments, whole cadences."""
        return max(1, round(self.segment // self.cadence * (1 - self.overlap))) * self.cadence


class Welch(_Spectrum[WelchOptions]):
    """Averaged periodograms."""

    id = "welch"
    version = 2
    summary = "Power spectral density per time bin, averaged over overlapping segments (Welch's method)."
    when = (
        "Use it to get the slope or level of a spectrum with little scatter, for example of turbulence. To see how "
        "waves change in time use spectrogram."
    )
    reference = (
        "The mean of S(f) as of spectrogram over the segments inside the bin, each apart by (1 - overlap) segment, "
        "whole samples "
        "(Welch 1967, doi:10.1109/TAU.1967.1161901)."
    )
    output = (
        "A spectrogram over frequency in the square of the unit per Hz; one record per bin that holds records, labelled by its "
        "start. Segments with a gap too long to bridge are left out; NaN where all are."
    )
    options = WelchOptions
    examples = (
        Example(
            inputs={
                "series": ExampleTable(
                    unit="nT", columns={"v": (1, 0, -1, 0, 1, 0, -1, 0, 2, 0, -2, 0, 2, 0, -2, 0)}, seconds=tuple(range(16))
                )
            },
            options={"bin": "PT16S", "segment": "PT8S", "cadence": "PT1S", "taper": "boxcar", "overlap": 0},
            expected={"f1": (0,), "f2": (10,), "f3": (0,), "f4": (0,)},
            seconds=(0,),
            unit="nT^2 Hz^-1",
            source="cosines of amplitude 1 and 2 at 0.25 Hz: the mean of 1/2 and 4/2 over the bin's 1/8 Hz",
        ),
    )

    def halo(self, options: WelchOptions) -> tuple[timedelta, timedelta]:
        """A bin that begins in the partition may reach one bin past its stop."""
        return bins_halo(options.bin)

    def _transformed(self, options: WelchOptions) -> timedelta:
        return options.segment

    def _extent(self, options: WelchOptions) -> Extent:
        return Extent.of_bin(options.bin)

    def _compute(self, inputs: Mapping[str, Table], options: WelchOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        at, values = binning_ns(table), floats(table, table.meta.data_names[0])
        bin_ns, segment_ns, hop_ns = (duration_ns(each) for each in (options.bin, options.segment, options.hop))
        starts = np.unique(at // bin_ns) * bin_ns
        rows = np.full((len(starts), len(meta.data_names)), np.nan)
        for row, start in zip(rows, starts, strict=True):
            total, count = np.zeros(len(row)), 0
            for offset in range(0, bin_ns - segment_ns + 1, hop_ns):
                density = _density(at, values, start_ns=int(start) + offset, length=options.segment, options=options)
                if density is not None:
                    total, count = total + density, count + 1
            if count:
                row[:] = total / count
        return _table(starts, rows, meta)
