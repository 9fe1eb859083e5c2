"""rolling_mean and resample against pandas, and their independence of cuts."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import BinAxis, Table
from helio_dagster.domain.time_range import TimeRange
from tests.tiers import example_count
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply


def _apply(operation_id: str, table: Table, span: TimeRange, **options: Any) -> Any:
    operation = get_operation(operation_id)
    return operation.apply({"series": table}, operation.read_options(options), span, "m")


def _uneven(make_table: TableMaker, seed: int = 1, length: Any = 500, **kwargs: Any) -> Any:
    """Uneven cadence of about 16 s with gaps, every seventh value NaN."""
    generator = np.random.default_rng(seed)
    values = generator.normal(5, 2, length)
    values[::7] = np.nan
    at_s = np.cumsum(np.where(generator.random(length) < 0.02, 900.0, 16.0) + generator.random(length))
    return make_table({"v": values}, at_s=at_s, **kwargs)


@pytest.mark.parametrize("window", ["PT10M", "PT1M", "PT7.5S", "PT6H"])
def test_centred_mean_equals_pandas(make_table: TableMaker, wide: TimeRange, window: str) -> None:
    """The oracle is pandas' centred time window, closed on both sides, over uneven times with NaN and gaps."""
    table = _uneven(make_table)
    length = get_operation("rolling_mean").read_options({"window": window}).window
    oracle = table_to_dataframe(table)["v"].rolling(pd.Timedelta(length), center=True, closed="both", min_periods=1).mean()
    np.testing.assert_allclose(_apply("rolling_mean", table, wide, window=window).columns["m"], oracle, rtol=1e-11)


def test_trailing_mean_equals_pandas(make_table: TableMaker, wide: TimeRange) -> None:
    """The oracle is pandas' default window `(time - window, time]`."""
    table = _uneven(make_table)
    oracle = table_to_dataframe(table)["v"].rolling("5min", min_periods=1).mean()
    result = _apply("rolling_mean", table, wide, window="PT5M", centered=False)
    np.testing.assert_allclose(result.columns["m"], oracle, rtol=1e-11)


def test_centred_mean_takes_both_edges(make_table: TableMaker, wide: TimeRange) -> None:
    """Of one sample a minute a two-minute window holds three: no shift in time."""
    result = _apply("rolling_mean", make_table({"v": [0.0, 3.0, 6.0, 30.0]}), wide, window="PT2M")
    np.testing.assert_array_equal(result.columns["m"], [1.5, 3.0, 13.0, 18.0])


def test_windows_with_too_few_valid_samples_are_nan(make_table: TableMaker, wide: TimeRange) -> None:
    """`min_samples` counts valid samples; by default one is enough, none never is."""
    table = make_table({"v": [1.0, np.nan, np.nan, np.nan, 5.0, 7.0]})
    np.testing.assert_array_equal(
        _apply("rolling_mean", table, wide, window="PT2M").columns["m"], [1.0, 1.0, np.nan, 5.0, 6.0, 6.0]
    )
    np.testing.assert_array_equal(
        _apply("rolling_mean", table, wide, window="PT2M", min_samples=2).columns["m"], [np.nan] * 4 + [6.0, 6.0]
    )


def test_an_infinite_sample_touches_only_the_windows_that_hold_it(make_table: TableMaker, wide: TimeRange) -> None:
    """No running sum carries it on."""
    result = _apply("rolling_mean", make_table({"v": [1.0, np.inf, 1.0, 1.0, 1.0]}), wide, window="PT2M")
    np.testing.assert_array_equal(result.columns["m"], [np.inf, np.inf, np.inf, 1.0, 1.0])


def test_rolling_mean_keeps_the_components_of_a_vector(vector: Table, wide: TimeRange) -> None:
    """Names, labels, unit and frame stay; the archive's attributes go."""
    result = _apply("rolling_mean", vector, wide, window="PT2M")
    assert (result.meta.kind, result.meta.frame, result.meta.data_names) == ("vector", "GSE", ("bx", "by", "bz"))
    assert result.columns["bz"].tolist() == [7.0, 5.0, 1.5]


def test_rolling_mean_declares_half_its_window_on_both_sides() -> None:
    """And the whole window before when it is trailing."""
    operation = get_operation("rolling_mean")
    assert operation.halo(operation.read_options({"window": "PT10M"})) == (timedelta(minutes=5), timedelta(minutes=5))
    trailing = operation.read_options({"window": "PT10M", "centered": False})
    assert operation.halo(trailing) == (timedelta(minutes=10), timedelta(0))
    odd = operation.read_options({"window": timedelta(microseconds=3)})
    assert operation.halo(odd) == (timedelta(microseconds=2), timedelta(microseconds=2))


@pytest.mark.parametrize("method", ["mean", "median", "min", "max"])
@pytest.mark.parametrize("cadence", ["PT1M", "PT7M", "P1D", "PT20S"])
def test_resample_equals_pandas(make_table: TableMaker, wide: TimeRange, method: str, cadence: str) -> None:
    """The oracle is pandas' resample with bins from the epoch; bins without a sample have no record."""
    table = _uneven(make_table)
    length = get_operation("resample").read_options({"cadence": cadence}).cadence
    series = table_to_dataframe(table)["v"]
    binned = series.resample(pd.Timedelta(length), origin="epoch")
    oracle = getattr(binned, method)()[binned.size() > 0]
    result = _apply("resample", table, wide, cadence=cadence, method=method)
    assert result.time.tolist() == oracle.index.tz_localize(None).to_numpy().tolist()
    np.testing.assert_allclose(result.columns["m"], oracle, rtol=1e-12)


def test_a_bin_of_fills_alone_is_nan(make_table: TableMaker, wide: TimeRange) -> None:
    """It has a record, so that a gap and a run of fills stay two things."""
    result = _apply("resample", make_table({"v": [1.0, 3.0, np.nan, np.nan]}), wide, cadence="PT2M")
    np.testing.assert_array_equal(result.columns["m"], [2.0, np.nan])


def test_bins_begin_at_multiples_of_the_cadence_before_1970_too(make_table: TableMaker, wide: TimeRange) -> None:
    """Bins are aligned to 1970, also before it."""
    start = wide.start.replace(year=1969, month=12, day=31)
    span = TimeRange(start - timedelta(days=1), start + timedelta(days=2))
    table = make_table({"v": [1.0, 2.0]}, at_s=[0.0, 100.0], start=start)
    first = _apply("resample", table, span, cadence="PT7H").time[0]
    assert first.astype("int64") % (7 * 3600 * 10**9) == 0
    assert first <= table.time[0]


def test_resample_takes_the_linear_mean_of_each_spectrogram_bin(spectrogram: Table, wide: TimeRange) -> None:
    """The bin axis stays."""
    result = _apply("resample", spectrogram, wide, cadence="PT2M")
    assert result.meta.bins == spectrogram.meta.bins
    np.testing.assert_array_equal(result.columns["e0"], [2.0, 5.0])
    np.testing.assert_array_equal(result.columns["e1"], [20.0, 60.0])


def test_a_spectrogram_with_varying_bins_is_refused(spectrogram: Table, wide: TimeRange) -> None:
    """Averaging fluxes of different energies would be wrong."""
    meta = spectrogram.meta.model_copy(update={"bins": BinAxis(unit="eV")})
    with pytest.raises(ComputeError, match="vary"):
        _apply("resample", Table(spectrogram.time, spectrogram.columns, meta), wide, cadence="PT2M")


@pytest.mark.parametrize(
    ("operation_id", "options"),
    [
        ("rolling_mean", {}),
        ("rolling_mean", {"window": "PT0S"}),
        ("rolling_mean", {"window": "ten minutes"}),
        ("rolling_mean", {"window": "PT1M", "min_samples": 0}),
        ("rolling_mean", {"widow": "PT1M"}),
        ("resample", {"cadence": "PT1M", "method": "mode"}),
        ("resample", {"cadence": "P900D"}),
    ],
)
def test_wrong_options_are_refused(operation_id: str, options: dict[str, Any]) -> None:
    """Missing, unknown and absurd ones, with a hint."""
    with pytest.raises(InputError) as caught:
        get_operation(operation_id).read_options(options)
    assert caught.value.hint


def test_a_misspelt_option_is_named_before_the_missing_one() -> None:
    """`widow` is what the user must mend."""
    with pytest.raises(InputError, match="widow") as caught:
        get_operation("rolling_mean").read_options({"widow": "PT1M"})
    assert "window" in caught.value.hint


def _records(table: Table, span: TimeRange) -> Any:
    """What the engine hands to an operation: the records in a range."""
    return table.clip(span)


def _same(first: Table, second: Any) -> Any:
    return (
        first.time.tobytes() == second.time.tobytes()
        and all(first.columns[name].tobytes() == second.columns[name].tobytes() for name in first.columns)
        and first.meta == second.meta
    )


@settings(max_examples=example_count(40), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    window_s=st.sampled_from([5, 61, 600, 3600, 20_000]),
    cuts=st.lists(st.integers(1, 15_000), max_size=6, unique=True),
    choice=st.sampled_from(["centred", "trailing", "mean", "median", "min"]),
)
def test_results_do_not_depend_on_cuts(
    make_table: TableMaker, wide: TimeRange, seed: Any, window_s: Any, cuts: Any, choice: Any
) -> None:
    """Piece by piece, each with its halo, gives the bytes of the operation on the continuous series."""
    table = _uneven(make_table, seed, length=300)
    if choice in ("centred", "trailing"):
        operation = get_operation("rolling_mean")
        options = operation.read_options({"window": timedelta(seconds=window_s), "centered": choice == "centred"})
    else:
        operation = get_operation("resample")
        options = operation.read_options({"cadence": timedelta(seconds=window_s), "method": choice})
    lookback, lookahead = operation.halo(options)
    zero = pd.Timestamp("2023-01-02", tz="UTC").to_pydatetime()
    edges = [wide.start, *(zero + timedelta(seconds=cut) for cut in sorted(cuts)), wide.stop]
    whole = operation.apply({"series": table}, options, wide, "m")
    for start, stop in pairwise(edges):
        piece = TimeRange(start, stop)
        halved = _records(table, piece.widened(lookback, lookahead))
        if len(halved):
            assert _same(operation.apply({"series": halved}, options, piece, "m"), whole.clip(piece))
        else:
            assert not len(whole.clip(piece))


def test_a_bin_can_give_its_sum_and_how_many_samples_it_has(make_table: TableMaker, apply: Apply) -> None:
    """NaN counts for neither; a bin without a valid sample has no sum and the count 0, which has no unit."""
    table = make_table({"v": [1.0, np.nan, 3.0, np.nan, np.nan, np.nan]})
    sums = apply("resample", {"series": table}, cadence="PT3M", method="sum")
    np.testing.assert_array_equal(sums.columns["out"], [4.0, np.nan])
    counts = apply("resample", {"series": table}, cadence="PT3M", method="count")
    np.testing.assert_array_equal(counts.columns["out"], [2.0, 0.0])
    assert (sums.meta.unit, counts.meta.unit) == ("nT", "")


def test_the_spread_of_a_bin_is_that_of_pandas(make_table: TableMaker, apply: Apply) -> None:
    """The oracle is pandas' standard deviation, which divides by n - 1."""
    values = np.random.default_rng(2).normal(400.0, 30.0, size=240)
    result = apply("resample", {"series": make_table({"v": values})}, cadence="PT1H", method="std")
    oracle = pd.Series(values).groupby(np.arange(240) // 60).std().to_numpy()
    np.testing.assert_allclose(result.columns["out"], oracle, rtol=1e-12)
