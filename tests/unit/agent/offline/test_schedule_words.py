"""Schedules in the words of a request and of a change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from helio_dagster.agent.answers import Asked, OpenQuestion, Plan
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.offline.schedule_words import find_schedule
from helio_dagster.agent.planner import Situation
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.schedule import schedule_fault
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import NOW, edited, refine


@pytest.mark.parametrize(
    ("words", "rest", "schedule", "lag"),
    [
        ("ACE Bz, scheduled each morning 06:00 UTC, data lag 3 days", "ACE Bz", "0 6 * * *", timedelta(days=3)),
        ("ACE Bz run every night with a lag of 12 hours", "ACE Bz", "daily", timedelta(hours=12)),
        ("ACE Bz, updated every Monday at 07:30 UTC", "ACE Bz", "30 7 * * 1", None),
        ("ACE Bz, refreshed monthly at 4 UTC, 2 days delay", "ACE Bz", "0 4 1 * *", timedelta(days=2)),
        ("ACE Bz on a weekly schedule from 2020-01-01", "ACE Bz since 2020-01-01", "weekly", None),
        ("ACE Bz in 2020, scheduled hourly", "ACE Bz in 2020", "0 * * * *", None),
    ],
)
def test_a_request_says_when_it_runs(words: str, rest: str, schedule: str, lag: timedelta | None) -> None:
    """As a cron string in UTC, or the word for one; the other words are left."""
    found = find_schedule(words)
    assert found is not None
    assert (found.request, found.schedule, found.lag) == (rest, schedule, lag)
    assert schedule_fault(found.schedule) == ""


@pytest.mark.parametrize("words", ["running daily mean of Dst", "daily means of ACE Bz", "lag of ACE and Wind |B| in 2003"])
def test_other_words_are_no_schedule(words: str) -> None:
    """Averages and lags of curves are none."""
    assert find_schedule(words) is None


def test_an_hour_of_every_hour_is_asked_about() -> None:
    """It cannot be both."""
    with pytest.raises(OpenQuestion, match="every hour"):
        find_schedule("ACE Bz, run every hour at 06:00")


def test_a_pipeline_starts_where_its_request_does() -> None:
    """An open start is the pipeline's start, and `daily asset` the length of its partitions."""
    words = "Daily asset for ACE Bz GSM, scheduled each morning 06:00 UTC, data lag 3 days, from 2024-01-01"
    plan = OfflinePlanner(shipped_knowledge()).answer(Situation(words, NOW))
    assert isinstance(plan, Plan), plan
    pipeline = plan.pipeline
    assert (pipeline.partitions, pipeline.start) == (Grain.DAILY, datetime(2024, 1, 1, tzinfo=UTC))
    assert (pipeline.schedule, pipeline.lag) == ("0 6 * * *", timedelta(days=3))


def test_a_change_names_the_time_of_the_day() -> None:
    """As a first request does."""
    pipeline = edited("ACE speed on 2003-10-29", "run it every morning at 06:00 UTC, lag 3 days")
    assert (pipeline.schedule, pipeline.lag) == ("0 6 * * *", timedelta(days=3))


@pytest.mark.parametrize(
    ("words", "schedule"),
    [
        ("run this automatically on the 2nd of every month", "0 0 2 * *"),
        ("schedule it for the first of each month at 03:00", "0 3 1 * *"),
        ("update it every day at 6", "0 6 * * *"),
    ],
)
def test_a_change_names_the_day_of_the_month(words: str, schedule: str) -> None:
    """And a full hour without its minutes."""
    assert edited("Kp May 2024", words).schedule == schedule


def test_a_day_that_some_months_lack_is_asked_about() -> None:
    """A run would be left out without a word."""
    asked = refine("Kp May 2024", "run it on the 31st of each month")
    assert isinstance(asked, Asked)
    assert "Not every month has a day 31" in asked.question.text
