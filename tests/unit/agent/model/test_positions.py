"""Positions of bodies in plans of a scripted model: it is told how they are written, and only where they are spoken of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.domain.bodies import BODIES

from .conftest import Talk, call, plan

Ask = Callable[..., Talk]
REQUEST = "distance of Parker Solar Probe from the Sun for last week"


def position(parameter: str, dataset: str = "PSP-SUN", archive: str = "spice") -> dict[str, Any]:
    """A fetch step for an ephemeris."""
    candidate = {"archive": archive, "dataset": dataset, "parameter": parameter}
    return {"kind": "fetch", "id": "place", "intent": "Where it was", "candidates": [candidate]}


FIGURE = {"kind": "figure", "id": "overview", "intent": "Draw it", "panels": [{"traces": [{"data": "place"}]}]}


@pytest.mark.parametrize(
    ("dataset", "parameter", "keys"),
    [
        ("PSP-SUN", "distance_PT1H_au", {"target": "PSP", "observer": "SUN", "parameter": "distance", "unit": "au"}),
        ("SOLO-SUN", "position_HEEQ_PT10M", {"target": "SOLO", "observer": "SUN", "frame": "HEEQ", "cadence": "PT10M"}),
        ("PSP", "attitude_J2000_PT1M", {"target": "PSP", "parameter": "attitude", "cadence": "PT1M"}),
        ("PSP-EARTH-SUN", "separation_PT1H", {"target": "separation(PSP, EARTH)", "observer": "SUN"}),
    ],
)
def test_an_ephemeris_is_planned_as_a_file_has_it(ask: Ask, dataset: str, parameter: str, keys: dict[str, str]) -> None:
    """The names become the keys; no look-up and no change of archive is needed."""
    talk = ask([plan(position(parameter, dataset), FIGURE)], REQUEST)
    assert isinstance(talk.answer, Plan), talk.answer
    written = talk.answer.pipeline.steps[0].model_dump(mode="json", exclude_none=True)["fetch"]
    assert written.items() >= {"archive": "spice", **keys}.items()
    assert "dataset" not in written


def test_the_demo_archive_has_its_own_bodies(ask: Ask) -> None:
    """Made-up ones, and no kernels of missions."""
    made_up = position("distance_PT1H_au", "DEMO_ORBITER-SUN", "demo")
    talk = ask([plan(position("distance_PT1H"), FIGURE), plan(made_up, FIGURE)], REQUEST, archive="demo")
    assert isinstance(talk.answer, Plan)
    assert "archive 'spice' is not allowed here" in talk.heard()
    assert "DEMO_ORBITER-SUN" in str(talk.model.requests[0])


def test_an_unknown_body_goes_back_with_near_names(ask: Ask) -> None:
    """So that the model can mend it at once."""
    talk = ask([plan(position("distance_PT1H", "PSPP-SUN"), FIGURE), call("refuse", reasons=["enough"])], REQUEST)
    assert "there is no body 'PSPP'" in talk.heard()
    assert "did you mean psp" in talk.heard().lower()


@pytest.mark.parametrize(
    "request_text", [REQUEST, "Where was STEREO-A in 2012?", "angle between PSP and Earth", "orbit of Juno"]
)
def test_who_speaks_of_positions_is_told_how_they_are_written(ask: Ask, request_text: str) -> None:
    """With every body that has kernels, in the first request."""
    first = str(ask([call("refuse", reasons=["enough"])], request_text).model.requests[0])
    assert "position_HCI_PT1H" in first
    assert all(body.name in first for body in BODIES if not body.is_made_up)


def test_nobody_else_carries_it(ask: Ask) -> None:
    """A request for measurements is as short as before."""
    assert "position_HCI" not in str(ask([plan()], "ACE |B| for last week").model.requests)
