"""Positions drawn as orbits in planes of their frame, where a request asks for an orbit and not for coordinates over time."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.agent.drafting.assumptions import Assumptions
from helio_dagster.agent.drafting.curves import Curve
from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.treatments import Treatment
from helio_dagster.domain.yaml.document import Value

ORBIT_UNITS = {"R_E": "R_E", "Re": "R_E", "km": "km", "AU": "AU", "au": "AU", "R_S": "R_S", "Rs": "R_S"}
"""Units of the axes of orbits, by the units that requests name."""


def with_orbits(
    panels: Sequence[dict[str, Value]], curves: Sequence[Curve], treatment: Treatment, assumptions: Assumptions
) -> list[dict[str, Value]]:
    """The panels, with positions drawn as orbits in one panel; what is not a position vector stays over time."""
    if not treatment.is_orbit:
        return list(panels)
    of_frames = [each for each in curves if _is_position(each)]
    first = of_frames[0].choice if of_frames else None
    plotted = [each for each in of_frames if isinstance(first, Choice) and _frame(each) == first.frame]
    if not plotted:
        assumptions.say("The position is drawn over time: the catalog has no vector of it to draw an orbit of.")
        return list(panels)
    several = len(plotted) > 1
    traces: list[Value] = [{"data": each.step, **({"label": each.choice.target.who} if several else {})} for each in plotted]
    orbit: dict[str, Value] = {"planes": list(treatment.planes)} if treatment.planes else {}
    if treatment.units and (unit := ORBIT_UNITS.get(treatment.units[0])):
        orbit["unit"] = unit
    steps = {each.step for each in plotted}
    kept: list[dict[str, Value]] = []
    for panel in panels:
        held = panel["traces"]
        is_drawn = isinstance(held, list) and all(isinstance(each, dict) and each.get("data") in steps for each in held)
        kept += [] if is_drawn else [panel]
    return [{"traces": traces, "orbit": orbit}, *kept]


def _is_position(curve: Curve) -> bool:
    choice = curve.choice
    return (
        isinstance(choice, Choice) and choice.target.quantity == "position" and curve.kind == "vector" and choice.frame != "RTN"
    )


def _frame(curve: Curve) -> str | None:
    return curve.choice.frame if isinstance(curve.choice, Choice) else None
