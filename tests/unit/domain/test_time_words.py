"""START and STOP as people write them."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.time_words import parse_span

NOW = datetime(2026, 3, 10, 15, 30, 20, tzinfo=UTC)
moments = st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))
days = st.dates(datetime(1950, 1, 1).date(), datetime(2100, 1, 1).date())


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [
        ("2023-01-02", None, "2023-01-02 to 2023-01-03"),
        ("2023-01-02", "2023-01-02", "2023-01-02 to 2023-01-03"),
        ("2023-01-02", "2023-01-05", "2023-01-02 to 2023-01-05"),
        ("2003-10", None, "2003-10-01 to 2003-11-01"),
        ("2003-12", "2003-12", "2003-12-01 to 2004-01-01"),
        ("2024", None, "2024-01-01 to 2025-01-01"),
        ("2003", "2005", "2003-01-01 to 2005-01-01"),
        ("2003-302", None, "2003-10-29 to 2003-10-30"),
        ("2003-10-29T06:11", "2003-10-29T18:00Z", "2003-10-29T06:11Z to 2003-10-29T18:00Z"),
        ("2003-10-29 06:11:30.5", "2003-10-30T24:00", "2003-10-29T06:11:30.500000Z to 2003-10-31"),
        ("2003-10-29T06:00+02:00", "2003-10-30", "2003-10-29T04:00Z to 2003-10-30"),
        ("2003-10-29/2003-10-31", None, "2003-10-29 to 2003-10-31"),
        ("last 7 days", None, "2026-03-03 to 2026-03-10"),
        ("last week", None, "2026-03-03 to 2026-03-10"),
        ("Last Month", None, "2026-02-08 to 2026-03-10"),
        ("the last year", None, "2025-03-10 to 2026-03-10"),
        ("past two days", None, "2026-03-08 to 2026-03-10"),
        ("last 12 hours", None, "2026-03-10T03:00Z to 2026-03-10T15:00Z"),
        ("yesterday", None, "2026-03-09 to 2026-03-10"),
        ("yesterday", "now", "2026-03-09 to 2026-03-10T15:30:20Z"),
    ],
)
def test_words_name_half_open_ranges(start: str, stop: str | None, expected: str) -> None:
    """Each form names the range that the design promises."""
    assert str(parse_span(start, stop, NOW)) == expected


@pytest.mark.parametrize(
    ("start", "stop", "words"),
    [
        ("2023-02-30", None, "February 2023 has 28 days"),
        ("2023-13-01", None, "months go from 01 to 12"),
        ("2003-13", None, "not a month"),
        ("0000", None, "outside 1900 to 2200"),
        ("0000-01-01", None, "outside 1900 to 2200"),
        ("9999-12-31", None, "outside 1900 to 2200"),
        ("2023-366", None, "not a day of the year"),
        ("2023-01-02T25:00", "2023-01-03", "hours go to 23"),
        ("2023-01-05", "2023-01-02", "is not after start"),
        ("2023-01-02T06:00", None, "one moment"),
        ("last 7 days", "2023-01-02", "whole range"),
        ("last 0 days", None, "not a range"),
        ("last 99999999999 years", None, "not a range"),
        ("whenever", None, "not a time"),
        ("", None, "not a time"),
        ("2023-1-2-3", None, "not a time"),
    ],
)
def test_what_is_no_range_says_why(start: str, stop: str | None, words: str) -> None:
    """Absurd dates and words end in one clear message with a remedy."""
    with pytest.raises(InputError, match=words) as caught:
        parse_span(start, stop, NOW)
    assert caught.value.hint


@given(moments, moments)
def test_printed_ranges_read_back(first: datetime, second: datetime) -> None:
    """What is shown to a person can be typed again."""
    if first >= second:
        return
    span = TimeRange(first, second)
    if format_time(first) != format_time(second):
        assert parse_span(format_time(first), format_time(second), NOW) == span


@given(days)
def test_a_day_alone_is_that_day(day: datetime) -> None:
    """One date names 24 hours from its midnight."""
    span = parse_span(day.isoformat(), None, NOW)
    assert span.start.date() == day
    assert span.duration == timedelta(days=1)


@given(st.integers(1, 5000), moments)
def test_last_days_are_whole_days_before_today(count: int, now: datetime) -> None:
    """The present day is left out, whatever the hour."""
    if now.year < 1970:
        return
    span = parse_span(f"last {count} days", None, now)
    assert span.stop == now.replace(hour=0, minute=0, second=0, microsecond=0)
    assert span.duration == timedelta(days=count)


@given(st.text(max_size=20), st.none() | st.text(max_size=20))
def test_any_text_is_a_range_or_a_clear_error(start: str, stop: str | None) -> None:
    """No text makes the parser fail in another way."""
    with suppress(InputError):
        parse_span(start, stop, NOW)
