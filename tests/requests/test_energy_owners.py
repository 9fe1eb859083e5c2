"""Particles of an energy whose spacecraft has no such channel, or is not named: who has one is said."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")


@pytest.mark.parametrize(
    ("request_", "said", "choices"),
    [
        (">10 MeV protons GOES 2003-10-29", "no channel of GOES", [">10 MeV protons OMNI 2003-10-29"]),
        (">10 MeV protons GOES-13 2012-03-07", "OMNI has one, PR-FLX_10", [">10 MeV protons OMNI 2012-03-07"]),
        ("GOES-13 proton flux above 10 MeV 2012-03-07", "no channel of GOES 13", ["OMNI proton flux above 10 MeV 2012-03-07"]),
        ("SOHO >10 MeV protons 2003-10-29", "no channel of SOHO", ["OMNI >10 MeV protons 2003-10-29"]),
        ("PSP >10 MeV protons 2021-04-17", "no channel of Parker Solar Probe", []),
    ],
)
def test_who_has_the_channel_is_said(request_: str, said: str, choices: list[str]) -> None:
    """OMNI has that of the Earth's surroundings, and nobody's elsewhere."""
    asked = answered(request_)
    assert isinstance(asked, Asked), asked
    assert said in asked.question.text
    assert list(asked.question.choices) == choices
    for choice in choices:
        plan = answered(choice)
        assert isinstance(plan, Plan), plan
        assert [each.fetch.parameter for each in plan.pipeline.steps if each.fetch] == ["PR-FLX_10"]


def test_a_spacecraft_of_the_fleet_that_has_it_is_offered() -> None:
    """Of GOES in 2003 only those with data of electrons; GOES 10 is what the dataset of `G0` says it is."""
    asked = answered(">2 MeV electrons GOES 2003-01-29")
    assert isinstance(asked, Asked), asked
    assert list(asked.question.choices) == [f">2 MeV electrons GOES {number} 2003-01-29" for number in (8, 10)]
    assert all(isinstance(answered(choice), Plan) for choice in asked.question.choices)


def test_nobody_named_is_omni() -> None:
    """Particles that OMNI has are OMNI's where no spacecraft and no instrument is named, and the plan says so."""
    plan = answered(">10 MeV proton flux 4-14 sep 2017 hourly")
    assert isinstance(plan, Plan), plan
    assert [each.fetch.parameter for each in plan.pipeline.steps if each.fetch] == ["PR-FLX_10"]
    assert "The >10 MeV protons are those of OMNI, because the request names no spacecraft." in plan.pipeline.assumptions


def test_what_is_wanted_of_them_is_kept_where_nobody_is_named() -> None:
    """At the beginning of the request as at its end."""
    answer = answered("Total fluence of >30 MeV protons 28 oct - 6 nov 2003 and peak flux w/ time")
    assert isinstance(answer, Plan), answer
    (facts,) = [step.compute for step in answer.pipeline.steps if step.compute]
    assert facts.options["statistics"] == ["integral", "maximum", "coverage"]
