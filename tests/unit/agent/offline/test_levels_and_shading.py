"""Lines at a value and shaded stretches of time, in a new request and as a change of the figure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import ask, chain, edited, panels, planned, refine

FIELD = "ACE |B| on 2003-10-29"
TWO = "OMNI Dst and speed March 2015"


def marks(pipeline: Pipeline) -> list[list[dict[str, Any]]]:
    """The marks of each panel, without what is not given."""
    drawn = pipeline.steps[-1].figure
    assert drawn is not None
    return [[mark.model_dump(exclude_defaults=True) for mark in panel.marks] for panel in drawn.panels]


@pytest.mark.parametrize(
    ("words", "mark"),
    [
        ("put a threshold line at 1e-4", {"y": 1e-4}),
        ("add a dashed red line at 20 nT", {"y": 20, "dash": "dash", "color": "red"}),
        ("draw a horizontal line at 0.02 uT", {"y": 20}),
        ("show a limit of 5 x 10^-1 on |B|", {"y": 0.5}),
        ("mark the 15 nT level", {"y": 15}),
        ("add a zero line", {"y": 0}),
    ],
)
def test_a_line_is_drawn_at_a_value(words: str, mark: dict[str, Any]) -> None:
    """In the unit of the axis, whatever unit is named."""
    assert marks(edited(FIELD, words)) == [[mark]]


def test_the_panel_of_a_line_is_named_or_follows_from_its_unit() -> None:
    """Else it is asked, and each choice is carried out."""
    assert panels(planned(TWO)) == ["speed", "dst"]
    assert marks(edited(TWO, "draw a line at 600 km/s")) == [[{"y": 600}], []]
    assert marks(edited(TWO, "draw a line at -100 in the Dst panel")) == [[], [{"y": -100}]]
    asked = refine(TWO, "add a threshold at 100")
    assert isinstance(asked, Asked)
    assert [marks(edited(TWO, each)) for each in asked.question.choices] == [[[{"y": 100}], []], [[], [{"y": 100}]]]


def test_a_line_that_no_panel_can_have_is_asked_about() -> None:
    """Another unit, or zero on a logarithmic axis."""
    other = refine(FIELD, "draw a line at 5e4 K")
    assert isinstance(other, Asked)
    assert "nT" in other.question.text
    zero = refine(f"{FIELD}, log axis", "add a zero line")
    assert isinstance(zero, Asked)
    assert "logarithmic" in zero.question.text


@pytest.mark.parametrize(
    "words",
    ["with a horizontal line at -100 nT", "and a threshold at -100 nT", ", line at -100 nT", ", mark the -100 nT level"],
)
def test_a_line_is_said_in_a_new_request(words: str) -> None:
    """However it is joined to the rest."""
    assert marks(planned(f"OMNI Dst in March 2015 {words}")) == [[{"y": -100}]]


def test_a_line_at_a_kp_is_where_its_values_are_stored() -> None:
    """Kp is stored times ten."""
    assert marks(planned("OMNI Kp March 2015 with a threshold at 5")) == [[{"y": 50}]]


def hours(*given: tuple[int, int, int]) -> tuple[datetime, ...]:
    """Times of October 2003 by day, hour and minute."""
    return tuple(datetime(2003, 10, day, hour, minute, tzinfo=UTC) for day, hour, minute in given)


@pytest.mark.parametrize(
    ("words", "color"),
    [
        ("with a shaded region from 16:30 to 20:00", {}),
        ("shaded between 16:30 and 20:00", {}),
        ("shade 16:30-20:00 in yellow", {"color": "yellow"}),
        ("mark 16:30 to 20:00 with a grey band", {"color": "grey"}),
        ("mark 16:30-20:00", {}),
        ("highlight the interval from 16:30 to 20:00 UT", {}),
        ("add a light blue shaded band between 16:30 and 20:00", {"color": "lightblue"}),
    ],
)
def test_a_stretch_of_time_is_shaded_in_a_new_request(words: str, color: dict[str, str]) -> None:
    """On the day that is drawn."""
    mark = {"x": hours((29, 16, 30), (29, 20, 0)), **color}
    assert marks(planned(f"{FIELD}, {words}")) == [[mark]]


def test_the_day_of_a_shading_is_asked_where_several_are_drawn() -> None:
    """Each choice is carried out; a day that is named is taken."""
    two = "ACE |B| from 2003-10-29 to 2003-10-31"
    asked = refine(two, "shade 16:30 to 20:00")
    assert isinstance(asked, Asked)
    shaded = [marks(edited(two, each)) for each in asked.question.choices]
    assert shaded == [[[{"x": hours((day, 16, 30), (day, 20, 0))}]] for day in (29, 30)]
    assert marks(edited(two, "shade 29 Oct 22:00 to 30 Oct 02:00")) == [[{"x": hours((29, 22, 0), (30, 2, 0))}]]


def test_what_stands_behind_a_shading_is_kept() -> None:
    """Only the words of the shading are taken out of a request."""
    assert len(panels(planned(f"{FIELD} with shading between 06:00 and 12:00 and Dst"))) == 2
    assert isinstance(ask(f"{FIELD}, shade the blimps of 16:30"), Asked)
    assert isinstance(refine(FIELD, "shade 30 October 2003"), Asked)


def test_intervals_of_a_component_are_shaded_in_the_panel_of_its_vector() -> None:
    """The component is made for it, and is no line of its own; title and intent stay true."""
    pipeline = edited("Wind B in GSM and density, 3-6 May 2024", "shade where Bz is below -10 nT")
    assert panels(pipeline) == ["b_gsm+intervals", "density"]
    assert {"b_z=component(b_gsm,z)", "intervals=intervals_where(b_z,-10,P3D)"} <= {*chain(pipeline)}
    assert pipeline.title == "Wind magnetic field and density"
    assert pipeline.steps[-1].intent == "From top to bottom: B GSM, N"


def test_shading_is_no_vector_beside_a_component_of_the_archive() -> None:
    """What the figure draws is told as before."""
    pipeline = edited("OMNI Bz GSM, hourly means, for May 2024", "shade where it is below -10 nT")
    assert panels(pipeline) == ["b_z_gsm_1hour+intervals"]
    assert pipeline.steps[-1].intent == "Draw Bz GSM"
