"""Moments at which a line crosses a value, marked in the figure on the table."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import chain, edited, refine

VECTOR = "PSP magnetic field in RTN 5-7 November 2018"
TWO = "ACE Bz in GSM and By in GSM on 2003-10-29"


def drawn(pipeline: Pipeline) -> list[list[str]]:
    """What each panel draws."""
    figure = pipeline.steps[-1].figure
    assert figure is not None
    return [[trace.data for trace in panel.traces] for panel in figure.panels]


@pytest.mark.parametrize(
    ("words", "axis"),
    [
        ("mark where the radial component changes sign", "r"),
        ("show the points where Br flips sign", "r"),
        ("mark where the sign of the tangential component flips", "t"),
        ("mark the zero crossings of the normal component", "n"),
    ],
)
def test_crossings_of_a_component_are_marked(words: str, axis: str) -> None:
    """A step takes the component, and its crossings are marked in the panel of the vector."""
    pipeline = edited(VECTOR, words)
    assert [step.compute.options for step in pipeline.steps if step.compute] == [{"component": axis}, {"value": 0}]
    assert drawn(pipeline) == [["b_rtn", "crossings"]]


def test_which_component_or_line_is_asked_and_each_choice_is_carried_out() -> None:
    """A vector has three, a figure several lines."""
    for request, words, count in ((VECTOR, "mark the sign changes", 3), (TWO, "flag the polarity reversals", 2)):
        asked = refine(request, words)
        assert isinstance(asked, Asked)
        made = [chain(edited(request, each))[-1] for each in asked.question.choices]
        assert len(set(made)) == count


def test_a_value_and_a_direction_are_kept() -> None:
    """And another unit than the line's is asked about."""
    speed = "ACE speed on 2003-10-29"
    pipeline = edited(speed, "mark where it crosses 600 km/s")
    assert pipeline.step("crossings").compute is not None
    assert chain(pipeline)[-1].startswith("crossings=crossings(speed")
    assert "600" in pipeline.step("crossings").intent
    south = edited("ACE Bz in GSM on 2003-10-29", "mark when Bz turns southward").step("crossings").compute
    assert south is not None
    assert south.options == {"value": 0, "direction": "down"}
    assert isinstance(refine(speed, "mark where it crosses 600 nT"), Asked)
    assert isinstance(refine(speed, "mark where the blimp changes sign"), Asked)
