"""Power spectral density of even samples, one stretch at a time.

Each transform is of one stretch alone and of a fixed length, so that no bit depends on how many others there are.
Source: Welch 1967, doi:10.1109/TAU.1967.1161901; windows after Harris 1978, doi:10.1109/PROC.1978.10837.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Taper = Literal["hann", "hamming", "boxcar"]
Trend = Literal["constant", "linear", "none"]


def power_density(values: Floats, *, cadence_s: float, taper: Taper, trend: Trend) -> Floats:
    """One-sided power spectral density of a stretch, in the square of the values' unit per Hz.

    Parameters
    ----------
    values
        float64, shape (n,), n even, without NaN.
    cadence_s
        Distance of samples in s.

    Returns
    -------
    float64, shape (n / 2,)
        At the frequencies k / (n cadence), k = 1 … n / 2; that of frequency zero is left out.
    """
    weights, total = _weights(len(values), taper)
    amplitude = np.fft.rfft(_without_trend(values, trend) * weights)[1:]
    density = (amplitude.real * amplitude.real + amplitude.imag * amplitude.imag) * (2.0 * cadence_s / total)
    density[-1] /= 2.0
    return np.asarray(density)


def frequencies_hz(count: int, cadence_s: float) -> tuple[float, ...]:
    """The frequencies of `power_density` for `count` samples."""
    return tuple(place / (count * cadence_s) for place in range(1, count // 2 + 1))


def taper_overlap(count: int, taper: Taper, shift: int) -> float:
    """How much the densities of two segments of noise go together that begin `shift` samples apart, 0 to 1 (Welch 1967)."""
    weights, total = _weights(count, taper)
    return float(np.sum(weights[: count - shift] * weights[shift:]) / total) ** 2


@lru_cache(maxsize=16)
def _weights(count: int, taper: Taper) -> tuple[Floats, float]:
    """Weights of the taper, periodic in `count`, and the sum of their squares."""
    share = {"hann": 0.5, "hamming": 0.46, "boxcar": 0.0}[taper]
    weights = (1.0 - share) - share * np.cos(2.0 * np.pi * np.arange(count) / count)
    weights.setflags(write=False)
    return weights, float(np.sum(weights * weights))


def _without_trend(values: Floats, trend: Trend) -> Floats:
    if trend == "none":
        return values
    apart = values - np.mean(values)
    if trend == "linear":
        place = np.arange(len(values)) - (len(values) - 1) / 2
        apart = apart - place * (np.sum(apart * place) / np.sum(place * place))
    return apart
