"""The solar wind of now in words: SWPC's last days, the last partition open; of earlier times other archives are better."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.drafting.open_range import open_if_not_over
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.offline.real_time_words import real_time_plan
from helio_dagster.agent.planner import Situation
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.knowledge import shipped_knowledge

NOW = datetime(2026, 11, 28, 14, 5, tzinfo=UTC)
TODAY = NOW.replace(hour=0, minute=0)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("request_", "parameters", "span"),
    [
        ("solar wind right now", {"b_gsm", "speed", "density"}, TimeRange(TODAY, TODAY + DAY)),
        ("real-time IMF Bz", {"b_gsm"}, TimeRange(TODAY, TODAY + DAY)),
        ("current solar wind conditions at L1", {"b_gsm", "speed", "density"}, TimeRange(TODAY, TODAY + DAY)),
        ("what is the solar wind speed now?", {"speed"}, TimeRange(TODAY, TODAY + DAY)),
        ("solar wind density, last 2 days", {"density"}, TimeRange(TODAY - 2 * DAY, TODAY)),
        ("Bz and speed of the solar wind from SWPC since yesterday", {"b_gsm", "speed"}, TimeRange(TODAY - DAY, TODAY + DAY)),
    ],
)
def test_the_solar_wind_of_the_last_days(request_: str, parameters: set[str], span: TimeRange) -> None:
    """What is named of it, over whole days; open where today is among them."""
    plan = real_time_plan(request_, NOW)
    assert plan is not None
    assert {step.fetch.parameter for step in plan.pipeline.steps if step.fetch} == parameters
    assert {step.fetch.archive for step in plan.pipeline.steps if step.fetch} == {"swpc"}
    assert plan.span == span
    assert plan.pipeline.open == (span.stop > NOW)


@pytest.mark.parametrize(
    "request_",
    [
        "solar wind speed on 2003-10-29",
        "ACE Bz today",
        "solar wind speed histogram today",
        "now smooth it",
        "Dst today",
        "live",
    ],
)
def test_anything_else_is_left_to_the_planner(request_: str) -> None:
    """Earlier times, spacecraft by their names, and what is done to data."""
    assert real_time_plan(request_, NOW) is None


def test_a_plan_for_today_is_open_and_one_for_yesterday_is_not() -> None:
    """Nothing of today is over: the last partition is made as it grows, and the plan says so."""
    planner = OfflinePlanner(shipped_knowledge())
    today, yesterday = (planner.answer(Situation(f"ACE magnetic field {day}", NOW)) for day in ("today", "yesterday"))
    assert isinstance(today, Plan)
    assert isinstance(yesterday, Plan)
    assert (today.pipeline.open, yesterday.pipeline.open) == (True, False)
    assert any("`open: true`" in each for each in today.pipeline.assumptions)


def test_a_range_that_is_over_in_part_is_not_opened() -> None:
    """Its whole partitions can be made: it is cut there, as ever."""
    fetch = {"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "Magnitude"}
    pipeline = Pipeline.model_validate({"version": 1, "name": "a", "steps": [{"id": "b", "fetch": fetch}]})
    assert not open_if_not_over(pipeline, TimeRange(TODAY - DAY, TODAY + DAY), NOW).open
    assert not open_if_not_over(pipeline, TimeRange(TODAY + DAY, TODAY + 2 * DAY), NOW).open
    assert open_if_not_over(pipeline, TimeRange(TODAY, TODAY + DAY), NOW).open
