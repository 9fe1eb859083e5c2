"""What steps expect of their results, said in words to a pipeline on the table."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.catalog.usual_ranges import MAGNITUDE, usual_range
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import edited, refine

BOTH = "ACE |B| and speed on 2003-10-29"
USUAL = {
    "b_mag": "between 0 and 200 nT; coverage at least 50 %",
    "speed": "between 200 and 1,500 km/s; coverage at least 50 %",
}


def expected(pipeline: Pipeline) -> dict[str, str]:
    """Step to what it expects, in words."""
    return {step.id: str(step.expect) for step in pipeline.steps if step.expect is not None}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("expect the speed between 200 and 900 km/s", {"speed": "between 200 and 900 km/s"}),
        ("expect speed to be between 200 km/s and 1,200 km/s", {"speed": "between 200 and 1,200 km/s"}),
        ("expect b_mag below 60", {"b_mag": "at most 60"}),
        ("expect |B| to be at least 0.5 nT", {"b_mag": "at least 0.5 nT"}),
        ("add checks", USUAL),
        ("please add the usual checks", USUAL),
    ],
)
def test_a_line_is_expected_to_be_something(words: str, found: dict[str, str]) -> None:
    """By its quantity or its step; the pipeline passes the check."""
    assert expected(edited(BOTH, words)) == found


@pytest.mark.parametrize(
    ("given", "words", "question"),
    [
        (BOTH, "expect the density above 3", "Of which line"),
        (BOTH, "expect the speed between 900 and 200", "no value is at least 900 and at most 200"),
        (BOTH, "no checks", "No step expects anything"),
        ("Parker Solar Probe |B| on 2021-04-29", "add checks", "near 1 AU"),
    ],
)
def test_what_cannot_be_expected_is_asked_about(given: str, words: str, question: str) -> None:
    """Nothing is changed: another quantity, limits in the wrong order, nothing to remove, a spacecraft far from 1 AU."""
    answer = refine(given, words)
    assert isinstance(answer, Asked)
    assert question in answer.question.text


def test_usual_ranges_are_those_of_the_solar_wind_near_one_au() -> None:
    """All spacecraft must be there."""
    assert str(usual_range("speed", ["ACE", "Wind"])) == "between 200 and 1,500 km/s"
    assert str(usual_range(MAGNITUDE, ["OMNI"])) == "between 0 and 200 nT"
    assert usual_range("speed", ["ACE", "Parker Solar Probe"]) is None
    assert usual_range("dst", ["OMNI"]) is None
    assert usual_range("speed", []) is None
