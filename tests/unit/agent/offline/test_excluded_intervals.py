"""Intervals that are left out, in requests and in changes of a plan."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import ask, edited, planned

FIELD = "ACE |B| on 2003-10-29"


def left_out(pipeline: Pipeline, step_id: str = "excluded") -> list[str]:
    """The rows of the list that all fetches exclude."""
    table = pipeline.step(step_id).table
    assert table is not None
    fetches = [step for step in pipeline.steps if step.fetch]
    assert fetches
    assert all(step.exclude == step_id for step in fetches)
    return table.csv.splitlines()[1:]


@pytest.mark.parametrize(
    ("request_text", "rows"),
    [
        ("ACE |B| on 2003-10-29, excluding 06:00 to 09:00", ["2003-10-29T06:00Z,2003-10-29T09:00Z"]),
        ("ACE |B| on 2003-10-29 without the data between 6:00 and 09:30 UT", ["2003-10-29T06:00Z,2003-10-29T09:30Z"]),
        ("ACE and Wind |B| in October 2003, leaving out 29 Oct 2003", ["2003-10-29,2003-10-30"]),
        (
            "ACE |B| 28 to 31 Oct 2003 except 2003-10-29 06:00 to 09:00 and 2003-10-30, hourly means",
            ["2003-10-29T06:00Z,2003-10-29T09:00Z", "2003-10-30,2003-10-31"],
        ),
        ("excluding 2003-10-29, ACE |B| for Oct 2003", ["2003-10-29,2003-10-30"]),
    ],
)
def test_a_request_leaves_intervals_out(request_text: str, rows: list[str]) -> None:
    """The range stays that of the request; the plan says what is left out."""
    pipeline = planned(request_text)
    assert left_out(pipeline) == rows
    assert any("are left out everywhere" in each for each in pipeline.assumptions)


@pytest.mark.parametrize(
    ("request_text", "span", "rows"),
    [
        ("ACE |B| for October 2003, without 29 Oct", "2003-10-01 to 2003-11-01", ["2003-10-29,2003-10-30"]),
        ("Dst and Kp March 2015, skip 16 through 19 March", "2015-03-01 to 2015-04-01", ["2015-03-16,2015-03-20"]),
        ("excluding 29 Oct, ACE |B| October 2003", "2003-10-01 to 2003-11-01", ["2003-10-29,2003-10-30"]),
        ("ACE |B| October 2003, 29-30 Oct left out", "2003-10-01 to 2003-11-01", ["2003-10-29,2003-10-31"]),
        (
            "ACE |B| October 2003 with 29 Oct and 31 Oct left out, hourly means",
            "2003-10-01 to 2003-11-01",
            ["2003-10-29,2003-10-30", "2003-10-31,2003-11-01"],
        ),
        ("ACE |B| 28 to 31 October 2003 but not 29 Oct", "2003-10-28 to 2003-11-01", ["2003-10-29,2003-10-30"]),
        ("ACE |B| October 2003 apart from the Halloween storm", "2003-10-01 to 2003-11-01", ["2003-10-28,2003-11-01"]),
        ("ACE |B| for October 2003 except on the 29th", "2003-10-01 to 2003-11-01", ["2003-10-29,2003-10-30"]),
        (
            "ACE |B| 28 to 31 October 2003, ignore the hours 06-09 on 29 Oct",
            "2003-10-28 to 2003-11-01",
            ["2003-10-29T06:00Z,2003-10-29T09:00Z"],
        ),
        ("ACE |B| on 29 October 2003, but not data before 05:00", "2003-10-29 to 2003-10-30", ["2003-10-29,2003-10-29T05:00Z"]),
        ("ACE |B| 28 to 31 Oct 2003 without the data after 30 October", "2003-10-28 to 2003-11-01", ["2003-10-31,2003-11-01"]),
        ("ACE |B| 28 to 31 Oct 2003, the 29th and 30th removed", "2003-10-28 to 2003-11-01", ["2003-10-29,2003-10-31"]),
        ("ACE |B| on 29 October 2003, excluding 9-12 UT", "2003-10-29 to 2003-10-30", ["2003-10-29T09:00Z,2003-10-29T12:00Z"]),
    ],
)
def test_what_is_left_out_takes_its_year_from_the_request(request_text: str, span: str, rows: list[str]) -> None:
    """And never becomes the range."""
    answer = ask(request_text)
    assert isinstance(answer, Plan)
    assert str(answer.span) == span
    assert left_out(answer.pipeline) == rows


@pytest.mark.parametrize(
    "request_text", ["ACE |B| October 2003, skip 16 to 19 March", "ACE |B| from 2000 through 2003 without 29 Oct"]
)
def test_what_is_left_out_of_an_unknown_year_is_asked_about(request_text: str) -> None:
    """Each answer is the request with the year; it keeps the range."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    assert answer.question.text.startswith("Which time is left out?")
    for choice in answer.question.choices:
        again = ask(choice)
        assert isinstance(again, Plan)
        assert left_out(again.pipeline)


def test_a_list_beside_the_pipelines_is_named() -> None:
    """It becomes an `events` step."""
    answer = ask("ACE |B| for October 2003 excluding the intervals in lists/bad_mfi.csv")
    assert isinstance(answer, Plan)
    pipeline = answer.pipeline
    events = pipeline.step("excluded").events
    assert events is not None
    assert events.file == "lists/bad_mfi.csv"
    assert pipeline.step("b_gse").exclude == "excluded"


@pytest.mark.parametrize(
    "request_text", ["Wind density without smoothing in May 2005", "ACE density without protons, May 2005"]
)
def test_without_something_else_is_no_interval(request_text: str) -> None:
    """It is asked about or understood as before."""
    answer = ask(request_text)
    assert isinstance(answer, Asked) or not any(step.exclude for step in answer.pipeline.steps)


def test_a_plan_leaves_out_more_and_more() -> None:
    """Clock times are those of the day on the table; a second interval is a row of the same list."""
    once = edited(FIELD, "exclude 06:00 to 09:00")
    assert left_out(once) == ["2003-10-29T06:00Z,2003-10-29T09:00Z"]
    twice = edited(f"{FIELD}, excluding 06:00 to 09:00", "also leave out 2003-10-29 12:00 to 13:00")
    assert left_out(twice) == ["2003-10-29T06:00Z,2003-10-29T09:00Z", "2003-10-29T12:00Z,2003-10-29T13:00Z"]
    both = edited(FIELD, "ignore 06:00 to 09:00, and make it red")
    assert left_out(both)
    figure = both.steps[-1].figure
    assert figure is not None
    assert figure.panels[0].traces[0].color == "red"


@pytest.mark.parametrize(
    ("request_text", "limited", "options"),
    [
        ("ACE speed, leave out times when density is above 20", "AC_H0_SWE/Np", {"above": 20}),
        ("Wind proton speed, excluding samples where density exceeds 30 cm-3", "WI_H1_SWE/Proton_Np_nonlin", {"above": 30}),
        ("hourly means of ACE Bz GSM excluding data where ACE speed is below 400 km/s", "AC_H0_SWE/Vp", {"below": 400}),
        ("ACE |B| without times when Kp >= 5", "OMNI2_H0_MRG1HR/KP", {"above": 49}),
        ("ACE temperature, except when the density is under 1 per cc", "AC_H0_SWE/Np", {"below": 1}),
        ("ACE |B|, skip periods with OMNI Dst below -50 nT", "OMNI2_H0_MRG1HR/DST", {"below": -50}),
    ],
)
def test_a_condition_on_another_quantity_leaves_out_its_intervals(
    request_text: str, limited: str, options: dict[str, float]
) -> None:
    """What is shown lacks them; the quantity of the condition is whole, and of the spacecraft that is named or shown."""
    pipeline = planned(f"{request_text}, March 2015")
    listed = next(step for step in pipeline.steps if step.id == "excluded")
    assert listed.compute is not None
    assert listed.compute.operation == "intervals_where"
    assert listed.compute.options.items() >= options.items()
    (source,) = [step for step in pipeline.steps if step.id == listed.compute.inputs["series"]]
    assert source.fetch is not None
    assert f"{source.fetch.dataset}/{source.fetch.parameter}" == limited
    assert source.exclude is None
    assert all(step.exclude == "excluded" for step in pipeline.steps if step.fetch is not None and step is not source)


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("ACE density excluding times when density is above 20", "ACE density is shown itself"),
        ("ACE speed, excluding times when blorb > 5", "the condition 'blorb > 5'"),
        ("ACE speed, excluding times when density > 5 for two hours, without 3 March 2015", "two"),
    ],
)
def test_a_condition_that_cannot_be_used_is_asked_about(request_text: str, words: str) -> None:
    """The question names it."""
    answer = ask(f"{request_text}, March 2015")
    assert isinstance(answer, Asked)
    assert words in answer.question.text
