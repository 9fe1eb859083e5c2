"""What goes wrong around workers at work: the record is restarted, a machine's clock is wrong, the object store refuses."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.web.daemon import running_daemon
from tests.brokers import BROKER, require_broker, started_workers
from tests.integration.running.conftest import BASIC, MakeSite
from tests.integration.running.test_object_store import tables
from tests.integration.running.test_workers import (
    STORY,
    days,  # noqa: F401 - a fixture
    made_how_often,
    open_lab,
    process_of_a_run,
)
from tests.object_store import ObjectService
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


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [(403, "AccessDenied", "refuses to write objects"), (400, "ExpiredToken", "have expired")],
    ids=["without rights", "with a token that expired"],
)
def test_a_bucket_that_refuses_a_worker(
    make_site: MakeSite, postgres: str, objects: ObjectService, span: TimeRange, status: int, code: str, said: str
) -> None:
    """Who waits for the run reads why; the same command then goes on, and makes only what is missing."""
    alone = make_site("laptop", BASIC, STORY)
    alone.run(span, name="story")
    lab = make_site("lab", BASIC, STORY)
    dispatch = Dispatch(BROKER, partitions=2, at_once=1)
    lab.settings = replace(lab.settings, postgres=postgres, tables=objects.new_bucket(), dispatch=dispatch)
    require_broker()
    with running_daemon(lab.settings), started_workers(lab.settings, 1, lab.settings.home / "workers.log"):
        objects.gate.answers = lambda method, path: (status, code) if method == "PUT" and "mean" in path else None
        with pytest.raises(HelioError, match=said) as caught:
            lab.run(span, name="story")
        assert "run the same command again" in str(caught.value)
        objects.gate.answers = lambda _method, _path: None
        assert lab.run(span, name="story").status == "success"
    assert tables(lab) == alone.files() != {}
    assert {name for name, count in made_how_often(lab).items() if count > 1} == set()
