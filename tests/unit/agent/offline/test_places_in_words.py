"""Where something stands, and on which axis, is read in a new request as in a change of the figure."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, drawn_at, panels, planned


@pytest.mark.parametrize(
    ("request_text", "drawn"),
    [
        ("ACE Bz and SYM-H, 8 to 10 march 2012, SYM-H on top", ["omni_sym_h", "ace_b_z"]),
        ("ACE speed in the bottom panel and Bz in the top panel, 2004-11-07", ["b_z", "speed"]),
        ("mms1 ion density with the ion energy spectrogram above, 8 dec 2015 10:00 to 12:00", ["ions", "density"]),
        ("Wind density, 1 to 3 May 2010, with Dst underneath", ["wind_density", "omni_dst"]),
        ("ACE density above speed, 2004-11-07", ["density", "speed"]),
        ("ACE density below speed, 2004-11-07", ["speed", "density"]),
        ("running 1 h std of ACE |B| with |B| itself above, 2004-11-07", ["b_mag", "b_mag_std"]),
        ("low-pass ACE Bz below 1 mHz on 29 oct 2003 with the raw Bz above", ["b_z", "b_z_butterworth"]),
    ],
)
def test_panels_stand_where_the_request_says(request_text: str, drawn: list[str]) -> None:
    """From top to bottom, and the figure says so."""
    pipeline = planned(request_text)
    assert panels(pipeline) == drawn


def test_the_order_is_told_as_it_is_drawn() -> None:
    """A panel that is moved is moved in the words, too."""
    pipeline = planned("mms1 ion density with the ion energy spectrogram above, 8 dec 2015 10:00 to 12:00")
    assert pipeline.steps[-1].intent == "From top to bottom: ion spectrogram, N"


def test_a_number_behind_it_makes_a_limit() -> None:
    """`above` is a place only where no number follows."""
    pipeline = planned("intervals where ACE speed is above 500 km/s in nov 2004")
    assert panels(pipeline) == ["speed+intervals"]


def test_a_place_and_a_look_of_what_is_named_again_are_its_own() -> None:
    """Other panels are not coloured."""
    pipeline = planned("OMNI Bz, pressure and SYM-H for 7-8 sep 2017, SYM-H at the bottom in red")
    assert panels(pipeline) == ["b_z_gsm", "pressure", "sym_h"]
    assert [drawn_at(pipeline, (row, 0)).get("color") for row in range(3)] == [None, None, "red"]


def test_a_line_at_zero_is_in_the_panel_that_it_stands_behind() -> None:
    """The line is dashed, and no curve is."""
    pipeline = planned("ACE Bz GSM and SYM-H, 8 to 10 march 2012, Bz on top with a dashed line at zero")
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [[(mark.y, mark.dash) for mark in panel.marks] for panel in figure.panels] == [[(0.0, "dash")], []]
    assert "dash" not in drawn_at(pipeline, (0, 0))


@pytest.mark.parametrize(
    "words",
    [
        "density and speed in one panel on two axes",
        "density with the speed on the right axis",
        "density and speed with two y axes",
    ],
)
def test_two_axes_are_those_of_one_panel(words: str) -> None:
    """The second unit has the axis at the right."""
    pipeline = planned(f"ACE {words}, 5 may 2010")
    assert panels(pipeline) == ["density+speed"]


def test_what_is_nowhere_in_the_figure_is_asked_about() -> None:
    """No panel is moved for it."""
    answer = ask("ACE Bz and speed 2004-11-07, with the reconnection on top")
    assert isinstance(answer, Asked), answer


@pytest.mark.parametrize(
    ("request_text", "title", "told"),
    [
        ("AL and AU in the same panel, feb 27 2014", "AL, AU", "Draw AL and AU"),
        ("ACE Bx GSM and Bz GSM in one panel, 5 may 2010", "B GSM", "Draw Bx GSM and Bz GSM"),
    ],
)
def test_a_shared_panel_is_called_by_all_that_is_in_it(request_text: str, title: str, told: str) -> None:
    """By what they have in common, or by each; the order is one of panels."""
    pipeline = planned(request_text)
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [panel.y.title for panel in figure.panels] == [title]
    assert pipeline.steps[-1].intent == told
