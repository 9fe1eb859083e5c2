"""`perihelion` beside a time in figures: it is said when it was, and asked which is meant where that is not clear."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")
FIRST = "Perihelion 1 of Parker Solar Probe was on 2018-11-06, "


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("PSP B perihelion 5 Nov 2018", FIRST + "near the range."),
        ("PSP B during perihelion 5-7 nov 2018", FIRST + "in the range."),
        ("PSP B near perihelion on 5 Nov 2018", FIRST + "near the range."),
        ("PSP B perihelion passage 5 nov 2018", FIRST + "near the range."),
        ("PSP B encounter 5 Nov 2018", FIRST + "near the range."),
        ("Solar Orbiter B perihelion 26 March 2022", "Perihelion 1 of Solar Orbiter was on 2022-03-26, in the range."),
    ],
)
def test_it_is_not_ignored_beside_its_day(request_: str, said: str) -> None:
    """The card says when the perihelion was."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert plan.ignored == ()
    assert said in plan.pipeline.assumptions


@pytest.mark.parametrize(
    ("request_", "choices"),
    [
        ("PSP B perihelion 2018", ["PSP B encounter 1", "PSP B 2018"]),
        ("PSP B perihelion 1 July 2019", ["PSP B encounter 3", "PSP B 1 July 2019"]),
        ("PSP B 2020 perihelion", ["PSP B encounter 4", "PSP B encounter 5", "PSP B encounter 6", "PSP B 2020"]),
    ],
)
def test_which_perihelion_is_asked(request_: str, choices: list[str]) -> None:
    """Where the time is long, or none lies near it."""
    asked = answered(request_)
    assert isinstance(asked, Asked), asked
    assert list(asked.question.choices) == choices
    for choice in choices:
        assert isinstance(answered(choice), Plan), choice


def test_the_narrower_of_two_times_counts() -> None:
    """`first perihelion 2018` is eleven days, not the year."""
    plan = answered("PSP B first perihelion 2018")
    assert isinstance(plan, Plan), plan
    assert str(plan.span) == "2018-11-01 to 2018-11-12"
