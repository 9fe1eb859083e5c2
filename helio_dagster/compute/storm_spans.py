"""Geomagnetic storms in a ring current index, and their phases: where each begins and stops.

Phases: Gonzalez et al. 1994, doi:10.1029/93JA02867. Classes: Loewe and Prölss 1997, doi:10.1029/96JA04020.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Stamps = NDArray[np.int64]
QUIET, INITIAL, MAIN, RECOVERY = 0.0, 1.0, 2.0, 3.0
_CLASS_EDGES_NT = (-30.0, -50.0, -100.0, -200.0, -350.0)


@dataclass(frozen=True)
class StormLimits:
    """What counts as a storm: levels in nT, lengths in ns. `quiet_ns` is 0 where quiet times are not listed."""

    below: float
    fall: float
    quiet: float
    positive: float
    apart_ns: int
    initial_ns: int
    main_ns: int
    recovery_ns: int
    quiet_ns: int


@dataclass(frozen=True)
class StormPhase:
    """A phase: its code, the indices of its first and last sample, that of the storm's minimum, whether it is cut."""

    code: float
    first: int
    last: int
    minimum: int
    is_cut: bool


def storm_phases_of(at: Stamps, values: Floats, limits: StormLimits) -> list[StormPhase]:
    """The phases of all storms, in order of time.

    Parameters
    ----------
    at
        Times in ns since 1970, ascending, shape (sample,).
    values
        The index in nT, all finite, shape (sample,).
    """
    begins = [
        (each, *begin) for each, before in _minima(at, values, limits) if (begin := _begin(at, values, each, before, limits))
    ]
    found: list[StormPhase] = []
    for place, (minimum, initial, main) in enumerate(begins):
        following = begins[place + 1] if place + 1 < len(begins) else None
        until = int(np.searchsorted(at, at[minimum] + limits.recovery_ns, side="right")) - 1
        back = np.flatnonzero(values[minimum + 1 : until + 1] >= limits.quiet)
        stop, is_cut = (minimum + 1 + int(back[0]), False) if len(back) else (until, True)
        if following is not None and following[1] < stop:
            stop, is_cut = following[1], True
        found += [StormPhase(INITIAL, initial, main, minimum, False)] if initial < main else []
        found.append(StormPhase(MAIN, main, minimum, minimum, False))
        found += [StormPhase(RECOVERY, minimum, stop, minimum, is_cut)] if stop > minimum else []
        if limits.quiet_ns and not is_cut:
            last = int(np.searchsorted(at, at[stop] + limits.quiet_ns, side="right")) - 1
            is_open = following is None or following[1] > last
            last = last if following is None else min(last, following[1])
            found += [StormPhase(QUIET, stop, last, minimum, is_open)] if last > stop else []
    return found


def storm_class(minimum: float) -> float:
    """1 weak to 5 great, by the least value of Dst in nT; 0 above -30 nT."""
    return float(sum(minimum <= edge for edge in _CLASS_EDGES_NT))


def _minima(at: Stamps, values: Floats, limits: StormLimits) -> list[tuple[int, int]]:
    """Indices of minima below the limit that are the least for `apart_ns` around, and of the minimum before each, else -1.

    Of equal ones the first counts. Without a sample in `apart_ns` before it, or after it, there is none: it is not known.
    """
    found: list[tuple[int, int]] = []
    is_low = (values[1:-1] < limits.below) & (values[1:-1] < values[:-2]) & (values[1:-1] <= values[2:])
    for place in (np.flatnonzero(is_low) + 1).tolist():
        first = int(np.searchsorted(at, at[place] - limits.apart_ns))
        last = int(np.searchsorted(at, at[place] + limits.apart_ns, side="right"))
        before, after = values[first:place], values[place + 1 : last]
        if len(before) and len(after) and (before > values[place]).all() and (after >= values[place]).all():
            found.append((place, found[-1][0] if found else -1))
    return found


def _begin(at: Stamps, values: Floats, minimum: int, before: int, limits: StormLimits) -> tuple[int, int] | None:
    """Indices at which the initial phase, if there is one, and the main phase begin; None where the fall is too small."""
    first = max(int(np.searchsorted(at, at[minimum] - limits.main_ns)), before + 1)
    falling = values[first:minimum]
    if not len(falling):
        return None
    calm = np.flatnonzero(falling >= limits.quiet)
    main = first + (int(calm[-1]) if len(calm) else len(falling) - 1 - int(np.argmax(falling[::-1])))
    if values[main] - values[minimum] < limits.fall:
        return None
    first = max(int(np.searchsorted(at, at[main] - limits.initial_ns)), before + 1)
    high = np.flatnonzero(values[first : main + 1] > limits.positive)
    return (first + int(high[0]) if len(high) else main), main
