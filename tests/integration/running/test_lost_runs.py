"""Whether a run that was begun has a worker, or waits for one: what Dagster's monitoring is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from helio_dagster.launch.record.instance import open_instance
from helio_dagster.resources.dagster_internals import JobPythonOrigin, ModuleCodePointer, RepositoryPythonOrigin
from helio_dagster.storage.settings import Settings
from tests.brokers import RABBITMQ, require_broker
from tests.own_brokers import OwnBroker, own_broker

if TYPE_CHECKING:
    from helio_dagster.resources.worker_launcher import WorkerRunLauncher

pytest.importorskip("dagster_celery", reason="left out without the extra celery")
QUEUE = "helio-lost-runs"
ORIGIN = JobPythonOrigin("job", RepositoryPythonOrigin("python", ModuleCodePointer("m", "defs"), None, [], {}))
RUN = dg.DagsterRun("job", "r1", tags={"dagster-celery/task_id": "t1"}, job_code_origin=ORIGIN)


@pytest.fixture
def instance(postgres: str, tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    """The record, with the run."""
    with open_instance(Settings(tmp_path, tmp_path / "pipelines", postgres=postgres)) as found:
        found.add_run(RUN)
        yield found


@pytest.fixture
def broker() -> Iterator[OwnBroker]:
    """A broker of the test's own, with no queue."""
    with own_broker("redis") as found:
        yield found


def launcher(broker: OwnBroker, postgres: str, *, lost_after_s: float = 0.0) -> WorkerRunLauncher:
    """The launcher of a home with that broker and record."""
    from helio_dagster.resources.worker_launcher import WorkerRunLauncher

    return WorkerRunLauncher(broker.address, QUEUE, postgres, lost_after_s=lost_after_s)


def health(found: WorkerRunLauncher, run: dg.DagsterRun = RUN) -> tuple[str, str]:
    """What the monitoring learns, and why."""
    said = found.check_run_worker_health(run)
    return said.status.name, said.msg or ""


def test_a_run_that_nobody_has_and_nothing_waits_for(broker: OwnBroker, postgres: str, instance: dg.DagsterInstance) -> None:
    """Is handed out again once it has been so for a while, and none of the tries that Dagster counts is used up."""
    patient, found = launcher(broker, postgres, lost_after_s=3600.0), launcher(broker, postgres)
    for each in (patient, found):
        each.register_instance(instance)
    assert [health(patient) for _ in range(3)] == [("RUNNING", "")] * 3
    assert not found.has_waiting_runs()
    assert [health(found) for _ in range(6)] == [("RUNNING", "")] * 6
    with found.celery.connection_for_read() as connection, closing(connection.SimpleQueue(QUEUE)) as queue:
        assert queue.qsize() == 1
        message = queue.get(timeout=10)
        assert message.headers["task"] == "resume_job"
        assert "r1" in str(message.payload)


def test_a_run_that_waits_at_the_broker(broker: OwnBroker, postgres: str) -> None:
    """Or may do so: whatever is in the queue may be it."""
    found = launcher(broker, postgres)
    with found.celery.connection_for_write() as connection, closing(connection.SimpleQueue(QUEUE)) as queue:
        queue.put({})
        assert health(found) == ("RUNNING", "")
        assert queue.qsize() == 1


def test_a_run_that_a_worker_has(broker: OwnBroker, postgres: str) -> None:
    """Lives as long as its lock."""
    found = launcher(broker, postgres)
    with found.held.hold("r1") as is_ours:
        assert is_ours
        assert health(found) == ("RUNNING", "")


def test_a_run_that_was_never_handed_to_workers(broker: OwnBroker, postgres: str) -> None:
    """As one that a command does in its own process, in a home that has workers: nobody else is given it."""
    assert health(launcher(broker, postgres), dg.DagsterRun("job", "r1")) == ("RUNNING", "")


def test_a_broker_that_refuses(postgres: str) -> None:
    """It does not say that nothing waits; one that never had a queue does."""
    from helio_dagster.resources.worker_launcher import WorkerRunLauncher

    require_broker(RABBITMQ)
    assert WorkerRunLauncher(RABBITMQ.replace("//", "//nobody@", 1), QUEUE, postgres).has_waiting_runs()
    assert not WorkerRunLauncher(RABBITMQ, QUEUE, postgres).has_waiting_runs()


def test_while_the_broker_does_not_answer(broker: OwnBroker, postgres: str) -> None:
    """Nothing is said of it."""
    found = launcher(broker, postgres)
    broker.stop()
    assert health(found) == ("RUNNING", "")
