"""Samples on an even grid over a window: means in slots, and differences between slots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def slot_means(at: NDArray[np.int64], values: Floats, start: int, cadence_ns: int, count: int) -> Floats:
    """Mean of the finite samples in each slot, NaN where there is none; float64, shape (slot,).

    Parameters
    ----------
    at
        Times in ns since 1970, ascending, shape (sample,).
    values
        float64, shape (sample,).
    start, cadence_ns, count
        Where the first slot begins, how long each is, and how many there are.
    """
    is_valid = np.isfinite(values)
    slot = (at[is_valid] - start) // cadence_ns
    inside = (slot >= 0) & (slot < count)
    sums = np.bincount(slot[inside], weights=values[is_valid][inside], minlength=count)
    many = np.bincount(slot[inside], minlength=count)
    return np.where(many > 0, sums / np.maximum(many, 1), np.nan)


def log_spaced(fewest: int, most: int, per_decade: int) -> NDArray[np.int64]:
    """Whole numbers from `fewest` to `most`, evenly spaced in their logarithm, each once; shape (number,)."""
    steps = max(int(np.ceil(np.log10(most / fewest) * per_decade)), 1)
    return np.unique(np.rint(np.geomspace(fewest, most, steps + 1)).astype(np.int64))


def structure(columns: list[Floats], lags: NDArray[np.int64], order: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Mean of a power of the size of differences, their flatness, and their number, at each lag.

    Parameters
    ----------
    columns
        One series, or the components of a vector, on an even grid, NaN where there is no sample; shape (slot,) each.
    lags
        In slots, each above 0 and below the number of slots, shape (lag,).
    order
        The power.

    Returns
    -------
    tuple
        Shape (lag,) each: the mean, float64, in the unit of the series to the power; the flatness, float64, <d^4> / <d^2>^2;
        and how many differences there are, int64. NaN without one.
    """
    moments, flatness, pairs = np.full(len(lags), np.nan), np.full(len(lags), np.nan), np.zeros(len(lags), dtype=np.int64)
    for place, lag in enumerate(lags):
        squares = sum((each[lag:] - each[:-lag]) ** 2 for each in columns)
        found = np.asarray(squares)[np.isfinite(squares)]
        pairs[place] = len(found)
        if not len(found):
            continue
        moments[place] = float(np.mean(np.sqrt(found) ** order))
        second = float(np.mean(found))
        if second > 0:
            flatness[place] = float(np.mean(found * found)) / second**2
    return moments, flatness, pairs
