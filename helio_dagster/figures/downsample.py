"""Fewer points for a line that looks the same: extremes kept, gaps kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tsdownsample import MinMaxDownsampler

from helio_dagster.figures.gaps import find_gaps

MAX_POINTS = 4000
"""Points of a line beyond which it is thinned: about four a pixel of the panel's width."""

_FLOAT32_LOSS = 1e-4
_MIN_MAX = MinMaxDownsampler()  # type: ignore[no-untyped-call]  # the library annotates all but its constructor


@dataclass(frozen=True)
class Line:
    """Points to draw, in order of time.

    Parameters
    ----------
    time_ms
        float64, shape (point,), milliseconds since 1970-01-01 UTC.
    values
        float32 or float64, shape (point,); NaN breaks the line at a gap.
    lone
        intp, shape (lone,): points with a gap on both sides, which a line alone would not show.
    samples
        How many samples there were, where the line is thinned; else None.
    """

    time_ms: NDArray[np.float64]
    values: NDArray[np.floating]
    lone: NDArray[np.intp]
    samples: int | None = None


def thin_line(time_ms: NDArray[np.float64], values: NDArray[np.floating], *, limit: int = MAX_POINTS) -> Line:
    """A line broken at gaps and, beyond `limit` samples, reduced to the extremes of each stretch of it.

    Every gap-free segment keeps its first, last, lowest and highest sample. When thinning, gaps too narrow to be seen
    (shorter than the time between two kept points) are closed.

    Parameters
    ----------
    time_ms
        float64, shape (record,), increasing, milliseconds since 1970-01-01 UTC.
    values
        Floats, shape (record,); what is not finite is a gap.
    limit
        Points above which to thin; the result may exceed it by the few that gaps need.
    """
    valid = np.flatnonzero(np.isfinite(values))
    if not len(valid):
        return Line(np.empty(0), np.empty(0, dtype=np.float32), np.empty(0, dtype=np.intp))
    breaks, samples = _breaks(time_ms, valid), len(valid)
    if samples > limit:
        resolution = (time_ms[valid[-1]] - time_ms[valid[0]]) / (limit / 2)
        steps = time_ms[valid[breaks]] - time_ms[valid[breaks - 1]]
        breaks = breaks[steps >= resolution]
        valid, breaks = _extremes(values, valid, breaks, limit)
    line = _broken(time_ms[valid], compact(values[valid]), breaks)
    return line if len(valid) == samples else replace(line, samples=samples)


def compact(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """The finite values as float32 where the picture cannot show the difference, else as float64."""
    with np.errstate(over="ignore", under="ignore"):
        small = values.astype(np.float32)
    if not len(values) or small.dtype == values.dtype:
        return small
    spread = float(np.max(values) - np.min(values)) or float(np.max(np.abs(values)))
    loss = float(np.max(np.abs(small.astype(np.float64) - values)))
    vanished = bool(np.any((np.abs(small) < np.finfo(np.float32).tiny) & (values != 0)))
    return values.astype(np.float64) if vanished or not loss <= _FLOAT32_LOSS * spread else small


def _breaks(time_ms: NDArray[np.float64], valid: NDArray[np.intp]) -> NDArray[np.intp]:
    """Positions in `valid` before which the line is interrupted: by missing records or by records without a value."""
    gap_starts = np.zeros(len(time_ms) + 1, dtype=np.intp)
    gap_starts[find_gaps(time_ms)] = 1
    gaps_before = np.cumsum(gap_starts)
    is_break = (np.diff(valid) > 1) | (np.diff(gaps_before[valid]) > 0)
    return np.flatnonzero(is_break) + 1


def _extremes(
    values: NDArray[np.floating], valid: NDArray[np.intp], breaks: NDArray[np.intp], limit: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The samples to keep and the breaks among them: each segment gets its share of the limit by its length."""
    kept: list[NDArray[np.intp]] = []
    new_breaks: list[int] = []
    count = 0
    for segment in np.split(valid, breaks):
        share = 2 * max(1, round(limit / 2 * len(segment) / len(valid)))
        if len(segment) > share + 2:
            samples = np.ascontiguousarray(values[segment])
            chosen = _MIN_MAX.downsample(samples, n_out=share).astype(np.intp)
            segment = segment[np.unique(np.concatenate([chosen, [0, len(segment) - 1]]))]
        new_breaks.append(count)
        kept.append(segment)
        count += len(segment)
    return np.concatenate(kept), np.array(new_breaks[1:], dtype=np.intp)


def _broken(time_ms: NDArray[np.float64], values: NDArray[np.floating], breaks: NDArray[np.intp]) -> Line:
    """The line with a NaN in the middle of each gap, and its lone points."""
    bounds = np.concatenate([[0], breaks, [len(values)]])
    lone = bounds[:-1][np.diff(bounds) == 1] if len(values) else np.empty(0, dtype=np.intp)
    shift = np.searchsorted(breaks, lone, side="right")
    between = (time_ms[breaks - 1] + time_ms[breaks]) / 2
    return Line(np.insert(time_ms, breaks, between), np.insert(values, breaks, np.nan), lone + shift)
