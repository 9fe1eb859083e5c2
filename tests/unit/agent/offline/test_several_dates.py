"""Several times of a request are partitions of one plan, and no choice of a question drops a number or a time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.agent.offline.kept_words import keeps_numbers
from helio_dagster.domain.pipeline import EventWindows

from .asking import NOW, ask, planned


@pytest.mark.parametrize(
    ("times", "rows"),
    [
        ("on 2003-10-29 and 2004-11-08", ["2003-10-29,2003-10-30", "2004-11-08,2004-11-09"]),
        (
            "on 29 Oct 2003, 8 Nov 2004 and 21 January 2005",
            ["2003-10-29,2003-10-30", "2004-11-08,2004-11-09", "2005-01-21,2005-01-22"],
        ),
        ("in January and March 2008", ["2008-01-01,2008-02-01", "2008-03-01,2008-04-01"]),
        ("in May, in July and in September 2012", ["2012-05-01,2012-06-01", "2012-07-01,2012-08-01", "2012-09-01,2012-10-01"]),
        ("in Q1 and Q4 2012", ["2012-01-01,2012-04-01", "2012-10-01,2013-01-01"]),
        ("on 29 and 31 October 2003", ["2003-10-29,2003-10-30", "2003-10-31,2003-11-01"]),
        ("in CR 2009 and 2011", ["2003-10-23T13:06Z,2003-11-19T20:22Z", "2003-12-17T04:01Z,2004-01-13T12:01Z"]),
        ("for 2003-10-28 to 2003-10-30 and 2004-11-07 to 2004-11-10", ["2003-10-28,2003-10-30", "2004-11-07,2004-11-10"]),
    ],
)
def test_several_times_are_a_list(times: str, rows: list[str]) -> None:
    """Each is a partition, with a figure of its own; the plan passes the check."""
    pipeline = planned(f"ACE |B| and speed {times}")
    assert pipeline.partitions == EventWindows(events="dates", before=timedelta(0), after=timedelta(0))
    table = next(step.table for step in pipeline.steps if step.id == "dates")
    assert table is not None
    assert table.csv is not None
    assert table.csv.splitlines()[1:] == rows
    assert any("figure of its own" in each for each in pipeline.assumptions)


def test_the_range_is_from_the_first_to_the_last() -> None:
    """So that a run of it makes all of them."""
    answer = ask("ACE |B| on 2004-11-08 and 2003-10-29")
    assert isinstance(answer, Plan)
    assert str(answer.span) == "2003-10-29 to 2004-11-09"


def test_one_number_of_several_times_is_a_question() -> None:
    """A mean of two days is one of both, or one of each."""
    answer = ask("mean ACE |B| on 2003-10-29 and 2004-11-08")
    assert isinstance(answer, Asked)
    assert "one time range" in answer.question.text


def test_hours_that_are_left_out_are_of_the_day_of_the_plan() -> None:
    """A request that names no other time means the day whose hours it leaves out."""
    answer = ask("compare ACE and Wind density excluding 12-14 UT, 2001-03-31")
    assert isinstance(answer, Plan)
    assert str(answer.span) == "2001-03-31 to 2001-04-01"


def test_letters_in_a_list_are_spacecraft() -> None:
    """None of them is passed over."""
    pipeline = planned("THEMIS A, D, E ion velocities Vx in GSM on 2008-02-26, stacked")
    assert [step.fetch.dataset for step in pipeline.steps if step.fetch] == ["THA_L2_ESA", "THD_L2_ESA", "THE_L2_ESA"]
    assert isinstance(ask("THEMIS-A |B| D on 2008-02-26"), Asked)


@pytest.mark.parametrize(
    ("choice", "is_kept"),
    [
        ("ACE density in May 1999", False),
        ("intervals where ACE density below 1 cm^-3 in May 1999", True),
        ("intervals where ACE density below 1 cm^-3", False),
        ("intervals where ACE density below 1 cm^-3 in 2003-10", False),
        ("intervals where ACE density below 1 cm^-3 1999-05-01 to 1999-06-01", True),
    ],
)
def test_a_choice_keeps_numbers_and_times(choice: str, is_kept: bool) -> None:
    """A time may be written in another way."""
    assert keeps_numbers(choice, "ACE density below 1 cm^-3 in May 1999", NOW) == is_kept


def test_another_spacecraft_may_have_another_number() -> None:
    """The number in its name is no number of the request."""
    assert keeps_numbers("GOES 13 field on 2012-03-07", "GOES 15 field on 2012-03-07", NOW)


@pytest.mark.parametrize(
    "times",
    ["on 3 and 5 April 2010", "on the 3rd and 5th of April 2010", "on April 3 and 5, 2010", "3 and 5 April 2010 but not 4"],
)
def test_days_of_one_month_are_a_list(times: str) -> None:
    """No day is dropped, and none is taken for a word of the catalog."""
    pipeline = planned(f"Wind speed {times}")
    assert [each.table.csv.splitlines()[1:] for each in pipeline.steps if each.table and each.table.csv] == [
        ["2010-04-03,2010-04-04", "2010-04-05,2010-04-06"]
    ]


def test_days_that_follow_one_another_are_one_range() -> None:
    """One of them can be left out."""
    answer = ask("Wind speed on 3, 4 and 5 April 2010 but not 4")
    assert isinstance(answer, Plan)
    assert str(answer.span) == "2010-04-03 to 2010-04-06"
    excluded = next(step.table for step in answer.pipeline.steps if step.id == "excluded")
    assert excluded is not None
    assert excluded.csv == "start,stop\n2010-04-04,2010-04-05\n"


def test_a_number_listed_with_the_time_is_never_a_word_of_the_catalog() -> None:
    """Where one result of all days is wanted the question names it."""
    answer = ask("mean Wind speed on 3 and 5 April 2010")
    assert isinstance(answer, Asked)
    assert "'3'" in answer.question.text


def test_a_month_that_is_not_read_is_asked_about() -> None:
    """It is a time, and never a word to be ignored."""
    answer = ask("mean ACE |B| in January and March 2008")
    assert isinstance(answer, Asked)
    assert "'January'" in answer.question.text


def test_encounters_in_a_list_are_each_a_range() -> None:
    """None of their numbers is lost, and none is told as ignored."""
    answer = ask("PSP |B| during encounters 4, 6 and 8")
    assert isinstance(answer, Plan)
    table = next(step.table for step in answer.pipeline.steps if step.id == "dates")
    assert table is not None
    assert table.csv is not None
    assert len(table.csv.splitlines()) == 4
    assert answer.ignored == ()


def test_numbers_of_encounters_are_no_limits_of_an_axis() -> None:
    """One mean of several encounters is not drawn: the numbers are asked about, and never a range of the figure."""
    answer = ask("mean PSP |B| encounters 4, 6 and 8")
    assert isinstance(answer, Asked)
    assert "'6" in answer.question.text
