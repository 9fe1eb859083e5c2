"""What stands beside what a figure shows, in words: a hodogram beside the field, a line of a slope beside a spectrum."""

from __future__ import annotations

from typing import Any

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask, edited, planned, refine

HODOGRAM = "hodogram of the ACE magnetic field in GSE on 2015-03-17"
SPECTRUM = "power spectrum of the ACE magnetic field on 2015-03-17 with its slope"


def panels(pipeline: Any) -> list[tuple[list[str], int, list[str]]]:
    """Of each panel what it draws, its column, and its slopes."""
    figure = pipeline.steps[-1].figure
    return [
        ([trace.data for trace in panel.traces], panel.column, [mark.slope for mark in panel.marks]) for panel in figure.panels
    ]


def test_a_hodogram_stands_beside_the_field() -> None:
    """The field that it is made of has the first column; the same words change a figure that is there."""
    pipeline = planned("hodogram of the ACE magnetic field in GSE beside the field on 2015-03-17")
    assert panels(pipeline) == [(["b_gse"], 1, []), (["b_gse_hodogram"], 2, [])]
    assert edited(HODOGRAM, "put the hodogram beside the field") == pipeline
    assert edited(HODOGRAM, "put the hodogram to the right of it") == pipeline


@pytest.mark.parametrize(
    "words", ["a -5/3 line", "a line of slope −5/3", "a reference line of slope -5/3", "a -5/3 slope for comparison"]
)
def test_a_line_of_a_slope_stands_beside_the_fitted_one(words: str) -> None:
    """In a new request and as a change; the fit stays."""
    told = panels(planned(f"{SPECTRUM} and {words}"))
    assert told == [(["b_gse_spectrum", "b_gse_slope"], 1, ["-5/3"])]
    assert panels(edited(SPECTRUM, f"add {words}")) == told


def test_both_go_together_and_with_paper() -> None:
    """Each is told, so that a person sees that it was understood."""
    answer = ask(f"{SPECTRUM} and a -5/3 line beside the field, single column")
    assert isinstance(answer, Plan)
    assert panels(answer.pipeline) == [(["b_gse"], 1, []), (["b_gse_spectrum", "b_gse_slope"], 2, ["-5/3"])]
    (note,) = [each for each in answer.notes if "-5/3" in each]
    assert "On paper: column wide" in note


@pytest.mark.parametrize("words", ["add a -5/3 line", "put the hodogram beside the field"])
def test_what_has_no_place_is_asked_about(words: str) -> None:
    """A figure over time has no spectrum and no hodogram."""
    assert isinstance(refine("ACE |B| on 2015-03-17", words), Asked)
