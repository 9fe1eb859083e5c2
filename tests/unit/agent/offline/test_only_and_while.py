"""Small words that limit a request: `only`, `while`, `rather than`, ranks and counts."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan

from .asking import ask, chain, planned


@pytest.mark.parametrize("words", ["only ACE speed, 2005-01-03", "ACE speed only, 2005-01-03", "ACE only: speed on 2005-01-03"])
def test_only_beside_what_is_wanted_changes_nothing(words: str) -> None:
    """The plan is that of the request without it."""
    assert chain(planned(words)) == chain(planned("ACE speed on 2005-01-03"))


def test_only_some_hours_of_a_day_are_its_range() -> None:
    """Of several days they would be hours of each, which is asked about."""
    answer = ask("ACE speed on 2005-01-03, only from 06:00 to 18:00")
    assert isinstance(answer, Plan)
    assert str(answer.span) == "2005-01-03T06:00Z to 2005-01-03T18:00Z"
    assert isinstance(ask("ACE speed, 3 to 5 January 2005, only from 06:00 to 18:00"), Asked)


def test_what_stands_behind_rather_than_is_not_drawn() -> None:
    """As behind `instead of`."""
    assert chain(planned("ACE speed rather than Wind speed, 3 January 2005")) == chain(planned("ACE speed, 3 January 2005"))


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("SYM-H while Bz is southward, 2015-03-17", "while Bz is southward"),
        ("Kp on the ten quietest days of 2009", "'ten', 'quietest'"),
        ("only positive ACE Bz GSM 2005-01-03", "'positive'"),
    ],
)
def test_a_limit_that_is_not_supported_is_quoted(request_text: str, said: str) -> None:
    """No choice goes without it unless the question says so."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    assert said in answer.question.text
    assert "Kp days of 2009" not in answer.question.choices


def test_two_months_that_are_compared_are_offered_as_a_list() -> None:
    """With the month of each."""
    answer = ask("compare OMNI Dst in March 1989 with March 2015")
    assert isinstance(answer, Asked)
    assert answer.question.choices == ["OMNI Dst in March 1989 and March 2015"]


def test_a_suggestion_keeps_what_is_listed_beside_it() -> None:
    """The field stays where a parameter is offered for the potential."""
    fetched = chain(planned("Cluster 1 magnetic field and spacecraft potential 2002-03-30"))
    assert any("FGM" in each for each in fetched)
    assert any("Spacecraft_potential" in each for each in fetched)
