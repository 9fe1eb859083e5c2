"""Curves over frequency and lag of a whole window: coherence, polarization of waves, structure functions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.cross_spectra import coherence_and_phase
from helio_dagster.compute.plain.tables import curve, nanoseconds, stamps
from helio_dagster.compute.spectral_matrix import field_aligned_axes, mean_spectral_matrix, wave_polarization_of


def coherence(
    a: pd.DataFrame, b: pd.DataFrame, *, start: pd.Timestamp, stop: pd.Timestamp, segments: int, cadence: str | None = None
) -> pd.DataFrame:
    """Coherence, the level that noise passes at one frequency in 20, and phase lag in deg."""
    del stop
    valid = [table.dropna() for table in (a, b)]
    if min(len(table) for table in valid) < 2:
        return pd.DataFrame()
    usual = max(int(np.median(np.diff(stamps(table)))) for table in valid)
    length = usual if cadence is None else nanoseconds(cadence)
    first, last = max(stamps(table)[0] for table in valid), min(stamps(table)[-1] for table in valid)
    count = (last - first) // length + 1
    segment = int(count // segments // 2 * 2)
    one, other = (_means(table, first, length, count)[0] for table in valid)
    found, lag, independent, _ = coherence_and_phase(one, other, segment=segment)
    level = np.full(len(found), 1 - 0.05 ** (1 / (independent - 1)) if independent > 1 else np.nan)
    with np.errstate(all="ignore"):
        spread = np.degrees(np.sqrt((1 - np.minimum(found, 1)) / (2 * independent * found)))
    frequency = np.arange(1, segment // 2) / (segment * length / 1e9)
    spread = np.where(np.isfinite(spread), spread, np.nan)
    return curve(
        start, frequency=frequency, coherence=found, level=level, phase_lag=np.degrees(lag), phase_lag_uncertainty=spread
    )


def wave_polarization(
    field: pd.DataFrame,
    background: pd.DataFrame | None = None,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    segments: int,
    cadence: str | None = None,
) -> pd.DataFrame:
    """Power, degree of polarization, planarity, ellipticity and wave normal over frequency (Santolik et al. 2003)."""
    del stop
    valid = field[np.isfinite(field.to_numpy("float64")).all(axis=1)]
    if len(valid) < 2:
        return pd.DataFrame()
    at = stamps(valid)
    length = int(np.median(np.diff(at))) if cadence is None else nanoseconds(cadence)
    count = int(at[-1] - at[0]) // length + 1
    segment = count // segments // 2 * 2
    matrix, used = mean_spectral_matrix(_means(valid, at[0], length, count), segment=segment, cadence_s=length / 1e9)
    along = (valid if background is None else background.dropna()).to_numpy("float64").mean(axis=0)
    if background is None and np.sum(along**2) < np.sum(valid.to_numpy("float64").var(axis=0)):
        along = np.full(3, np.nan)
    found = wave_polarization_of(matrix, field_aligned_axes(along))
    if used < 4:
        found = {name: np.full(len(matrix), np.nan) for name in found}
    frequency = np.arange(1, segment // 2) / (segment * length / 1e9)
    return curve(start, frequency=frequency, **found, segments=np.full(len(matrix), used))


def structure_function(
    series: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    order: int,
    per_decade: int,
    min_pairs: int,
    longest_lag: str | None = None,
    cadence: str | None = None,
) -> pd.DataFrame:
    """Mean power of the size of differences at lags that are evenly spaced in their logarithm."""
    del stop
    valid = series.dropna()
    if len(valid) < 2:
        return pd.DataFrame()
    at = stamps(valid)
    length = int(np.median(np.diff(at))) if cadence is None else nanoseconds(cadence)
    count = int(at[-1] - at[0]) // length + 1
    longest = min(count // 10 if longest_lag is None else nanoseconds(longest_lag) // length, count - 1)
    steps = max(int(np.ceil(np.log10(longest) * per_decade)), 1)
    lags = np.unique(np.rint(np.geomspace(1, longest, steps + 1)).astype(np.int64))
    slots = _means(valid, at[0], length, count)
    found = []
    for lag in lags:
        size = np.sqrt(np.sum((slots[:, lag:] - slots[:, :-lag]) ** 2, axis=0))
        size = size[np.isfinite(size)]
        is_known = len(size) >= min_pairs and np.mean(size**2) > 0
        flat = np.mean(size**4) / np.mean(size**2) ** 2 if is_known else np.nan
        found.append((np.mean(size**order) if len(size) >= min_pairs else np.nan, flat, len(size)))
    moments, flatness, pairs = (np.array(each) for each in zip(*found, strict=True))
    return curve(start, lag=lags * (length / 1e9), structure=moments, flatness=flatness, pairs=pairs)


def _means(table: pd.DataFrame, first: int, length: int, count: int) -> np.ndarray:
    """Means of the samples in even slots, shape (column, slot), NaN where there is none."""
    slot = (stamps(table) - first) // length
    inside = table[(slot >= 0) & (slot < count)]
    return inside.groupby(slot[(slot >= 0) & (slot < count)]).mean().reindex(range(count)).to_numpy("float64").T
