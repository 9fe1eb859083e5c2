"""Fewer points for a line that looks the same: extremes kept, gaps kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tsdownsample import MinMaxDownsampler

from helio_dagster.figures.gaps import Reach, breaks_between
from helio_dagster.figures.overview import Overview

MAX_POINTS = 4000
_MOST_POINTS = 20_000
_POINTS_OF_FIGURE = 60_000
"""About a megabyte of a page."""
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
    is_about
        Whether that number is only nearly right.
    """

    time_ms: NDArray[np.float64]
    values: NDArray[np.floating]
    lone: NDArray[np.intp]
    samples: int | None = None
    is_about: bool = False


def thin_line(
    time_ms: NDArray[np.float64], values: NDArray[np.floating], *, reach: Reach | None = None, limit: int = MAX_POINTS
) -> Line:
    """A line broken at gaps and, beyond `limit` samples, reduced to the extremes of each stretch of it.

    Every gap-free segment keeps its first, last, lowest and highest sample. When thinning, gaps too narrow to be seen
    (shorter than the time between two kept points) are closed.

    Parameters
    ----------
    time_ms
        float64, shape (record,), increasing, milliseconds since 1970-01-01 UTC.
    values
        Floats, shape (record,); what is not finite is a gap.
    reach
        How far the records reach, where known.
    limit
        Points above which to thin; the result may exceed it by the few that gaps need.
    """
    valid = np.flatnonzero(np.isfinite(values))
    if not len(valid):
        return Line(np.empty(0), np.empty(0, dtype=np.float32), np.empty(0, dtype=np.intp))
    breaks, samples = breaks_between(time_ms, valid, reach), len(valid)
    if samples > limit:
        resolution = (time_ms[valid[-1]] - time_ms[valid[0]]) / (limit / 2)
        steps = time_ms[valid[breaks]] - time_ms[valid[breaks - 1]]
        breaks = breaks[steps >= resolution]
        valid, breaks = _extremes(values, valid, breaks, limit)
    line = _broken(time_ms[valid], compact(values[valid]), breaks)
    return line if len(valid) == samples else replace(line, samples=samples)


def thin_overview(overview: Overview, values: NDArray[np.floating], *, limit: int = MAX_POINTS) -> Line:
    """The line of a long range of which only the extremes of blocks were read, thinned as by `thin_line`.

    Parameters
    ----------
    values
        The overview's values, shape (kept,), with NaN for what is not drawn, which breaks the line.
    """
    valid = np.flatnonzero(np.isfinite(values))
    if not len(valid):
        return Line(np.empty(0), np.empty(0, dtype=np.float32), np.empty(0, dtype=np.intp))
    time_ms, record = overview.time_ms, overview.record.astype(np.float64)
    is_break = (np.diff(valid) > 1) | (np.diff(np.cumsum(overview.is_break)[valid]) > 0)
    breaks = np.flatnonzero(is_break) + 1
    resolution = (time_ms[valid[-1]] - time_ms[valid[0]]) / (limit / 2)
    breaks = breaks[time_ms[valid[breaks]] - time_ms[valid[breaks - 1]] >= resolution]
    if len(valid) > limit:
        valid, breaks = _extremes(values, valid, breaks, limit, record)
    line = _broken(time_ms[valid], compact(values[valid]), breaks)
    return replace(line, samples=overview.samples, is_about=overview.is_about)


def points_of_lines(count: int) -> int:
    """How many points each of so many lines may have, so that a page stays about a megabyte long."""
    return max(MAX_POINTS, min(_MOST_POINTS, _POINTS_OF_FIGURE // max(1, count)))


def compact(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Finite values, shape (point,), as float32 where the picture cannot show the difference, else as float64."""
    with np.errstate(over="ignore", under="ignore"):
        small = values.astype(np.float32)
    if not len(values) or small.dtype == values.dtype:
        return small
    spread = float(np.max(values) - np.min(values)) or float(np.max(np.abs(values)))
    loss = float(np.max(np.abs(small.astype(np.float64) - values)))
    vanished = bool(np.any((np.abs(small) < np.finfo(np.float32).tiny) & (values != 0)))
    return values.astype(np.float64) if vanished or not loss <= _FLOAT32_LOSS * spread else small


def _extremes(
    values: NDArray[np.floating],
    valid: NDArray[np.intp],
    breaks: NDArray[np.intp],
    limit: int,
    record: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The samples to keep and the breaks among them: each segment gets its share of the limit by its records.

    `record` says which record each sample is, where some between them were left out before.
    """
    kept: list[NDArray[np.intp]] = []
    new_breaks: list[int] = []
    count = 0
    segments = np.split(valid, breaks)
    lengths = [len(each) if record is None else record[each[-1]] - record[each[0]] + 1 for each in segments]
    whole = sum(lengths)
    for segment, length in zip(segments, lengths, strict=True):
        share = 2 * max(1, round(limit / 2 * length / whole))
        if len(segment) > share + 2:
            samples = np.ascontiguousarray(values[segment])
            if record is None:
                chosen = _MIN_MAX.downsample(samples, n_out=share).astype(np.intp)
            else:
                chosen = _extremes_of_bins(record[segment], samples, share // 2)
            segment = segment[np.unique(np.concatenate([chosen, [0, len(segment) - 1]]))]
        new_breaks.append(count)
        kept.append(segment)
        count += len(segment)
    return np.concatenate(kept), np.array(new_breaks[1:], dtype=np.intp)


def _extremes_of_bins(record: NDArray[np.float64], values: NDArray[np.floating], bins: int) -> NDArray[np.intp]:
    """The first lowest and first highest sample of each of so many equal stretches of the records."""
    place = np.minimum((record - record[0]) / (record[-1] - record[0]) * bins, bins - 1).astype(np.intp)
    first = np.flatnonzero(np.diff(place, prepend=-1))
    lengths = np.diff(np.append(first, len(place)))
    kept = []
    for extreme in (np.minimum, np.maximum):
        is_extreme = np.flatnonzero(values == np.repeat(extreme.reduceat(values, first), lengths))
        kept.append(is_extreme[np.diff(place[is_extreme], prepend=-1) > 0])
    return np.concatenate(kept)


def _broken(time_ms: NDArray[np.float64], values: NDArray[np.floating], breaks: NDArray[np.intp]) -> Line:
    """The line with a NaN in the middle of each gap, and its lone points."""
    bounds = np.concatenate([[0], breaks, [len(values)]])
    lone = bounds[:-1][np.diff(bounds) == 1] if len(values) else np.empty(0, dtype=np.intp)
    shift = np.searchsorted(breaks, lone, side="right")
    between = (time_ms[breaks - 1] + time_ms[breaks]) / 2
    return Line(np.insert(time_ms, breaks, between), np.insert(values, breaks, np.nan), lone + shift)
