"""shift_time against times moved by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]


@pytest.mark.parametrize(("way", "sign"), [("later", 1), ("earlier", -1)])
def test_each_value_stands_so_much_later_or_earlier(make_table: TableMaker, apply: Make, way: str, sign: int) -> None:
    """Values, unit and frame are as they were; a fraction of a second is kept."""
    at = np.array([0.0, 7.25, 60.5])
    table = make_table(
        {"x": [1.0, 2.0, np.nan], "y": [4.0, 5.0, 6.0], "z": [7.0, 8.0, 9.0]}, at_s=at, kind="vector", frame="GSE"
    )
    found = apply("shift_time", {"series": table}, **{way: "PT1M30.5S"})
    np.testing.assert_array_equal(found.time, table.time + np.timedelta64(sign * 90_500_000_000, "ns"))
    for name in "xyz":
        np.testing.assert_array_equal(found.columns[name], table.columns[name])
    assert (found.meta.kind, found.meta.frame, found.meta.unit) == ("vector", "GSE", table.meta.unit)


@pytest.mark.parametrize("options", [{}, {"later": "PT1M", "earlier": "PT1M"}])
def test_one_way_must_be_given(options: dict[str, str]) -> None:
    """And not both."""
    with pytest.raises(InputError, match="give one of later and earlier"):
        get_operation("shift_time").read_options(options)
