"""Correlation of two even series at all lags at once: the sums over pairs are convolutions, made by Fourier transform."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_LEAST_SHARE = 1e-10
"""Of the variance of the whole: less than that at a lag is rounding."""


def correlations_by_lag(a: Floats, b: Floats, most: int) -> tuple[Floats, Floats]:
    """Number of pairs and Pearson's correlation of `a[i]` and `b[i + lag]`, lag from `-most` to `most`.

    Parameters
    ----------
    a, b
        float64, shape (slot,), of one length; NaN where there is no value.
    most
        Largest lag in slots.

    Returns
    -------
    tuple
        float64, shape (2 most + 1,) each; the correlation is NaN with fewer than two pairs, and where one of the two does not
        vary.
    """
    length = 1 << int(len(a) + most).bit_length()
    is_a, is_b = ~np.isnan(a), ~np.isnan(b)
    values_a, values_b = _scaled(a, is_a), _scaled(b, is_b)

    def sums(left: Floats, right: Floats) -> Floats:
        transformed = np.conj(np.fft.rfft(left, length)) * np.fft.rfft(right, length)
        found = np.fft.irfft(transformed, length)
        return np.concatenate((found[length - most :], found[: most + 1]))

    weights_a, weights_b = is_a.astype(np.float64), is_b.astype(np.float64)
    pairs = np.rint(sums(weights_a, weights_b))
    safe = np.maximum(pairs, 1.0)
    of_a, of_b = sums(values_a, weights_b), sums(weights_a, values_b)
    squares_a = sums(values_a * values_a, weights_b) - of_a * of_a / safe
    squares_b = sums(weights_a, values_b * values_b) - of_b * of_b / safe
    products = sums(values_a, values_b) - of_a * of_b / safe
    varies = (pairs > 1) & (squares_a > _LEAST_SHARE * is_a.sum()) & (squares_b > _LEAST_SHARE * is_b.sum())
    with np.errstate(all="ignore"):
        found = products / np.sqrt(squares_a * squares_b)
    return pairs, np.where(varies, np.clip(found, -1.0, 1.0), np.nan)


def _scaled(values: Floats, is_valid: NDArray[np.bool_]) -> Floats:
    """Values about their mean, over their standard deviation, 0 where there is none."""
    with np.errstate(all="ignore"):
        valid = values[is_valid]
        if not len(valid) or np.ptp(valid) == 0:
            return np.zeros(len(values))
        spread = float(np.std(valid))
        if not (spread > 0 and np.isfinite(spread)):
            return np.zeros(len(values))
        return np.where(is_valid, (values - np.mean(valid)) / spread, 0.0)
