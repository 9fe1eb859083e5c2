"""Random but repeatable functions of absolute time: one value at a time, whatever range is asked for.

Random numbers come from hashing a counter (the SplitMix64 finalizer of Steele, Lea and Flood, 2014), never from a generator
with a state, so that no value depends on which others were drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

KOLMOGOROV = 1 / 3  # amplitude grows with the cube root of the scale: a power spectrum f^(-5/3)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_STREAM = np.uint64(0xD1342543DE82EF95)


def hash_counters(stream: int, counter: NDArray[np.int64]) -> NDArray[np.uint64]:
    """64 random bits for each counter of a stream, shape as `counter`."""
    bits = counter.astype(np.uint64) * _GOLDEN + np.asarray(stream, dtype=np.uint64) * _STREAM
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))


def uniform(stream: int, counter: NDArray[np.int64]) -> Floats:
    """Uniform numbers in [0, 1), shape as `counter`."""
    return np.asarray((hash_counters(stream, counter) >> np.uint64(11)) * 2.0**-53)


def normal(stream: int, counter: NDArray[np.int64]) -> Floats:
    """Nearly normal numbers of mean 0 and variance 1: the scaled sum of four uniform ones, so never beyond 2 sqrt(3).

    Parameters
    ----------
    stream
        Which noise.
    counter
        Which number of it; of any shape.

    Returns
    -------
    float64, shape as `counter`
    """
    bits = hash_counters(stream, counter)
    total = sum(((bits >> np.uint64(shift)) & np.uint64(0xFFFF)).astype(np.float64) for shift in (0, 16, 32, 48))
    return np.asarray((total / 65536.0 - 2.0) * np.sqrt(3.0))


def smooth_noise(stream: int, seconds: Floats, period_s: float, *, sharpness: float = 1.0) -> Floats:
    """Continuous noise of mean 0 and variance 1 at every time, with one random knot a period; float64, shape (record,).

    Parameters
    ----------
    stream
        Which noise.
    seconds
        Time since 1970, s, shape (record,).
    period_s
        Distance of the knots, s.
    sharpness
        The change from one knot to the next takes `period_s / sharpness`: plateaus with steps between where it is large.
    """
    if not len(seconds):
        return np.zeros(0)
    position = seconds / period_s + (stream * 0.618) % 1.0  # knots of different streams do not coincide
    whole = np.floor(position)
    first = int(whole.min())
    knots = normal(stream, np.arange(first, int(whole.max()) + 2))
    weight = position - whole
    if sharpness != 1.0:
        weight = np.clip((weight - 0.5) * sharpness + 0.5, 0.0, 1.0)
    weight = weight * weight * (3.0 - 2.0 * weight)
    index = whole.astype(np.int64) - first
    before = knots[index]
    mixed = before + (knots[index + 1] - before) * weight
    return np.asarray(mixed / np.sqrt(1.0 + 2.0 * weight * (weight - 1.0)))  # keeps the variance between knots at 1


def turbulence(stream: int, seconds: Floats, periods_s: Sequence[float], *, slope: float = KOLMOGOROV) -> Floats:
    """Sum of noises of several periods, amplitude proportional to `period ** slope`, with a total variance of 1.

    Parameters
    ----------
    stream
        Which noise; arguments and shapes as in `smooth_noise`.
    seconds
        Time since 1970, s, shape (record,).
    periods_s
        Periods of the parts, s.
    slope
        Exponent of the amplitude: 1/3 gives the power spectrum f^(-5/3) of Kolmogorov.

    Returns
    -------
    float64, shape (record,), without a unit
    """
    amplitudes = np.asarray(periods_s, dtype=np.float64) ** slope
    amplitudes /= np.sqrt(np.sum(amplitudes**2))
    total = np.zeros(len(seconds))
    for order, (period_s, amplitude) in enumerate(zip(periods_s, amplitudes, strict=True)):
        total += amplitude * smooth_noise(stream * 64 + order, seconds, period_s)
    return total


def smoothstep(values: Floats) -> Floats:
    """0 below 0, 1 above 1, and between them 3 x^2 - 2 x^3; shape as `values`."""
    clipped = np.clip(values, 0.0, 1.0)
    return np.asarray(clipped * clipped * (3.0 - 2.0 * clipped))
