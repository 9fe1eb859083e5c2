"""What is made of a whole window: facts, curves, points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from helio_dagster.compute.broken_lines import broken_line
from helio_dagster.compute.lag_spread import independent_pairs, spread_of_place, top_half_width
from helio_dagster.compute.lagged_sums import correlations_by_lag
from helio_dagster.compute.plain.averages import variance_axes
from helio_dagster.compute.plain.tables import at_times_of, columns, curve, nanoseconds, only, row, stamps
from helio_dagster.compute.straight_lines import Line, least_squares, line_through_means, means_in_bins, orthogonal


def facts_of(
    series: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    statistics: Sequence[str] | None = None,
    above: float | None = None,
    below: float | None = None,
    gaps: str | None = None,
    hour: float = 1.0,
) -> pd.DataFrame:
    """Statistics of a window. A sample stands until the next one; before a gap, and at the last, for the median distance.

    The integral is taken over the unit of time of which an hour has so many.
    """
    del statistics
    valid = series.dropna()
    at, values = stamps(valid), only(valid)
    if not len(values):
        return row(start, stop, {"samples": 0})
    apart = np.diff(at)
    cadence = float(np.median(apart)) if len(apart) else 0.0
    is_near = apart <= (3 * cadence if gaps is None else nanoseconds(gaps))
    stands = np.minimum(np.append(np.where(is_near, apart, cadence), cadence), stop.value - at)
    areas = np.where(is_near, (values[1:] + values[:-1]) / 2 * (apart / 3.6e12) * hour, 0.0)
    found: dict[str, Any] = {
        "mean": np.mean(values),
        "median": np.median(values),
        "std": np.std(values, ddof=1) if len(values) > 1 else np.nan,
        "minimum": np.min(values),
        "minimum_time": np.datetime64(int(at[np.argmin(values)]), "ns"),
        "maximum": np.max(values),
        "maximum_time": np.datetime64(int(at[np.argmax(values)]), "ns"),
        "integral": np.sum(areas) if len(values) > 1 else np.nan,
        "coverage": 100 * np.sum(stands) / (stop.value - start.value),
        "samples": len(values),
    }
    for side, is_beyond in (("above", above is not None and values > above), ("below", below is not None and values < below)):
        beyond = np.sum(stands * is_beyond)
        found[f"hours_{side}"] = beyond / 3.6e12
        found[f"share_{side}"] = 100 * beyond / np.sum(stands) if np.any(stands) else np.nan
    return row(start, stop, found)


def minimum_variance_frame(vector: pd.DataFrame, *, start: pd.Timestamp, stop: pd.Timestamp, min_samples: int) -> pd.DataFrame:
    """Axes, variances and their errors (Sonnerup and Scheible 1998, equations 8.23 and 8.24)."""
    frame = variance_axes(vector.to_numpy(dtype="float64"), min_samples)
    if frame is None:
        return row(start, stop, {"samples": int(np.isfinite(vector.to_numpy(dtype="float64")).all(axis=1).sum())})
    axes, (largest, middle, least), mean, count = frame

    def error(other: float) -> float:
        return np.sqrt(least / (count - 1) * other) / (other - least) if other > least else np.nan

    along = axes @ mean
    spread = np.sqrt(least / (count - 1) + (error(middle) * along[1]) ** 2 + (error(largest) * along[0]) ** 2)
    found = {
        f"{name}_{letter}": axis[place]
        for axis, name in zip(axes, ("maximum", "intermediate", "normal"), strict=True)
        for place, letter in enumerate("xyz")
    }
    found |= {
        "maximum_variance": largest,
        "intermediate_variance": middle,
        "minimum_variance": least,
        "ratio": middle / least if least > 0 else np.nan,
        "normal_error_intermediate": np.degrees(error(middle)),
        "normal_error_maximum": np.degrees(error(largest)),
        "normal_mean": along[2],
        "normal_mean_uncertainty": spread,
        "samples": count,
    }
    return row(start, stop, found)


def hodogram(vector: pd.DataFrame, *, start: pd.Timestamp, stop: pd.Timestamp, min_samples: int, plane: str) -> pd.DataFrame:
    """A vector in the axes of its own variance."""
    del start, stop
    values = vector.to_numpy(dtype="float64")
    frame = variance_axes(values, min_samples)
    axes = np.full((3, 3), np.nan) if frame is None else frame[0]
    return at_times_of(vector, [values @ axes["LMN".index(axis)] for axis in plane])


def cross_correlation(
    a: pd.DataFrame,
    b: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    longest_lag: str,
    min_pairs: int,
    cadence: str | None = None,
) -> pd.DataFrame:
    """Correlation of two series, averaged in even slots, at each lag in min; positive where b is later."""
    del stop
    both = [each[np.isfinite(only(each))] for each in (a, b)]
    times = [stamps(each) for each in both]
    cadence_ns = max(int(np.median(np.diff(at))) for at in times) if cadence is None else nanoseconds(cadence)
    first = min(at[0] for at in times)
    count = (max(at[-1] for at in times) - first) // cadence_ns + 1
    slots = [
        pd.Series(only(each)).groupby((at - first) // cadence_ns).mean().reindex(range(count)).to_numpy()
        for each, at in zip(both, times, strict=True)
    ]
    most = nanoseconds(longest_lag) // cadence_ns
    pairs, found = correlations_by_lag(slots[0], slots[1], most)
    lags = np.arange(-most, most + 1) * (cadence_ns / 6e10)
    found = np.where(pairs < min_pairs, np.nan, found)
    independent = independent_pairs(slots[0], slots[1], found, pairs)
    return curve(start, lag=lags, correlation=found, pairs=pairs, independent_pairs=independent)


def histogram(
    series: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    result: str,
    bins: int | None = None,
    width: float | None = None,
    edges: Sequence[float] | None = None,
) -> pd.DataFrame:
    """Counts, or density, of the valid samples in bins, with the uncertainty of independent samples."""
    del stop
    values = only(series)[np.isfinite(only(series))]
    limits = np.array(edges) if edges is not None else _edges(values, bins or 50, width)
    count, _ = np.histogram(values, limits)
    scale = 1 / (max(count.sum(), 1) * np.diff(limits)) if result == "density" else np.ones(len(count))
    middle = (limits[:-1] + limits[1:]) / 2
    return curve(start, value=middle, **{result: count * scale, f"{result}_uncertainty": np.sqrt(count) * scale})


def _edges(values: np.ndarray, bins: int, width: float | None) -> np.ndarray:
    least, greatest = np.min(values), np.max(values)
    if width is not None:
        first = np.floor(least / width)
        return np.arange(first, max(np.ceil(greatest / width), first + 1) + 1) * width
    if least == greatest:
        half = max(abs(least) * 1e-6, 0.5)
        least, greatest = least - half, greatest + half
    return np.linspace(least, greatest, bins + 1)


def spectral_slope(
    curve: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    lowest: float | None = None,
    highest: float | None = None,
    bins_per_decade: int = 5,
) -> pd.DataFrame:
    """Line of least squares through the logarithms of a curve's columns and axis, averaged in bins, or through all."""
    axis = curve[curve.attrs["axis"]].to_numpy()
    is_inside = (axis > 0) & (axis >= (lowest or 0)) & (axis <= (np.inf if highest is None else highest))
    names: list[str] = curve.attrs["data"]
    found: dict[str, float] = {}
    used: list[np.ndarray] = []
    for name in names:
        values = curve[name].to_numpy()
        with np.errstate(invalid="ignore"):
            taken = is_inside & (values > 0) & np.isfinite(axis * values)
        prefix = "" if len(names) == 1 else f"{name}_"
        x, y = np.log10(axis[taken]), np.log10(values[taken])
        line = line_through_means(x, y, bins_per_unit=bins_per_decade) if bins_per_decade else least_squares(x, y)
        found |= {f"{prefix}{key}": value for key, value in _facts(line).items()}
        used.append(axis[taken])
    places = np.concatenate(used)
    if len(places):
        found |= {"x_from": places.min(), "x_to": places.max()}
    return row(start, stop, found)


def spectral_break(
    curve: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    column: str | None = None,
    lowest: float | None = None,
    highest: float | None = None,
    bins_per_decade: int = 10,
) -> pd.DataFrame:
    """Two power laws that meet, through means of logarithms in bins; nothing where one does (F test, 1 %)."""
    axis = curve[curve.attrs["axis"]].to_numpy()
    values = curve[[column] if column else curve.attrs["data"]].sum(axis=1, skipna=False).to_numpy()
    with np.errstate(invalid="ignore"):
        taken = (axis > 0) & (axis >= (lowest or 0)) & (axis <= (highest or np.inf)) & (values > 0) & np.isfinite(axis * values)
    x, y = means_in_bins(np.log10(axis[taken]), np.log10(values[taken]), bins_per_unit=bins_per_decade, fewest_bins=20)
    names = ["break", "break_uncertainty", "slope_below", "slope_below_uncertainty", "slope_above", "slope_above_uncertainty"]
    found = dict.fromkeys([*names, "value_at_break", "chance"], np.nan) | {"points": len(x), "x_from": np.nan, "x_to": np.nan}
    if taken.any():
        found |= {"x_from": axis[taken].min(), "x_to": axis[taken].max()}
    line = broken_line(x, y)
    if line is not None:
        found["chance"] = line.chance
    if line is not None and line.chance <= 0.01:
        place = 10**line.break_x
        found |= {"break": place, "break_uncertainty": place * np.log(10) * line.break_x_uncertainty}
        found |= {"slope_below": line.slope_below, "slope_below_uncertainty": line.slope_below_uncertainty}
        found |= {"slope_above": line.slope_above, "slope_above_uncertainty": line.slope_above_uncertainty}
        found["value_at_break"] = 10**line.at_break
    return row(start, stop, found)


def fit_line(points: pd.DataFrame, *, start: pd.Timestamp, stop: pd.Timestamp, method: str) -> pd.DataFrame:
    """Straight line through points, of least squares in y or perpendicular to the line."""
    x, y = columns(points)
    is_pair = np.isfinite(x) & np.isfinite(y)
    fit = orthogonal if method == "orthogonal" else least_squares
    with np.errstate(all="ignore"):
        return row(start, stop, _facts(fit(x[is_pair], y[is_pair])))


def _facts(line: Line) -> dict[str, float]:
    return {
        "slope": line.slope,
        "slope_uncertainty": line.slope_uncertainty,
        "intercept": line.intercept,
        "intercept_uncertainty": line.intercept_uncertainty,
        "r": line.correlation,
        "points": line.count,
    }


def peak_of(
    curve: pd.DataFrame,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    largest: str,
    neighbours: int | None = None,
    column: str | None = None,
) -> pd.DataFrame:
    """Largest value of a curve, and the vertex of the parabola through it and its neighbours."""
    where, what = curve.attrs["axis"], column or curve.attrs["data"][0]
    axis, values = curve[where].to_numpy(), curve[what].to_numpy()
    height = {"value": values, "absolute": np.abs(values), "negative": -values}[largest]
    if not np.isfinite(height).any():
        return row(start, stop, {})
    place = int(np.nanargmax(np.where(np.isfinite(height), height, -np.inf)))
    pairs = float(curve["pairs"].iloc[place]) if "pairs" in curve else np.nan
    spread = curve[f"{what}_uncertainty"].to_numpy() if f"{what}_uncertainty" in curve else None
    found = {where: axis[place], f"{where}_uncertainty": np.nan, what: values[place]}
    found |= {} if spread is None else {f"{what}_uncertainty": spread[place]}
    found |= {"pairs": pairs} if "pairs" in curve and what != "pairs" else {}
    if 0 < place < len(axis) - 1 and np.isfinite(height[place - 1 : place + 2]).all():
        beside = neighbours or (top_half_width(height, place) if pairs > 0 else 1)
        near = np.arange(max(place - beside, 0), min(place + beside + 1, len(axis)))
        near = near[np.isfinite(height[near])]
        shift, by_value = _vertex(axis[near] - axis[place], height[near])
        uncertainty = np.nan if spread is None else np.sqrt(np.sum((by_value * spread[near]) ** 2))
        if pairs > 0 and 0 < height[place] <= 1:
            both = pd.DataFrame([height[place::-1], height[place:]]).mean().fillna(0).to_numpy()
            slopes = pd.Series(by_value, near).reindex(range(near[0], near[-1] + 1), fill_value=0.0).to_numpy()
            independent = float(curve.get("independent_pairs", curve["pairs"]).iloc[place])
            uncertainty = spread_of_place(slopes, both, np.array([1 - height[place]]), independent)
        found |= {where: axis[place] + shift, f"{where}_uncertainty": uncertainty}
    return row(start, stop, found)


def _vertex(x: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Place of the vertex of a parabola of least squares, and its derivatives by the values."""
    fit = np.linalg.pinv(np.vander(x, 3))
    curvature, slope, _ = fit @ y
    vertex = -slope / (2 * curvature) if curvature < 0 else np.nan
    if not x[0] <= vertex <= x[-1]:
        return 0.0, np.full(len(x), np.nan)
    return vertex, (slope * fit[0] / curvature - fit[1]) / (2 * curvature)
