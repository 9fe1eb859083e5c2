"""What goes wrong around workers at work: the server of the record is restarted, and the clock of a machine is wrong."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helio_dagster.domain.time_range import TimeRange
from tests.brokers import BROKER
from tests.integration.running.conftest import BASIC, MakeSite
from tests.integration.running.test_workers import (
    STORY,
    days,  # noqa: F401 - a fixture
    made_how_often,
    open_lab,
    process_of_a_run,
)
from tests.postgres import own_server
from tests.shifted_clock import shifted_clock

pytestmark = pytest.mark.nightly
AWAY_S = 4


def test_postgresql_is_restarted_while_workers_work(
    make_site: MakeSite,
    days: TimeRange,  # noqa: F811
) -> None:
    """The daemon, the workers and the command that waits connect again: nothing is lost, nothing made twice."""
    alone = make_site("laptop", BASIC, STORY)
    expected = alone.run(days, name="story")
    with (
        own_server() as server,
        open_lab(make_site, server.address, BROKER, partitions=2) as lab,
        ThreadPoolExecutor(1) as pool,
    ):
        running = pool.submit(lab.run, days, name="story")
        process_of_a_run(lab)
        server.stop()
        time.sleep(AWAY_S)
        server.start()
        report = running.result()
        assert report.status == "success", report
        assert report.steps == expected.steps
        assert lab.files() == alone.files() != {}
        assert {name for name, count in made_how_often(lab).items() if count > 1} == set()


@pytest.mark.parametrize("seconds", [60, -60])
def test_a_worker_whose_clock_is_a_minute_off(
    make_site: MakeSite,
    postgres: str,
    days: TimeRange,  # noqa: F811
    tmp_path: Path,
    seconds: int,
) -> None:
    """It is neither taken for dead nor believed to have made newer results, and nothing is made again afterwards."""
    alone = make_site("laptop", BASIC, STORY)
    expected = alone.run(days, name="story")
    wrong = shifted_clock(tmp_path, seconds)
    with open_lab(make_site, postgres, BROKER, partitions=2, last=wrong) as lab:
        report = lab.run(days, name="story")
        assert report.status == "success", report
        assert report.steps == expected.steps
        assert lab.files() == alone.files() != {}
        assert {name for name, count in made_how_often(lab).items() if count > 1} == set()
        again = lab.run(days, name="story")
        assert {counts.computed for counts in again.steps.values()} == {0}
