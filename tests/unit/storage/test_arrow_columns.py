"""Tables become the same Arrow arrays as `pa.array` makes of their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.storage.arrow_columns import column_to_numpy, table_to_arrow

_TIMES = np.array(["2003-10-29T06:11", "2003-10-30", "2003-11-01"], "datetime64[ns]")


@pytest.mark.parametrize(
    "values",
    [
        np.array([1.5, np.nan, -np.inf]),
        np.arange(6.0)[::2],
        np.array([1.5, np.nan, 2.5], np.float32),
        np.array([1, 2, -3], np.int64),
        np.array([True, False, True]),
        np.array(["2003-10-29", "NaT", "2003-10-31"], "datetime64[ns]"),
        np.array(["a", "", "Ö 1"], object),
    ],
    ids=["floats", "every other", "singles", "integers", "truth values", "times", "texts"],
)
def test_a_column_is_what_arrow_itself_makes_of_it(values: NDArray[Any]) -> None:
    """Type, values and nulls; only a missing time is null."""
    table = Table(_TIMES, {"a": values}, TableMeta(kind="series", columns=(ColumnMeta(name="a"),)))
    arrow = table_to_arrow(table)
    expected = pa.array(np.ascontiguousarray(values))
    assert repr(arrow.column("a").to_pylist()) == repr(expected.to_pylist())
    assert (arrow.column("a").type, arrow.column("a").null_count) == (expected.type, expected.null_count)
    assert arrow.column("time").type == pa.timestamp("ns")
    arrow.validate(full=True)
    np.testing.assert_array_equal(column_to_numpy(arrow, "a"), values)
