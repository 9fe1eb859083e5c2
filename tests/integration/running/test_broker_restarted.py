"""The broker of the workers ends in mid-run and comes back: nothing is lost, nothing made twice."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.dispatching.names import queue_of
from tests.brokers import RABBITMQ, require_broker
from tests.integration.running.conftest import BASIC, MakeSite
from tests.integration.running.test_workers import (
    STORY,
    days,  # noqa: F401 - a fixture
    made_how_often,
    open_lab,
    process_of_a_run,
)
from tests.own_brokers import Kind, own_broker
from tests.postgres import ask

pytestmark = pytest.mark.nightly
AWAY_S = 8
LAUNCHED = "SELECT count(*) FROM runs WHERE status = 'STARTING'"


@pytest.mark.parametrize(
    ("kind", "config", "by"),
    [
        ("rabbitmq", "", signal.SIGTERM),
        ("rabbitmq", "", signal.SIGKILL),
        ("redis", "--appendonly yes", signal.SIGTERM),
        ("redis", "", signal.SIGKILL),
    ],
    ids=["rabbitmq stopped", "rabbitmq killed", "redis stopped", "redis killed and empty"],
)
def test_a_broker_that_is_restarted_costs_nothing(
    make_site: MakeSite,
    postgres: str,
    days: TimeRange,  # noqa: F811
    caplog: pytest.LogCaptureFixture,
    kind: Kind,
    config: str,
    by: signal.Signals,
) -> None:
    """Two pieces are made, a third waits at the broker, others in Dagster's queue; also if the broker forgets what waited."""
    alone = make_site("laptop", BASIC, STORY)
    expected = alone.run(days, name="story")
    with ExitStack() as stack:
        broker = stack.enter_context(own_broker(kind, config))
        lab = stack.enter_context(open_lab(make_site, postgres, broker.address, partitions=2))
        pool = stack.enter_context(ThreadPoolExecutor(1))
        running = pool.submit(lab.run, days, name="story")
        process_of_a_run(lab)
        broker.stop(by)
        waiting = ask(postgres, LAUNCHED)[0][0]
        time.sleep(AWAY_S)
        broker.start()
        report = running.result()
        assert waiting, "a piece was waiting at the broker when it ended"
        assert report.status == "success", report
        assert report.steps == expected.steps
        assert lab.files() == alone.files() != {}
        assert {name for name, count in made_how_often(lab).items() if count > 1} == set()
        is_forgetful = kind == "redis" and not config
        assert ("the broker has lost run" in caplog.text) == is_forgetful


def test_a_run_that_a_worker_took_and_did_not_begin(
    make_site: MakeSite,
    postgres: str,
    days: TimeRange,  # noqa: F811
) -> None:
    """RabbitMQ gives it to another worker as soon as the connection of the first one is gone."""
    require_broker(RABBITMQ)
    kombu = pytest.importorskip("kombu")
    alone = make_site("laptop", BASIC, STORY)
    alone.run(days, name="story")
    with open_lab(make_site, postgres, RABBITMQ, partitions=2) as lab, ThreadPoolExecutor(1) as pool:
        taken = list[object]()
        with kombu.Connection(RABBITMQ) as connection:
            channel, queue = connection.channel(), kombu.Queue(queue_of(lab.settings), no_declare=True)
            channel.basic_qos(0, 1, a_global=False)
            with kombu.Consumer(channel, [queue], callbacks=[lambda _, message: taken.append(message)], auto_declare=False):
                running = pool.submit(lab.run, days, name="story")
                connection.drain_events(timeout=120)
        assert len(taken) == 1
        assert running.result().status == "success"
        assert lab.files() == alone.files() != {}
        assert {name for name, count in made_how_often(lab).items() if count > 1} == set()
