"""The changes of `edit_requests.yaml` and of the four sets typed later, all asked of the offline planner."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.agent.evaluation.evaluating import Contender, Evaluation
from helio_dagster.agent.evaluation.outcomes import Outcome
from helio_dagster.agent.evaluation.request_file import read_requests
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from tests.unit.agent.knowledge import shipped_knowledge

pytestmark = pytest.mark.xdist_group("requests")
LEAST_RIGHT = {
    "edit_requests.yaml": 81,
    "edit_requests_later.yaml": 25,
    "edit_requests_third.yaml": 26,
    "follow_up_requests.yaml": 68,
    "follow_up_requests_later.yaml": 184,
}
"""What has been reached, of 81, 26, 26, 68 and 184."""


@pytest.fixture(scope="module", params=sorted(LEAST_RIGHT))
def judged(request: pytest.FixtureRequest) -> tuple[int, list[Outcome]]:
    """How many must be right, and what came of each change."""
    read, knowledge = read_requests(Path(__file__).with_name(request.param)), shipped_knowledge()
    assert read.now is not None
    evaluation = Evaluation(read.requests, read.lists, knowledge, read.now)
    return LEAST_RIGHT[request.param], list(evaluation.ask(Contender("offline", lambda _side: OfflinePlanner(knowledge))))


def _not_right(outcomes: list[Outcome], *verdicts: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.expectation.request, each.judgement.faults) for each in outcomes if each.judgement.verdict in verdicts]


def test_no_change_is_wrong_without_saying_so(judged: tuple[int, list[Outcome]]) -> None:
    """Where a change is not clear it is asked about."""
    assert _not_right(judged[1], "wrong", "failed") == []


def test_as_many_changes_are_right_as_have_been_reached(judged: tuple[int, list[Outcome]]) -> None:
    """What was understood once stays understood."""
    least, outcomes = judged
    missed = _not_right(outcomes, "asks", "wrong", "failed")
    assert len(outcomes) - len(missed) >= least, missed
