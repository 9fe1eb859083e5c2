"""Straight lines through points: least squares in y, through means in bins, or orthogonal."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_NOTHING = math.nan


@dataclass(frozen=True)
class Line:
    """y = intercept + slope x, one standard deviation of both, Pearson's r, and from how many points; NaN where unknown."""

    slope: float = _NOTHING
    slope_uncertainty: float = _NOTHING
    intercept: float = _NOTHING
    intercept_uncertainty: float = _NOTHING
    correlation: float = _NOTHING
    count: int = 0


def least_squares(x: Floats, y: Floats) -> Line:
    """The line that makes the sum of squared distances in y least.

    Parameters
    ----------
    x, y
        float64, shape (point,), all finite. Fewer than two points, or one x alone, give no line; two give no uncertainties.
    """
    count = len(x)
    if count < 2 or not np.ptp(x) > 0:
        return Line(count=count)
    mean_x, mean_y = float(np.mean(x)), float(np.mean(y))
    along, across, both = _moments(x - mean_x, y - mean_y)
    slope = both / along
    left = float(np.sum((y - mean_y - slope * (x - mean_x)) ** 2))
    scatter = math.sqrt(left / (count - 2) / along) if count > 2 else _NOTHING
    return Line(
        slope=slope,
        slope_uncertainty=scatter,
        intercept=mean_y - slope * mean_x,
        intercept_uncertainty=scatter * math.sqrt(along / count + mean_x * mean_x),
        correlation=_correlation(along, across, both),
        count=count,
    )


def line_through_means(x: Floats, y: Floats, *, bins_per_unit: int, fewest_bins: int = 10) -> Line:
    """The line of least squares through the means of points in bins of equal width in x, each mean counting alike.

    Where points stand closer and closer along x, as the frequencies of a spectrum do along their logarithm, a line through
    all of them follows the crowded end; one through means follows all of x. Averaged logarithms are those of Papadakis and
    Lawrence 1993, doi:10.1093/mnras/261.3.612. Means of few points scatter more than means of many, so the uncertainties are
    those for residuals of unequal variance: sigma_b^2 = sum d_i^2 u_i^2 / S^2, sigma_a^2 = sum (1 / n - m d_i / S)^2 u_i^2,
    d_i = x_i - m, m = mean x, S = sum d_i^2, u_i = residual_i / (1 - 1 / n - d_i^2 / S) (HC3 of MacKinnon and White 1985,
    doi:10.1016/0304-4076(85)90158-7).

    Parameters
    ----------
    x, y
        As in `least_squares`.
    bins_per_unit
        How many bins a unit of x has at least; all have the same width, and the first begins at the least x.
    fewest_bins
        How many bins the range of x has at least, so that a short one gives a line, too.
    """
    if len(x) < 2 or not np.ptp(x) > 0:
        return Line(count=len(x))
    mean_x, mean_y = means_in_bins(x, y, bins_per_unit=bins_per_unit, fewest_bins=fewest_bins)
    line = least_squares(mean_x, mean_y)
    if line.count < 3:
        return line
    middle = float(np.mean(mean_x))
    apart = mean_x - middle
    along = float(np.sum(apart * apart))
    left = mean_y - line.intercept - line.slope * mean_x
    alone = left / (1.0 - 1.0 / line.count - apart * apart / along)
    return replace(
        line,
        slope_uncertainty=math.sqrt(float(np.sum((apart * alone) ** 2))) / along,
        intercept_uncertainty=math.sqrt(float(np.sum(((1.0 / line.count - middle * apart / along) * alone) ** 2))),
    )


def means_in_bins(x: Floats, y: Floats, *, bins_per_unit: int, fewest_bins: int) -> tuple[Floats, Floats]:
    """Means of x and y in the bins of `line_through_means` that hold points; all points where they have one x alone.

    Parameters
    ----------
    x, y
        float64, shape (point,), all finite.
    bins_per_unit, fewest_bins
        As in `line_through_means`.

    Returns
    -------
    tuple
        float64, shape (bin,) each, x ascending.
    """
    if len(x) < 2 or not np.ptp(x) > 0:
        return x, y
    first, span = float(np.min(x)), float(np.ptp(x))
    bins = max(fewest_bins, math.ceil(span * bins_per_unit))
    place = np.minimum(((x - first) / span * bins).astype(np.int64), bins - 1)
    count = np.bincount(place, minlength=bins)
    is_there = count > 0
    mean_x, mean_y = (np.bincount(place, each, bins)[is_there] / count[is_there] for each in (x, y))
    return mean_x, mean_y


def orthogonal(x: Floats, y: Floats) -> Line:
    """The line that makes the sum of squared distances perpendicular to it least: along the axis of greatest variance.

    The uncertainty of its angle is that of a principal axis, sqrt(l_1 l_2 / (n - 2)) / (l_1 - l_2), l_1 > l_2 the variances
    along and across it (Anderson 1963, doi:10.1214/aoms/1177704248). Parameters as in `least_squares`.
    """
    count = len(x)
    if count < 2 or not np.ptp(x) > 0:
        return Line(count=count)
    mean_x, mean_y = float(np.mean(x)), float(np.mean(y))
    along, across, both = (each / count for each in _moments(x - mean_x, y - mean_y))
    angle = 0.5 * math.atan2(2.0 * both, along - across)
    slope = math.tan(angle)
    apart = math.hypot(along - across, 2.0 * both)
    largest, least = 0.5 * (along + across + apart), max(0.5 * (along + across - apart), 0.0)
    if count > 2 and apart > 0:
        angle_uncertainty = math.sqrt(largest * least / (count - 2)) / apart
        scatter = angle_uncertainty * (1.0 + slope * slope)
        offset = least * (1.0 + slope * slope) / (count - 2)
    else:
        scatter = offset = _NOTHING
    return Line(
        slope=slope,
        slope_uncertainty=scatter,
        intercept=mean_y - slope * mean_x,
        intercept_uncertainty=math.sqrt(offset + (mean_x * scatter) ** 2),
        correlation=_correlation(along, across, both),
        count=count,
    )


def _moments(x: Floats, y: Floats) -> tuple[float, float, float]:
    return float(np.sum(x * x)), float(np.sum(y * y)), float(np.sum(x * y))


def _correlation(along: float, across: float, both: float) -> float:
    return max(-1.0, min(1.0, both / math.sqrt(along * across))) if along * across > 0 else _NOTHING
