"""Several quantities in LMN become one variance analysis of the field, and a rotation of each vector with its axes."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan

from .asking import ask, planned

WHEN = "2015-10-16 13:05 to 13:10"
VECTORS = {"b_lmn": "b_gse", "velocity_lmn": "velocity_gse"}


@pytest.mark.parametrize(
    ("words", "turned"),
    [
        ("B and ion velocity of MMS1 in LMN", VECTORS),
        ("rotate both B and ion velocity of MMS1 into LMN", VECTORS),
        ("LMN components of the field and of the velocity of MMS1", VECTORS),
        ("rotate MMS1 B and V into boundary-normal coordinates", VECTORS),
        ("ion velocity of MMS1 along L, M and N", VECTORS),
        ("MMS1 magnetic field, ion velocity and density in LMN", VECTORS),
        ("MMS1 B and E in LMN", {"b_lmn": "b_gse", "e_lmn": "e_gse"}),
        (
            "B, ion velocity and electron velocity of MMS1 in LMN",
            {**VECTORS, "electrons_velocity_lmn": "electrons_velocity_gse"},
        ),
        (
            "4 s means of MMS1 B and the ion velocity in LMN",
            {"b_lmn_4second": "b_gse_4second", "velocity_lmn_4second": "velocity_gse_4second"},
        ),
    ],
)
def test_all_vectors_are_turned_into_the_axes_of_the_field(words: str, turned: dict[str, str]) -> None:
    """Each in its own panel, numbers beside them as they are, and the axes in numbers below."""
    pipeline = planned(f"{words} {WHEN}")
    computed = {step.id: step for step in pipeline.steps if step.compute is not None and step.over == "range"}
    field = next(iter(turned.values()))
    axes = computed["axes"].compute
    assert axes is not None
    assert (axes.operation, axes.inputs) == ("minimum_variance_frame", {"vector": field})
    rotated = {name: step.compute for name, step in computed.items() if name != "axes"}
    assert {name: body.operation for name, body in rotated.items() if body} == dict.fromkeys(turned, "rotate")
    assert {name: body.inputs for name, body in rotated.items() if body} == {
        name: {"vector": vector, "axes": "axes"} for name, vector in turned.items()
    }
    figure = pipeline.steps[-1].figure
    assert figure is not None
    panels = [[str(trace.data) for trace in panel.traces] for panel in figure.panels]
    assert [each for each in panels if each[0] in turned] == [[name] for name in turned]
    assert panels[-1] == ["axes"]
    assert (["density"] in panels) == ("density" in words)


def test_a_field_alone_keeps_its_own_recipe() -> None:
    """With the field as it is above."""
    pipeline = planned(f"MMS1 magnetic field in LMN {WHEN}")
    assert [step.id for step in pipeline.steps if step.compute] == ["axes", "lmn"]


def test_what_is_missing_is_asked_for_and_keeps_the_axes() -> None:
    """Fields of two spacecraft have two sets of axes; what a choice says again is still in LMN."""
    two = ask(f"MMS1 and MMS2 B and velocity in LMN {WHEN}")
    assert isinstance(two, Asked)
    assert "one spacecraft" in two.question.text
    which = ask(f"B and ion velocity of MMS in LMN {WHEN}")
    assert isinstance(which, Asked | Plan)
    if isinstance(which, Asked):
        assert all("LMN" in each for each in which.question.choices)
