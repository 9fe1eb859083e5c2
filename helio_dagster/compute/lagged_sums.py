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
    is_a, is_b = ~np.isnan(a), ~np.isnan(b)
    pairs, of_squares_a, of_squares_b, products = _sums_by_lag(_scaled(a, is_a), _scaled(b, is_b), (is_a, is_b), most)
    varies = (pairs > 1) & (of_squares_a > _LEAST_SHARE * is_a.sum()) & (of_squares_b > _LEAST_SHARE * is_b.sum())
    return pairs, _ratio(products, of_squares_a, of_squares_b, varies)


def joint_correlations_by_lag(a: Floats, b: Floats, most: int) -> tuple[Floats, Floats]:
    """As `correlations_by_lag`, of all columns together: of a vector the covariance is that of its scalar product.

    Parameters
    ----------
    a, b
        float64, shape (column, slot); a slot has a value in all columns, or NaN in all.
    most
        Largest lag in slots.
    """
    is_a, is_b = ~np.isnan(a[0]), ~np.isnan(b[0])
    scaled = [_scaled_together(each, is_valid) for each, is_valid in ((a, is_a), (b, is_b))]
    sums = [_sums_by_lag(one, other, (is_a, is_b), most) for one, other in zip(*scaled, strict=True)]
    pairs = sums[0][0]
    of_squares_a, of_squares_b, products = (np.sum([each[place] for each in sums], axis=0) for place in (1, 2, 3))
    varies = (pairs > 1) & (of_squares_a > _LEAST_SHARE * is_a.sum()) & (of_squares_b > _LEAST_SHARE * is_b.sum())
    return pairs, _ratio(products, of_squares_a, of_squares_b, varies)


def autocovariances(values: Floats, is_valid: NDArray[np.bool_], most: int) -> Floats:
    """Means of the products of values with those so many slots later, about 0, over the pairs that are valid.

    Parameters
    ----------
    values
        float64, shape (slot,), 0 where there is no value.
    is_valid
        Where there is one, shape (slot,).
    most
        Largest lag in slots.

    Returns
    -------
    NDArray
        float64, shape (most + 1,), from lag 0; 0 where no pair is valid.
    """
    length = 1 << int(len(values) + most).bit_length()
    products, pairs = (
        np.fft.irfft(np.abs(np.fft.rfft(each, length)) ** 2, length)[: most + 1]
        for each in (values, is_valid.astype(np.float64))
    )
    counts = np.rint(pairs)
    return np.where(counts > 0, products / np.maximum(counts, 1.0), 0.0)


def _sums_by_lag(
    values_a: Floats, values_b: Floats, is_valid: tuple[NDArray[np.bool_], NDArray[np.bool_]], most: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Pairs, sums of squares of both and of products about the means over the pairs, at each lag."""
    length = 1 << int(len(values_a) + most).bit_length()

    def sums(left: Floats, right: Floats) -> Floats:
        transformed = np.conj(np.fft.rfft(left, length)) * np.fft.rfft(right, length)
        found = np.fft.irfft(transformed, length)
        return np.concatenate((found[length - most :], found[: most + 1]))

    weights_a, weights_b = (each.astype(np.float64) for each in is_valid)
    pairs = np.rint(sums(weights_a, weights_b))
    safe = np.maximum(pairs, 1.0)
    of_a, of_b = sums(values_a, weights_b), sums(weights_a, values_b)
    squares_a = sums(values_a * values_a, weights_b) - of_a * of_a / safe
    squares_b = sums(weights_a, values_b * values_b) - of_b * of_b / safe
    return pairs, squares_a, squares_b, sums(values_a, values_b) - of_a * of_b / safe


def _ratio(products: Floats, squares_a: Floats, squares_b: Floats, varies: NDArray[np.bool_]) -> Floats:
    with np.errstate(all="ignore"):
        found = products / np.sqrt(squares_a * squares_b)
    return np.where(varies, np.clip(found, -1.0, 1.0), np.nan)


def _scaled_together(columns: Floats, is_valid: NDArray[np.bool_]) -> Floats:
    """Columns about their means, over the root of the sum of their variances, 0 where there is no value."""
    if not is_valid.any():
        return np.zeros_like(columns)
    apart = np.where(is_valid, columns - np.mean(columns[:, is_valid], axis=1)[:, None], 0.0)
    size = float(np.sqrt(np.sum(apart * apart) / is_valid.sum()))
    return apart / size if size > 0 and np.isfinite(size) else np.zeros_like(columns)


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
