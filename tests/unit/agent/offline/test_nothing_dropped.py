"""What of a request is nowhere in its plan is shown as ignored, whichever reader lost it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helio_dagster.agent.answers import Asked, Edits, Plan
from helio_dagster.agent.offline.edits.nothing_lost import lost
from helio_dagster.agent.offline.nothing_dropped import dropped, unused_notes
from helio_dagster.agent.offline.request_reading import read_request
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import NOW, ask, edited, on_the_table, planned, refine

SMOOTHED = "STEREO-A density smoothed over 10 minutes and ACE speed, 2007-11-07"


def _lacking(plan: Plan, request: str) -> tuple[str, ...]:
    return dropped(plan, read_request(request, NOW), shipped_knowledge().catalog)


def test_a_place_that_nothing_has_is_shown() -> None:
    """A figure of one panel has nothing underneath."""
    filtered = "band-pass filter THEMIS-A Bz in GSM between 2 and 7 mHz on 2008-02-26"
    plan = ask(f"{filtered} and show its dynamic spectrum underneath")
    assert isinstance(plan, Plan)
    assert plan.ignored == ("underneath",)
    below = ask("ACE |B| and the density below, 2003-10-29")
    assert isinstance(below, Plan)
    assert below.ignored == ()


@pytest.mark.parametrize(
    "request_text",
    [
        SMOOTHED,
        "hours in 2017 with Kp at least 7",
        "4 panels please: Wind |B|, Bz GSM, speed and density, for 2000-07-14 to 2000-07-17",
        "composite of OMNI Bz for all storms where Dst fell below -120 nT, 1998 to 2002, 24 hours before to 48 hours after",
        "ACE 16-second magnetic field magnitude, 1998-01-01",
        "Wind Bz bandpass filtered 1-10 mHz on 1997-01-10",
    ],
)
def test_what_a_plan_has_is_not_said_to_be_dropped(request_text: str) -> None:
    """In other units, as durations, as counts of what is drawn, or as the cadence of the data."""
    plan = ask(request_text)
    assert isinstance(plan, Plan)
    assert not any(each.isdigit() for each in plan.ignored)
    assert _lacking(plan, request_text) == ()


@pytest.mark.parametrize(
    ("step", "words"),
    [("_mean", "10"), ("ace_speed", "ACE")],
)
def test_what_a_plan_lacks_is_named(step: str, words: str) -> None:
    """A number whose step is lost, and a spacecraft."""
    plan = ask(SMOOTHED)
    assert isinstance(plan, Plan)
    steps = [each for each in plan.pipeline.steps if step not in each.id and not each.figure]
    less = plan.pipeline.model_copy(update={"name": "less", "steps": steps, "title": "", "description": "", "assumptions": []})
    assert words in _lacking(replace(plan, pipeline=less), SMOOTHED)
    assert _lacking(plan, SMOOTHED) == ()


FIGURE = "ACE |B| and speed on 2003-10-29"


def _lost(given: str, request: str, answer: Edits) -> tuple[str, ...]:
    before = ask(given)
    assert isinstance(before, Plan)
    return lost(answer, on_the_table(before), read_request(request, NOW), shipped_knowledge().catalog)


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("smooth the speed over 7 minutes", ("7",)),
        ("also Wind", ("Wind",)),
        ("add Dst", ("Dst",)),
        ("hourly means", ("hourly means",)),
        ("make the speed light grey", ("light grey",)),
        ("speed on a log scale", ("on a log scale",)),
        ("draw the speed as points", ("as points",)),
    ],
)
def test_what_neither_a_change_has_nor_the_plan_before_is_named(request_text: str, words: tuple[str, ...]) -> None:
    """Of the change that is made nothing is; were nothing of it made, all would be."""
    answer = refine(FIGURE, request_text)
    assert isinstance(answer, Edits)
    assert _lost(FIGURE, request_text, answer) == ()
    assert not any("ignored" in each for each in answer.notes)
    assert _lost(FIGURE, request_text, Edits(())) == words


def test_a_look_that_another_one_takes_back_is_noted() -> None:
    """The card says of what is said twice which one it leaves out."""
    answer = refine("ACE |B| on 2003-10-29", "make it red, and then make it black again")
    assert isinstance(answer, Edits)
    assert "'make it red' changes nothing." in answer.notes


@pytest.mark.parametrize(
    ("given", "request_text", "text"),
    [
        (FIGURE, "29 October 2003 please", "It is for 2003-10-29 to 2003-10-30 already. What do you want to change?"),
        (
            "ACE |B| on 2003-10-29",
            "title it ACE magnetic field magnitude",
            "'title it ACE magnetic field magnitude' would change nothing of the plan. What do you want to change?",
        ),
    ],
)
def test_a_change_that_changes_nothing_is_said_to_be_none(given: str, request_text: str, text: str) -> None:
    """It is not shown as if something had been done."""
    answer = refine(given, request_text)
    assert isinstance(answer, Asked)
    assert answer.question.text == text


def test_the_request_of_the_plan_on_the_table_changes_nothing() -> None:
    """The plan is shown again, and says so."""
    answer = refine(FIGURE, FIGURE)
    assert isinstance(answer, Plan)
    assert "This is the plan as it stands: nothing of it is changed." in answer.notes


def test_a_step_that_nothing_shows_or_uses_is_said() -> None:
    """A mean that is made and not drawn; not where it was so before."""
    pipeline = edited(FIGURE, "smooth the speed over 10 minutes")
    *steps, last = pipeline.steps
    plain = planned(FIGURE).steps[-1]
    undrawn = pipeline.model_copy(update={"steps": [*steps, plain]})
    assert unused_notes(pipeline) == ()
    (note,) = unused_notes(undrawn)
    assert note == "10-minute running mean (speed_mean): it is made, but no figure shows it and no step uses it."
    assert unused_notes(undrawn, undrawn) == ()
    assert last.figure is not None
