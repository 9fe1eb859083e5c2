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
        ("pressure-corrected Dst after Burton 2015-03-17", "pressure_corrected_dst", {"correction": "burton"}),
    ],
)
def test_a_model_is_planned_by_its_name(request_: str, operation: str, options: dict[str, object]) -> None:
    """The last computed step is the model, with nothing left over."""
    answer = OfflinePlanner(shipped_knowledge()).answer(Situation(request=request_, now=NOW))
    assert isinstance(answer, Plan), answer
    *_, made = [step.compute for step in answer.pipeline.steps if step.compute]
    assert (made.operation, dict(made.options), tuple(answer.ignored)) == (
        operation,
        {**({"tolerance": "PT30M"} if operation != "dst_model" else {}), **options},
        (),
    )


def test_a_modelled_and_a_measured_dst_are_two_curves() -> None:
    """Where both are named."""
    answer = OfflinePlanner(shipped_knowledge()).answer(Situation(request="modelled Dst and Dst, 2015-03-17", now=NOW))
    assert isinstance(answer, Plan), answer
    figure = answer.pipeline.steps[-1].figure
    assert figure is not None
    assert [trace.data for panel in figure.panels for trace in panel.traces] == ["dst_model", "dst"]
