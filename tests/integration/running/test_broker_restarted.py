"""The broker of the workers ends in mid-run and comes back: nothing is lost, nothing made twice."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import pytest

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.dispatching.names import queue_of
from helio_dagster.launch.web.daemon import running_daemon
from tests.brokers import BROKER, RABBITMQ, kill_group, require_broker, started_workers
from tests.cut_wire import wire_to
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
TRIES = "SELECT count(*) FROM event_logs WHERE event LIKE '%%Launching a new run worker to resume run%%'"
HANDED_OUT = "SELECT 1 FROM run_tags WHERE run_id = %s AND key = 'helio/taken_up'"


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
        assert ("neither waits at the broker nor has a worker" in caplog.text) == is_forgetful


def test_the_broker_forgets_that_a_killed_run_is_to_be_continued(
    make_site: MakeSite,
    postgres: str,
    days: TimeRange,  # noqa: F811
) -> None:
    """Its worker is killed, the daemon hands the run out again, and the broker loses that before another worker comes."""
    alone = make_site("laptop", BASIC, STORY)
    expected = alone.run(days, name="story")
    with ExitStack() as stack:
        broker = stack.enter_context(own_broker("redis"))
        lab = make_site("lab", BASIC, STORY)
        dispatch = Dispatch(broker.address, partitions=5, at_once=1)
        lab.settings = replace(lab.settings, postgres=postgres, dispatch=dispatch)
        stack.enter_context(running_daemon(lab.settings))
        log = lab.settings.home / "workers.log"
        [killed] = stack.enter_context(started_workers(lab.settings, 1, log))
        running = stack.enter_context(ThreadPoolExecutor(1)).submit(lab.run, days, name="story")
        _, run_id = process_of_a_run(lab)
        kill_group(killed)
        while not ask(postgres, HANDED_OUT, (run_id,)):
            time.sleep(0.2)
        time.sleep(1)  # the message follows the tag
        broker.stop(signal.SIGKILL)
        broker.start()
        stack.enter_context(started_workers(lab.settings, 1, log))
        report = running.result()
        assert report.status == "success", report
        assert report.steps == expected.steps
        assert lab.files() == alone.files() != {}
        assert {name for name, count in made_how_often(lab).items() if count > 1} == set()
        assert ask(postgres, TRIES) == [(1,)], "what the broker forgets is none of the tries that a run has"


def test_a_run_whose_worker_was_killed_before_it_began(
    make_site: MakeSite,
    postgres: str,
    span: TimeRange,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Redis would hand it out again after ten minutes; as nobody holds it, another worker has it after twenty seconds."""
    require_broker()
    alone = make_site("laptop", BASIC, STORY)
    expected = alone.run(span, name="story")
    with ExitStack() as stack:
        wire, address = stack.enter_context(wire_to(postgres))
        lab = make_site("lab", BASIC, STORY)
        lab.settings = replace(lab.settings, postgres=address, dispatch=Dispatch(BROKER, partitions=5, at_once=1))
        stack.enter_context(running_daemon(lab.settings))
        log = lab.settings.home / "workers.log"
        [killed] = stack.enter_context(started_workers(lab.settings, 1, log))
        wire.cut_at("Started process for run", lambda: kill_group(killed))
        running = stack.enter_context(ThreadPoolExecutor(1)).submit(lab.run, span, name="story")
        assert wire.cut.wait(60)
        stack.enter_context(started_workers(lab.settings, 1, log))
        report = running.result()
        assert report.status == "success", report
        assert report.steps == expected.steps
        assert "neither waits at the broker nor has a worker" in caplog.text
        assert lab.files() == alone.files() != {}
        assert {name for name, count in made_how_often(lab).items() if count > 1} == set()


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
