"""What is said about results: the number of the tables, where and when; or that there is none yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from helio_dagster.agent.answers import Asked, Question
from helio_dagster.agent.events import Event
from helio_dagster.domain.inquiry import ColumnStatistics, Reading
from tests.unit.agent.conversation.paper_home import PaperHome, Talk
from tests.unit.agent.conversation.test_conversation import PLAN

Begin = Callable[..., Talk]
MAGNITUDE = ColumnStatistics(
    "b_mag", "nT", 10, 2, Reading(1.25, "2023-01-02T01:00:00Z"), Reading(47.5, "2023-01-02T07:00:00Z", 3), 8.5, 7.5, 2.5,
    at=Reading(None, "2023-01-02T06:00:16Z"),
)  # fmt: skip
VECTOR = tuple(
    ColumnStatistics(
        f"B{axis} GSE", "nT", 4, 0, Reading(-low, "2023-01-02T01:00:00Z"), Reading(low, "2023-01-02T02:00:00Z"), 0.0, 0.0
    )
    for axis, low in (("x", 1.0), ("y", 2.0), ("z", 3.0))
)  # fmt: skip


def ran(begin: Begin, **measured: Any) -> Talk:
    """A conversation after a run."""
    spoken = begin([PLAN], PaperHome(measured=measured))
    spoken.say("ACE field on 2023-01-02")
    spoken.say("approve")
    return spoken


def told(events: list[Event]) -> Event:
    """The answer."""
    return next(event for event in events if event.stage == "information")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (
            "what is the maximum of b_mag?",
            "The maximum of b_mag is 47.5 nT, first at 2023-01-02T07:00:00Z (3 records have it).",
        ),
        ("when was b_mag lowest?", "The minimum of b_mag is 1.25 nT, at 2023-01-02T01:00:00Z."),
        ("mean b_mag", "The mean of b_mag is 8.5 nT, over 10 valid values."),
        ("median of b_mag", "The median of b_mag is 7.5 nT, over 10 valid values."),
        ("what is the standard deviation of b_mag?", "The standard deviation of b_mag is 2.5 nT, over 10 valid values."),
        ("how many records does b_mag have?", "b_mag has 12 records, 2 of them fill."),
        (
            "what was b_mag at 06:00?",
            "The record of b_mag nearest to 2023-01-02T06:00Z, at 2023-01-02T06:00:16Z, is fill: there is no value.",
        ),
        (
            "what was b_mag?",
            "b_mag is between 1.25 nT (at 2023-01-02T01:00:00Z) and 47.5 nT (first at 2023-01-02T07:00:00Z (3 records "
            "have it)); its mean is 8.5 nT, over 10 valid values.",
        ),
    ],
)
def test_a_question_is_answered_with_where_and_when(talk: Begin, said: str, answer: str) -> None:
    """No planner is asked; step, dataset, range and what was left out are named."""
    spoken = ran(talk, b_mag=(MAGNITUDE,))
    event = told(spoken.say(said))
    first, second = event.text.splitlines()
    assert first == answer
    assert second == "  from step b_mag (cdaweb AC_H0_MFI BGSEc, 2023-01-02 to 2023-01-03, 2 fill values left out)"
    assert event.facts["sources"] == ["ace_field/b_mag", "cdaweb AC_H0_MFI BGSEc"]
    assert event.facts["results"][0]["columns"][0]["maximum"]["value"] == 47.5
    assert (len(spoken.planner.told), len(spoken.home.runs)) == (1, 1)


def test_a_component_is_answered_from_its_column(talk: Begin) -> None:
    """The vector's, found by its label; without a component the magnitude is meant, not each of the three."""
    spoken = ran(talk, b_gse=VECTOR, b_mag=(MAGNITUDE,))
    assert told(spoken.say("what is the lowest z component of b_gse?")).text.startswith(
        "The minimum of Bz GSE of b_gse is -3 nT"
    )
    assert len(told(spoken.say("maximum of b_gse")).text.splitlines()) == 4


def test_gaps_are_told_as_the_checks_find_them(talk: Begin) -> None:
    """With the range that they were looked for in."""
    event = told(ran(talk).say("how many gaps are there in b_gse?"))
    assert event.text == "b_gse: 99 % of the range has data (2023-01-02 to 2023-01-03)"


def test_what_was_not_made_is_not_answered(talk: Begin) -> None:
    """It is offered to be made: a plan by its approval, a saved pipeline by a run over the range."""
    spoken = talk([PLAN])
    spoken.say("ACE field on 2023-01-02")
    events = spoken.say("what is the maximum of b_mag?")
    assert "Nothing was made for 2023-01-02 to 2023-01-03 yet" in told(events).text
    assert [event.facts["say"] for event in events if event.stage == "suggestion"] == ["approve"]
    assert spoken.awaiting() == "approval"
    spoken.say("approve")
    offered = spoken.texts("what is the maximum of b_mag on 2023-01-05?", "suggestion")
    assert offered == ["run ace_field for 2023-01-05 to 2023-01-06"]


def test_fill_alone_has_no_extreme(talk: Begin) -> None:
    """That is said, and no number."""
    spoken = ran(talk, b_mag=(ColumnStatistics("b_mag", "nT", 0, 12),))
    assert "b_mag has only fill values (12)" in told(spoken.say("maximum of b_mag")).text


def test_results_can_be_asked_about_while_a_question_is_open(talk: Begin) -> None:
    """It is asked again afterwards."""
    spoken = ran(talk, b_mag=(MAGNITUDE,))
    spoken.planner.answers = [Asked(Question(text="Which frame?", choices=["in GSE", "in RTN"]))]
    spoken.say("in another frame")
    events = spoken.say("what is the maximum of b_mag?")
    assert [event.stage for event in events][:2] == ["information", "clarify"]
    assert spoken.awaiting() == "answer"
