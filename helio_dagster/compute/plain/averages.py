"""Moving windows and time bins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.tables import at_ns, at_times_of, columns, middles, nanoseconds, stamps


def rolling_mean(series: pd.DataFrame, *, window: str, centered: bool, min_samples: int) -> pd.DataFrame:
    """Mean of the valid samples in a moving window; both edges belong to a centred one."""
    length = pd.Timedelta(nanoseconds(window) // 2 * 2 if centered else nanoseconds(window))
    moving = series.astype("float64").rolling(
        length, center=centered, closed="both" if centered else "right", min_periods=min_samples
    )
    return moving.mean()


def resample(series: pd.DataFrame, *, cadence: str, method: str) -> pd.DataFrame:
    """One value per bin; bins begin at multiples of the cadence since 1970 and are labelled by their start.

    A record that is stamped after its middle belongs to the bin of its middle. NaN does not count: a bin without a
    valid value is NaN (count: 0), a bin without records has no row. `cadence` is an ISO 8601 duration.
    """
    starts = np.minimum(stamps(series), middles(series)) // nanoseconds(cadence) * nanoseconds(cadence)
    groups = series.astype("float64").reset_index(drop=True).groupby(starts)
    binned = groups.sum(min_count=1) if method == "sum" else groups.agg(method)
    return at_ns(binned.index, **{str(place): binned.iloc[:, place].to_numpy() for place in range(len(binned.columns))})


def rolling_statistic(series: pd.DataFrame, *, window: str, centered: bool, min_samples: int, statistic: str) -> pd.DataFrame:
    """Median, std, variance (both over n - 1), min or max of the valid samples in a moving window."""

    def variance(values: np.ndarray) -> float:
        return float(np.var(values, ddof=1)) if len(values) > 1 else np.nan

    take: Callable[[np.ndarray], float] = {
        "median": np.median,
        "min": np.min,
        "max": np.max,
        "variance": variance,
        "std": lambda values: np.sqrt(variance(values)),
    }[statistic]
    length_ns = nanoseconds(window)
    before_ns, after_ns = (length_ns // 2, length_ns // 2) if centered else (length_ns - 1, 0)
    return in_windows(series, before_ns, after_ns, min_samples, take)


def detrend(series: pd.DataFrame, *, window: str, method: str, min_samples: int) -> pd.DataFrame:
    """A series minus the mean, or the least squares line, of the valid samples in a centred moving window."""
    half_ns = nanoseconds(window) // 2
    take = line_at_zero if method == "linear" else np.mean
    trend = in_windows(series, half_ns, half_ns, min_samples, take, with_times=method == "linear")
    return at_times_of(series, list((series.to_numpy(dtype="float64") - trend.to_numpy()).T))


def line_at_zero(values: np.ndarray, seconds: np.ndarray) -> float:
    """Where the line of least squares passes at second 0; NaN of one value alone."""
    if len(values) < 2:
        return np.nan
    apart = seconds - seconds.mean()
    return float(values.mean() - seconds.mean() * np.sum(apart * values) / np.sum(apart * apart))


def median_filter(series: pd.DataFrame, *, window: str, min_samples: int) -> pd.DataFrame:
    """Each valid sample replaced by the median of the valid samples in a centred moving window."""
    half_ns = nanoseconds(window) // 2
    medians = in_windows(series, half_ns, half_ns, min_samples, np.median)
    return at_times_of(series, list(np.where(series.isna().to_numpy(), np.nan, medians.to_numpy()).T))


def despike(
    series: pd.DataFrame, *, window: str, threshold: float, smallest: float, min_samples: int, replace_by: str
) -> pd.DataFrame:
    """Samples farther from the median of their window than some median absolute deviations (times 1.4826) are replaced."""

    def deviation(values: np.ndarray) -> float:
        return float(np.median(np.abs(values - np.median(values))))

    values, half_ns = series.to_numpy(dtype="float64"), nanoseconds(window) // 2
    medians = in_windows(series, half_ns, half_ns, min_samples, np.median).to_numpy()
    deviations = in_windows(series, half_ns, half_ns, min_samples, deviation).to_numpy()
    away = np.abs(values - medians)
    is_spike = (away > threshold * 1.4826 * deviations) & (away > smallest)
    return at_times_of(series, list(np.where(is_spike, medians if replace_by == "median" else np.nan, values).T))


def minimum_variance(vector: pd.DataFrame, *, bin: str, result: str, min_samples: int) -> pd.DataFrame:
    """Axes or variances of the covariance of each time bin: `x`, `y`, `z`, or maximum, intermediate, minimum."""
    starts = np.minimum(stamps(vector), middles(vector)) // nanoseconds(bin) * nanoseconds(bin)
    labels, rows = np.unique(starts), []
    for label in labels:
        values = vector.to_numpy(dtype="float64")[starts == label]
        frame = variance_axes(values, min_samples)
        if frame is None:
            rows.append(np.full(3, np.nan))
        elif result == "eigenvalues":
            rows.append(frame[1])
        else:
            rows.append(frame[0][["maximum", "intermediate", "minimum"].index(result)])
    return at_ns(labels, **dict(zip("xyz", np.array(rows).reshape(-1, 3).T, strict=True)))


def variance_axes(values: np.ndarray, min_samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int] | None:
    """Rows L, M, N of maximum, intermediate and minimum variance, the variances, the mean and the number of samples.

    N has x >= 0, L has z >= 0, M = N x L; None with too few valid samples.
    """
    values = values[np.isfinite(values).all(axis=1)]
    if len(values) < min_samples:
        return None
    variances, vectors = np.linalg.eigh(np.cov(values.T, bias=True))

    def signed(axis: np.ndarray, leading: int) -> np.ndarray:
        order = [leading, *(place for place in range(3) if place != leading)]
        deciding = next((axis[place] for place in order if axis[place] != 0), 1.0)
        return axis if deciding > 0 else -axis

    normal, largest = signed(vectors[:, 0], 0), signed(vectors[:, 2], 2)
    axes = np.array([largest, np.cross(normal, largest), normal])
    return axes, np.maximum(variances[::-1], 0.0), values.mean(axis=0), len(values)


def in_windows(
    series: pd.DataFrame,
    before_ns: int,
    after_ns: int,
    least: int,
    take: Callable[..., float],
    *,
    with_times: bool = False,
) -> pd.DataFrame:
    """Something of the valid values of each moving window, edges included; NaN where there are too few.

    With times, it is also given how many seconds after the window's own sample the values are.
    """
    at, found = stamps(series), []
    for values in columns(series):
        known, valid = at[~np.isnan(values)], values[~np.isnan(values)]
        first, last = np.searchsorted(known, at - before_ns), np.searchsorted(known, at + after_ns, side="right")
        taken_of = np.full(len(at), np.nan)
        for place in np.flatnonzero(last - first >= max(least, 1)):
            own = slice(first[place], last[place])
            seconds = [(known[own] - at[place]) * 1e-9] if with_times else []
            taken_of[place] = take(valid[own], *seconds)
        found.append(taken_of)
    return at_times_of(series, found)
