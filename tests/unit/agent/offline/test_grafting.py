"""What a request of its own would draw is added to the figure on the table, with the steps that are missing there."""

from __future__ import annotations

import pytest

from tests.unit.agent.offline.asking import chain, edited, panels

TWO = "compare the magnetic field magnitude of ACE and Wind on 2003-10-29"
POINTS = "scatter plot of OMNI solar wind speed against density in 2010"


@pytest.mark.parametrize(
    "words",
    [
        "show their difference too",
        "add the difference of the two",
        "also plot the difference",
        "with their difference below it",
    ],
)
def test_the_difference_of_two_lines(words: str) -> None:
    """It is made of the steps that are there."""
    pipeline = edited(TWO, words)
    assert "ace_minus_wind=difference(ace_b_mag,wind_b_mag)" in chain(pipeline)
    assert panels(pipeline) == ["ace_b_mag+wind_b_mag", "ace_minus_wind"]
    assert len([step for step in pipeline.steps if step.fetch]) == 2


@pytest.mark.parametrize("words", ["fit a line through it", "add a linear fit", "with a regression line"])
def test_a_fit_stands_in_the_panel_of_its_points(words: str) -> None:
    """And not in a panel of its own."""
    assert panels(edited(POINTS, words)) == ["points+fit"]


@pytest.mark.slow
def test_the_other_spacecraft_that_an_analysis_needs() -> None:
    """The field that is drawn is one of the four that the curlometer takes."""
    pipeline = edited("MMS1 magnetic field in GSE, 2015-10-16 13:00 to 14:00", "add the current density from the curlometer")
    assert panels(pipeline) == ["b_gse", "current", "quality"]
    compute = pipeline.step("current").compute
    assert compute is not None
    assert compute.step_inputs["field1"] == "b_gse"
