"""What code may return, and what it is told where it returns something else."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.sandbox.results import UnfitResult, check_size, read_named, read_result
from helio_dagster.sandbox.wire import Rows

TIME = pd.date_range("2024-01-01", periods=3, freq="min", tz="UTC", name="time")


def read(returned: object, most_columns: int = 10) -> Any:
    """Read what a step named `step` returned."""
    return read_result(returned, name="step", most_columns=most_columns)


def test_a_series_without_a_name_takes_that_of_the_step() -> None:
    """A difference of columns has no name in pandas."""
    assert read(pd.Series([1.0, 2.0, 3.0], index=TIME)).names == ["step"]


def test_times_are_utc_nanoseconds_whatever_their_zone_and_unit() -> None:
    """Naive times are UTC; others are converted."""
    aware = pd.Series(1.0, index=TIME.tz_convert("Asia/Tokyo"))
    naive = pd.Series(1.0, index=TIME.tz_localize(None).as_unit("s"))
    wanted = TIME.tz_localize(None).to_numpy().astype("datetime64[ns]").astype("int64")
    np.testing.assert_array_equal(read(aware).time, wanted)
    np.testing.assert_array_equal(read(naive).time, wanted)


@pytest.mark.parametrize(
    "values",
    [
        np.array([True, False, True]),
        np.array([1, 0, 1], dtype="int16"),
        np.array([1, 0, 1], dtype="float32"),
        np.array([1, 0, 1], dtype="longdouble"),
        pd.array([1, 0, 1], dtype="Int64"),
        pd.array([True, False, True], dtype="boolean"),
    ],
    ids=["bool", "int16", "float32", "longdouble", "Int64", "boolean"],
)
def test_numbers_of_any_kind_become_float64(values: object) -> None:
    """Also flags."""
    column = read(pd.DataFrame({"x": values}, index=TIME)).values[0]
    assert column.dtype == np.float64
    np.testing.assert_array_equal(column, [1.0, 0.0, 1.0])


def test_missing_values_become_nan() -> None:
    """Pandas' own missing value has no bits that could cross."""
    column = read(pd.DataFrame({"x": pd.array([1, None, 3], dtype="Int64")}, index=TIME)).values[0]
    np.testing.assert_array_equal(column, [1.0, np.nan, 3.0])


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "returns nothing"),
        ((each for each in ""), "is a generator"),
        (np.zeros((3, 2)), r"array of shape \(3, 2\)"),
        (3.5, "float, which is not a table"),
        (pd.DataFrame(index=TIME), "no columns"),
        (pd.Series([1.0, 2.0]), "indexed by int64, not by time"),
        (pd.Series(1.0, index=TIME.tz_localize(None).to_period("min")), "not by time"),
        (pd.Series(1.0, index=pd.DatetimeIndex([*TIME[:2], pd.NaT])), "without a time"),
        (pd.DataFrame({"x": ["a", "b", "c"]}, index=TIME), "'x' holds object"),
        (pd.DataFrame({"x": [Decimal(1)] * 3}, index=TIME), "'x' holds object"),
        (pd.DataFrame({"x": TIME}, index=TIME), "'x' holds datetime64"),
        (pd.DataFrame({"x": TIME - TIME[0]}, index=TIME), "'x' holds timedelta64"),
        (pd.DataFrame({"x": [1j, 2j, 3j]}, index=TIME), "complex"),
        (pd.DataFrame({"x": pd.Categorical(["a", "b", "a"])}, index=TIME), "'x' holds category"),
        (pd.DataFrame(np.zeros((3, 2)), index=TIME), "named '0', which is not text"),
        (pd.DataFrame(np.zeros((3, 2)), index=TIME, columns=["x", "x"]), "two columns of one name: 'x'"),
        (pd.DataFrame({"x" * 500: 1.0}, index=TIME), "name of 500 characters"),
        (pd.DataFrame(np.zeros((3, 2)), index=TIME, columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])), "not text"),
        (pd.DataFrame({"x": 1.0}, index=pd.MultiIndex.from_product([["a"], TIME])), "several levels"),
    ],
)
def test_anything_else_is_refused_in_words(returned: object, said: str) -> None:
    """Each says what it is and what to return."""
    with pytest.raises(UnfitResult, match=said) as refused:
        read(returned)
    assert refused.value.hint
    assert refused.value.cause == "unfit"


def test_too_many_columns_are_refused_before_they_are_looked_at() -> None:
    """The limit is named, so that it can be raised."""
    with pytest.raises(UnfitResult, match="11 columns; 10 are allowed") as refused:
        read(pd.DataFrame(np.zeros((1, 11)), index=TIME[:1]))
    assert refused.value.cause == "result_columns"


def test_a_result_larger_than_allowed_is_refused_with_its_shape() -> None:
    """Eight bytes a time and a number."""
    found = read(pd.DataFrame({"x": 1.0, "y": 2.0}, index=TIME))
    check_size([found], 3 * 8 * 3)
    with pytest.raises(UnfitResult, match="3 records x 2 columns, 72 bytes") as refused:
        check_size([found], 71)
    assert refused.value.cause == "result_bytes"
    wide = read_result(dict.fromkeys("abc", 1.0), name="step", most_columns=3, rows="numbered")
    check_size([found, wide], 3 * 8 * 7)  # stored side by side, as long as the longest
    with pytest.raises(UnfitResult, match="3 records x 2 columns and 1 records x 3 columns, 168 bytes"):
        check_size([found, wide], 3 * 8 * 7 - 1)


NAMED: dict[str, Rows] = {"lag": "numbered", "smooth": "samples"}


def test_named_results_come_in_the_order_of_their_names() -> None:
    """Whatever the order of the mapping; each is read by what its own rows are, and an unnamed series has its result's name."""
    lag, smooth = read_named({"smooth": pd.Series(1.0, index=TIME), "lag": {"lag": 34.0}}, NAMED, most_columns=2)
    assert (lag.names, lag.values[0].tolist()) == (["lag"], [34.0])
    assert (smooth.names, smooth.time.tolist()) == (["smooth"], TIME.as_unit("ns").asi8.tolist())


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (pd.Series(1.0, index=TIME), "the code returns Series, and the step has the results lag, smooth"),
        ({"lag": {"lag": 1.0}}, "the code returns lag, and the step has the results lag, smooth"),
        ({"lag": {"lag": 1.0}, "smooth": None, "more": 1}, "the code returns lag, smooth, more, and"),
        ({"lag": {"lag": "x"}, "smooth": pd.Series(1.0, index=TIME)}, "lag: the column 'lag' holds"),
        ({"lag": {"a": 1.0, "b": 2.0}, "smooth": pd.Series(1.0, index=TIME)}, "smooth: the result has 1 columns; 0 are"),
    ],
)
def test_a_fault_of_named_results_is_said_with_the_name(returned: object, said: str) -> None:
    """Names that are missing or too many, a result that cannot be read, and more columns than all may have together."""
    with pytest.raises(UnfitResult, match=said) as refused:
        read_named(returned, NAMED, most_columns=2)
    assert refused.value.hint
