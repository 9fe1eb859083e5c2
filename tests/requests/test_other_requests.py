"""Requests of many batches, over the whole catalog and for every kind of result, asked offline."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from helio_dagster.agent.answers import Answer, Plan
from helio_dagster.agent.evaluation.evaluating import Contender, Evaluation
from helio_dagster.agent.evaluation.outcomes import Outcome
from helio_dagster.agent.evaluation.request_file import read_requests
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from helio_dagster.domain.pipeline import Pipeline
from tests.requests.statements import contradictions
from tests.tiers import by_day
from tests.unit.agent.knowledge import shipped_knowledge

pytestmark = pytest.mark.xdist_group("other requests")  # one process judges them all, once
ALL, THIRD = "fresh_requests.yaml", "every third of fresh_requests.yaml"
"""The largest batch, and what of it is asked by day."""
COUNT = {
    "everyday_requests.yaml": 34,
    "examined_requests.yaml": 62,
    ALL: 494,
    THIRD: 165,
    "limited_event_requests.yaml": 44,
    "mixed_requests.yaml": 67,
    "mixed_requests_later.yaml": 40,
    "named_dataset_requests.yaml": 32,
    "results_requests.yaml": 24,
    "unusual_requests.yaml": 62,
}
LEAST_RIGHT = {
    "everyday_requests.yaml": 34,
    "examined_requests.yaml": 54,
    ALL: 481,
    THIRD: 162,
    "limited_event_requests.yaml": 43,
    "mixed_requests.yaml": 67,
    "mixed_requests_later.yaml": 24,
    "named_dataset_requests.yaml": 32,
    "results_requests.yaml": 24,
    "unusual_requests.yaml": 55,
}
"""What has been reached."""


@dataclass
class Keeping:
    """The offline planner, whose plans are kept with their requests."""

    name: str = "offline"
    planner: OfflinePlanner = field(default_factory=lambda: OfflinePlanner(shipped_knowledge()))
    plans: list[tuple[str, Pipeline]] = field(default_factory=list)

    def answer(self, situation: Situation) -> Answer:
        """Its answer."""
        answer = self.planner.answer(situation)
        if isinstance(answer, Plan):
            self.plans.append((situation.request, answer.pipeline))
        return answer


@pytest.fixture(scope="module", params=by_day(sorted(COUNT), *sorted(COUNT.keys() - {ALL})))
def asked(request: pytest.FixtureRequest) -> tuple[str, list[Outcome], Keeping]:
    """The file, what came of each of its requests, and the plans."""
    read = read_requests(Path(__file__).with_name(request.param.removeprefix("every third of ")))
    assert read.now is not None
    requests = read.requests[::3] if request.param == THIRD else read.requests
    keeping = Keeping()
    outcomes = Evaluation(requests, read.lists, shipped_knowledge(), read.now).ask(Contender("offline", lambda _: keeping))
    return request.param, list(outcomes), keeping


@pytest.fixture
def judged(asked: tuple[str, list[Outcome], Keeping]) -> tuple[str, list[Outcome]]:
    """The file, and what came of each of its requests."""
    return asked[:2]


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


def test_no_plan_states_what_it_contradicts(asked: tuple[str, list[Outcome], Keeping]) -> None:
    """A dataset that is named is fetched, and no assumption says of a plan what is not so."""
    _, _, keeping = asked
    assert keeping.plans
    found = {request: told for request, pipeline in keeping.plans if (told := list(contradictions(request, pipeline)))}
    assert found == {}
