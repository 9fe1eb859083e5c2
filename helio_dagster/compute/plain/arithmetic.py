"""Two series together, and a series in another unit or at other times."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.tables import (
    at_times_of,
    columns,
    finite,
    matched,
    middles,
    nanoseconds,
    nearest_records,
    stamps,
)


def difference(a: pd.DataFrame, b: pd.DataFrame, *, tolerance: str) -> pd.DataFrame:
    """A minus the nearest sample of b, at the times of a."""
    return at_times_of(a, [one - other for one, other in zip(columns(a), matched(a, b, tolerance), strict=True)])


def ratio(a: pd.DataFrame, b: pd.DataFrame, *, tolerance: str) -> pd.DataFrame:
    """A divided by the nearest sample of b, at the times of a; NaN where that is 0."""
    over = matched(a, b, tolerance)
    over = over * len(a.columns) if len(over) == 1 else over
    with np.errstate(all="ignore"):
        found = [one / np.where(other == 0, np.nan, other) for one, other in zip(columns(a), over, strict=True)]
    return at_times_of(a, found)


def scale(series: pd.DataFrame, *, factor: float, offset: float, unit: str | None = None) -> pd.DataFrame:
    """Factor * x + offset."""
    del unit
    return series.astype("float64") * factor + offset


def convert_unit(series: pd.DataFrame, *, factor: float, unit: str) -> pd.DataFrame:
    """The same in another unit."""
    del unit
    return series.astype("float64") * factor


def scatter(x: pd.DataFrame, y: pd.DataFrame, *, tolerance: str) -> pd.DataFrame:
    """Pairs of x and the nearest sample of y; both NaN where one is not valid."""
    (one,), (other,) = columns(x), matched(x, y, tolerance)
    is_pair = ~(np.isnan(one) | np.isnan(other))
    return at_times_of(x, [np.where(is_pair, one, np.nan), np.where(is_pair, other, np.nan)])


def align(a: pd.DataFrame, b: pd.DataFrame, *, max_gap: str, method: str) -> pd.DataFrame:
    """B at those times of a that have a record of b near enough."""
    gap_ns = nanoseconds(max_gap)
    has_record = ~np.isnan(values_near(a, b, np.zeros(len(b)), method, max_gap, gap_ns))
    found = [values_near(a, b, values, method, max_gap, gap_ns)[has_record] for values in columns(b)]
    return at_times_of(a[has_record], found)


def values_near(a: pd.DataFrame, b: pd.DataFrame, values: np.ndarray, method: str, max_gap: str, gap_ns: int) -> np.ndarray:
    """A column of b at the times of a, from its valid samples."""
    b, values = b[~np.isnan(values)], values[~np.isnan(values)]
    if not len(b):
        return np.full(len(a), np.nan)
    if method == "nearest":
        index, is_near = nearest_records(a, b, max_gap)
        return np.where(is_near, values[index], np.nan)
    if method == "previous":
        place = np.searchsorted(stamps(b), stamps(a), side="right") - 1
        earlier = np.maximum(place, 0)
        return np.where((place >= 0) & (stamps(a) - stamps(b)[earlier] <= gap_ns), values[earlier], np.nan)
    if a.attrs.get("extent") == b.attrs.get("extent"):
        return _on_the_line(stamps(a), stamps(b), values, gap_ns)
    at_middle = _on_the_line(middles(a), middles(b), values, gap_ns)
    return np.where(np.isnan(at_middle), _on_the_line(stamps(a), middles(b), values, gap_ns), at_middle)


def _on_the_line(wanted: np.ndarray, known: np.ndarray, values: np.ndarray, gap_ns: int) -> np.ndarray:
    """Linear interpolation between neighbours at most a gap apart; a value at the very time counts as it is."""
    later = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    earlier = np.maximum(later - 1, 0)
    span = known[later] - known[earlier]
    with np.errstate(all="ignore"):
        line = values[earlier] + (values[later] - values[earlier]) * ((wanted - known[earlier]) / span)
    is_between = (wanted > known[earlier]) & (wanted < known[later]) & (span <= gap_ns)
    return np.where(known[later] == wanted, values[later], np.where(is_between, line, np.nan))


def derivative(series: pd.DataFrame, *, max_gap: str) -> pd.DataFrame:
    """Central difference of second order for uneven samples, per second."""
    found = []
    for values in columns(series):
        slope = np.full(len(values), np.nan)
        valid = np.flatnonzero(~np.isnan(values))
        apart = np.diff(stamps(series)[valid])
        seconds = apart * 1e-9
        with np.errstate(all="ignore"):
            rise = np.diff(values[valid]) / seconds
            central = (seconds[:-1] * rise[1:] + seconds[1:] * rise[:-1]) / (seconds[:-1] + seconds[1:])
        is_near = (apart[:-1] <= nanoseconds(max_gap)) & (apart[1:] <= nanoseconds(max_gap))
        slope[valid[1:-1]] = np.where(is_near, central, np.nan)
        found.append(slope)
    return at_times_of(series, found)


def rolling_correlation(a: pd.DataFrame, b: pd.DataFrame, *, tolerance: str, window: str, min_samples: int) -> pd.DataFrame:
    """Pearson's correlation of a and the nearest samples of b in a centred moving window."""
    (one,), (other,) = columns(a), matched(a, b, tolerance)
    at, half_ns = stamps(a), nanoseconds(window) // 2
    first, last = np.searchsorted(at, at - half_ns), np.searchsorted(at, at + half_ns, side="right")
    found = np.full(len(a), np.nan)
    for place in range(len(a)):
        x, y = one[first[place] : last[place]], other[first[place] : last[place]]
        is_pair = ~(np.isnan(x) | np.isnan(y))
        x, y = x[is_pair], y[is_pair]
        if len(x) >= max(min_samples, 2) and np.ptp(x) > 0 and np.ptp(y) > 0:
            found[place] = np.corrcoef(x, y)[0, 1]
    return at_times_of(a, finite(found))
