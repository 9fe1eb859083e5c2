"""Events in words."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from helio_dagster.domain.stated_events import events_in
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange


def test_each_event_is_told_with_its_numbers() -> None:
    """Units stand with numbers, marks only where they hold, and a missing value is left out."""
    columns = (
        ColumnMeta(name="stop", role="stop"),
        ColumnMeta(name="duration", unit="h"),
        ColumnMeta(name="extreme", unit="nT"),
        ColumnMeta(name="is_cut", label="whether it is longer than 3 d"),
    )
    times = np.array(["2003-10-29T06:11", "2003-10-30T00:00:00.5"], dtype="datetime64[ns]")
    stops = np.array(["2003-10-29T08:11", "NaT"], dtype="datetime64[ns]")
    values = {
        "stop": stops,
        "duration": np.array([2.0, np.nan]),
        "extreme": np.array([-12.34, -5.0]),
        "is_cut": np.array([0.0, 1.0]),
    }
    table = Table(times, values, TableMeta(kind="events", columns=columns))
    first, second = events_in(table)
    for stop, is_cut in ((8, True), (9, False)):  # a range that stops before 08:11, and one that stops after
        hours = TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2003, 10, 29, stop, tzinfo=UTC))
        assert [each.is_cut for each in events_in(table, hours)] == [is_cut, False]
    assert (first.start, first.stop) == ("2003-10-29T06:11:00Z", "2003-10-29T08:11:00Z")
    assert first.text == "2 h, extreme -12.34 nT"
    assert (second.start, second.stop) == ("2003-10-30T00:00:00.500Z", "")
    assert second.text == "extreme -5 nT, is longer than 3 d"
    assert second.values == {"duration": None, "extreme": -5.0, "is_cut": 1.0}


def test_other_kinds_have_none() -> None:
    """A series is no list."""
    assert list(events_in(Table(np.empty(0, "datetime64[ns]"), {}, TableMeta(kind="series", columns=())))) == []
