"""Superposed epochs, and joint distributions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.tables import at_ns, columns, curve, matched, nanoseconds, only, stamps


def superposed_epoch(
    series: pd.DataFrame, events: pd.DataFrame, *, before: str, after: str, bin: str, statistic: str
) -> pd.DataFrame:
    """Mean or median in bins of lag around each event that has a record around it, a row for each event."""
    before_ns, after_ns, bin_ns = nanoseconds(before), nanoseconds(after), nanoseconds(bin)
    count, at, values, found, rows = (before_ns + after_ns) // bin_ns, stamps(series), only(series), [], []
    for onset in stamps(events):
        is_around = (at >= onset - before_ns) & (at < onset + after_ns)
        if is_around.any():
            lag = (at[is_around] - onset + before_ns) // bin_ns
            binned = pd.Series(values[is_around]).groupby(lag).agg(statistic)
            found.append(onset)
            rows.append(binned.reindex(range(count)).to_numpy())
    lags = np.array(rows).reshape(-1, count)
    return at_ns(np.array(found, dtype="int64"), **{str(place): lags[:, place] for place in range(count)})


def epoch_statistics(
    events: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    lags: Sequence[float],
    lower: float,
    upper: float,
) -> pd.DataFrame:
    """Median with two quantiles, mean with its standard error, and number of events at each lag."""
    del stop
    rows = []
    for values in columns(events):
        known = values[np.isfinite(values)]
        count = len(known)
        if not count:
            rows.append([np.nan] * 5 + [0])
            continue
        error = np.std(known, ddof=1) / np.sqrt(count) if count > 1 else np.nan
        rows.append([np.median(known), *np.percentile(known, [lower, upper]), np.mean(known), error, count])
    names = ("median", "median_lower", "median_upper", "mean", "mean_uncertainty", "count")
    return curve(start, lag=np.array(lags), **dict(zip(names, np.array(rows).T, strict=True)))


def histogram_2d(
    x: pd.DataFrame,
    y: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    tolerance: str,
    x_scale: str,
    y_scale: str,
    result: str,
    x_bins: int | None = None,
    y_bins: int | None = None,
    x_range: Sequence[float] | None = None,
    y_range: Sequence[float] | None = None,
    x_edges: Sequence[float] | None = None,
    y_edges: Sequence[float] | None = None,
) -> pd.DataFrame:
    """Pairs of x and the nearest sample of y, counted in bins of both; a row for each cell."""
    del stop
    (one,), (other,) = columns(x), matched(x, y, tolerance)
    is_pair = np.isfinite(one) & np.isfinite(other)
    is_pair &= ((one > 0) | (x_scale == "linear")) & ((other > 0) | (y_scale == "linear"))
    one, other = one[is_pair], other[is_pair]
    given = (one, x_edges, x_range, x_bins, x_scale), (other, y_edges, y_range, y_bins, y_scale)
    first, second = (bin_edges(*each) for each in given)
    count = np.histogram2d(one, other, [first, second])[0]
    cells = {"count": count}
    if result == "density":
        cells["density"] = count / (max(count.sum(), 1) * np.outer(np.diff(first), np.diff(second)))
    elif result == "share":
        of_x = count.sum(axis=1, keepdims=True)
        cells["share"] = np.where(of_x > 0, count / np.maximum(of_x, 1), np.nan)
    along = {}
    for name, edges, scale in (("x", first, x_scale), ("y", second, y_scale)):
        low, high = edges[:-1], edges[1:]
        middle = np.sqrt(low * high) if scale == "log" else (low + high) / 2
        for suffix, values in (("", middle), ("_lower", low), ("_upper", high)):
            whole = np.repeat(values, len(second) - 1) if name == "x" else np.tile(values, len(first) - 1)
            along[f"{name}{suffix}"] = whole
    return curve(start, **along, **{name: each.ravel() for name, each in cells.items()})


def bin_edges(
    values: np.ndarray, edges: Sequence[float] | None, limits: Sequence[float] | None, bins: int | None, scale: str
) -> np.ndarray:
    """Edges as given, or of equal bins over the values or the limits."""
    if edges is not None:
        return np.array(edges, dtype="float64")
    low, high = limits if limits is not None else (np.min(values), np.max(values))
    if low == high:
        half = max(abs(low) * 1e-6, 0.5)
        low, high = (low / 1.5, high * 1.5) if scale == "log" else (low - half, high + half)
    return (np.geomspace if scale == "log" else np.linspace)(low, high, (bins or 50) + 1)
