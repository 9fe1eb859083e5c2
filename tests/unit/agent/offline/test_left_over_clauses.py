"""A clause of a new request that no reader of requests knows is a change of the plan of the rest, or is asked about whole."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask, chain, complete, drawn_at, edited, panels, planned

TWO = "ACE Bz and Vx on 2012-07-14"
LAGGED = "cross-correlate ACE and Wind density for 2003-11-04"
UNKNOWN = "ACE Bz on 2015-03-17, flubber it by 3"


@pytest.mark.parametrize(
    ("given", "joint", "change"),
    [
        (TWO, " with ", "the y axis of the first panel from -20 to 20 nT"),
        (TWO, ", and ", "limit the Vx panel to -600 to -300 km/s"),
        (TWO, ", ", "half the height for Vx"),
        ("OMNI Bz and magnetopause distance on 2015-03-17", ", ", "second panel from 4 to 14 Re"),
        ("ACE Bz and Wind Bz on 2012-07-14", ", ", "give each its own panel"),
        ("ACE and Wind |B| on 2012-07-14", ", ", "make the Wind curve green"),
        ("Wind Bz and density on 2015-06-22", "; ", "highlight the sheath between 18:30 and 23:00 in orange"),
        (LAGGED, ", ", "allow lags of up to +/- 90 min"),
        ("power spectrum of ACE |B| on 2005-06-10", " with ", "50% overlap and 1 hour segments"),
        ("Wind density on 2015-06-22", ", ", "put a dashed vertical line at 07:28 where the shock hit"),
    ],
)
def test_it_is_the_plan_of_the_rest_with_that_change(given: str, joint: str, change: str) -> None:
    """Word for word the same pipeline, and nothing of the clause is ignored."""
    plan = ask(f"{given}{joint}{change}")
    assert isinstance(plan, Plan), plan
    assert plan.pipeline == edited(given, change)
    assert plan.pipeline != planned(given)
    assert plan.ignored == ()


def test_a_clause_may_say_how_something_that_only_it_names_looks() -> None:
    """The data are planned, and then look as it says."""
    pipeline = planned("THEMIS-E density on 2013-06-08, Vx limited to -400 to 100 km/s")
    assert pipeline == edited("THEMIS-E density and Vx on 2013-06-08", "Vx limited to -400 to 100 km/s")


@pytest.mark.parametrize(
    ("said", "mark"),
    [
        ("mark 18:33 as the shock arrival", ("shock arrival", None)),
        ("mark the shock arrival at 18:33 in red", ("shock arrival", "red")),
        ("and mark 18:33 with a red line", ("", "red")),
    ],
)
def test_a_mark_is_called_and_drawn_as_is_said_behind_it(said: str, mark: tuple[str, str | None]) -> None:
    """These words are no day, and no look of the curve."""
    figure = planned(f"Wind density on 2015-06-22, {said}").steps[-1].figure
    assert figure is not None
    assert [(each.text, each.color) for each in figure.panels[0].marks] == [mark]
    assert drawn_at(planned(f"Wind density on 2015-06-22, {said}"), (0, 0)) == {"data": "density"}


@pytest.mark.parametrize(
    ("request_text", "text"),
    [
        (UNKNOWN, "I do not understand 'flubber it by 3'. What do you mean? Say `without it` to plan the rest: ACE Bz."),
        (
            "hourly sunspot number and cosmic rays from 1976 to 2019",
            "I do not understand 'cosmic rays'. What do you mean? Say `without it` to plan the rest: OMNI sunspot number.",
        ),
        (
            "OMNI Bz, speed and density on 2015-03-17, turn the last two panels over",
            "I do not understand 'turn the last two panels over'. What do you mean? "
            "Say `without it` to plan the rest: OMNI Bz, speed and density.",
        ),
    ],
)
def test_it_is_asked_about_whole_with_what_the_rest_is_planned_as(request_text: str, text: str) -> None:
    """Nobody has to say all of it anew."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert answer.question.text == text


@pytest.mark.parametrize(
    ("request_text", "text"),
    [
        (f"{LAGGED}, lags up to 60 min, only the correlation curve", "I do not understand 'only the correlation curve'."),
        ("Wind |B|, 5 min, hourly averages, 2005-05-03", "What is '5 min': the length of averages"),
        ("power spectrum of OMNI |B| on 2018-11-06 with its slope between 0.001 and 0.1 Hz", "ends at 0.00833 Hz"),
    ],
)
def test_no_clause_takes_back_what_the_rest_says(request_text: str, text: str) -> None:
    """The follow-up alone would: another result in the place of the first, another length, a line fitted elsewhere."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert text in answer.question.text


@pytest.mark.parametrize("said", ["without it", "leave it out", "ok, without that please", "Plan it without that."])
def test_a_person_may_leave_it_out(said: str) -> None:
    """The rest is planned, and what was left out is shown as ignored."""
    plan = complete(UNKNOWN, said)
    assert isinstance(plan, Plan), plan
    assert plan.pipeline == planned("ACE Bz on 2015-03-17")
    assert plan.ignored == ("flubber it by 3",)


def test_what_else_was_said_stays() -> None:
    """The title of the figure is no part of the clause."""
    plan = complete('ACE Bz on 2015-03-17 titled "My storm", flubber it by 3', "without it")
    assert isinstance(plan, Plan), plan
    assert plan.pipeline.title == "My storm"
    assert plan.ignored == ("flubber it by 3",)


def test_a_person_may_say_it_in_other_words() -> None:
    """They take its place, and the rest is as it was said."""
    plan = complete(UNKNOWN, "smooth it over 5 minutes")
    assert isinstance(plan, Plan), plan
    assert chain(plan.pipeline) == ["b_gsm=AC_H0_MFI/BGSM", "b_z=component(b_gsm,z)", "b_z_mean=rolling_mean(b_z,PT5M)"]
    assert plan.ignored == ()


def test_where_it_could_be_of_two_the_question_says_so() -> None:
    """Each choice is the whole request."""
    answer = ask(f"{TWO}, and clip it to -20 to 20")
    assert isinstance(answer, Asked), answer
    assert answer.question.text.startswith("Which panel do you mean")
    assert [isinstance(ask(choice), Plan) for choice in answer.question.choices] == [True, True]


def test_what_follows_with_is_of_what_stands_before_it() -> None:
    """Without a comma it is of no other."""
    pipeline = planned("OMNI Bz, speed and density on 2015-03-17, log scale for the density and a range of 1 to 100")
    assert panels(pipeline) == ["b_z_gsm", "speed", "density"]
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [(panel.y.scale, panel.y.range) for panel in figure.panels] == [(None, None), (None, None), ("log", (1, 100))]
    again = planned("DSCOVR density and speed on 2017-09-07, set the density axis from 0 to 30").steps[-1].figure
    assert again is not None
    assert [panel.y.range for panel in again.panels] == [(0, 30), None]


def test_a_clause_without_which_the_plan_is_the_same_is_named_whole() -> None:
    """Where none of its words are understood it is ignored, with them; else it is said to change nothing."""
    plan = ask("Wind density on 2015-06-22, integrated over time")
    assert isinstance(plan, Plan), plan
    assert plan.ignored == ("integrated over time",)
    plan = ask("ACE |B| on 2003-10-29, upstream of the bow shock")
    assert isinstance(plan, Plan), plan
    assert "'upstream of the bow shock' changes nothing." in plan.notes


def test_a_caption_of_some_lines_is_no_title() -> None:
    """Its words are shown; a title in words is one, behind another change, too."""
    plan = ask("ACE |B| on 2003-10-29, with a caption of two lines")
    assert not isinstance(plan, Plan) or plan.pipeline.title == "ACE magnetic field magnitude"
    assert edited("ACE |B| on 2003-10-29", "add the density, with the title Foo bar").title == "Foo bar"
