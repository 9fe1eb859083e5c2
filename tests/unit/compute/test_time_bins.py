"""The one convention of bins in time: aligned to 1970, labelled by the start, which is where they belong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.compute.time_bins import bin_times, bins_halo

LENGTHS = st.timedeltas(timedelta(microseconds=1), timedelta(days=366))
TIMES = st.lists(
    st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)), min_size=1, max_size=20, unique=True
)


@given(times=TIMES, length=LENGTHS)
def test_bins_are_those_of_whole_numbers(times: list[datetime], length: timedelta) -> None:
    """The oracle counts with Python's integers: every record lies in the bin that begins at a multiple of the length."""
    epoch, times = datetime(1970, 1, 1, tzinfo=UTC), sorted(times)
    wanted = [epoch + (moment - epoch) // length * length for moment in times]
    array = np.array([moment.replace(tzinfo=None) for moment in times], dtype="datetime64[ns]")
    bins = bin_times(array, length)
    assert bins.starts.astype("datetime64[us]").tolist() == sorted({start.replace(tzinfo=None) for start in wanted})
    assert bins.first.tolist() == [wanted.index(start) for start in sorted(set(wanted))]


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (timedelta(minutes=7), "2023-01-01T23:54"),
        (timedelta(hours=5), "2023-01-01T23:00"),
        (timedelta(days=3), "2023-01-02T00:00"),
        (timedelta(weeks=1), "2022-12-29T00:00"),
        (timedelta(days=1), "2023-01-02T00:00"),
    ],
)
def test_the_bin_of_a_midnight(length: timedelta, expected: str) -> None:
    """Counted by hand: 2023-01-02 is day 19359 since 1970; weeks begin on Thursdays, as 1970 did."""
    days = (datetime(2023, 1, 2, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days
    assert days == 19359
    assert bin_times(np.array(["2023-01-02"], dtype="datetime64[ns]"), length).starts[0] == np.datetime64(expected)


@given(length=LENGTHS, start=st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)))
def test_the_halo_holds_every_bin_that_begins_inside(length: timedelta, start: datetime) -> None:
    """A bin that begins at the last instant of a partition stops within the halo; no record before the partition is needed."""
    before, after = bins_halo(length)
    assert before == timedelta(0)
    partition_stop = start + timedelta(microseconds=1)
    assert start + length <= partition_stop + after
