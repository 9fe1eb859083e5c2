"""Whether a run that was begun has a worker, or waits for one: what Dagster's monitoring is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import dagster as dg
import pytest

from tests.own_brokers import OwnBroker, own_broker

if TYPE_CHECKING:
    from helio_dagster.resources.worker_launcher import WorkerRunLauncher

pytest.importorskip("dagster_celery", reason="left out without the extra celery")
QUEUE = "helio-lost-runs"
RUN = dg.DagsterRun("job", "r1", tags={"dagster-celery/task_id": "t1"})


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


def test_a_run_that_nobody_has_and_nothing_waits_for(broker: OwnBroker, postgres: str) -> None:
    """Is lost, once it has been so for a while; the next one is given as much time again."""
    assert health(launcher(broker, postgres)) == ("FAILED", "The broker has lost it, and no worker has it.")
    patient = launcher(broker, postgres, lost_after_s=3600.0)
    assert [health(patient) for _ in range(3)] == [("RUNNING", "")] * 3


def test_a_run_that_waits_at_the_broker(broker: OwnBroker, postgres: str) -> None:
    """Or may do so: whatever is in the queue may be it."""
    found = launcher(broker, postgres)
    with found.celery.connection_for_write() as connection, closing(connection.SimpleQueue(QUEUE)) as queue:
        queue.put({})
        assert health(found) == ("RUNNING", "")
        queue.get(timeout=10).ack()
    assert health(found)[0] == "FAILED"


def test_a_run_that_a_worker_has(broker: OwnBroker, postgres: str) -> None:
    """Lives as long as its lock."""
    found = launcher(broker, postgres)
    with found.held.hold("r1") as is_ours:
        assert is_ours
        assert health(found) == ("RUNNING", "")


def test_a_run_that_was_never_handed_to_workers(broker: OwnBroker, postgres: str) -> None:
    """As one that a command does in its own process, in a home that has workers: nobody else is given it."""
    assert health(launcher(broker, postgres), dg.DagsterRun("job", "r1")) == ("RUNNING", "")


def test_while_the_broker_does_not_answer(broker: OwnBroker, postgres: str) -> None:
    """Nothing is said of it."""
    found = launcher(broker, postgres)
    broker.stop()
    assert health(found) == ("RUNNING", "")
