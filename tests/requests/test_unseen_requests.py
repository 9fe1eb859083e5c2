"""Requests of many fields that were written before the planner was mended for them, and are answered right since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")


def _kept() -> Iterator[tuple[str, ...]]:
    """Each request, what it fetches and computes, and the words that its plan ignores; or `?` and a part of the question."""
    for line in Path(__file__).with_name("unseen_requests.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            request, made, *ignored = line.split(" => ")
            yield request, made, "".join(ignored)


@pytest.mark.parametrize(("request_", "made", "ignored"), list(_kept()))
def test_what_was_right_stays_right(request_: str, made: str, ignored: str) -> None:
    """Data, operations and what is shown as ignored, or the question."""
    answer = answered(request_)
    if made.startswith("? "):
        assert isinstance(answer, Asked), answer
        assert made[2:] in answer.question.text
        return
    assert isinstance(answer, Plan), answer
    fetched: list[str] = [f"{step.fetch.dataset}/{step.fetch.parameter}" for step in answer.pipeline.steps if step.fetch]
    computed = [str(step.compute.operation) for step in answer.pipeline.steps if step.compute]
    assert " ".join([*fetched, *computed]) == made
    assert " / ".join(answer.ignored) == ignored
