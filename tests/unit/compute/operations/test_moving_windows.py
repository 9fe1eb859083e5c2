"""rolling_statistic, detrend, derivative and align against pandas, numpy and scipy."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import BinAxis, Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply

PANDAS = {"median": "median", "std": "std", "variance": "var", "min": "min", "max": "max"}


def _uneven(make_table: TableMaker, seed: int = 1, length: Any = 400, offset: Any = 5.0) -> Any:
    """Uneven cadence of about 16 s with gaps, every seventh value NaN."""
    draw = np.random.default_rng(seed)
    values = draw.normal(offset, 2, length)
    values[::7] = np.nan
    at_s = np.cumsum(np.where(draw.random(length) < 0.02, 900.0, 16.0) + draw.random(length))
    return make_table({"v": values}, at_s=at_s, label="v")


@pytest.mark.parametrize("statistic", PANDAS)
@pytest.mark.parametrize("window", ["PT10M", "PT1M", "PT7.5S", "PT2H"])
def test_centred_statistics_equal_those_of_pandas(make_table: TableMaker, apply: Apply, statistic: Any, window: str) -> None:
    """Over uneven times with NaN and gaps."""
    table = _uneven(make_table)
    length = get_operation("rolling_mean").read_options({"window": window}).window
    rolling = table_to_dataframe(table)["v"].rolling(pd.Timedelta(length), center=True, closed="both", min_periods=1)
    expected = getattr(rolling, PANDAS[statistic])()
    found = apply("rolling_statistic", {"series": table}, window=window, statistic=statistic).columns["out"]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("statistic", PANDAS)
def test_trailing_statistics_equal_those_of_pandas(make_table: TableMaker, apply: Apply, statistic: Any) -> None:
    """Of `(time - window, time]`, with three samples at least."""
    table = _uneven(make_table)
    expected = getattr(table_to_dataframe(table)["v"].rolling("5min", min_periods=3), PANDAS[statistic])()
    options = {"window": "PT5M", "centered": False, "min_samples": 3, "statistic": statistic}
    found = apply("rolling_statistic", {"series": table}, **options).columns["out"]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_small_spread_about_a_large_value_keeps_its_digits(make_table: TableMaker, apply: Apply) -> None:
    """Differences of squares would lose all of them; the oracle is numpy on each window."""
    table = _uneven(make_table, offset=1e9)
    found = apply("rolling_statistic", {"series": table}, window="PT10M", statistic="std").columns["out"]
    at, values = table.time.astype("int64"), table.columns["v"]
    for place in range(0, len(table), 37):
        inside = values[np.abs(at - at[place]) <= 300 * 10**9]
        inside = inside[~np.isnan(inside)]
        expected = np.std(inside, ddof=1) if len(inside) > 1 else np.nan
        np.testing.assert_allclose(found[place], expected, rtol=1e-6)


def test_an_infinite_sample_touches_only_the_windows_that_hold_it(make_table: TableMaker, apply: Apply) -> None:
    """For the median it is a value like others, for the spread it leaves none."""
    table = make_table({"v": [1.0, np.inf, 1.0, 2.0, 3.0]})
    median, spread = (
        apply("rolling_statistic", {"series": table}, window="PT2M", statistic=each).columns["out"]
        for each in ("median", "std")
    )
    np.testing.assert_array_equal(median, [np.inf, 1.0, 2.0, 2.0, 2.5])
    assert np.isnan(spread).tolist() == [True, True, True, False, False]


def test_variance_is_in_the_square_of_the_unit(vector: Table, apply: Apply) -> None:
    """And the others in the unit; the frame stays."""
    variance, spread = (
        apply("rolling_statistic", {"series": vector}, window="PT2M", statistic=each).meta for each in ("variance", "std")
    )
    assert (variance.unit, spread.unit, variance.frame) == ("nT^2", "nT", "GSE")


@pytest.mark.parametrize("method", ["mean", "linear"])
def test_detrending_leaves_what_numpy_leaves(make_table: TableMaker, apply: Apply, method: str) -> None:
    """Window by window, with numpy's mean and polynomial of first degree."""
    table = _uneven(make_table)
    found = apply("detrend", {"series": table}, window="PT10M", method=method).columns["out"]
    at_s, values = table.time.astype("int64") * 1e-9, table.columns["v"]
    for place in range(len(table)):
        inside = (np.abs(at_s - at_s[place]) <= 300 + 1e-7) & ~np.isnan(values)
        if np.isnan(values[place]) or inside.sum() < 2:
            assert np.isnan(found[place])
            continue
        line = np.polyfit(at_s[inside] - at_s[place], values[inside], 0 if method == "mean" else 1)
        np.testing.assert_allclose(found[place], values[place] - line[-1], atol=1e-9)


def test_a_straight_line_is_wholly_taken_away(make_table: TableMaker, apply: Apply) -> None:
    """Ten thousand times as steep as what is left, at a tenth of a millisecond between samples."""
    at_s = np.arange(500) * 1e-4
    table = make_table({"v": 1e6 * at_s + 3e5}, at_s=at_s)
    found = apply("detrend", {"series": table}, window="PT0.01S", method="linear").columns["out"]
    assert np.abs(found).max() < 1e-7


def test_derivatives_are_numpys_gradient(make_table: TableMaker, apply: Apply) -> None:
    """Inside; at the ends there is no central difference."""
    table = _uneven(make_table)
    valid = ~np.isnan(table.columns["v"])
    found = apply("derivative", {"series": table}, max_gap="PT2H").columns["out"]
    at_s = (table.time - table.time[0]).astype("int64") * 1e-9
    expected = np.gradient(table.columns["v"][valid], at_s[valid])
    np.testing.assert_allclose(found[valid][1:-1], expected[1:-1], rtol=1e-9, atol=1e-12)
    assert np.isnan(found[~valid]).all()
    assert np.isnan(found[valid][[0, -1]]).all()


def test_derivatives_do_not_reach_over_gaps(make_table: TableMaker, apply: Apply) -> None:
    """Samples beside a gap have only one neighbour; a fill is passed over where the next one is near enough."""
    table = make_table({"v": [0.0, 1.0, 2.0, 10.0, 11.0, np.nan, 13.0, 14.0]}, at_s=[0, 60, 120, 600, 660, 720, 780, 840])
    found = apply("derivative", {"series": table}, max_gap="PT2M").columns["out"] * 60
    expected = [np.nan, 1.0, np.nan, np.nan, 1.0, np.nan, 1.0, np.nan]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(("method", "direction"), [("nearest", "nearest"), ("previous", "backward")])
def test_alignment_is_pandas_merge_asof(
    make_table: TableMaker, apply: Apply, method: str, direction: Literal["nearest", "backward"]
) -> None:
    """Over uneven times; NaN do not count as samples."""
    a, b = _uneven(make_table, seed=2), _uneven(make_table, seed=9)
    found = apply("align", {"a": a, "b": b}, method=method, max_gap="PT1M")
    valid = ~np.isnan(b.columns["v"])
    right = pd.DataFrame({"time": b.time[valid], "b": b.columns["v"][valid]})
    joined = pd.merge_asof(
        pd.DataFrame({"time": a.time}), right, on="time", direction=direction, tolerance=pd.Timedelta("1min")
    ).set_index("time")["b"]
    np.testing.assert_array_equal(found.columns["out"], joined.loc[pd.DatetimeIndex(found.time)])
    assert joined.drop(found.time).isna().all()
    assert 0 < len(found) < len(a)


def test_linear_alignment_is_numpys_interpolation(make_table: TableMaker, apply: Apply) -> None:
    """Between samples that are near enough to each other; elsewhere there is no record."""
    a, b = _uneven(make_table, seed=2), _uneven(make_table, seed=9)
    found = apply("align", {"a": a, "b": b}, method="linear", max_gap="PT2M")
    valid = ~np.isnan(b.columns["v"])
    at, known = ((time - a.time[0]).astype("int64") for time in (found.time, b.time[valid]))
    after = np.searchsorted(known, at)
    is_near = (known[np.minimum(after, len(known) - 1)] - known[after - 1]) <= 120 * 10**9
    expected = np.interp(at, known, b.columns["v"][valid])
    np.testing.assert_allclose(found.columns["out"][is_near], expected[is_near], rtol=1e-7)
    assert np.isnan(found.columns["out"][~is_near]).all()
    assert is_near.sum() > 200


def test_alignment_keeps_what_b_is(vector: Table, make_table: TableMaker, apply: Apply) -> None:
    """Kind, columns, unit and frame are those of b, the times those of a."""
    a = make_table({"a": [1.0, 1.0]}, at_s=[1.0, 61.0], unit="km/s")
    found = apply("align", {"a": a, "b": vector}, max_gap="PT10S")
    assert (found.meta.kind, found.meta.frame, found.meta.unit, tuple(found.columns)) == (
        "vector",
        "GSE",
        "nT",
        ("bx", "by", "bz"),
    )
    assert found.time.tolist() == a.time.tolist()
    assert np.isnan(found.columns["by"]).tolist() == [False, False]


@pytest.mark.parametrize(
    ("operation_id", "options", "halo"),
    [
        ("rolling_statistic", {"window": "PT10M", "statistic": "min"}, (300, 300)),
        ("rolling_statistic", {"window": "PT10M", "statistic": "min", "centered": False}, (600, 0)),
        ("detrend", {"window": "PT10M"}, (300, 300)),
        ("derivative", {"max_gap": "PT1M"}, (60, 60)),
        ("align", {"max_gap": "PT1M"}, (60, 60)),
        ("align", {"max_gap": "PT1M", "method": "previous"}, (60, 0)),
        ("spectrogram", {"cadence": "PT1S", "window": "PT10S"}, (5, 5)),
        ("welch", {"cadence": "PT1S", "segment": "PT10S", "bin": "PT1H"}, (0, 3600)),
        ("superposed_epoch", {"before": "PT1H", "after": "PT2H", "bin": "PT1H"}, (3600, 7200)),
        ("minimum_variance", {"bin": "PT1M"}, (0, 60)),
        ("magnitude", {}, (0, 0)),
        ("plasma_beta", {"tolerance": "PT5S"}, (5, 5)),
        ("gyrofrequency", {}, (0, 0)),
    ],
)
def test_halos_are_as_long_as_what_is_looked_at(operation_id: str, options: dict[str, Any], halo: tuple[Any, ...]) -> None:
    """Upstream partitions within it are read, and no others."""
    operation = get_operation(operation_id)
    found = operation.halo(operation.read_options(options))
    assert found == tuple(timedelta(seconds=reach) for reach in halo)


@pytest.mark.parametrize("operation_id", ["rolling_statistic", "detrend"])
def test_a_spectrogram_with_varying_bins_is_refused(spectrogram: Table, apply: Apply, operation_id: str) -> None:
    """Statistics of fluxes of different energies would be wrong."""
    meta = spectrogram.meta.model_copy(update={"bins": BinAxis(unit="eV")})
    options = {"window": "PT1M", **({"statistic": "min"} if operation_id == "rolling_statistic" else {})}
    with pytest.raises(ComputeError, match="vary"):
        apply(operation_id, {"series": Table(spectrogram.time, spectrogram.columns, meta)}, **options)
