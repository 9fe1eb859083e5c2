"""A new request may say how its figure looks: it comes to what the change comes to when it is said afterwards."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, drawn_at, edited, planned
from tests.unit.agent.stand_in import StandInSide

FIELD = "ACE |B| on 2015-03-17"


@pytest.mark.parametrize(
    ("request_text", "change"),
    [
        ("ACE |B| in red on 2015-03-17", "make it red"),
        ("plot in red the ACE |B| on 2015-03-17", "make it red"),
        ("show me a thick green line of ACE |B| on 2015-03-17", "make it thicker and green"),
        ("ACE |B| on a log scale, 2015-03-17", "log scale"),
        ("ACE |B| with a logarithmic axis on 2015-03-17", "log scale"),
        ("log of ACE |B| on 2015-03-17", "log scale"),
        ("ACE |B| on 2015-03-17 with y axis from 0 to 50", "y axis from 0 to 50"),
        ("ACE |B| on 2015-03-17 as points", "draw it as points"),
    ],
)
def test_it_is_the_plan_with_that_change(request_text: str, change: str) -> None:
    """Word for word the same pipeline."""
    assert planned(request_text) == edited(FIELD, change)
    assert planned(request_text) != planned(FIELD)


def test_it_works_with_parameters_by_their_names() -> None:
    """The rest of the request is read as ever."""
    assert drawn_at(planned("O7to6 of AC_H2_SWI in red in January 2010"), (0, 0))["color"] == "red"


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("compare ACE and Wind |B| in red on 2015-03-17", "Which line do you mean: ACE or Wind?"),
        ("ACE kangaroos in red on 2015-03-17", "I do not understand 'kangaroos'"),
        ("ACE |B| on 2015-03-17 with y axis from 0 to 50 pT", "The axis is in nT, not in pT"),
    ],
)
def test_what_is_not_clear_is_asked_about(request_text: str, words: str) -> None:
    """Nothing is guessed."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    assert words in answer.question.text


def test_each_line_of_a_request_looks_as_said_of_it() -> None:
    """What stands beside a quantity is of that quantity."""
    pipeline = planned("ACE |B| in red, density in blue and thin on 2003-10-29")
    assert drawn_at(pipeline, (0, 0)) == {"data": "b_mag", "color": "red"}
    assert drawn_at(pipeline, (1, 0)) == {"data": "density", "color": "blue", "width": 0.75}


@pytest.mark.parametrize(
    ("request_text", "looks"),
    [
        ("AE and SYM-H on 2015-03-17, AE in red", {"ae": "red", "sym_h": None}),
        ("AE and SYM-H in one figure on 2015-03-17, SYM-H in red", {"ae": None, "sym_h": "red"}),
        ("AE and SYM-H on 2015-03-17, only AE in red", {"ae": "red", "sym_h": None}),
        ("ACE |B| and density on 2003-10-29, the density in blue", {"b_mag": None, "density": "blue"}),
        ("compare ACE and Wind |B| on 2003-10-29, Wind in green", {"ace": "black", "wind": "green"}),
    ],
)
def test_a_look_of_what_is_named_again_is_of_that_alone(request_text: str, looks: dict[str, str | None]) -> None:
    """The other lines keep their own."""
    pipeline = planned(request_text)
    figure = next(step.figure for step in pipeline.steps if step.figure)
    drawn = {trace.data: trace.color for panel in figure.panels for trace in panel.traces}
    assert len(drawn) == len(looks)
    for data, color in drawn.items():
        assert looks[next(name for name in looks if name in data)] == color


def test_a_choice_keeps_how_the_figure_is_to_look() -> None:
    """The numbers of a range among it."""
    answer = ask("wind speed with y axis from 300 to 900 on 2015-03-17")
    assert isinstance(answer, Asked)
    assert answer.question.choices[0] == "Wind spacecraft speed on 2015-03-17, y axis from 300 to 900"
    figure = planned(answer.question.choices[0]).steps[-1].figure
    assert figure is not None
    assert figure.panels[0].y.range == (300, 900)


def test_what_samples_show_is_told_and_not_the_words() -> None:
    """Where no candidate has data, that is the question, and no word that was understood is blamed."""
    datasets = ("AC_H0_MFI", "AC_H1_MFI", "AC_H2_MFI", "AC_H3_MFI", "AC_K0_MFI", "AC_K1_MFI", "AC_K2_MFI")
    side = StandInSide(dict.fromkeys(datasets, ("empty", None)))
    answer = ask("ACE |B| in red on 2015-03-17", side=side)
    assert isinstance(answer, Asked)
    assert "None of the datasets I looked at has data" in answer.question.text


def test_lines_become_points_and_lines_again() -> None:
    """Both of two; what is drawn so already is nothing to change."""
    compared = "compare ACE and Wind |B| on 2015-03-17"
    pipeline = edited(compared, "draw them as points")
    assert [drawn_at(pipeline, (0, row))["draw"] for row in (0, 1)] == ["points", "points"]
    assert drawn_at(edited(compared, "draw ACE with dots"), (0, 0))["draw"] == "points"
    assert "draw" not in drawn_at(edited(compared, "draw ACE with dots"), (0, 1))


@pytest.mark.parametrize(
    ("request_text", "shown"),
    [
        ("IMF clock angle and SYM-H from ACE on 2015-03-17", ["ace_b_gsm_clock", "omni_sym_h"]),
        ("clock angle and |B| of ACE on 2015-03-17", ["b_gsm_clock", "b_mag"]),
        ("ACE velocity, density and cone angle on 2015-03-17", ["velocity_gse_cone", "density"]),
    ],
)
def test_what_is_done_to_vectors_spares_the_numbers_beside_them(request_text: str, shown: list[str]) -> None:
    """And the assumptions tell."""
    pipeline = planned(request_text)
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [panel.traces[0].data for panel in figure.panels] == shown
    assert any("is that of the vector" in each for each in pipeline.assumptions)


def test_a_linear_fit_is_no_linear_scale() -> None:
    """A spectrum stays on its logarithmic axes."""
    pipeline = planned("power spectrum of Wind Bz on 2010-08-03, with a linear fit")
    (panel,) = next(step.figure for step in pipeline.steps if step.figure).panels
    assert [trace.data for trace in panel.traces] == ["b_z_spectrum", "b_z_slope"]
    assert panel.y.scale is None


@pytest.mark.parametrize("request_text", ["Kp as steps, Dst, 2015-03-17", "Kp as steps and Dst, 2015-03-17"])
def test_a_look_in_the_middle_is_of_what_stands_before_it(request_text: str) -> None:
    """What follows keeps its own looks."""
    assert drawn_at(planned(request_text), (0, 0))["draw"] == "steps"
    assert drawn_at(planned(request_text), (1, 0)).get("draw") != "steps"


def test_lines_are_in_the_panel_of_the_word_before_them() -> None:
    """Several at once, said with the quantity."""
    figure = planned("Kp, Dst with dashed lines at -50 and -200, 2015-03-17").steps[-1].figure
    assert figure is not None
    assert [[mark.y for mark in panel.marks or ()] for panel in figure.panels] == [[], [-50, -200]]
