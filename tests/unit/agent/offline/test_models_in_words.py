"""Models and what is computed about boundaries, in words."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Plan
from tests.unit.agent.offline.asking import ask


@pytest.mark.parametrize(
    ("request_text", "operation", "inputs", "options"),
    [
        ("magnetopause standoff distance on 2015-03-17", "magnetopause_distance", ["pressure", "bz"], {}),
        ("subsolar distance of the magnetopause, 2015-03-17", "magnetopause_distance", ["pressure", "bz"], {}),
        (
            "extrapolated magnetopause distance from OMNI on 2015-03-17",
            "magnetopause_distance",
            ["pressure", "bz"],
            {"extrapolate": True},
        ),
        ("Kan-Lee electric field on 2015-03-17", "kan_lee_electric_field", ["speed", "field"], {}),
        ("Boynton coupling function 2015-03-17", "boynton_coupling", ["speed", "field", "pressure"], {}),
        ("pressure-corrected Dst on 2015-03-17", "pressure_corrected_dst", ["dst", "pressure"], {}),
        (
            "pressure-corrected Dst after Burton et al. 1975 on 2015-03-17",
            "pressure_corrected_dst",
            ["dst", "pressure"],
            {"correction": "burton"},
        ),
        ("bow shock standoff distance for 2015-03-17", "bow_shock_distance", ["pressure"], {}),
        ("Wind magnetosonic Mach number 2015-03-17", "magnetosonic_mach", ["speed", "field", "density", "temperature"], {}),
    ],
)
def test_a_model_is_found(request_text: str, operation: str, inputs: list[str], options: dict[str, object]) -> None:
    """With its inputs, those of OMNI where nobody is named; a vector is put together of its components."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    *_, step = [each.compute for each in answer.pipeline.steps if each.compute is not None]
    assert (step.operation, list(step.inputs)) == (operation, inputs)
    assert {name: value for name, value in step.options.items() if name != "tolerance"} == options


def test_the_range_of_a_model_is_stated() -> None:
    """Beside the plan, unless the model may be extrapolated."""
    text = "magnetopause distance from OMNI on 2015-03-17"
    plans = [ask(text), ask(f"extrapolated {text}")]
    stated = [isinstance(plan, Plan) and "0.5 to 8.5 nPa" in " ".join(plan.pipeline.assumptions) for plan in plans]
    assert stated == [True, False]
