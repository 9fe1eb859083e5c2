"""The changes of `edit_requests.yaml` and of the two sets typed later, all asked of the offline planner."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from helio_dagster.agent.answers import Answer
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from tests.requests.judging import Judged, judge_all, read_requests
from tests.unit.agent.knowledge import shipped_knowledge

pytestmark = pytest.mark.xdist_group("requests")
LEAST_RIGHT = {"edit_requests.yaml": 81, "edit_requests_later.yaml": 25, "edit_requests_third.yaml": 23}
"""What has been reached, of 81, 26 and 26."""


@pytest.fixture(scope="module", params=sorted(LEAST_RIGHT))
def judged(request: pytest.FixtureRequest) -> tuple[int, list[Judged]]:
    """How many must be right, and what came of each change; every pipeline is planned once."""
    planner, plans = OfflinePlanner(shipped_knowledge()), dict[str, Answer]()

    def ask(situation: Situation, _saved: Mapping[str, str]) -> Answer:
        if situation.current is not None:
            return planner.answer(situation)
        if situation.request not in plans:
            plans[situation.request] = planner.answer(situation)
        return plans[situation.request]

    return LEAST_RIGHT[request.param], judge_all(read_requests(Path(__file__).with_name(request.param)), ask)


def test_no_change_is_wrong_without_saying_so(judged: tuple[int, list[Judged]]) -> None:
    """Where a change is not clear it is asked about."""
    assert [(each.request, each.why) for each in judged[1] if each.verdict == "wrong"] == []


def test_as_many_changes_are_right_as_have_been_reached(judged: tuple[int, list[Judged]]) -> None:
    """What was understood once stays understood."""
    least, found = judged
    missed = [(each.request, each.why) for each in found if each.verdict != "right"]
    assert len(found) - len(missed) >= least, missed
