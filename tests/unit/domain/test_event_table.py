"""Event rows written into a pipeline."""

from __future__ import annotations

import numpy as np
import pytest

from helio_dagster.domain.event_table import EventTableError, read_events
from helio_dagster.domain.pipeline import EventTable


def events(csv: str) -> EventTable:
    """A table step's rows."""
    return EventTable(csv=csv, source="a paper")


def test_rows_become_a_sorted_table_with_typed_columns() -> None:
    """The time column is found by its name; stops are times, numbers are numbers, the rest is text."""
    table = read_events(
        events("name,onset,stop,dst\nHalloween,2003-10-29T06:11Z,2003-10-31,-353\nBastille,2000-07-14T14:37+00:00,,\n")
    )
    assert table.time.tolist() == np.array(["2000-07-14T14:37", "2003-10-29T06:11"], "datetime64[ns]").tolist()
    assert list(table.columns) == ["name", "stop", "dst"]
    assert table.columns["name"].tolist() == ["Bastille", "Halloween"]
    assert np.isnat(table.columns["stop"][0])
    assert table.columns["stop"][1] == np.datetime64("2003-10-31")
    np.testing.assert_array_equal(table.columns["dst"], [np.nan, -353.0])
    assert table.meta.kind == "events"


def test_without_a_time_header_the_first_column_is_the_time() -> None:
    """A header in other words does not stop a table from being read."""
    assert read_events(events("when,what\n2003-10-29,a")).time[0] == np.datetime64("2003-10-29")


@pytest.mark.parametrize(
    ("csv", "line", "words"),
    [
        ("", 1, "empty"),
        ("time,name\n", 1, "no row"),
        ("time,time\n2003-01-01,a", 1, "without a name"),
        ("time,name\n2003-01-01,a\n\n2003-02-30,b", 4, "'2003-02-30' in column 'time' is not a time"),
        ("time,name\n2003-01-01,a,b", 2, "3 cells"),
        ("time,name\n2003-01-01,a\n2003-01-01,a", 3, "same event as in line 2"),
        ('time,name\n2003-01-01,"a', 2, "not CSV"),
        ("start,stop\n2003-01-02,2003-01-01", 2, "not after"),
        ("time,name\n0001-01-01,a", 2, "outside"),
    ],
)
def test_a_bad_row_is_named_by_its_line(csv: str, line: int, words: str) -> None:
    """Every fault names the line of the CSV and what is wrong there."""
    with pytest.raises(EventTableError, match=words) as caught:
        read_events(events(csv))
    assert caught.value.line == line
