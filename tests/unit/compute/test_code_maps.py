"""Maps that code returns, as tables."""

from __future__ import annotations

import pandas as pd

from helio_dagster.compute.code_kinds import table_of_kind
from helio_dagster.domain.time_range import TimeRange


def test_a_map_without_a_row_is_empty(day: TimeRange) -> None:
    """It keeps its columns, their roles and dtypes; a count has no unit, whatever that of the step is."""
    frame = pd.DataFrame({name: pd.Series(dtype="float64") for name in ("x", "x_lower", "x_upper", "y", "z", "count")})
    table = table_of_kind(frame, "map", day, name="m", unit="nT", units={"x": "h"}, frame=None)
    assert table.status == "empty"
    assert [(column.role, column.unit) for column in table.meta.columns] == [
        ("axis", "h"),
        ("lower", "h"),
        ("upper", "h"),
        ("axis", "nT"),
        ("data", "nT"),
        ("count", ""),
    ]
    assert str(table.columns["count"].dtype) == "int64"
