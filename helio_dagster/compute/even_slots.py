"""Samples of a stretch of time on an even grid, which transforms and filters need.

The grid of a stretch begins at the phase of the stretch's own first valid sample, so that evenly sampled data are taken as they
are, whatever their clock says; each sample falls into the nearest slot. Nothing outside the stretch counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Slots:
    """Even slots of a stretch of time.

    Parameters
    ----------
    values
        float64, shape (slot,), without NaN: slots without a sample are on the line between their neighbours.
    is_gap
        bool, shape (slot,): slots in a stretch without valid samples longer than the gap that may be bridged.
    first_ns
        Time of the first slot, ns since 1970.
    """

    values: Floats
    is_gap: NDArray[np.bool_]
    first_ns: int


def fill_slots(
    at: NDArray[np.int64], values: Floats, *, start_ns: int, count: int, cadence_ns: int, max_gap_ns: int
) -> Slots | None:
    """The samples of `[start, start + count * cadence)` in slots; None where there is no finite one.

    Parameters
    ----------
    at
        int64, shape (record,), increasing: times in ns, all inside the stretch.
    values
        float64, shape (record,); what is not finite does not count. Samples that share a slot are averaged.
    start_ns, count, cadence_ns
        The stretch.
    max_gap_ns
        Greatest distance of two samples, or of one to an edge of the stretch, that is bridged.
    """
    is_valid = np.isfinite(values)
    if not is_valid.any():
        return None
    at, values = at[is_valid], values[is_valid]
    phase = int(at[0] - start_ns) % cadence_ns
    slot = np.clip((at - (start_ns + phase) + cadence_ns // 2) // cadence_ns, 0, count - 1)
    first = np.flatnonzero(np.append(True, slot[1:] != slot[:-1]))
    shared = np.diff(np.append(first, len(slot)))
    held, taken = np.add.reduceat(values, first) / shared, slot[first]

    is_gap = np.zeros(count, dtype=np.bool_)
    edges = np.concatenate(([start_ns], at, [start_ns + count * cadence_ns]))
    for place in np.flatnonzero(np.diff(edges) > max_gap_ns):
        before = -1 if place == 0 else int(slot[place - 1])
        after = count if place == len(at) else int(slot[place])
        is_gap[before + 1 : after] = True
    return Slots(np.interp(np.arange(count), taken, held), is_gap, start_ns + phase)
