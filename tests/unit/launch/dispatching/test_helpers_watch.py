"""What a person reads while a run waits for helpers that are gone."""

from __future__ import annotations

import pytest

from helio_dagster.domain.errors import HelioError
from helio_dagster.launch.dispatching.helpers_watch import HelpersWatch

NONE, NO_WORKER, NO_DAEMON = "", "no worker of this home is listening", "Dagster's daemon is not running"


def said(caplog: pytest.LogCaptureFixture, *found: str) -> list[str]:
    """What is said at looks that find one thing after the other missing."""
    now, missing = [0.0], [NONE]

    def require() -> None:
        if missing[0]:
            raise HelioError(missing[0], hint="Start one.")

    watch = HelpersWatch(require, every_s=30.0, clock=lambda: now[0])
    for problem in found:
        missing[0] = problem
        now[0] += 29.0
        watch.look()  # it is not time
        now[0] += 1.0
        watch.look()
    return [each.getMessage() for each in caplog.records]


def test_what_is_gone_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """With what to do, at the second look in a row."""
    assert said(caplog, NO_WORKER, NO_WORKER, NO_WORKER, NO_WORKER) == [f"waiting: {NO_WORKER}\n  Start one."]


def test_one_miss_is_not_said(caplog: pytest.LogCaptureFixture) -> None:
    """A worker may be too busy to answer; so it is where something else is missing each time."""
    assert said(caplog, NO_WORKER, NONE, NO_WORKER, NO_DAEMON, NONE) == []


def test_what_came_back_and_is_gone_again_is_said_again(caplog: pytest.LogCaptureFixture) -> None:
    """And what is missing next, too."""
    found = said(caplog, NO_WORKER, NO_WORKER, NONE, NO_WORKER, NO_WORKER, NO_DAEMON, NO_DAEMON)
    assert [each.splitlines()[0] for each in found] == [f"waiting: {each}" for each in (NO_WORKER, NO_WORKER, NO_DAEMON)]
