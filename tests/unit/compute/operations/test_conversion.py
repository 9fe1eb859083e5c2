"""convert_unit: values in another unit of the same quantity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import constants

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.table import Table

Make = Callable[..., Table]


def test_the_result_has_the_unit_asked_for_however_it_was_written(make_table: Make, apply: Make) -> None:
    """The printed form of units is one; values are multiplied, NaN stays."""
    result = apply("convert_unit", {"series": make_table({"n": [5.0, np.nan]}, unit="#/cc")}, unit="1/m**3")
    assert result.meta.unit == "m^-3"
    assert [column.unit for column in result.meta.columns] == ["m^-3"]
    np.testing.assert_array_equal(result.columns["out"], [5e6, np.nan])


def test_a_temperature_in_electronvolts_is_boltzmanns_constant_times_it(make_table: Make, apply: Make) -> None:
    """The oracle is scipy's table of constants."""
    result = apply("convert_unit", {"series": make_table({"t": [1e5]}, unit="K")}, unit="eV")
    np.testing.assert_allclose(result.columns["out"], 1e5 * constants.k / constants.e, rtol=1e-15)


def test_a_vector_keeps_its_columns_and_frame(vector: Table, apply: Make) -> None:
    """Each component is converted."""
    result = apply("convert_unit", {"series": vector}, unit="T")
    assert (result.meta.kind, result.meta.frame) == (vector.meta.kind, vector.meta.frame)
    np.testing.assert_array_equal(result.columns["bx"], vector.columns["bx"].astype(np.float64) / 1e9)


@pytest.mark.parametrize(("given", "wanted"), [("nT", "km/s"), ("counts", "nT"), ("", "nT"), ("cm^-3", "K")])
def test_a_unit_of_another_quantity_is_refused(make_table: Make, apply: Make, given: str, wanted: str) -> None:
    """No factor is invented."""
    with pytest.raises(ComputeError):
        apply("convert_unit", {"series": make_table({"v": [1.0]}, unit=given)}, unit=wanted)


def test_a_unit_must_be_given() -> None:
    """Blank is none."""
    with pytest.raises(InputError, match="unit"):
        get_operation("convert_unit").read_options({"unit": " "})
