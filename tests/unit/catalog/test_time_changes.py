"""Changes of a time range in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.catalog.times.changes import of_this_year, read_change
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
STORM = TimeRange(datetime(2003, 10, 28, tzinfo=UTC), datetime(2003, 11, 1, tzinfo=UTC))
DAY = TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2003, 10, 30, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("next day", "2003-10-29 to 2003-11-02"),
        ("extend it to 6 days", "2003-10-28 to 2003-11-03"),
        ("extend it to 3 days, starting the day before", "2003-10-27 to 2003-10-30"),
        ("make it start at noon and run for two days", "2003-10-28T12:00Z to 2003-10-30T12:00Z"),
        ("start on 2003-11-03 and last 36 hours", "2003-11-03 to 2003-11-04T12:00Z"),
        ("end at noon on 30 October 2003", "2003-10-28 to 2003-10-30T12:00Z"),
        ("extend to midnight on 2003-11-03", "2003-10-28 to 2003-11-03"),
        ("two more days after that", "2003-10-28 to 2003-11-03"),
        ("one more day before", "2003-10-27 to 2003-11-01"),
        ("the previous day", "2003-10-27 to 2003-10-31"),
        ("show me the next week", "2003-11-04 to 2003-11-08"),
        ("two days later", "2003-10-30 to 2003-11-03"),
        ("one year earlier", "2002-10-28 to 2002-11-01"),
        ("extend by one day", "2003-10-28 to 2003-11-02"),
        ("extend it by 2 days on both sides", "2003-10-26 to 2003-11-03"),
        ("add a day at the start", "2003-10-27 to 2003-11-01"),
        ("start at 05:00", "2003-10-28T05:00Z to 2003-11-01"),
        ("start at 6 UT", "2003-10-28T06:00Z to 2003-11-01"),
        ("end at 18h", "2003-10-28 to 2003-10-31T18:00Z"),
        ("end at 18:00", "2003-10-28 to 2003-10-31T18:00Z"),
        ("start on 2003-10-27", "2003-10-27 to 2003-11-01"),
        ("start on 29 Oct", "2003-10-29 to 2003-11-01"),
        ("only from the 29th to the 30th", "2003-10-29 to 2003-10-31"),
        ("just the 31st", "2003-10-31 to 2003-11-01"),
        ("half an hr later on both ends", "2003-10-28T00:30Z to 2003-11-01T00:30Z"),
        ("move it one solar rotation later", "2003-11-24 to 2003-11-28"),
        ("an hour more on either side", "2003-10-27T23:00Z to 2003-11-01T01:00Z"),
        ("with 2 days before and 5 after", "2003-10-26 to 2003-11-06"),
        ("extend it to the end of the year", "2003-10-28 to 2004-01-01"),
        ("the whole month", "2003-10-01 to 2003-11-01"),
        ("same dates but 1989", "1989-10-28 to 1989-11-01"),
        ("2002 not 2001", None),
        ("centre it on 29 Oct 06:00", "2003-10-27T06:00Z to 2003-10-31T06:00Z"),
        ("only the last 6 hours", "2003-10-31T18:00Z to 2003-11-01"),
        ("cut it at 30 oct 12:00", "2003-10-28 to 2003-10-30T12:00Z"),
        ("start at 29 Oct 06:00", "2003-10-29T06:00Z to 2003-11-01"),
        ("first panel only", None),
        ("make it red", None),
        ("put it in the 2nd panel", None),
        ("add the density", None),
        ("next figure", None),
    ],
)
def test_words_change_the_range(text: str, expected: str | None) -> None:
    """Whole ranges are moved, edges replaced; what is about something else is left to others."""
    found = read_change(text, STORM, NOW)
    assert (str(found) if found else None) == expected


def test_times_of_day_are_of_the_one_day() -> None:
    """Of several days it is not known which is meant."""
    assert str(read_change("zoom in on 5:00 to 9:00", DAY, NOW)) == "2003-10-29T05:00Z to 2003-10-29T09:00Z"
    assert read_change("zoom in on 5:00 to 9:00", STORM, NOW) is None


def test_a_date_without_year_is_of_the_year_at_hand() -> None:
    """Beside a range, nobody means another year."""
    text = "29 Oct 5:00 to 9:00"
    found = find_span(text, NOW)
    assert found is not None
    assert str(of_this_year(text, found, STORM)) == "2003-10-29T05:00Z to 2003-10-29T09:00Z"


def test_a_range_that_would_be_none_is_an_error() -> None:
    """Its end before its start."""
    with pytest.raises(InputError, match="not after"):
        read_change("end on 2003-10-01", STORM, NOW)


@pytest.mark.parametrize("unit", ["hours", "weeks", "months", "years"])
def test_a_range_that_is_moved_too_far_is_an_error(unit: str) -> None:
    """And no failure of the calendar."""
    with pytest.raises(InputError, match=r"moved by|outside 1900"):
        read_change(f"999999999 {unit} later", STORM, NOW)


@given(st.integers(1, 400), st.sampled_from(["day", "week", "hour"]))
def test_there_and_back_is_where_it_was(count: int, unit: str) -> None:
    """For lengths that are the same everywhere."""
    there = read_change(f"{count} {unit}s later", STORM, NOW)
    assert there is not None
    assert there.duration == STORM.duration
    assert read_change(f"{count} {unit}s earlier", there, NOW) == STORM
    assert (
        there.start - STORM.start
        == count * {"day": timedelta(days=1), "week": timedelta(days=7), "hour": timedelta(hours=1)}[unit]
    )
