"""What counts as a measurement, on arrays small enough to check by eye."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from helio_dagster.archives.cdf.masking import masked_columns, valid_rule
from helio_dagster.archives.cdf.raw import RawVariable, without_ones


def masked(values: Any, dtype: str, **attributes: Any) -> list[NDArray[Any]]:
    """Columns of one variable with these attributes."""
    array = np.asarray(values, dtype=dtype)
    variable = RawVariable("B", "number", *without_ones(array.shape[1:]), len(array), True, attributes)
    flat = array.reshape(len(array), variable.width)
    return masked_columns(flat, valid_rule(variable, flat.dtype))


def test_a_fill_value_of_another_precision_is_found() -> None:
    """-1e31 written as a double is the single -9.9999998e30 in the data."""
    (column,) = masked([1.0, -1e31], "float32", FILLVAL=[-1e31])
    assert column.dtype == "float32"
    np.testing.assert_array_equal(column, np.array([1.0, np.nan], dtype="float32"))


def test_the_istp_fill_counts_without_an_attribute() -> None:
    """-1e31 is never a measurement."""
    np.testing.assert_array_equal(masked([2.0, -1e31], "float64")[0], [2.0, np.nan])


def test_integers_that_may_lack_a_value_are_doubles_in_every_file() -> None:
    """The dtype follows from the definition, not from whether this file has a fill value."""
    (clean,) = masked([1, 2], "int32", FILLVAL=[-2147483648])
    (holed,) = masked([1, -2147483648], "int32", FILLVAL=[-2147483648])
    assert clean.dtype == holed.dtype == "float64"
    np.testing.assert_array_equal(holed, [1.0, np.nan])


def test_integers_that_lack_nothing_stay_integers() -> None:
    """Flags without fill value and range keep their dtype."""
    (column,) = masked([1, 200], "uint8")
    assert column.dtype == "uint8"


def test_a_negative_fill_of_an_unsigned_integer_means_its_bits() -> None:
    """-1 in a UINT1 is 255."""
    np.testing.assert_array_equal(masked([7, 255], "uint8", FILLVAL=[-1])[0], [7.0, np.nan])


def test_one_range_serves_all_components() -> None:
    """A scalar VALIDMIN and VALIDMAX hold for every component."""
    first, second = masked([[1.0, 50.0], [-50.0, 2.0]], "float32", VALIDMIN=[-10.0], VALIDMAX=[10.0])
    np.testing.assert_array_equal(first, [1.0, np.nan])
    np.testing.assert_array_equal(second, [np.nan, 2.0])


def test_each_component_has_its_own_range() -> None:
    """A vector VALIDMIN and VALIDMAX hold component by component."""
    first, second = masked([[5.0, 5.0]], "float64", VALIDMIN=[0.0, 0.0], VALIDMAX=[4.0, 6.0])
    assert np.isnan(first[0])
    assert second[0] == 5.0


@pytest.mark.parametrize(
    "attributes",
    [
        {"VALIDMIN": "-99", "VALIDMAX": "-98"},
        {"VALIDMIN": [9.0], "VALIDMAX": [1.0]},
        {"VALIDMIN": [0.0], "VALIDMAX": [0.0]},
        {"VALIDMIN": [float("nan")], "VALIDMAX": [float("nan")]},
        {"VALIDMIN": [90.0, 90.0, 90.0], "VALIDMAX": [99.0, 99.0, 99.0]},
    ],
)
def test_a_range_that_makes_no_sense_masks_nothing(attributes: dict[str, Any]) -> None:
    """Texts, turned, empty, NaN and of the wrong length."""
    np.testing.assert_array_equal(masked([[5.0, 6.0]], "float64", **attributes), [[5.0], [6.0]])


def test_limits_are_inclusive_at_the_precision_of_the_data() -> None:
    """0.01 as a double must not shut out 0.01 as a single."""
    assert not np.isnan(masked([0.01], "float32", VALIDMIN=[0.01], VALIDMAX=[1.0])[0]).any()


def test_the_source_is_not_changed() -> None:
    """Masking works on a copy: the library's buffer may be read again."""
    values = np.array([[-1e31]])
    masked_columns(values, valid_rule(RawVariable("B", "number", (), (), 1, True, {}), values.dtype))
    assert values[0, 0] == -1e31
