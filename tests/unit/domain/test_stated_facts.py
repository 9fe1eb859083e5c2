"""Facts in words."""

from __future__ import annotations

import numpy as np
import pytest

from helio_dagster.domain.stated_facts import StatedFact, facts_in
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (StatedFact("lag", 34.2, "min", 2.04), "34.2 +- 2.0 min"),
        (StatedFact("lag", 27.2391, "min", 0.0862), "27.239 +- 0.086 min"),
        (StatedFact("v", 431_234.0, "m/s", 1_200.0), "431200 +- 1200 m/s"),
        (StatedFact("n", 10757.0), "10,757"),
        (StatedFact("r", 0.81234), "0.8123"),
        (StatedFact("b", 1.5e-9, "T", 2e-11), "1.5e-09 +- 2e-11 T"),
        (StatedFact("slope", None), "not known: no valid data"),
        (StatedFact("at", "2003-10-29T06:11:00Z"), "2003-10-29T06:11:00Z"),
        (StatedFact("x", 2.0, "", float("nan")), "2"),
    ],
)
def test_values_are_written_to_two_digits_of_their_uncertainty(fact: StatedFact, text: str) -> None:
    """Counts whole, very small numbers with exponents, times as times."""
    assert fact.quantity == text


def test_the_rows_of_a_table_are_facts_with_what_they_were_taken_from() -> None:
    """Uncertainties go with their number, a missing number is None, and other kinds have no facts."""
    columns = (
        ColumnMeta(name="stop", role="stop"),
        ColumnMeta(name="lag", unit="min"),
        ColumnMeta(name="lag_uncertainty", unit="min", role="uncertainty"),
        ColumnMeta(name="when"),
    )
    time = np.array(["2003-10-29", "2003-10-30"], dtype="datetime64[ns]")
    values = {
        "stop": time + np.timedelta64(1, "D"),
        "lag": np.array([34.0, np.nan]),
        "lag_uncertainty": np.array([2.0, np.nan]),
        "when": np.array(["2003-10-29T06:11", "NaT"], dtype="datetime64[ns]"),
    }
    table = Table(time, values, TableMeta(kind="facts", columns=columns))
    found = list(facts_in(table))
    assert [(each.name, each.value, each.uncertainty) for each in found] == [
        ("lag", 34.0, 2.0),
        ("when", "2003-10-29T06:11:00Z", None),
        ("lag", None, None),
        ("when", None, None),
    ]
    assert (found[0].start, found[0].stop) == ("2003-10-29T00:00:00Z", "2003-10-30T00:00:00Z")
    assert list(facts_in(Table(time, values, TableMeta(kind="events", columns=columns)))) == []
