"""Models that are called by their authors, in all ways that people put it: planned at once, and never another's."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from tests.unit.agent.knowledge import shipped_knowledge

pytestmark = pytest.mark.xdist_group("requests")
NOW = datetime(2026, 11, 26, tzinfo=UTC)


@pytest.mark.parametrize(
    ("request_", "operation", "options"),
    [
        ("Burton Dst 2003-10-29", "dst_model", {"model": "burton"}),
        ("Burton et al. 1975 Dst for 2003-10-29", "dst_model", {"model": "burton"}),
        ("Dst with the Burton equation, 2015-03-17", "dst_model", {"model": "burton"}),
        ("Burton's modelled Dst 2015-03-17", "dst_model", {"model": "burton"}),
        ("O'Brien-McPherron Dst on 2015-03-17", "dst_model", {"model": "obrien_mcpherron"}),
        ("Dst after O'Brien and McPherron (2000), 2015-03-17", "dst_model", {"model": "obrien_mcpherron"}),
        ("modelled Dst on 2015-03-17", "dst_model", {}),
        ("Dst from the solar wind on 2015-03-17", "dst_model", {}),
        ("Lin model magnetopause 2015-03-17", "lin_magnetopause_distance", {}),
        ("magnetopause standoff distance after Lin et al. 2010 on 2015-03-17", "lin_magnetopause_distance", {}),
        ("OMNI Lin et al. magnetopause distance 2015-03-17", "lin_magnetopause_distance", {}),
        ("magnetopause distance Shue model 2015-03-17", "magnetopause_distance", {}),
        ("pressure-corrected Dst after Burton 2015-03-17", "pressure_corrected_dst", {"correction": "burton"}),
    ],
)
def test_a_model_is_planned_by_its_name(request_: str, operation: str, options: dict[str, object]) -> None:
    """The last computed step is the model, with nothing left over."""
    answer = OfflinePlanner(shipped_knowledge()).answer(Situation(request=request_, now=NOW))
    assert isinstance(answer, Plan), answer
    *_, made = [step.compute for step in answer.pipeline.steps if step.compute]
    found = {name: value for name, value in made.options.items() if name != "tolerance"}
    assert (made.operation, found, tuple(answer.ignored)) == (operation, options, ())


def test_a_modelled_and_a_measured_dst_are_two_curves() -> None:
    """Where both are named."""
    answer = OfflinePlanner(shipped_knowledge()).answer(Situation(request="modelled Dst and Dst, 2015-03-17", now=NOW))
    assert isinstance(answer, Plan), answer
    figure = answer.pipeline.steps[-1].figure
    assert figure is not None
    assert [trace.data for panel in figure.panels for trace in panel.traces] == ["dst_model", "dst"]


def test_pressures_of_a_plasma_are_planned() -> None:
    """The total, and each part by its name; their ratio is beta, which is asked."""
    for words, result in (("total pressure", None), ("magnetic pressure", "magnetic"), ("thermal pressure", "thermal")):
        answer = OfflinePlanner(shipped_knowledge()).answer(Situation(request=f"{words} from Wind 2015-03-17", now=NOW))
        assert isinstance(answer, Plan), answer
        *_, made = [step.compute for step in answer.pipeline.steps if step.compute]
        assert (made.operation, made.options.get("result")) == ("total_pressure", result)


def test_one_panel_holds_both_parts() -> None:
    """Said at the end, too."""
    request = "thermal pressure and magnetic pressure from Wind, 2015-03-17, one panel"
    answer = OfflinePlanner(shipped_knowledge()).answer(Situation(request=request, now=NOW))
    assert isinstance(answer, Plan), answer
    figure = answer.pipeline.steps[-1].figure
    assert figure is not None
    assert [len(panel.traces) for panel in figure.panels] == [2]
