"""How a figure is to be, said in the first request: orbits, marks, axes, panels."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.pipeline_check import Findings, examine_pipelines
from helio_dagster.domain.pipeline_text import dump_pipeline, parse_pipeline
from tests.requests.test_never_other_things import answered
from tests.unit.agent.knowledge import shipped_knowledge

pytestmark = pytest.mark.xdist_group("requests")


def drawn(request: str) -> list[dict[str, Any]]:
    """The panels of a plan in which nothing is ignored, and which passes the check that every file has to pass."""
    plan = answered(request)
    assert isinstance(plan, Plan), plan
    assert plan.ignored == ()
    name = plan.pipeline.name
    file = parse_pipeline(dump_pipeline(plan.pipeline), file=f"{name}.yaml")
    assert examine_pipelines({name: file}, get_operation, shipped_knowledge().catalog) == Findings()
    figure = plan.pipeline.steps[-1].figure
    assert figure is not None
    return [each.model_dump(exclude_none=True, exclude_defaults=True) for each in figure.panels]


@pytest.mark.parametrize(
    ("request_", "orbit", "lines"),
    [
        ("draw the orbit of MMS4 2017-06-01", {}, 1),
        ("MMS1 orbit in the XY and XZ planes in GSM 2017-06-01", {"planes": ("XY", "XZ")}, 1),
        ("MMS1 position in the x-y plane 2017-06-01", {"planes": ("XY",)}, 1),
        ("orbits of MMS1 and Geotail in GSE 2017-06-01", {}, 2),
        ("Wind trajectory in km 2005", {"unit": "km"}, 1),
    ],
)
def test_an_orbit_is_drawn_in_planes(request_: str, orbit: dict[str, Any], lines: int) -> None:
    """All spacecraft in one panel, which says no more than the request."""
    (panel,) = drawn(request_)
    assert panel["orbit"] == orbit
    assert len(panel["traces"]) == lines


def test_what_is_measured_beside_an_orbit_is_drawn_over_time() -> None:
    """And a position that is not called an orbit too."""
    first, second = drawn("orbit and magnetic field of MMS1 2017-06-01")
    assert "orbit" in first
    assert "orbit" not in second
    (panel,) = drawn("position of MMS1 2017-06-01")
    assert "orbit" not in panel


def test_a_position_is_not_taken_in_rtn() -> None:
    """Its axes go with the spacecraft: it would be the distance alone."""
    plan = answered("PSP orbit 2021")
    assert isinstance(plan, Plan), plan
    (fetch,) = [each.fetch for each in plan.pipeline.steps if each.fetch]
    assert fetch.parameter.endswith("HCI")


def at(hour: int, minute: int = 0) -> datetime:
    """A time of the day of all requests here."""
    return datetime(2003, 10, 29, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "marks"),
    [
        (", mark 06:00", [{"x": at(6)}]),
        (" and mark 6:11 with a red line", [{"x": at(6, 11), "color": "red"}]),
        (" with a dotted line at 06:11", [{"x": at(6, 11), "dash": "dot"}]),
        (". Mark 06:00 and 18:00.", [{"x": at(6)}, {"x": at(18)}]),
        (", mark the shock at 06:11", [{"x": at(6, 11), "text": "shock"}]),
        (", mark 2003-10-29T06:00", [{"x": at(6)}]),
        (", width 85 mm, mark 06:00", [{"x": at(6)}]),
    ],
)
def test_times_are_marked(said: str, marks: list[dict[str, Any]]) -> None:
    """As they are in a figure that is on the table."""
    (panel,) = drawn(f"Wind Bz GSM 2003-10-29{said}")
    assert list(panel["marks"]) == marks


def test_a_mark_is_kept_in_questions() -> None:
    """In those about the data, and in that for its day."""
    asked = answered("Wind |B| smoothed, 2003-10-29, mark 06:00")
    assert isinstance(asked, Asked), asked
    assert all(each.endswith(", mark 06:00") for each in asked.question.choices)
    days = answered("Wind Bz GSM 2003-10-28 to 2003-10-30, mark 06:00")
    assert isinstance(days, Asked), days
    assert days.question.choices[0] == "Wind Bz GSM 2003-10-28 to 2003-10-30, mark 2003-10-28 06:00"
    assert isinstance(answered(days.question.choices[0]), Plan)


@pytest.mark.parametrize(
    ("request_", "scales"),
    [
        ("power spectrum of ACE |B| 2003-10-29, log-log axes", ("log", "log")),
        ("log-log plot of the power spectrum of ACE |B| 2003-10-29", ("log", "log")),
        ("scatter plot of ACE speed vs density 2003-10-29, both axes logarithmic", ("log", "log")),
        ("histogram of ACE density 2003-10, log x axis", ("log", None)),
        ("scatter plot of ACE speed vs density 2003-10-29, log scale", (None, "log")),
        ("ACE density 2003-10-29, log-log", (None, "log")),
    ],
)
def test_axes_are_as_said(request_: str, scales: tuple[str | None, str | None]) -> None:
    """Both where a panel has two; time stays linear."""
    (panel,) = drawn(request_)
    assert tuple(panel.get(axis, {}).get("scale") for axis in ("x", "y")) == scales


def test_the_axis_of_time_is_never_logarithmic() -> None:
    """It is asked about."""
    asked = answered("ACE density 2003-10-29, log x axis")
    assert isinstance(asked, Asked), asked
    assert "The horizontal axis is time" in asked.question.text


@pytest.mark.parametrize(
    "said", ["with density in a second panel", "and the density in its own panel", "and in a separate panel the density"]
)
def test_a_second_panel_is_no_cadence(said: str) -> None:
    """Nor is it left out."""
    first, second = drawn(f"ACE |B| 2003-10-29 {said}")
    assert (first["traces"], second["traces"]) == ([{"data": "b_mag"}], [{"data": "density"}])
