"""The hundred requests of `offline_requests.yaml`, and those typed later, all asked of the offline planner."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from helio_dagster.agent.answers import Answer
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from tests.requests.judging import Ask, Judged, judge_all, read_requests
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.stand_in import StandInSide

pytestmark = pytest.mark.xdist_group("requests")  # one process judges them all, once
LEAST_RIGHT = 100
"""What has been reached, of a hundred."""
LATER = Path(__file__).with_name("later_requests.yaml")
LEAST_RIGHT_LATER = 115
"""What has been reached, of 115."""


@pytest.fixture(scope="module", params=[False, True], ids=["by the catalog", "with samples"])
def judged(request: pytest.FixtureRequest) -> list[Judged]:
    """What came of each request, with and without samples of the candidates, which all have data."""
    return _judge(None, takes_samples=request.param)


@pytest.fixture(scope="module", params=[False, True], ids=["by the catalog", "with samples"])
def judged_later(request: pytest.FixtureRequest) -> list[Judged]:
    """What came of each of the later requests."""
    return _judge(LATER, takes_samples=request.param)


@cache
def _judge(path: Path | None, *, takes_samples: bool) -> list[Judged]:
    """Judged once a process: pytest sets a fixture up again when another parameter came between."""
    return judge_all(read_requests(path), _asker(takes_samples=takes_samples))


def _asker(*, takes_samples: bool) -> Ask:
    def ask(situation: Situation, saved: Mapping[str, str]) -> Answer:
        side = StandInSide(saved=saved) if saved or takes_samples else None
        return OfflinePlanner(shipped_knowledge(), side=side).answer(situation)

    return ask


def test_there_are_a_hundred_requests_of_every_kind(judged: list[Judged]) -> None:
    """The file holds what it says."""
    assert len(judged) == 100
    kinds = {"plan", "edits", "replay", "fork", "undo", "information", "question", "refusal"}
    assert {each.expected for each in judged} == kinds


def test_nothing_is_wrong_without_saying_so(judged: list[Judged]) -> None:
    """Where the planner is not sure it asks: it never makes something else of a request than what was meant."""
    assert [(each.request, each.why) for each in judged if each.verdict == "wrong"] == []


def test_as_many_are_right_as_have_been_reached(judged: list[Judged]) -> None:
    """What was understood once stays understood."""
    missed = [(each.request, each.why) for each in judged if each.verdict != "right"]
    assert len(judged) - len(missed) >= LEAST_RIGHT, missed


def test_of_the_later_requests_none_is_wrong_without_saying_so(judged_later: list[Judged]) -> None:
    """As of the hundred."""
    assert len(judged_later) == LEAST_RIGHT_LATER
    assert [(each.request, each.why) for each in judged_later if each.verdict == "wrong"] == []


def test_as_many_of_the_later_requests_are_right_as_have_been_reached(judged_later: list[Judged]) -> None:
    """What was understood once stays understood."""
    missed = [(each.request, each.why) for each in judged_later if each.verdict != "right"]
    assert len(judged_later) - len(missed) >= LEAST_RIGHT_LATER, missed
