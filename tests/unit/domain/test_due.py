"""Which partitions are due at a tick."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.domain.due import CATCH_UP, due_span
from helio_dagster.domain.grain import Grain

START = datetime(2020, 1, 1, tzinfo=UTC)


def due(
    now: str, *, grain: Grain = Grain.DAILY, lag_h: float = 0, recheck_days: int = 0, newest_made: str | None = None
) -> tuple[str, str] | None:
    """First and last key of what is due."""
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    span = due_span(grain, moment, start=START, lag=timedelta(hours=lag_h), recheck_days=recheck_days, newest_made=newest_made)
    if span is None:
        return None
    keys = grain.keys(span)
    return keys[0], keys[-1]


@pytest.mark.parametrize(
    ("now", "lag_h", "expected"),
    [
        ("2023-05-10", 0, "2023-05-09"),
        ("2023-05-10T23:59:59", 0, "2023-05-09"),
        ("2023-05-10", 36, "2023-05-07"),
        ("2023-05-10T12:00", 36, "2023-05-08"),
        ("2023-05-10T11:59", 36, "2023-05-07"),
    ],
)
def test_the_latest_partition_is_complete_after_the_lag(now: str, lag_h: float, expected: str) -> None:
    """Not before its stop and the lag have passed, and from that very moment."""
    assert due(now, lag_h=lag_h) == (expected, expected)


def test_what_came_due_while_nothing_ran_is_made_up_for() -> None:
    """A laptop that slept for a week; but a year's gap, or the pipeline of an old storm, is for a backfill."""
    assert due("2023-05-10", newest_made="2023-05-02") == ("2023-05-03", "2023-05-09")
    assert due("2023-05-10", newest_made="2003-10-30") == ("2023-05-09", "2023-05-09")


def test_long_partitions_are_made_up_for_by_when_they_came_due() -> None:
    """A month of sleep is a month of weeks too, though the first of these began before it."""
    assert due("2030-01-30", grain=Grain.WEEKLY, lag_h=25, newest_made="2029-12-17") == ("2029-12-24", "2030-01-21")
    assert due("2030-02-10", grain=Grain.WEEKLY, lag_h=25, newest_made="2029-12-17") == ("2030-01-28", "2030-01-28")


def test_nothing_is_due_twice() -> None:
    """With the latest complete partition made, there is nothing; with a later one neither."""
    assert due("2023-05-10T06:00", newest_made="2023-05-09") is None
    assert due("2023-05-10T06:00", newest_made="2023-05-12") is None


def test_the_last_days_are_asked_about_again() -> None:
    """Also when the latest is made; counted back from the lag, in whole partitions of any grain."""
    assert due("2023-05-10", recheck_days=7, newest_made="2023-05-09") == ("2023-05-03", "2023-05-09")
    assert due("2023-05-10", recheck_days=7, lag_h=48) == ("2023-05-01", "2023-05-07")
    assert due("2023-05-10", recheck_days=7, grain=Grain.MONTHLY) == ("2023-04-01", "2023-04-01")
    assert due("2023-06-03", recheck_days=40, grain=Grain.MONTHLY) == ("2023-04-01", "2023-05-01")
    assert due("2023-05-10T05:30", recheck_days=1, grain=Grain.HOURLY) == ("2023-05-09-05:00", "2023-05-10-04:00")


def test_nothing_lies_before_the_start() -> None:
    """Where partitions begin, also when more days are to be asked about."""
    assert due("2020-01-03", recheck_days=30) == ("2020-01-01", "2020-01-02")
    assert due("2020-01-01T12:00") is None


@given(
    st.sampled_from(Grain),
    st.datetimes(datetime(2020, 6, 1), datetime(2030, 1, 1)),
    st.integers(0, 100),
    st.integers(0, 60),
    st.integers(0, 30),
)
def test_ticks_leave_no_partition_out(grain: Grain, tick: datetime, lag_h: int, recheck_days: int, later_days: int) -> None:
    """What two ticks cover joins without a gap when the first one's was made, however long after it the second comes."""
    now, lag = tick.replace(tzinfo=UTC), timedelta(hours=lag_h)
    first = due_span(grain, now, start=START, lag=lag, recheck_days=recheck_days)
    if first is None:
        return
    newest = grain.keys(first)[-1]
    later = now + timedelta(days=later_days)
    second = due_span(grain, later, start=START, lag=lag, recheck_days=recheck_days, newest_made=newest)
    if second is None:
        assert grain.floor(later - lag) == first.stop
    else:
        assert second.start <= first.stop
        assert second.stop + lag <= later
    assert first.stop + lag <= now
    assert timedelta(days=later_days) <= CATCH_UP
