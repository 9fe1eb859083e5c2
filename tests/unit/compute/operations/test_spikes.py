"""median_filter and despike against plain loops, newell_coupling against its formula in other words."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal

from helio_dagster.domain.table import Table

Make = Callable[..., Table]


@pytest.fixture(scope="module")
def noisy() -> tuple[Any, Any]:
    """Uneven times in s, and values with spikes and fills."""
    draw = np.random.default_rng(1)
    at = np.cumsum(draw.uniform(0.5, 3, 400))
    values = np.sin(at / 40) * 10 + draw.normal(0, 0.3, 400)
    values[draw.integers(0, 400, 15)] += 80
    values[draw.integers(0, 400, 25)] = np.nan
    return at, values


def test_the_median_filter_is_that_of_scipy(make_table: Make, apply: Make) -> None:
    """Over even samples, away from the edges."""
    values = np.random.default_rng(2).normal(size=200)
    found = apply("median_filter", {"series": make_table({"v": values})}, window="PT6M").columns["out"]
    np.testing.assert_array_equal(found[3:-3], scipy.signal.medfilt(values, 7)[3:-3])


@pytest.mark.parametrize("replace_by", ["gap", "median"])
@pytest.mark.parametrize("smallest", [0.0, 40.0])
def test_spikes_are_those_of_a_plain_loop(
    make_table: Make, apply: Make, noisy: tuple[Any, Any], replace_by: str, smallest: float
) -> None:
    """Median and median absolute deviation of the samples around each, with the standard library."""
    at, values = noisy
    given = {"series": make_table({"v": values}, at_s=at)}
    found = apply("despike", given, window="PT20S", replace_by=replace_by, smallest=smallest, min_samples=5).columns["out"]
    spikes = 0
    at = np.round(at * 1e9)
    for place, (moment, value) in enumerate(zip(at, values, strict=True)):
        near = [each for other, each in zip(at, values, strict=True) if abs(other - moment) <= 1e10 and not math.isnan(each)]
        if math.isnan(value):
            assert math.isnan(found[place])
            continue
        middle = statistics.median(near)
        away = statistics.median(abs(each - middle) for each in near)
        is_spike = abs(value - middle) > max(3 * 1.4826 * away, smallest) and len(near) >= 5
        spikes += is_spike
        expected = (middle if replace_by == "median" else math.nan) if is_spike else value
        np.testing.assert_equal(found[place], expected)
    assert spikes >= 10


def test_a_vector_is_cleaned_component_by_component(make_table: Make, apply: Make) -> None:
    """A spike in one is a gap in that one."""
    columns = {name: np.random.default_rng(3).normal(size=50) for name in ("bx", "by", "bz")}
    columns["by"][20] = 1e4
    found = apply("despike", {"series": make_table(columns, kind="vector")}, window="PT10M", threshold=10).columns
    assert [name for name, values in found.items() if np.isnan(values).any()] == ["by"]
    assert np.isnan(found["by"][20])


def test_the_coupling_is_that_of_its_paper(make_table: Make, apply: Make) -> None:
    """By the cosine of the clock angle: sin^(8/3)(theta / 2) = ((1 - cos theta) / 2)^(4/3)."""
    draw = np.random.default_rng(4)
    speed, (bx, by, bz) = draw.uniform(300, 900, 50), draw.normal(0, 8, (3, 50))
    field = make_table({"bx": bx, "by": by, "bz": bz}, kind="vector", frame="GSM")
    found = apply("newell_coupling", {"speed": make_table({"v": speed}, unit="km/s"), "field": field}).columns["out"]
    across = np.hypot(by, bz)
    np.testing.assert_allclose(found, speed ** (4 / 3) * across ** (2 / 3) * ((1 - bz / across) / 2) ** (4 / 3), rtol=1e-10)
