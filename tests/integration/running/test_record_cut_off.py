"""The server of the record is restarted at the worst moments of runs on workers, and costs nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

import pytest

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.web.daemon import running_daemon
from helio_dagster.resources.postgres_connection import PATIENCE_S
from tests.brokers import BROKER, RABBITMQ, require_broker, started_workers
from tests.cut_wire import Wire, wire_to
from tests.integration.running.conftest import BASIC, MakeSite, Site
from tests.integration.running.test_workers import STORY, made_how_often
from tests.postgres import OwnServer, ask, own_server

pytestmark = pytest.mark.nightly
AWAY_S = 4
STORED_TWICE = "SELECT count(*) - count(DISTINCT (run_id, event)) FROM event_logs"
MOMENTS = {
    "a run is created": "INSERT INTO runs ",
    "it is queued": "'PIPELINE_ENQUEUED'",
    "the daemon takes it": "'PIPELINE_STARTING'",
    "it is handed to the broker": "Creating Celery run worker job task",
    "the broker has it": "'dagster-celery/task_id'",
    "a worker takes it": "INSERT INTO kvs (key, value) VALUES ('helio/held/",
    "its process begins": "Started process for run",
    "the run begins": "'PIPELINE_START'",
    "the worker is to say what it does": "ORDER BY key DESC LIMIT 1",
    "a step begins": "'STEP_START'",
    "a partition is recorded": '"Materialized ',
    "a check is recorded": "'ASSET_CHECK_EVALUATION'",
    "the run ends": "'PIPELINE_SUCCESS'",
    "its state is noted": "UPDATE runs SET",
    "it is let go": "DELETE FROM kvs WHERE key = ",
}
"""What a question has that is asked in that moment."""


@pytest.mark.parametrize("is_heard", [False, True], ids=["unheard", "unanswered"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_server_is_restarted_when(make_site: MakeSite, span: TimeRange, moment: str, is_heard: bool) -> None:
    """Whoever asked connects again, and asks what was not answered; each event is stored once."""
    restarted(make_site, span, MOMENTS[moment], BROKER, is_heard=is_heard)


def test_a_run_that_could_not_begin_goes_back_to_rabbitmq(make_site: MakeSite, span: TimeRange) -> None:
    """As to Redis, above."""
    restarted(make_site, span, "Started process for run", RABBITMQ)


def test_the_server_stays_away_for_longer_than_anybody_waits(make_site: MakeSite, span: TimeRange) -> None:
    """The command says so and ends; the run that was just to begin is done later, and the same command goes on from there."""
    require_broker()
    alone = make_site("laptop", BASIC, STORY)
    alone.run(span, name="story")
    with own_server() as server, behind_a_wire(make_site, server, BROKER) as (wire, lab):
        restart = Restart(server, 1.5 * PATIENCE_S)
        wire.cut_at("Started process for run", restart)
        with pytest.raises(StorageError, match="the record in PostgreSQL cannot be used") as caught:
            lab.run(span, name="story")
        assert "the same command goes on from there" in caught.value.hint
        restart.wait()
        assert lab.run(span, name="story").status == "success"
        assert lab.files() == alone.files() != {}
        assert {name for name, count in made_how_often(lab).items() if count > 1} == set()


def restarted(make_site: MakeSite, span: TimeRange, words: str, broker: str, *, is_heard: bool = False) -> None:
    """Run on a worker while the server is restarted when a question has these words; nothing is lost or made twice."""
    require_broker(broker)
    alone = make_site("laptop", BASIC, STORY)
    expected = alone.run(span, name="story")
    with own_server() as server, behind_a_wire(make_site, server, broker) as (wire, lab):
        restart = Restart(server, AWAY_S)
        wire.cut_at(words, restart, is_heard=is_heard)
        report = lab.run(span, name="story")
        restart.wait()
        assert report.status == "success", report
        assert report.steps == expected.steps
        assert lab.files() == alone.files() != {}
        assert {name for name, count in made_how_often(lab).items() if count > 1} == set()
        assert ask(server.address, STORED_TWICE) == [(0,)]


@contextmanager
def behind_a_wire(make_site: MakeSite, server: OwnServer, broker: str) -> Iterator[tuple[Wire, Site]]:
    """A home whose runs go to a worker in pieces of two days, with Dagster's daemon, all of which ask through a wire."""
    with ExitStack() as stack:
        wire, address = stack.enter_context(wire_to(server.address))
        lab = make_site("lab", BASIC, STORY)
        lab.settings = replace(lab.settings, postgres=address, dispatch=Dispatch(broker, partitions=2, at_once=2))
        stack.enter_context(running_daemon(lab.settings))
        stack.enter_context(started_workers(lab.settings, 1, lab.settings.home / "workers.log"))
        yield wire, lab


@dataclass
class Restart:
    """Stops a server, which is back some seconds later."""

    server: OwnServer
    away_s: float
    _coming: list[threading.Timer] = field(default_factory=list)

    def __call__(self) -> None:
        """Stop it now."""
        self.server.stop()
        self._coming.append(threading.Timer(self.away_s, self.server.start))
        self._coming[-1].start()

    def wait(self) -> None:
        """Until it is back."""
        assert self._coming, "the server was stopped"
        self._coming.pop().join()
