"""The hundred requests of `offline_requests.yaml`, and those typed later, all asked of the offline planner."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from helio_dagster.agent.evaluation.evaluating import Contender, Evaluation
from helio_dagster.agent.evaluation.outcomes import Outcome
from helio_dagster.agent.evaluation.request_file import read_requests
from helio_dagster.agent.evaluation.saved_names import SavedNames
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Planner
from tests.tiers import by_day
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.stand_in import StandInSide

pytestmark = pytest.mark.xdist_group("requests")  # one process judges them all, once
HUNDRED = Path(__file__).with_name("offline_requests.yaml")
LEAST_RIGHT = 100
"""What has been reached, of a hundred."""
LATER = Path(__file__).with_name("later_requests.yaml")
LEAST_RIGHT_LATER = 115
"""What has been reached, of 115."""

CHATTY = Path(__file__).with_name("chatty_requests.yaml")
LEAST_RIGHT_CHATTY = 58
"""What has been reached, of 65."""


@pytest.fixture(scope="module", params=by_day([False, True], False), ids=["by the catalog", "with samples"])
def judged(request: pytest.FixtureRequest) -> list[Outcome]:
    """What came of each request, with and without samples of the candidates, which all have data."""
    return _judge(HUNDRED, takes_samples=request.param)


@pytest.fixture(scope="module", params=by_day([False, True], False), ids=["by the catalog", "with samples"])
def judged_later(request: pytest.FixtureRequest) -> list[Outcome]:
    """What came of each of the later requests."""
    return _judge(LATER, takes_samples=request.param)


@cache
def _judge(path: Path, *, takes_samples: bool) -> list[Outcome]:
    """Judged once a process: pytest sets a fixture up again when another parameter came between."""

    def plan_with(side: SavedNames | None) -> Planner:
        saved = side.saved if side else {}
        return OfflinePlanner(shipped_knowledge(), side=StandInSide(saved=saved) if saved or takes_samples else None)

    read = read_requests(path)
    assert read.now is not None
    return list(Evaluation(read.requests, read.lists, shipped_knowledge(), read.now).ask(Contender("offline", plan_with)))


def _not_right(outcomes: list[Outcome], *verdicts: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.expectation.request, each.judgement.faults) for each in outcomes if each.judgement.verdict in verdicts]


def test_there_are_a_hundred_requests_of_every_kind(judged: list[Outcome]) -> None:
    """The file holds what it says."""
    assert len(judged) == 100
    kinds = {"plan", "edits", "replay", "fork", "undo", "information", "question", "refusal"}
    assert {each.expectation.expect for each in judged} == kinds


def test_nothing_is_wrong_without_saying_so(judged: list[Outcome]) -> None:
    """Where the planner is not sure it asks: it never makes something else of a request than what was meant."""
    assert _not_right(judged, "wrong", "failed") == []


def test_as_many_are_right_as_have_been_reached(judged: list[Outcome]) -> None:
    """What was understood once stays understood."""
    missed = _not_right(judged, "asks", "wrong", "failed")
    assert len(judged) - len(missed) >= LEAST_RIGHT, missed


def test_of_the_later_requests_none_is_wrong_without_saying_so(judged_later: list[Outcome]) -> None:
    """As of the hundred."""
    assert len(judged_later) == LEAST_RIGHT_LATER
    assert _not_right(judged_later, "wrong", "failed") == []


def test_as_many_of_the_later_requests_are_right_as_have_been_reached(judged_later: list[Outcome]) -> None:
    """What was understood once stays understood."""
    missed = _not_right(judged_later, "asks", "wrong", "failed")
    assert len(judged_later) - len(missed) >= LEAST_RIGHT_LATER, missed


def test_of_the_chatty_requests_as_many_are_right_as_have_been_reached() -> None:
    """And none is wrong without saying so."""
    judged = _judge(CHATTY, takes_samples=False)
    assert len(judged) == 65
    assert _not_right(judged, "wrong", "failed") == []
    missed = _not_right(judged, "asks")
    assert len(judged) - len(missed) >= LEAST_RIGHT_CHATTY, missed
