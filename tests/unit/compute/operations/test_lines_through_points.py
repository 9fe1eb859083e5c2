"""scatter and fit_line against scipy, numpy and many draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.stats

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table

Make = Callable[..., Table]


def _fit(apply: Make, make_table: Make, x: Any, y: Any, method: str) -> Any:
    points = make_table({"x": x, "y": y}, kind="points")
    return {name: values[0] for name, values in apply("fit_line", {"points": points}, method=method).columns.items()}


def test_least_squares_are_those_of_scipy(make_table: Make, apply: Make) -> None:
    """Slope, intercept, their deviations and r; pairs with a NaN do not count."""
    draw = np.random.default_rng(1)
    x = draw.normal(5, 3, 200)
    y = 2.5 * x - 7 + draw.normal(0, 4, 200)
    x[3], y[9] = np.nan, np.inf
    found = _fit(apply, make_table, x, y, "least_squares")
    is_pair = np.isfinite(x) & np.isfinite(y)
    line = scipy.stats.linregress(x[is_pair], y[is_pair])
    expected = (line.slope, line.stderr, line.intercept, line.intercept_stderr, line.rvalue, 198)
    np.testing.assert_allclose([found[name] for name in found if name != "stop"], expected, rtol=1e-10)


@pytest.mark.parametrize("slope", [-3.0, 0.4, 1.0])
def test_an_orthogonal_line_is_the_one_that_a_search_finds(make_table: Make, apply: Make, slope: float) -> None:
    """Of the least sum of squared distances perpendicular to it."""
    draw = np.random.default_rng(2)
    true = draw.normal(0, 5, 300)
    x, y = true + draw.normal(0, 1, 300) + 20, slope * true + draw.normal(0, 1, 300) - 3
    found = _fit(apply, make_table, x, y, "orthogonal")

    def distances(line: Any) -> float:
        return float(np.sum((y - line[1] - line[0] * x) ** 2) / (1 + line[0] ** 2))

    fitted = scipy.optimize.minimize(distances, [slope, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9})
    np.testing.assert_allclose((found["slope"], found["intercept"]), fitted.x, rtol=1e-4)


def test_stated_uncertainties_of_an_orthogonal_line_are_the_scatter_of_many(make_table: Make, apply: Make) -> None:
    """Four hundred draws of the same line with noise in both."""
    draw = np.random.default_rng(3)
    found = []
    for _ in range(400):
        true = draw.normal(0, 4, 80)
        x, y = true + draw.normal(0, 1, 80) + 6, 1.5 * true + draw.normal(0, 1, 80)
        found.append(_fit(apply, make_table, x, y, "orthogonal"))
    for name in ("slope", "intercept"):
        scatter = np.std([each[name] for each in found])
        assert np.mean([each[f"{name}_uncertainty"] for each in found]) == pytest.approx(scatter, rel=0.15)


@pytest.mark.parametrize("method", ["least_squares", "orthogonal"])
@pytest.mark.parametrize("x", [[], [1.0], [2.0, 2.0, 2.0]])
def test_no_line_goes_through_one_x(make_table: Make, apply: Make, method: str, x: list[float]) -> None:
    """NaN, not infinity."""
    if not x:
        x = [np.nan]
    found = _fit(apply, make_table, x, np.arange(len(x), dtype=float), method)
    assert np.isnan([found["slope"], found["intercept"], found["r"]]).all()


def test_an_orthogonal_line_needs_one_unit(make_table: Make, apply: Make) -> None:
    """The distance across nT and km/s means nothing."""
    x, y = make_table({"x": [1.0, 2.0]}), make_table({"v": [1.0, 3.0]}, unit="km/s")
    points = apply("scatter", {"x": x, "y": y})
    with pytest.raises(ComputeError, match="one unit"):
        apply("fit_line", {"points": points}, method="orthogonal")
    slope = next(each for each in apply("fit_line", {"points": points}).meta.columns if each.name == "slope")
    assert slope.unit == "km nT^-1 s^-1"


def test_points_are_pairs_within_the_tolerance(make_table: Make, apply: Make) -> None:
    """The oracle is a loop: the nearest sample, the earlier of two equally near."""
    draw = np.random.default_rng(4)
    at, other = np.sort(draw.uniform(0, 5000, 80)), np.sort(draw.uniform(0, 5000, 90))
    x, y = draw.normal(size=80), draw.normal(size=90)
    y[::6] = np.nan
    found = apply("scatter", {"x": make_table({"x": x}, at_s=at), "y": make_table({"y": y}, at_s=other)}, tolerance="PT20S")
    for place, moment in enumerate(at):
        distance = [abs(each - moment) for each in other]
        partner = y[distance.index(min(distance))] if min(distance) <= 20 else np.nan
        expected = (np.nan, np.nan) if np.isnan(partner) else (x[place], partner)
        np.testing.assert_equal((found.columns["x"][place], found.columns["y"][place]), expected)
