"""Coherence and phase of two even series, averaged over segments of fixed length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.periodograms import taper_overlap

Floats = NDArray[np.float64]


def coherence_and_phase(a: Floats, b: Floats, *, segment: int) -> tuple[Floats, Floats, float, int]:
    """Magnitude-squared coherence, how far b is behind a in rad, independent segments, and segments.

    Parameters
    ----------
    a, b
        On one even grid, NaN where there is no sample; float64, shape (slot,).
    segment
        Slots of a segment, even; each next one begins half of it later, and none has a gap.

    Returns
    -------
    tuple
        Coherence and phase lag at the frequencies k / segment per slot, k = 1 … segment / 2 - 1, shape (frequency,), NaN where
        one of the two has no power or there are fewer than two segments; the number of independent segments of the same
        variance (Welch 1967, doi:10.1109/TAU.1967.1161901); the number of segments.

    Notes
    -----
    |S_ab|^2 / (S_aa S_bb) and -arg S_ab, S_ab = <conj(A) B>, of segments less their means under a Hann taper.
    """
    half = segment // 2
    weights = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(segment) / segment)
    cross, power_a, power_b, count = np.zeros(half - 1, dtype=complex), np.zeros(half - 1), np.zeros(half - 1), 0
    used = []
    for start in range(0, len(a) - segment + 1, half):
        one, other = a[start : start + segment], b[start : start + segment]
        if not (np.isfinite(one).all() and np.isfinite(other).all()):
            continue
        of_a = np.fft.rfft((one - np.mean(one)) * weights)[1:-1]
        of_b = np.fft.rfft((other - np.mean(other)) * weights)[1:-1]
        cross += np.conj(of_a) * of_b
        power_a += np.abs(of_a) ** 2
        power_b += np.abs(of_b) ** 2
        used.append(start // half)
        count += 1
    nan = np.full(half - 1, np.nan)
    if count < 2:
        return nan, nan, float(count), count
    neighbours = int(np.sum(np.diff(used) == 1))
    independent = count**2 / (count + 2 * neighbours * taper_overlap(segment, "hann", half))
    with np.errstate(all="ignore"):
        coherence = np.abs(cross) ** 2 / (power_a * power_b)
    is_known = np.isfinite(coherence)
    return np.where(is_known, coherence, nan), np.where(is_known, -np.angle(cross), nan), independent, count
