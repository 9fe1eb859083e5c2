"""difference, ratio and scale: values, units, frames, matching of times."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio_dagster.compute.operation import UNKNOWN_META, get_operation
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from tests.tiers import example_count
from tests.unit.compute.conftest import TableMaker


def _apply(operation_id: str, inputs: Any, window: TimeRange, **options: Any) -> Any:
    operation = get_operation(operation_id)
    return operation.apply(inputs, operation.read_options(options), window, "d")


def test_difference_on_one_time_base_is_exact(make_table: TableMaker, day: TimeRange) -> None:
    """Equal times meet whatever the tolerance; NaN on either side gives NaN."""
    a, b = make_table({"a": [5.0, 7.0, np.nan]}), make_table({"b": [1.0, np.nan, 2.0]})
    result = _apply("difference", {"a": a, "b": b}, day, tolerance="PT0S")
    np.testing.assert_array_equal(result.columns["d"], [4.0, np.nan, np.nan])


def test_times_meet_their_nearest_neighbour_within_the_tolerance(make_table: TableMaker, day: TimeRange) -> None:
    """The oracle is pandas' merge_asof towards the nearest."""
    generator = np.random.default_rng(3)
    a = make_table({"a": generator.normal(size=80)}, at_s=np.cumsum(generator.integers(1, 40, 80)))
    b = make_table({"b": generator.normal(size=60)}, at_s=np.cumsum(generator.integers(1, 60, 60)) + 0.25)
    left = pd.DataFrame({"time": a.time, "a": a.columns["a"]})
    right = pd.DataFrame({"time": b.time, "b": b.columns["b"]})
    oracle = pd.merge_asof(left, right, on="time", direction="nearest", tolerance=pd.Timedelta("9s"))
    result = _apply("difference", {"a": a, "b": b}, day, tolerance="PT9S")
    assert np.isnan(oracle["b"]).any()
    np.testing.assert_array_equal(result.columns["d"], (oracle["a"] - oracle["b"]).to_numpy())


def test_of_two_equally_near_samples_the_earlier_counts(make_table: TableMaker, day: TimeRange) -> None:
    """Stated, so that it cannot depend on the cut."""
    a, b = make_table({"a": [0.0]}, at_s=[30]), make_table({"b": [1.0, 2.0]}, at_s=[0, 60])
    assert _apply("difference", {"a": a, "b": b}, day).columns["d"].tolist() == [-1.0]


def test_the_tolerance_itself_is_near_enough(make_table: TableMaker, day: TimeRange) -> None:
    """It is included; one nanosecond more is too far."""
    a, b = make_table({"a": [5.0, 5.0]}, at_s=[0, 100]), make_table({"b": [1.0, 2.0]}, at_s=[10, 110.000000001])
    np.testing.assert_array_equal(_apply("difference", {"a": a, "b": b}, day, tolerance="PT10S").columns["d"], [4.0, np.nan])


def test_difference_of_vectors_goes_by_component(vector: Table, day: TimeRange) -> None:
    """Columns meet by position; names are those of `a`."""
    other = Table(vector.time, {name: values * 2 for name, values in vector.columns.items()}, vector.meta)
    result = _apply("difference", {"a": other, "b": vector}, day)
    np.testing.assert_array_equal(result.columns["bx"], vector.columns["bx"])
    assert (result.meta.frame, result.meta.kind, result.meta.synthetic) == ("GSE", "vector", True)


def test_difference_refuses_different_units(make_table: TableMaker, day: TimeRange) -> None:
    """And names the remedy."""
    a, b = make_table({"a": [1.0]}, unit="km/s"), make_table({"b": [1.0]}, unit="m/s")
    with pytest.raises(ComputeError, match=r"km/s.*m/s") as caught:
        _apply("difference", {"a": a, "b": b}, day)
    assert "scale" in caught.value.hint


def test_difference_refuses_different_frames(vector: Table, day: TimeRange) -> None:
    """GSE minus GSM is not a vector in any frame."""
    other = Table(vector.time, vector.columns, vector.meta.model_copy(update={"frame": "GSM"}))
    with pytest.raises(ComputeError, match=r"GSE.*GSM"):
        _apply("difference", {"a": vector, "b": other}, day)


def test_difference_refuses_axes_in_another_order(vector: Table, make_table: TableMaker, day: TimeRange) -> None:
    """Labels tell that x would meet z."""
    other = make_table({"bz": [1.0], "by": [1.0], "bx": [1.0]}, kind="vector")
    with pytest.raises(ComputeError, match="would meet"):
        _apply("difference", {"a": vector, "b": other}, day)


def test_difference_refuses_a_vector_and_a_series(vector: Table, make_table: TableMaker, day: TimeRange) -> None:
    """A magnitude is not a vector."""
    with pytest.raises(ComputeError, match="vector"):
        _apply("difference", {"a": vector, "b": make_table({"b": [1.0]})}, day)


@pytest.mark.parametrize(
    ("unit_a", "unit_b", "expected"),
    [("nT", "nT", ""), ("nT", "km", "nT/km"), ("nT", "km/s", "nT s km^-1"), ("nT", "", "nT"), ("", "s", "s^-1"), ("", "", "")],
)
def test_ratio_divides_units(make_table: TableMaker, day: TimeRange, unit_a: str, unit_b: str, expected: str) -> None:
    """Equal units cancel."""
    a, b = make_table({"a": [6.0]}, unit=unit_a), make_table({"b": [3.0]}, unit=unit_b)
    result = _apply("ratio", {"a": a, "b": b}, day)
    assert (result.meta.unit, result.meta.columns[0].unit, result.columns["d"][0]) == (expected, expected, 2.0)


def test_ratio_by_zero_is_nan(make_table: TableMaker, day: TimeRange) -> None:
    """Not infinity, which would spoil scales and means downstream."""
    result = _apply("ratio", {"a": make_table({"a": [1.0, 0.0]}), "b": make_table({"b": [0.0, 0.0]})}, day)
    assert np.isnan(result.columns["d"]).all()


def test_a_vector_may_be_divided_by_a_series(vector: Table, make_table: TableMaker, day: TimeRange) -> None:
    """Each component by the same number; the frame stays."""
    result = _apply("ratio", {"a": vector, "b": make_table({"b": [2.0, 2.0, 2.0]})}, day)
    assert result.columns["bz"].tolist() == [6.0, 1.0, 0.5]
    assert (result.meta.frame, result.meta.unit) == ("GSE", "")


def test_a_series_cannot_be_divided_by_a_vector(vector: Table, make_table: TableMaker, day: TimeRange) -> None:
    """There is no such quotient."""
    with pytest.raises(ComputeError, match="divided by a vector"):
        _apply("ratio", {"a": make_table({"b": [2.0]}), "b": vector}, day)


@pytest.mark.parametrize("has_columns", [True, False])
def test_without_any_b_the_result_is_nan(make_table: TableMaker, day: TimeRange, has_columns: bool) -> None:
    """`a` keeps its records, so that it is seen which data are missing; also where the archive has no file of `b`."""
    a, b = make_table({"a": [1.0, 2.0]}), make_table({"b": [1.0]})
    empty = Table.empty(b.meta if has_columns else UNKNOWN_META)
    result = _apply("difference", {"a": a, "b": empty}, day)
    assert result.status == "all_fill"
    assert len(result) == 2


def test_scale_is_linear_and_changes_the_unit(make_table: TableMaker, day: TimeRange) -> None:
    """Kelvin to degrees Celsius."""
    result = _apply("scale", {"series": make_table({"t": [273.15, 373.15]}, unit="K")}, day, offset=-273.15, unit="degC")
    np.testing.assert_allclose(result.columns["d"], [0.0, 100.0], atol=1e-12)
    assert result.meta.unit == result.meta.columns[0].unit == "degC"


def test_scale_without_a_unit_keeps_it(vector: Table, day: TimeRange) -> None:
    """A change of sign is still nT in GSE."""
    result = _apply("scale", {"series": vector}, day, factor=-1)
    assert (result.meta.unit, result.meta.frame, result.columns["bx"].tolist()) == ("nT", "GSE", [-3.0, -1.0, -1.0])


def test_scale_gives_up_a_log_axis_where_the_sign_may_change(make_table: TableMaker, day: TimeRange) -> None:
    """Negative values have no logarithm."""
    table = make_table({"n": [5.0]}, scale="log")
    assert _apply("scale", {"series": table}, day, factor=2.0).meta.scale == "log"
    assert _apply("scale", {"series": table}, day, offset=-4.0).meta.scale == "linear"


@pytest.mark.parametrize("factor", [float("nan"), float("inf")])
def test_scale_refuses_what_is_no_number(factor: Any) -> None:
    """YAML can say .nan and .inf."""
    with pytest.raises(InputError):
        get_operation("scale").read_options({"factor": factor})


@settings(max_examples=example_count(30), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), tolerance_s=st.sampled_from([0, 5, 60, 1000]), cut_s=st.integers(1, 5000))
def test_matching_does_not_depend_on_cuts(
    make_table: TableMaker, wide: TimeRange, seed: Any, tolerance_s: Any, cut_s: Any
) -> None:
    """Two pieces, each with its halo, give the bytes of the whole."""
    generator = np.random.default_rng(seed)
    a = make_table({"a": generator.normal(size=200)}, at_s=np.cumsum(generator.integers(1, 50, 200)))
    b = make_table({"b": generator.normal(size=100)}, at_s=np.cumsum(generator.integers(1, 99, 100)))
    operation = get_operation("difference")
    options = operation.read_options({"tolerance": timedelta(seconds=tolerance_s)})
    lookback, lookahead = operation.halo(options)
    whole = operation.apply({"a": a, "b": b}, options, wide, "d")
    middle = pd.Timestamp("2023-01-02", tz="UTC").to_pydatetime() + timedelta(seconds=cut_s)
    for piece in (TimeRange(wide.start, middle), TimeRange(middle, wide.stop)):
        halved = {name: table.clip(piece.widened(lookback, lookahead)) for name, table in (("a", a), ("b", b))}
        result = operation.apply(halved, options, piece, "d")
        assert result.time.tobytes() == whole.clip(piece).time.tobytes()
        assert result.columns["d"].tobytes() == whole.clip(piece).columns["d"].tobytes()


def test_a_long_chain_of_differences_keeps_a_short_label(make_table: TableMaker, day: TimeRange) -> None:
    """Labels join while they can be read; then the step's id stands for all of it."""
    result = make_table({"a": [5.0, 7.0]})
    for _ in range(12):
        result = _apply("difference", {"a": result, "b": result}, day, tolerance="PT0S")
    assert len(result.meta.label) <= 60
