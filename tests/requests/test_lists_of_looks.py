"""Colours and dashes in a row, scales of several panels, and numbers of panels."""

from __future__ import annotations

from typing import Any

import pytest

from helio_dagster.agent.answers import Asked
from tests.requests.test_first_figures import drawn
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")


@pytest.mark.parametrize(
    ("request_", "look", "given"),
    [
        (
            "ACE and Wind |B| in one panel, green and orange, 2005-08-24",
            "color",
            {"ace_b_mag": "green", "wind_b_mag": "orange"},
        ),
        ("ACE and Wind |B| in one panel, dashed and solid, 2005-08-24", "dash", {"ace_b_mag": "dash", "wind_b_mag": "solid"}),
        ("Wind density and speed 2005-08-24, red and blue", "color", {"density": "red", "speed": "blue"}),
        (
            "OMNI Dst, speed and |B| in 2005: green, black and red",
            "color",
            {"speed": "black", "b_mag": "red", "dst": "green"},
        ),
    ],
)
def test_each_line_has_its_own_of_a_list(request_: str, look: str, given: dict[str, str]) -> None:
    """In the order of the request, whatever that of the panels."""
    traces: list[dict[str, Any]] = [trace for panel in drawn(request_) for trace in panel["traces"]]
    assert {trace["data"]: trace[look] for trace in traces} == given


def test_more_lines_than_colours_are_asked_about() -> None:
    """None is given a colour of its own choosing."""
    asked = answered("ACE Bx GSE, By GSE, Bz GSE 2005-08-24 in red and blue")
    assert isinstance(asked, Asked), asked
    assert "2 colours, and the figure has 3 lines" in asked.question.text


def test_two_logarithmic_axes_are_those_of_all_spectra() -> None:
    """Which is not asked."""
    panels = drawn("power spectrum of ACE |B| and Bz GSE 2005-08-24, log-log")
    assert [(each["x"]["scale"], each["y"]["scale"]) for each in panels] == [("log", "log"), ("log", "log")]


def test_a_magnetometer_behind_a_component_is_no_second_quantity() -> None:
    """It says only what that is measured by."""
    (panel,) = drawn("power spectrum of Bn RTN from Solar Orbiter MAG, 2021-06-15, loglog")
    assert panel["traces"] == [{"data": "b_n_spectrum"}]


@pytest.mark.parametrize(
    ("request_", "titles"),
    [
        ("three stacked panels of ACE speed, density and temperature 2005-08-24", ["V", "N", "T"]),
        (
            "Wind MFI field magnitude and GSE components in four stacked panels, 2010-04-05",
            ["|B|", "Bx GSE", "By GSE", "Bz GSE"],
        ),
        ("PSP magnetic field RTN in three panels 2021-09-01", ["Br RTN", "Bt RTN", "Bn RTN"]),
    ],
)
def test_as_many_panels_as_are_said(request_: str, titles: list[str]) -> None:
    """A vector is taken apart where that makes the number."""
    assert [each["y"]["title"] for each in drawn(request_)] == titles


def test_another_number_of_panels_is_asked_about() -> None:
    """Its choice is what the request makes."""
    asked = answered("ACE speed and density in three stacked panels 2005-08-24")
    assert isinstance(asked, Asked), asked
    assert asked.question.choices == ["ACE speed and density in 2 panels 2005-08-24"]
