"""Lines that share a panel: what is in a second unit has the axis at the right."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Edits
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import edited, refine

TWO = "Wind density and speed 1998-05-04"
THREE = "Wind density, speed and temperature 1998-05-04"


def shared(pipeline: Pipeline) -> list[list[str]]:
    """What each panel draws, in its order: the first has the axis at the left."""
    drawn = pipeline.steps[-1].figure
    assert drawn is not None
    return [[trace.data for trace in panel.traces] for panel in drawn.panels]


@pytest.mark.parametrize(
    ("given", "words", "lines"),
    [
        (TWO, "both into a single panel w/ two axes", [["density", "speed"]]),
        (TWO, "in one panel", [["density", "speed"]]),
        (TWO, "put the density in the speed panel", [["speed", "density"]]),
        (TWO, "use a second axis for the density", [["speed", "density"]]),
        (TWO, "speed on the left axis and density on the right", [["speed", "density"]]),
        (THREE, "density and temperature in one panel", [["density", "temperature"], ["speed"]]),
        (TWO, "add Bz in the speed panel with its own axis on the right", [["density"], ["speed", "b_z"]]),
        ("ACE |B| and Bz on 2003-10-29", "put Bz in the |B| panel", [["b_mag", "b_z"]]),
    ],
)
def test_lines_of_two_units_share_a_panel(given: str, words: str, lines: list[list[str]]) -> None:
    """The one that is moved has the axis at the right, unless another side is said."""
    assert shared(edited(given, words)) == lines


def test_what_has_the_axis_at_the_right_is_said() -> None:
    """And that it has a range of its own, where one was given."""
    answer = refine(TWO, "put the speed in the density panel")
    assert isinstance(answer, Edits)
    assert answer.notes == ("The axis at the right is that of V, in km/s.",)
    ranged = refine(f"{TWO}, speed axis from 300 to 900", "put the speed in the density panel")
    assert isinstance(ranged, Edits)
    assert ranged.notes == ("The axis at the right is that of V, in km/s, linear and with a range of its own.",)


@pytest.mark.parametrize(
    ("given", "words", "reason"),
    [
        (THREE, "all in one panel", "A panel has two axes at most"),
        (THREE, "speed on the right axis", "In which panel"),
        ("ACE field in GSE and speed on 2003-10-29", "put the field in the field panel", "in one panel already"),
        ("MMS1 ion density and ion energy spectrogram on 2015-10-16", "both in one panel", "A spectrogram has a panel"),
    ],
)
def test_what_cannot_share_a_panel_is_asked_about(given: str, words: str, reason: str) -> None:
    """With the reason that is true of it."""
    answer = refine(given, words)
    assert isinstance(answer, Asked), answer
    assert reason in answer.question.text
