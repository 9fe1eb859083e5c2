"""Numbers of each event of a list, from words: the events are the partitions, and nothing is drawn."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask


@pytest.mark.parametrize(
    ("request_text", "statistics"),
    [
        ("mean and maximum ACE |B| for each event in lists/icme.csv", ["mean", "maximum", "coverage"]),
        ("minimum of ACE |B| during the intervals of icme.csv", ["minimum", "coverage"]),
        ("give me the median of ACE |B| per storm in the list icme.csv", ["median", "coverage"]),
    ],
)
def test_one_number_for_each(request_text: str, statistics: list[str]) -> None:
    """Whatever the rows are called; the list is read as it is, without a time."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    pipeline = answer.pipeline
    file = "lists/icme.csv" if "lists/" in request_text else "icme.csv"
    assert pipeline.steps[0].events is not None
    assert pipeline.steps[0].events.file == file
    assert pipeline.is_over_events
    assert pipeline.lists_its_events
    (facts,) = [step.compute for step in pipeline.steps if step.compute and step.compute.operation == "facts_of"]
    assert facts.options["statistics"] == statistics
    assert all(step.over is None and step.figure is None for step in pipeline.steps)
    assert answer.span is None
    assert answer.notes == ("No time range is named: all events of the list are meant.",)
    assert not any("of the range" in each or "daily" in each for each in pipeline.assumptions)


def test_several_quantities_keep_their_numbers() -> None:
    """Each is fetched once, with a step of numbers of its own."""
    answer = ask("mean ACE speed and maximum |B| for each event in icme.csv")
    assert isinstance(answer, Plan), answer
    assert [step.id for step in answer.pipeline.steps] == ["events", "speed", "b_gse", "b_mag", "speed_facts", "b_mag_facts"]


def test_no_number_is_asked_about_and_each_choice_has_a_plan() -> None:
    """A drawing of each event is another request."""
    answer = ask("plot ACE |B| for each event in icme.csv")
    assert isinstance(answer, Asked), answer
    assert answer.question.text.startswith("Which number do you want for each event in icme.csv")
    assert answer.question.choices[0] == "mean of ACE |B| for each event in icme.csv"
    assert all(isinstance(ask(choice), Plan) for choice in answer.question.choices)


def test_a_time_beside_the_list_is_asked_about() -> None:
    """The list says when."""
    answer = ask("mean ACE |B| for each event in icme.csv in 2003")
    assert isinstance(answer, Asked), answer
    assert "The list says when" in answer.question.text


@pytest.mark.parametrize(
    "request_text",
    ["superpose ACE Bz over the events in icme.csv", "ACE Bz on 2003-10-29 leaving out the intervals in icme.csv"],
)
def test_other_uses_of_a_list_stay_what_they_were(request_text: str) -> None:
    """Superposed, or left out."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    assert not any(step.compute and step.compute.operation == "facts_of" for step in answer.pipeline.steps)


def test_what_would_be_made_of_all_events_together_is_asked_about() -> None:
    """The numbers are offered without it; a list may be one's own."""
    answer = ask(
        "For all ICMEs in my list icmes.csv give me the mean Bz and the max speed from Wind, and a scatter of these two"
    )
    assert isinstance(answer, Asked)
    (choice,) = answer.question.choices
    assert isinstance(ask(choice), Plan)
