"""What is not understood is looked up in the catalog; what is found is offered with what it is, and never taken unasked."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, chain, planned, refine


def asked(request: str) -> Asked:
    """The question that a request leads to."""
    answer = ask(request)
    assert isinstance(answer, Asked), answer
    return answer


@pytest.mark.parametrize(
    ("request_text", "dataset"),
    [
        ("cosmic rays in 2003", "AC_H2_CRIS"),
        ("iron charge state from ACE in January 2005", "AC_H5_SWI"),
        ("total electron content on 2015-03-17", "GPS_TEC15MIN_IGS"),
        ("TEC map of 2015-03-17", "GPS_TEC15MIN_IGS"),
        ("TEC from the ionosphere 2015-03-17", "GPS_TEC15MIN_IGS"),
        ("electron flux of GOES-15 in June 2015", "GOES15_EPS-MAGED_1MIN"),
    ],
)
def test_a_parameter_is_offered_for_words_that_name_no_quantity(request_text: str, dataset: str) -> None:
    """The choice names it and the time, is understood, and a note tells what it is."""
    answer = asked(request_text)
    choice = next(each for each in answer.question.choices if f" of {dataset} " in each)
    (step,) = chain(planned(choice))
    name, fetched = choice.split()[0], step.split("=")[1]
    assert fetched == f"{dataset}/{name}"
    assert any(note.startswith(f"{name} of {dataset}: ") for note in answer.notes)


@pytest.mark.parametrize(
    "request_text",
    [
        "ACE kangaroo on 2015-03-17",  # nothing in the catalog is called so
        "GOES X-rays on 2003-10-28",  # X-rays are, and no server has any of GOES then
        "wide",  # one word, of nobody
        "ACE |B| yesterday, 7",  # a number tells nothing
    ],
)
def test_nothing_is_offered_that_does_not_have_the_words(request_text: str) -> None:
    """Better no suggestion than a wrong one."""
    assert not [choice for choice in asked(request_text).question.choices if "_" in choice and "AC_H0_MFI" not in choice]


def test_what_has_no_data_then_is_not_offered() -> None:
    """ACE had not been launched."""
    assert not [choice for choice in asked("cosmic rays in 1980").question.choices if "AC_" in choice]


def test_the_demo_archive_has_no_such_datasets() -> None:
    """What is catalogued of the real one cannot be fetched from it."""
    answer = ask("cosmic rays of ACE in 2003", "demo")
    assert isinstance(answer, Asked)
    assert not [choice for choice in answer.question.choices if "_" in choice]


def test_a_change_that_is_not_understood_finds_nothing() -> None:
    """What is said of a figure is not a search."""
    answer = refine("ACE |B| on 2015-03-17", "with a legend")
    assert isinstance(answer, Asked)
    assert answer.question.choices == []


@pytest.mark.parametrize(
    ("request_text", "offered"), [("ACE protons", "ACE proton density"), ("Wind electrons", "Wind electron density")]
)
def test_particles_alone_are_asked_what_of_them(request_text: str, offered: str) -> None:
    """Not as a word that is not known."""
    answer = asked(f"{request_text} on 2015-03-17")
    assert answer.question.text.startswith("What of the ")
    assert f"{offered} on 2015-03-17" in answer.question.choices
