"""Events as partitions: keys, windows, versions of rows, and lists that cannot be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.event_partitions import EventPartitions, event_partitions
from helio_dagster.domain.event_table import read_events
from helio_dagster.domain.pipeline import EventTable
from helio_dagster.domain.span_key import span_key, span_of
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

HOUR = timedelta(hours=1)


def partitions(csv: str, before: timedelta = HOUR, after: timedelta = HOUR) -> EventPartitions:
    """The partitions of a list."""
    return event_partitions("storms", "storms/list", read_events(EventTable(csv=csv, source="x")), before, after)


def test_keys_are_readable_and_windows_are_widened() -> None:
    """Time and name; an event with a stop lasts until then, one without is an instant; seconds only where there are any."""
    found = partitions("start,stop,name\n2003-10-29T06:11Z,2003-10-29T08:00Z,Halloween (X17)\n2003-11-20T08:00:05Z,,\n")
    assert list(found.events) == ["20031029T0611_halloween_x17", "20031120T080005"]
    assert str(found.window("20031029T0611_halloween_x17")) == "2003-10-29T05:11Z to 2003-10-29T09:00Z"
    assert str(found.window("20031120T080005")) == "2003-11-20T07:00:05Z to 2003-11-20T09:00:05Z"
    october = TimeRange(datetime(2003, 10, 1, tzinfo=UTC), datetime(2003, 11, 1, tzinfo=UTC))
    assert found.keys(october) == ["20031029T0611_halloween_x17"]
    assert len(found.rows_of(["20031120T080005"])) == 1


def test_the_version_of_an_event_is_that_of_its_row_and_window() -> None:
    """Other rows, their order and blank lines do not count; its own columns and the lengths around it do."""
    one = partitions("start,size\n2003-10-29,5\n2003-11-20,7\n")
    other = partitions("start,size\n2003-11-20,8\n\n2003-10-29,5\n")
    key = "20031029T0000"
    assert one.events[key].version == other.events[key].version
    assert one.events["20031120T0000"].version != other.events["20031120T0000"].version
    longer = partitions("start,size\n2003-10-29,5\n2003-11-20,7\n", after=2 * HOUR)
    assert one.events[key].version != longer.events[key].version


@pytest.mark.parametrize(
    ("csv", "before", "after", "problem"),
    [
        ("start\n2003-10-29\n", timedelta(0), timedelta(0), "window of 20031029T0000 in storms/list is empty"),
        ("start,stop\n2003-10-29,2005-01-01\n", HOUR, HOUR, "days long"),
    ],
)
def test_windows_that_cannot_be_are_refused(csv: str, before: timedelta, after: timedelta, problem: str) -> None:
    """With the event and what to do."""
    with pytest.raises(InputError, match=problem) as caught:
        partitions(csv, before, after)
    assert caught.value.hint


@given(st.integers(0, 2 * 10**9), st.integers(1, 10**8))
def test_a_range_s_key_reads_back_as_the_range(start: int, length: int) -> None:
    """In whole seconds; no other text is taken for one."""
    begin = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=start)
    span = TimeRange(begin, begin + timedelta(seconds=length))
    assert span_of(span_key(span)) == span
    assert span_of(f"{span_key(span)}x") is None


@pytest.mark.parametrize("text", ["2003-10-29", "20031029", "20031340_20031401", "20031030_20031029", "20031029_20031029", ""])
def test_no_other_text_is_a_range(text: str) -> None:
    """Also dates that do not exist and ranges that end before they begin."""
    assert span_of(text) is None


@pytest.mark.slow
def test_ten_thousand_events_are_in_order_and_found() -> None:
    """Against numpy's own search."""
    starts = np.datetime64("1995-01-01T00:00") + np.arange(10_000) * np.timedelta64(7, "h")
    found = partitions("start\n" + "\n".join(f"{start}Z" for start in starts))
    span = TimeRange(datetime(1998, 1, 1, tzinfo=UTC), datetime(1999, 1, 1, tzinfo=UTC))
    inside = (starts >= np.datetime64("1998-01-01")) & (starts < np.datetime64("1999-01-01"))
    assert len(found.events) == 10_000
    assert len(found.keys(span)) == int(inside.sum())


def test_a_list_that_is_too_long_says_how_long_it_is() -> None:
    """A hundred thousand rows are the most."""
    rows = partitions("start\n2003-10-29\n").rows
    time = rows.time[0] + np.arange(100_001) * np.timedelta64(1, "h")
    with pytest.raises(InputError, match="has 100,001 events, more than 100,000") as refused:
        event_partitions("storms", "storms/list", Table(time, {}, rows.meta), HOUR, HOUR)
    assert refused.value.hint == "Split the list."


def test_events_that_start_together_differ_by_their_ids() -> None:
    """Keys stay readable and do not depend on the order of the rows; ids that read alike get a short hash each."""
    found = partitions("start,name\n2003-10-29,b\n2003-10-29,a\n2003-10-29,X 1\n2003-10-29,x-1\n")
    keys = list(found.events)
    assert keys[1:3] == ["20031029T0000_a", "20031029T0000_b"]
    assert [key[:17] for key in (keys[0], keys[3])] == ["20031029T0000_x_1"] * 2
    assert keys[0] != keys[3]
    assert (
        partitions("start,name\n2003-10-29,x-1\n2003-10-29,b\n2003-10-29,X 1\n2003-10-29,a\n").events.keys()
        == found.events.keys()
    )
    with pytest.raises(InputError, match="two events of storms/list have the key 20031029T0000_a") as caught:
        partitions("start,name,size\n2003-10-29,a,1\n2003-10-29,a,2\n")
    assert "different ids" in caught.value.hint
