"""Spectra and filters."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.butterworth import FilterDesign, filter_series
from helio_dagster.compute.even_slots import fill_slots
from helio_dagster.compute.morlet import WaveletDesign, power_at
from helio_dagster.compute.periodograms import frequencies_hz, power_density, taper_overlap
from helio_dagster.compute.plain.tables import at_ns, at_times_of, columns, curve, middles, nanoseconds, only, stamps


def butterworth(
    series: pd.DataFrame,
    *,
    cadence: str,
    order: int,
    zero_phase: bool,
    above_hz: float | None = None,
    below_hz: float | None = None,
    max_gap: str | None = None,
) -> pd.DataFrame:
    """Low, high or band pass."""
    gap_ns = 3 * nanoseconds(cadence) if max_gap is None else nanoseconds(max_gap)
    design = FilterDesign(above_hz, below_hz, order, zero_phase, nanoseconds(cadence), gap_ns)
    return at_times_of(series, [filter_series(stamps(series), values, design) for values in columns(series)])


def wavelet_power(
    series: pd.DataFrame,
    *,
    cadence: str,
    shortest: str,
    longest: str,
    per_octave: int,
    step: str | None = None,
    max_gap: str | None = None,
) -> pd.DataFrame:
    """Power by period and time, by the Morlet wavelet."""
    cadence_ns, first_s = nanoseconds(cadence), nanoseconds(shortest) * 1e-9
    octaves = np.log2(nanoseconds(longest) / nanoseconds(shortest))
    periods_s = tuple(first_s * 2.0 ** (place / per_octave) for place in range(int(octaves * per_octave + 1e-9) + 1))
    step_ns = cadence_ns if step is None else nanoseconds(step)
    gap_ns = 3 * cadence_ns if max_gap is None else nanoseconds(max_gap)
    wanted = np.unique((stamps(series) + step_ns // 2) // step_ns) * step_ns
    power = power_at(wanted, stamps(series), only(series), WaveletDesign(periods_s, step_ns, cadence_ns, gap_ns))
    return at_ns(wanted, **{str(place): power[:, place] for place in range(power.shape[1])})


def spectrogram(
    series: pd.DataFrame,
    *,
    cadence: str,
    taper: str,
    trend: str,
    window: str,
    step: str | None = None,
    max_gap: str | None = None,
) -> pd.DataFrame:
    """Power spectral density of moving windows, at their middles, which are multiples of the step since 1970."""
    at, half_ns = stamps(series), nanoseconds(window) // 2
    step_ns = half_ns if step is None else nanoseconds(step)
    first, last = (at - half_ns) // step_ns + 1, (at + half_ns) // step_ns
    wanted = np.unique(np.concatenate([np.arange(one, other + 1) for one, other in zip(first, last, strict=True)])) * step_ns
    rows = [segment_density(series, int(each) - half_ns, 2 * half_ns, cadence, taper, trend, max_gap) for each in wanted]
    return at_ns(wanted, **_by_place(rows, half_ns // nanoseconds(cadence)))


def welch(
    series: pd.DataFrame,
    *,
    cadence: str,
    taper: str,
    trend: str,
    bin: str,
    segment: str,
    overlap: float,
    max_gap: str | None = None,
) -> pd.DataFrame:
    """Mean power spectral density of the segments inside each time bin."""
    bin_ns, segment_ns, cadence_ns = nanoseconds(bin), nanoseconds(segment), nanoseconds(cadence)
    hop_ns = max(1, round(segment_ns // cadence_ns * (1 - overlap))) * cadence_ns
    starts = np.unique(np.minimum(stamps(series), middles(series)) // bin_ns) * bin_ns
    rows = []
    for start in starts:
        found = [
            segment_density(series, int(start) + offset, segment_ns, cadence, taper, trend, max_gap)
            for offset in range(0, bin_ns - segment_ns + 1, hop_ns)
        ]
        held = [each for each in found if each is not None]
        rows.append(np.mean(held, axis=0) if held else None)
    return at_ns(starts, **_by_place(rows, segment_ns // cadence_ns // 2))


def power_spectrum(
    series: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    taper: str,
    trend: str,
    overlap: float,
    cadence: str | None = None,
    segment: str | None = None,
    parts: int = 8,
    max_gap: str | None = None,
) -> pd.DataFrame:
    """Power spectral density of a whole window, the mean over its segments, and its standard deviation."""
    del stop
    is_valid = np.isfinite(series.to_numpy(dtype="float64")).any(axis=1)
    at = stamps(series)[is_valid]
    cadence_ns = int(np.median(np.diff(at))) if cadence is None else nanoseconds(cadence)
    gap_ns = 3 * cadence_ns if max_gap is None else nanoseconds(max_gap)
    edges = np.flatnonzero(np.diff(at) > gap_ns)
    firsts, lasts = at[np.append(0, edges + 1)], at[np.append(edges, len(at) - 1)]
    longest = int(np.argmax(lasts - firsts))
    whole = (int(lasts[longest] - firsts[longest]) + cadence_ns // 2) // cadence_ns + 1
    room = whole if not len(edges) else int(whole / (2 - overlap)) - 1  # for a segment that begins anywhere
    count = min(room, max(len(at) // parts, 64), 2**22) // 2 * 2
    if segment is not None:
        count = nanoseconds(segment) // cadence_ns // 2 * 2
    elif parts == 1 or count < 8:  # the longest stretch without a gap, at once
        inside = (stamps(series) >= firsts[longest]) & (stamps(series) <= lasts[longest])
        series, count = series[inside], whole // 2 * 2
    hop = max(1, round(count * (1 - overlap)))
    named = {"frequency": np.array(frequencies_hz(count, cadence_ns / 1e9))}
    for name in series.columns:
        column = series[[name]].dropna()
        column = column[np.isfinite(column[name])]
        at = stamps(column)
        last = (int(at[-1] - at[0] + cadence_ns // 2) // cadence_ns + 1 - count) // hop if len(at) else -1
        found = {}
        for place in range(last + 1):
            begin = int(at[0]) + place * hop * cadence_ns
            density = _density(column, begin, count, cadence_ns, gap_ns, taper, trend)
            if density is not None:
                found[place] = density
        mean = np.mean(list(found.values()), axis=0) if found else np.full(count // 2, np.nan)
        pairs = [(one, other) for one in found for other in found if abs(one - other) * hop < count]
        variance = np.sum([taper_overlap(count, taper, abs(one - other) * hop) for one, other in pairs])
        named |= {name: mean, f"{name}_uncertainty": mean * np.sqrt(variance) / max(len(found), 1)}
    return curve(start, **named)


def segment_density(
    series: pd.DataFrame, start_ns: int, length_ns: int, cadence: str, taper: str, trend: str, max_gap: str | None
) -> np.ndarray | None:
    """Density of the samples in `[start, start + length)`; None where a gap in them is too long to bridge."""
    cadence_ns = nanoseconds(cadence)
    gap_ns = 3 * cadence_ns if max_gap is None else nanoseconds(max_gap)
    return _density(series, start_ns, length_ns // cadence_ns, cadence_ns, gap_ns, taper, trend)


def _density(
    series: pd.DataFrame, start_ns: int, count: int, cadence_ns: int, gap_ns: int, taper: str, trend: str
) -> np.ndarray | None:
    at = stamps(series)
    first, last = np.searchsorted(at, [start_ns, start_ns + count * cadence_ns])
    slots = fill_slots(
        at[first:last],
        only(series)[first:last],
        start_ns=start_ns,
        count=count,
        cadence_ns=cadence_ns,
        max_gap_ns=gap_ns,
    )
    if slots is None or slots.is_gap.any():
        return None
    with np.errstate(all="ignore"):
        return power_density(slots.values, cadence_s=cadence_ns * 1e-9, taper=taper, trend=trend)


def _by_place(rows: list[np.ndarray | None], count: int) -> dict[str, np.ndarray]:
    """Rows as columns; NaN for a row that is None."""
    whole = np.array([np.full(count, np.nan) if each is None else each for each in rows]).reshape(-1, count)
    return {str(place): whole[:, place] for place in range(count)}
