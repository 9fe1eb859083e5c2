"""Numbers that a pipeline computes: told after a run, and the answer to a question about them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.conversation.card import Card
from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.assets.library import graph_of
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.report import FactReport
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.conversation.paper_home import PaperHome, Talk

Begin = Callable[..., Talk]
DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
STEPS = [
    {"id": "ace", "intent": "ACE field", "fetch": {"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "Magnitude"}},
    {"id": "wind", "intent": "Wind field", "fetch": {"archive": "cdaweb", "dataset": "WI_H0_MFI", "parameter": "BF1"}},
    {
        "id": "curve",
        "over": "range",
        "compute": {"operation": "cross_correlation", "inputs": {"a": "ace", "b": "wind"}, "options": {"longest_lag": "PT2H"}},
    },
    {"id": "best", "intent": "Best lag", "over": "range", "compute": {"operation": "peak_of", "inputs": {"curve": "curve"}}},
]
LAGS = Plan(Pipeline.model_validate({"version": 1, "name": "lags", "title": "Lags", "steps": STEPS}), DAY)


def fact(name: str, value: float, text: str) -> FactReport:
    """A number of the step `best`."""
    return FactReport(step="best", name=name, value=value, unit="", start="", stop="", text=text)


FACTS = [fact("lag", 34.0, "34 +- 2 min"), fact("correlation", 0.81, "0.81")]


@pytest.fixture
def spoken(talk: Begin) -> Talk:
    """A conversation after a run that computed a lag."""
    spoken = talk([LAGS], PaperHome(computed=FACTS))
    spoken.say("lag of Wind behind ACE on 2023-01-02")
    return spoken


def told(events: list, stage: str) -> list[str]:
    """What was said at a stage."""
    return [event.text for event in events if event.stage == stage]


def test_the_card_says_what_is_over_the_whole_range(talk: Begin) -> None:
    """Of such steps only."""
    card = told(talk([LAGS], PaperHome()).say("lag of Wind behind ACE on 2023-01-02"), "plan")[0]
    lines = {line.split()[1]: line for line in card.splitlines() if line.startswith(("  fetch", "  compute"))}
    assert [name for name, line in lines.items() if line.endswith(", over the whole range")] == ["curve", "best"]


def test_a_run_tells_each_fact_in_a_line(spoken: Talk) -> None:
    """With its step, uncertainty and unit."""
    lines = told(spoken.say("approve"), "run")
    assert [line for line in lines if "=" in line] == ["best: lag = 34 +- 2 min", "best: correlation = 0.81"]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("what is the lag?", "best: lag = 34 +- 2 min"),
        ("the time lag between Wind and ACE", "best: lag = 34 +- 2 min"),
        ("what is the delay of Wind behind ACE?", "best: lag = 34 +- 2 min"),
        ("what is the lag of MMS?", None),
        ("lag of Wind behind ACE", None),
        ("what's the correlation", "best: correlation = 0.81"),
        ("how large is the lag of wind", "best: lag = 34 +- 2 min"),
        ("lag", "best: lag = 34 +- 2 min"),
        ("what are the numbers?", "best: lag = 34 +- 2 min"),
    ],
)
def test_a_question_about_a_number_is_answered_from_the_facts(spoken: Talk, said: str, answer: str | None) -> None:
    """No planner is asked where every word is about the number; other words go to the planner."""
    spoken.say("approve")
    if answer is None:
        spoken.planner.answers.append(LAGS)
        spoken.say(said)
        assert len(spoken.planner.told) == 2
        return
    [text] = told(spoken.say(said), "information")
    assert text.splitlines()[0] == answer
    assert text.splitlines()[-1] == "  for 2023-01-02 to 2023-01-03"
    assert len(spoken.planner.told) == 1


def test_facts_among_several_results_of_code_are_asked_about_like_others(talk: Begin) -> None:
    """The card says what the code gives; the numbers belong to the result's name."""
    results = {"best": {"kind": "facts"}, "curve": {"kind": "curve"}}
    compute = {"inputs": {"a": "ace", "w": "wind"}, "results": results, "code": "return {}"}
    lagged = {"id": "lagged", "intent": "Lag and its curve", "over": "range", "compute": compute}
    document = {"version": 1, "name": "lags", "title": "Lags", "steps": [*STEPS[:2], lagged]}
    spoken = talk([Plan(Pipeline.model_validate(document), DAY)], PaperHome(computed=FACTS))
    card = told(spoken.say("lag of Wind behind ACE on 2023-01-02"), "plan")[0]
    assert "lagged  Lag and its curve (code(ace, wind) -> best, curve), over the whole range" in card
    spoken.say("approve")
    [text] = told(spoken.say("what is the lag of wind?"), "information")
    assert text.splitlines()[0] == "best: lag = 34 +- 2 min"


def test_what_is_asked_about_other_values_is_not_taken_for_a_fact(spoken: Talk) -> None:
    """The maximum of what was fetched is measured in the tables."""
    spoken.say("approve")
    [text] = told(spoken.say("what was the coverage of ace?"), "information")
    assert "lag" not in text


def test_the_card_counts_events_and_shows_their_times() -> None:
    """With the window around each, and the rows of the table."""
    steps = [
        {"id": "storms", "intent": "Storms", "table": {"csv": "time\n2023-01-02T06:00Z\n2023-01-05", "source": "x"}},
        STEPS[0],
    ]
    windows = {"events": "storms", "before": "P1D", "after": "PT12H"}
    document = {"version": 1, "name": "storms", "partitions": windows, "steps": steps}
    span = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 6, tzinfo=UTC))
    file = as_file(Pipeline.model_validate(document))
    text = Card(file, span, events=graph_of({"storms": file}).events["storms"]).text()
    assert "2 events, each from 1 day before to 12.0 h after" in text
    assert "Storms (2023-01-02T06:00Z; 2023-01-05)" in text
