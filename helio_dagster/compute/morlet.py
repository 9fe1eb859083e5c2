"""Morlet wavelet power of even samples in blocks that are fixed since 1970.

Source: Torrence and Compo 1998, doi:10.1175/1520-0477(1998)079<0061:APGTWA>2.0.CO;2, eqs. 2, 4, 6 and table 1, omega_0 = 6.
A wavelet reaches to both sides without end; here blocks of time are transformed with five scales of the longest around them,
beyond which it is below 4e-6 of its middle, so that the bytes of a block depend on that stretch alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.even_slots import Slots, fill_slots

Floats = NDArray[np.float64]
_OMEGA_0 = 6.0
_PERIOD_PER_SCALE = 4 * math.pi / (_OMEGA_0 + math.sqrt(2 + _OMEGA_0**2))
_SCALES_AROUND = 5.0


@dataclass(frozen=True)
class WaveletDesign:
    """Periods in s, ascending; distance of results and of samples, `step_ns` being whole cadences."""

    periods_s: tuple[float, ...]
    step_ns: int
    cadence_ns: int
    max_gap_ns: int

    @property
    def guard_ns(self) -> int:
        """How much around a block is transformed with it: five scales of the longest period, in whole steps."""
        return math.ceil(_SCALES_AROUND * self.periods_s[-1] / _PERIOD_PER_SCALE * 1e9 / self.step_ns) * self.step_ns

    @property
    def block_ns(self) -> int:
        """Length of a block: as much as there is to either side of it."""
        return self.guard_ns

    @property
    def block_count(self) -> int:
        """Samples that are transformed at once."""
        return (self.block_ns + 2 * self.guard_ns) // self.cadence_ns


def power_at(wanted: NDArray[np.int64], at: NDArray[np.int64], values: Floats, design: WaveletDesign) -> Floats:
    """Wavelet power density at the wanted times.

    Parameters
    ----------
    wanted
        int64, shape (time,), increasing: ns since 1970, multiples of the step.
    at, values
        int64 and float64, shape (record,): the samples; what is not finite does not count.

    Returns
    -------
    float64, shape (time, period)
        2 dt |W|^2 in the square of the values' unit per Hz: the level of noise is that of its one-sided spectral density.
        NaN where a gap is nearer than the e-folding time sqrt(2) s of the wavelet's power at an edge.
    """
    power = np.full((len(wanted), len(design.periods_s)), np.nan)
    block_of = wanted // design.block_ns
    for block in np.unique(block_of):
        start_ns = int(block) * design.block_ns - design.guard_ns
        stop_ns = start_ns + design.block_ns + 2 * design.guard_ns
        first, last = np.searchsorted(at, [start_ns, stop_ns])
        slots = fill_slots(
            at[first:last],
            values[first:last],
            start_ns=start_ns,
            count=design.block_count,
            cadence_ns=design.cadence_ns,
            max_gap_ns=design.max_gap_ns,
        )
        if slots is not None:
            inside = block_of == block
            with np.errstate(all="ignore"):
                power[inside] = _block_power(wanted[inside], slots, design)
    return power


def _block_power(wanted: NDArray[np.int64], slots: Slots, design: WaveletDesign) -> Floats:
    cadence_s = design.cadence_ns * 1e-9
    slot, shift_ns = np.divmod(wanted - slots.first_ns, design.cadence_ns)
    count = 1 << (len(slots.values) - 1).bit_length()
    real = ~slots.is_gap
    apart = slots.values - np.mean(slots.values[real]) if real.any() else slots.values
    transformed = np.fft.fft(np.where(real, apart, 0.0), count)
    omega = 2 * np.pi * np.fft.fftfreq(count, cadence_s)
    transformed *= np.exp(1j * omega * (int(shift_ns[0]) * 1e-9))
    distance_s = _distance_to_gap(slots.is_gap)[slot] * cadence_s
    power = np.empty((len(wanted), len(design.periods_s)))
    for place, period_s in enumerate(design.periods_s):
        scale_s = period_s / _PERIOD_PER_SCALE
        daughter = np.where(omega > 0, math.pi**-0.25 * np.exp(-0.5 * (scale_s * omega - _OMEGA_0) ** 2), 0.0)
        wave = np.fft.ifft(transformed * daughter)[slot]
        density = (wave.real * wave.real + wave.imag * wave.imag) * (4 * math.pi * scale_s)
        power[:, place] = np.where(distance_s < math.sqrt(2) * scale_s, np.nan, density)
    return power


def _distance_to_gap(is_gap: NDArray[np.bool_]) -> Floats:
    """How many slots each is away from the nearest one in a gap; infinite where there is none."""
    place = np.arange(len(is_gap), dtype=np.float64)
    before = np.maximum.accumulate(np.where(is_gap, place, -np.inf))
    after = np.minimum.accumulate(np.where(is_gap, place, np.inf)[::-1])[::-1]
    return np.asarray(np.minimum(place - before, after - place))
