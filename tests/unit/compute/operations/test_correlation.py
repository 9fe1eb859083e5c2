"""rolling_correlation: Pearson's coefficient in a moving window."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from helio_dagster.domain.table import Table

Make = Callable[..., Table]


def test_it_is_that_of_pandas(make_table: Make, apply: Make) -> None:
    """The oracle is pandas' rolling correlation over an odd number of evenly spaced samples."""
    generator = np.random.default_rng(5)
    a = generator.normal(size=400).cumsum() + 1e4
    b = 0.3 * a + generator.normal(size=400)
    a[50:53] = np.nan
    result = apply("rolling_correlation", {"a": make_table({"a": a}), "b": make_table({"b": b})}, window="PT20M")
    oracle = pd.Series(a).rolling(21, center=True, min_periods=3).corr(pd.Series(b)).to_numpy()
    inner = slice(10, -10)
    np.testing.assert_allclose(result.columns["out"][inner], oracle[inner], atol=1e-9)
    assert result.meta.unit == ""


def test_what_does_not_vary_has_no_correlation(make_table: Make, apply: Make) -> None:
    """NaN, not 0 or 1."""
    given = {"a": make_table({"a": [1.0, 2.0, 3.0, 4.0]}), "b": make_table({"b": [7.0, 7.0, 7.0, 7.0]})}
    assert np.isnan(apply("rolling_correlation", given, window="PT10M").columns["out"]).all()


def test_samples_meet_within_the_tolerance(make_table: Make, apply: Make) -> None:
    """The times are those of a; what finds no partner does not count."""
    a = make_table({"a": [1.0, 2.0, 3.0, 9.0]}, at_s=[0, 60, 120, 180])
    b = make_table({"b": [2.0, 4.0, 6.0]}, at_s=[10, 70, 130])
    result = apply("rolling_correlation", {"a": a, "b": b}, window="PT10M", tolerance="PT10S")
    np.testing.assert_allclose(result.columns["out"], [1.0, 1.0, 1.0, 1.0])
