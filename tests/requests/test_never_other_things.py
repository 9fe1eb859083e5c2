"""Requests that were once answered with something else than what they name, or with a needless question."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from helio_dagster.domain.pipeline_text import dump_pipeline
from tests.unit.agent.knowledge import shipped_knowledge

pytestmark = pytest.mark.xdist_group("requests")
NOW = datetime(2026, 11, 26, tzinfo=UTC)


def answered(request: str) -> object:
    """What the planner answers."""
    return OfflinePlanner(shipped_knowledge()).answer(Situation(request=request, now=NOW))


@pytest.mark.parametrize(
    ("request_", "span"),
    [
        ("PSP B during perihelion 5-7 nov 2018", "2018-11-05 to 2018-11-08"),
        ("PSP B at perihelion 5 to 7 November 2018", "2018-11-05 to 2018-11-08"),
        ("PSP B perihelion 6 nov 2018", "2018-11-06 to 2018-11-07"),
        ("PSP B at perihelion 5", "2020-06-02 to 2020-06-13"),
        ("PSP B at the fifth perihelion", "2020-06-02 to 2020-06-13"),
    ],
)
def test_a_day_beside_perihelion_is_not_the_number_of_an_encounter(request_: str, span: str) -> None:
    """A number is an encounter's only where no month follows."""
    answer = answered(request_)
    assert isinstance(answer, Plan), answer
    assert str(answer.span) == span


def test_electrons_are_not_taken_for_protons() -> None:
    """A density from the spacecraft's potential is that of the electrons; without a word for particles it is used."""
    refused = answered("RBSP-A proton density 2013-03-17")
    assert isinstance(refused, Asked), refused
    assert "no proton density of Van Allen Probe A" in refused.question.text
    plain = answered("RBSP-A density 2013-03-17")
    assert isinstance(plain, Plan), plain


def test_days_are_said_to_be_counted_in_hours() -> None:
    """The plan says so for days, and says nothing for hours."""
    days, hours = (answered(f"how many {unit} was Dst below -50 nT in 2003?") for unit in ("days", "hours"))
    assert isinstance(days, Plan)
    assert isinstance(hours, Plan)
    said = "The time is counted in hours, 24 to a day. Days on which it happened at all are not counted."
    assert said in days.pipeline.assumptions
    assert said not in hours.pipeline.assumptions


@pytest.mark.parametrize(
    ("request_", "step"),
    [
        ("M_ms from Wind 2003-10-29", "magnetosonic_mach"),
        ("M_A from Wind 2003-10-29", "alfven_mach"),
        ("Ulysses B radial 1995", "b_r"),
        ("Ulysses B radial and speed in 1995", "b_r"),
    ],
)
def test_short_forms_are_understood(request_: str, step: str) -> None:
    """Of Mach numbers and of a component that is named after its vector."""
    answer = answered(request_)
    assert isinstance(answer, Plan), answer
    assert step in {each.id for each in answer.pipeline.steps}


@pytest.mark.parametrize(
    ("request_", "made"),
    [
        ("OMNI magnetopause standoff distance Shue model 2003-10-29", "magnetopause_distance"),
        ("bow shock distance, Jelinek model, OMNI 2003-10-29", "bow_shock_distance"),
        ("Farris-Russell bow shock distance from OMNI 2003-10-29", "bow_shock_standoff"),
    ],
)
def test_the_author_of_a_model_may_come_last(request_: str, made: str) -> None:
    """As it may come first."""
    answer = answered(request_)
    assert isinstance(answer, Plan), answer
    assert ([step.compute.operation for step in answer.pipeline.steps if step.compute], answer.ignored) == ([made], ())


@pytest.mark.parametrize(
    ("request_", "choices"),
    [
        ("measured and modelled Dst 2003-10-29", ["modelled Dst and Dst 2003-10-29", "modelled Dst 2003-10-29"]),
    ],
)
def test_a_model_is_not_exchanged_for_another(request_: str, choices: list[str]) -> None:
    """Which one is drawn is asked, and every choice can be planned."""
    asked = answered(request_)
    assert isinstance(asked, Asked), asked
    assert list(asked.question.choices) == choices
    for choice in choices:
        assert isinstance(answered(choice), Plan), choice


def test_a_limit_that_kp_never_reaches_is_asked_about() -> None:
    """Kp ends at 9: a list of the hours above 11 would look like a result."""
    asked = answered("hours with Kp > 11 in 2003")
    assert isinstance(asked, Asked), asked
    assert "Kp goes from 0 to 9, so 11 is not a limit of it." in asked.question.text
    assert isinstance(answered("hours with Kp > 8 in 2003"), Plan)


@pytest.mark.parametrize("request_", ["Kp in October 2003", "histogram of Kp in 2003", "Kp and Dst, October 2003"])
def test_an_axis_says_that_kp_is_stored_times_ten(request_: str) -> None:
    """Its numbers go to 90; the plan's name and title speak of Kp."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    figure = dump_pipeline(plan.pipeline).partition("figure:")[2]
    assert "Kp x 10" in figure
    assert "x 10" not in plan.pipeline.title


@pytest.mark.parametrize(
    "request_",
    ["list events OMNI Bz < -10 nT lasting at least 3 h, 2001", "find all events where Wind Bz GSE is below -10 nT in 2001"],
)
def test_events_that_a_limit_makes_are_found(request_: str) -> None:
    """Only events that no limit makes, such as storms, are said not to be found."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    operations = {step.compute.operation: step.compute.options for step in plan.pipeline.steps if step.compute is not None}
    assert operations["intervals_where"]["below"] == -10
    asked = answered("list all storms of 2001")
    assert isinstance(asked, Asked), asked
