"""Requests of many batches, over the whole catalog and for every kind of result, asked offline."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.agent.evaluation.evaluating import Contender, Evaluation
from helio_dagster.agent.evaluation.outcomes import Outcome
from helio_dagster.agent.evaluation.request_file import read_requests
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from tests.tiers import by_day
from tests.unit.agent.knowledge import shipped_knowledge

pytestmark = pytest.mark.xdist_group("other requests")  # one process judges them all, once
ALL, THIRD = "fresh_requests.yaml", "every third of fresh_requests.yaml"
"""The largest batch, and what of it is asked by day."""
COUNT = {
    "examined_requests.yaml": 62,
    ALL: 494,
    THIRD: 165,
    "mixed_requests.yaml": 67,
    "mixed_requests_later.yaml": 40,
    "results_requests.yaml": 24,
    "unusual_requests.yaml": 62,
}
LEAST_RIGHT = {
    "examined_requests.yaml": 54,
    ALL: 481,
    THIRD: 162,
    "mixed_requests.yaml": 67,
    "mixed_requests_later.yaml": 24,
    "results_requests.yaml": 24,
    "unusual_requests.yaml": 55,
}
"""What has been reached."""


@pytest.fixture(scope="module", params=by_day(sorted(COUNT), *sorted(COUNT.keys() - {ALL})))
def judged(request: pytest.FixtureRequest) -> tuple[str, list[Outcome]]:
    """The file, and what came of each of its requests."""
    read = read_requests(Path(__file__).with_name(request.param.removeprefix("every third of ")))
    assert read.now is not None
    asked = read.requests[::3] if request.param == THIRD else read.requests
    contender = Contender("offline", lambda _: OfflinePlanner(shipped_knowledge()))
    return request.param, list(Evaluation(asked, read.lists, shipped_knowledge(), read.now).ask(contender))


def test_none_is_wrong_without_saying_so(judged: tuple[str, list[Outcome]]) -> None:
    """Where the planner is not sure it asks."""
    name, outcomes = judged
    assert len(outcomes) == COUNT[name]
    assert [each.expectation.request for each in outcomes if each.judgement.verdict in ("wrong", "failed")] == []


def test_as_many_are_right_as_have_been_reached(judged: tuple[str, list[Outcome]]) -> None:
    """What was understood once stays understood."""
    name, outcomes = judged
    missed = [(each.expectation.request, each.judgement.faults) for each in outcomes if each.judgement.verdict != "right"]
    assert len(outcomes) - len(missed) >= LEAST_RIGHT[name], missed
