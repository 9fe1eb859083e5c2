"""What of a request is nowhere in its plan is shown as ignored, whichever reader lost it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.nothing_dropped import dropped
from helio_dagster.agent.offline.request_reading import read_request
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import NOW, ask

SMOOTHED = "STEREO-A density smoothed over 10 minutes and ACE speed, 2007-11-07"


def _lacking(plan: Plan, request: str) -> tuple[str, ...]:
    return dropped(plan, read_request(request, NOW), shipped_knowledge().catalog)


@pytest.mark.parametrize(
    "request_text",
    [
        SMOOTHED,
        "hours in 2017 with Kp at least 7",
        "4 panels please: Wind |B|, Bz GSM, speed and density, for 2000-07-14 to 2000-07-17",
        "composite of OMNI Bz for all storms where Dst fell below -120 nT, 1998 to 2002, 24 hours before to 48 hours after",
        "ACE 16-second magnetic field magnitude, 1998-01-01",
        "Wind Bz bandpass filtered 1-10 mHz on 1997-01-10",
    ],
)
def test_what_a_plan_has_is_not_said_to_be_dropped(request_text: str) -> None:
    """In other units, as durations, as counts of what is drawn, or as the cadence of the data."""
    plan = ask(request_text)
    assert isinstance(plan, Plan)
    assert not any(each.isdigit() for each in plan.ignored)
    assert _lacking(plan, request_text) == ()


@pytest.mark.parametrize(
    ("step", "words"),
    [("_mean", "10"), ("ace_speed", "ACE")],
)
def test_what_a_plan_lacks_is_named(step: str, words: str) -> None:
    """A number whose step is lost, and a spacecraft."""
    plan = ask(SMOOTHED)
    assert isinstance(plan, Plan)
    steps = [each for each in plan.pipeline.steps if step not in each.id and not each.figure]
    less = plan.pipeline.model_copy(update={"name": "less", "steps": steps, "title": "", "description": "", "assumptions": []})
    assert words in _lacking(replace(plan, pipeline=less), SMOOTHED)
    assert _lacking(plan, SMOOTHED) == ()
