"""facts_of against pandas and an analytic integral; epoch_statistics against pandas."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import BinAxis, Table
from helio_dagster.domain.time_range import TimeRange

Make = Callable[..., Table]
ALL = ["mean", "median", "std", "minimum", "maximum", "integral", "coverage", "samples"]
HOURS = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 2, 6, tzinfo=UTC))


def _facts(table: Table, window: TimeRange = HOURS, **options: Any) -> Any:
    operation = get_operation("facts_of")
    found = operation.apply({"series": table}, operation.read_options(options), window, "out")
    return {name: values[0] for name, values in found.columns.items()}


def test_statistics_are_those_of_pandas(make_table: Make) -> None:
    """NaN does not count; the times are those of the first least and greatest value."""
    values = np.random.default_rng(1).normal(-20, 30, 360).round()
    values[40:50] = np.nan
    table = make_table({"dst": values})
    found, series = _facts(table, statistics=ALL), table_to_dataframe(table)["dst"].tz_localize(None)
    for name, oracle in (("mean", "mean"), ("median", "median"), ("std", "std"), ("minimum", "min"), ("maximum", "max")):
        assert found[name] == pytest.approx(getattr(series, oracle)())
    assert (found["minimum_time"], found["maximum_time"]) == (series.idxmin(), series.idxmax())
    assert found["samples"] == series.count()


def test_the_integral_of_a_known_function_is_found(make_table: Make) -> None:
    """A half sine over six hours, uneven samples: 2 / pi of its amplitude times its length."""
    at = np.sort(np.append(np.random.default_rng(2).uniform(0, 6 * 3600, 4000), [0, 6 * 3600 - 1e-3]))
    found = _facts(make_table({"v": 5 * np.sin(np.pi * at / (6 * 3600))}, at_s=at), statistics=["integral"], gaps="PT10M")
    assert found["integral"] == pytest.approx(5 * 6 * 2 / np.pi, rel=1e-4)


def test_a_fluence_has_no_time_in_its_unit(make_table: Make) -> None:
    """What is per s is integrated over s: a flux of 2 during an hour."""
    table = make_table({"j": np.full(61, 2.0)}, unit="cm^-2 s^-1 sr^-1")
    assert _facts(table, statistics=["integral"])["integral"] == pytest.approx(7200)
    operation = get_operation("facts_of")
    meta = operation.result_meta({"series": table.meta}, operation.read_options({"statistics": ["integral"]}))
    assert meta.columns[-1].unit == "cm^-2 sr^-1"


def test_coverage_and_hours_are_counted_by_samples(make_table: Make) -> None:
    """Even samples stand for a minute each: what is valid, over what the window could hold."""
    values = np.random.default_rng(3).normal(0, 4, 360)
    values[100:160] = np.nan
    found = _facts(make_table({"bz": values}), above=1.0, below=-2.0, statistics=["coverage", "share"])
    assert found["coverage"] == pytest.approx(300 / 360 * 100)
    assert found["hours_above"] == pytest.approx(np.sum(values > 1) / 60)
    assert found["hours_below"] == pytest.approx(np.sum(values < -2) / 60)
    assert found["share_above"] == pytest.approx(100 * np.nanmean(np.where(np.isnan(values), np.nan, values > 1)))
    assert found["share_below"] == pytest.approx(100 * np.sum(values < -2) / 300)


def test_a_share_without_a_limit_is_refused() -> None:
    """It would be of nothing."""
    with pytest.raises(InputError, match="Give above or below"):
        get_operation("facts_of").read_options({"statistics": ["share"]})


def test_a_window_is_covered_as_far_as_it_reaches(make_table: Make) -> None:
    """The last sample stands until the window stops, no longer."""
    window = TimeRange(HOURS.start, HOURS.start + timedelta(minutes=10, seconds=30))
    assert _facts(make_table({"v": np.ones(60)}), window)["coverage"] == pytest.approx(100)


def test_without_a_valid_sample_nothing_is_known(make_table: Make) -> None:
    """No number, no time, and not a coverage of something: but how many samples there were."""
    found = _facts(make_table({"v": [np.nan, np.nan]}), statistics=ALL, above=0.0)
    assert all(
        np.isnat(value) if isinstance(value, np.datetime64) else np.isnan(value)
        for name, value in found.items()
        if name not in ("stop", "samples")
    )
    assert found["samples"] == 0


def test_epochs_are_summed_up_as_by_pandas(make_table: Make, apply: Make) -> None:
    """Quartiles, mean and its error, count, lag by lag; one lag without a value."""
    values = np.random.default_rng(4).normal(-50, 30, (12, 5))
    values[::3, 1], values[:, 3] = np.nan, np.nan
    columns = {f"lag_{place}": values[:, place] for place in range(5)}
    bins = BinAxis(label="Lag", unit="h", centers=(-2.0, -1.0, 0.0, 1.0, 2.0))
    found = apply("epoch_statistics", {"events": make_table(columns, kind="spectrogram", bins=bins)}).columns
    frame = pd.DataFrame(columns)
    expected = {
        "lag": np.arange(-2, 3),
        "median": frame.median(),
        "median_lower": frame.quantile(0.25),
        "median_upper": frame.quantile(0.75),
        "mean": frame.mean(),
        "mean_uncertainty": frame.sem(),
        "count": frame.count(),
    }
    assert list(found) == list(expected)
    for name, oracle in expected.items():
        np.testing.assert_allclose(found[name], np.asarray(oracle, dtype=float), rtol=1e-12)
