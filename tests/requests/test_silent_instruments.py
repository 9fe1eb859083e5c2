"""Requests for instruments that failed, in files that go on: never planned, and what there is instead is said."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")


@pytest.mark.parametrize(
    ("request_", "said", "choices"),
    [
        (
            "Voyager 1 proton density 1990",
            "PLS of Voyager 1 gave no data after 1980",
            ["Voyager 1 proton density 1980-01-02 to 1981-01-01", "Voyager 2 proton density 1990"],
        ),
        (
            "dynamic pressure at Voyager 1 1990",
            "Voyager 1 has no density or speed for 1990-01-01 to 1991-01-01",
            ["dynamic pressure at Voyager 1 1980-01-02 to 1981-01-01", "dynamic pressure at Voyager 2 1990"],
        ),
        ("Voyager 1 temperature 2004", "Voyager 1 has no temperature", ["Voyager 2 temperature 2004"]),
        ("Voyager 1 speed and B 1990", "Do you want the rest without it?", ["Voyager 1 B 1990"]),
        ("Voyager 1 and Voyager 2 speed 1990", "Do you want it without Voyager 1?", ["Voyager 2 speed 1990"]),
        ("Cluster C4 HIA density 2003-03-01", "HIA of Cluster 4 never gave data; CODIF", ["Cluster 1 HIA density 2003-03-01"]),
        ("Cluster C2 CIS density 2003-03-01", "of Cluster 2 never gave data", ["Cluster 1 CIS density 2003-03-01"]),
        ("Cluster 2 proton velocity 2002-02-20", "of Cluster 2 never gave data", ["Cluster 1 proton velocity 2002-02-20"]),
        ("Cluster 3 HIA density 2012-03-01", "no data after 11 November 2009", ["Cluster 1 HIA density 2012-03-01"]),
        ("DSCOVR B 2019-09", "DSCOVR was in safe hold", ["Wind B 2019-09"]),
        ("SOHO proton density 1998-07", "SOHO was out of contact", ["Wind proton density 1998-07"]),
    ],
)
def test_it_is_asked_about(request_: str, said: str, choices: list[str]) -> None:
    """The question says since when there is nothing; each choice can be planned."""
    asked = answered(request_)
    assert isinstance(asked, Asked), asked
    assert said in asked.question.text
    assert set(choices) <= set(asked.question.choices)
    for choice in choices:
        assert isinstance(answered(choice), Plan), choice


@pytest.mark.parametrize(
    ("request_", "parameter"),
    [
        ("Voyager 1 density 1980", "protonDensity"),
        ("Cluster C4 density 2003-03-01", "N_p__C4_PP_CIS"),
        ("Cluster 3 proton density 2012-03-01", "N_p__C3_PP_CIS"),
        ("Cluster 1 density 2006-03-01", "N_HIA__C1_PP_CIS"),
    ],
)
def test_what_still_worked_is_planned(request_: str, parameter: str) -> None:
    """The instrument beside the silent one, and the time before it fell silent."""
    answer = answered(request_)
    assert isinstance(answer, Plan), answer
    assert [each.fetch.parameter for each in answer.pipeline.steps if each.fetch] == [parameter]


def test_a_drift_is_not_said_to_be_that_of_particles() -> None:
    """Cluster 2 has that of EDI."""
    answer = answered("Cluster 2 velocity 2002-02-20")
    assert isinstance(answer, Plan), answer
    assert any("is a drift across the magnetic field" in each for each in answer.pipeline.assumptions)
    assert not any("ions or protons" in each for each in answer.pipeline.assumptions)


def test_a_range_that_is_silent_in_part_is_planned_and_says_so() -> None:
    """As with a dataset that ends in it."""
    answer = answered("DSCOVR B 2019-06-20 to 2019-07-10")
    assert isinstance(answer, Plan), answer
    assert any("in safe hold" in each and "will be empty" in each for each in answer.notes)
