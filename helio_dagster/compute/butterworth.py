"""Butterworth filters over even samples in blocks that are fixed since 1970.

A recursive filter remembers all that came before, so its last bits depend on where the data began. Here each block of time
is filtered by itself, with so much data before it (and after it, for zero phase) that what is further away is forgotten to
a part in 10^9: the bytes of a block depend on that stretch alone. FilterDesign: bilinear transform with prewarped edges
(Oppenheim and Schafer 2010, Discrete-Time Signal Processing, section 7.2).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.even_slots import fill_slots

Floats = NDArray[np.float64]
_FORGOTTEN = 1e-9
_SHORTEST_BLOCK = 256


@dataclass(frozen=True)
class FilterDesign:
    """A filter: frequencies in Hz that it lets pass (None: no edge on that side), order, and how samples come.

    `above_hz` alone is a high pass, `below_hz` alone a low pass, both together a band pass.
    """

    above_hz: float | None
    below_hz: float | None
    order: int
    zero_phase: bool
    cadence_ns: int
    max_gap_ns: int

    @property
    def settle_count(self) -> int:
        """Samples after which the slowest pole has decayed to a part in 10^9."""
        radius = max(abs(pole) for pole in _poles(self))
        return math.ceil(math.log(_FORGOTTEN) / math.log(min(radius, 1 - 1e-15))) if radius > 0 else 1

    @property
    def guard_ns(self) -> int:
        """How much before a block, and after it for zero phase, is filtered with it."""
        return self.settle_count * self.cadence_ns

    @property
    def block_ns(self) -> int:
        """Length of a block."""
        return max(self.settle_count, _SHORTEST_BLOCK) * self.cadence_ns


def filter_series(at: NDArray[np.int64], values: Floats, design: FilterDesign) -> Floats:
    """Filtered values at the samples' own times.

    Parameters
    ----------
    at
        int64, shape (record,), increasing: times in ns since 1970.
    values
        float64, shape (record,); what is not finite does not count, and is NaN in the result.

    Returns
    -------
    float64, shape (record,)
        NaN also in stretches between gaps that are too short for a filter of zero phase.
    """
    filtered = np.full(len(values), np.nan)
    valid = np.flatnonzero(np.isfinite(values))
    at, kept, found = at[valid], values[valid], np.full(len(valid), np.nan)
    after_ns = design.guard_ns if design.zero_phase else 0
    for block in np.unique(at // design.block_ns):
        start_ns = int(block) * design.block_ns
        stop_ns = start_ns + design.block_ns
        begin, first, last, end = np.searchsorted(at, [start_ns - design.guard_ns, start_ns, stop_ns, stop_ns + after_ns])
        for inside in _stretches(at, int(begin), int(end), design.max_gap_ns):
            own = slice(max(inside.start, int(first)), min(inside.stop, int(last)))
            if own.start < own.stop:
                stretch = _filter_stretch(at[inside], kept[inside], design)
                found[own] = stretch[own.start - inside.start : own.stop - inside.start]
    filtered[valid] = found
    return filtered


def _stretches(at: NDArray[np.int64], begin: int, end: int, max_gap_ns: int) -> Iterator[slice]:
    """Runs of samples without a gap."""
    edges = [begin, *(begin + 1 + np.flatnonzero(np.diff(at[begin:end]) > max_gap_ns)).tolist(), end]
    for start, stop in pairwise(edges):
        yield slice(start, stop)


def _filter_stretch(at: NDArray[np.int64], values: Floats, design: FilterDesign) -> Floats:
    """One stretch without gaps, at its samples' times."""
    from scipy.signal import sosfilt, sosfiltfilt  # scipy costs a start of the command line half a second

    sections, initial, padding = _sections(design)
    slot = (at - at[0] + design.cadence_ns // 2) // design.cadence_ns
    count = int(slot[-1]) + 1
    with np.errstate(all="ignore"):
        if not design.zero_phase:
            even = _held(slot, values, count)
            return np.asarray(sosfilt(sections, even, zi=initial * even[0])[0][slot])
        slots = fill_slots(
            at, values, start_ns=int(at[0]), count=count, cadence_ns=design.cadence_ns, max_gap_ns=2 * design.max_gap_ns
        )
        if slots is None or count <= padding:
            return np.full(len(values), np.nan)
        return np.asarray(sosfiltfilt(sections, slots.values, padlen=padding)[slot])


def _held(slot: NDArray[np.int64], values: Floats, count: int) -> Floats:
    """Slots that know no later sample: the first of those that share one, and the last one before where there is none."""
    first = np.flatnonzero(np.append(True, slot[1:] != slot[:-1]))
    place = np.zeros(count, dtype=np.int64)
    place[slot[first]] = np.arange(len(first))
    return values[first][np.maximum.accumulate(place)]


@lru_cache(maxsize=64)
def _sections(design: FilterDesign) -> tuple[Any, Any, int]:
    """Second-order sections, their steady state for a unit step, and how far a stretch is mirrored at its edges."""
    from scipy.signal import butter, sosfilt_zi

    rate_hz = 1e9 / design.cadence_ns
    edges = [edge for edge in (design.above_hz, design.below_hz) if edge is not None]
    shape: Literal["bandpass", "lowpass", "highpass"]
    shape = "bandpass" if len(edges) == 2 else ("lowpass" if design.above_hz is None else "highpass")
    sections = butter(design.order, edges if len(edges) == 2 else edges[0], shape, output="sos", fs=rate_hz)
    degree = 2 * len(sections) + 1 - min(int((sections[:, 2] == 0).sum()), int((sections[:, 5] == 0).sum()))
    return sections, sosfilt_zi(sections), 3 * degree


def _poles(design: FilterDesign) -> list[complex]:
    """Poles in the z plane."""
    twice_rate = 2e9 / design.cadence_ns
    low, high = (
        None if edge is None else twice_rate * math.tan(2 * math.pi * edge / twice_rate)
        for edge in (design.above_hz, design.below_hz)
    )
    found = []
    for place in range(design.order):
        pole = cmath.exp(1j * math.pi * (2 * place + design.order + 1) / (2 * design.order))
        if low is not None and high is not None:
            half = pole * (high - low) / 2
            root = cmath.sqrt(half * half - low * high)
            found += [half + root, half - root]
        else:
            found.append(pole * high if high is not None else (low or 0.0) / pole)
    return [(twice_rate + pole) / (twice_rate - pole) for pole in found]
