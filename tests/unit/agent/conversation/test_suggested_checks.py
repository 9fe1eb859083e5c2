"""A plan without checks suggests some; nothing is added before the person says so, whoever plans."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from helio_dagster.agent.answers import Plan
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.pipeline_text import parse_pipeline
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.conversation.paper_home import PaperHome, Talk

DAY = TimeRange(datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 2, tzinfo=UTC))
TEXT = """version: 1
name: wind
steps:
  - {id: v, fetch: {archive: demo, dataset: AC_H0_SWE, parameter: Vp}}
  - {id: n, fetch: {archive: demo, dataset: AC_H0_SWE, parameter: Np}}
"""
USUAL = {
    "v": Expectation(min="200 km/s", max="1500 km/s", coverage="50 %"),
    "n": Expectation(min="0 cm-3", max="200 cm-3", coverage="50 %"),
}
LINE = '  Suggested checks: v 200 to 1500 km/s, n 0 to 200 cm^-3, coverage at least 50 %; say "add checks" to add them.'


def test_the_card_ends_with_checks_that_one_may_add(talk: Callable[..., Talk]) -> None:
    """The plan itself has none. `add checks` adds them without asking the planner; then none are suggested."""
    file = parse_pipeline(TEXT, file="wind.yaml")
    plan = Plan(file.pipeline, DAY)
    said = talk([plan], PaperHome(suggested=USUAL))
    (card,) = [event for event in said.say("ACE wind") if event.stage == "plan"]
    assert card.text.splitlines()[-1] == LINE
    assert card.facts["suggested_checks"]["v"] == {"min": "200 km/s", "max": "1500 km/s", "coverage": "50 %"}
    assert "expect" not in card.facts["yaml"]
    (changed,) = [event for event in said.say("Add checks.") if event.stage == "plan"]
    assert len(said.planner.told) == 1
    assert "v: expect" in changed.text
    assert changed.facts["suggested_checks"] == {}
    (whole,) = said.texts("show", "plan")
    assert "expected v between 200 and 1,500 km/s; coverage at least 50 % (warns)" in whole
    assert "Suggested" not in whole


def test_without_a_suggestion_the_planner_is_asked(talk: Callable[..., Talk]) -> None:
    """As of data that nothing is known of."""
    plan = Plan(parse_pipeline(TEXT, file="wind.yaml").pipeline, DAY)
    said = talk([plan, plan])
    assert "Suggested" not in said.texts("ACE wind", "plan")[0]
    said.say("add checks")
    assert said.planner.told[1].request == "add checks"
