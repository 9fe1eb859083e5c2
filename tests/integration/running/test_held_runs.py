"""Locks of runs in PostgreSQL: who holds one lives, and who died held it, on whatever machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from helio_dagster.resources.held_runs import HeldRuns
from tests.postgres import ask, own_server

HOLDING = """
import sys
from helio_dagster.resources.held_runs import HeldRuns
with HeldRuns(sys.argv[1]).hold("r1") as is_ours:
    print(is_ours, flush=True)
    sys.stdin.readline()
"""
END_SESSIONS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'helio-holds r1 %%'
"""
Holding = Callable[[], subprocess.Popen[str]]


@pytest.fixture
def held(postgres: str) -> Iterator[HeldRuns]:
    """The runs that are held in a record, of a server that was not started just now."""
    ((seconds,),) = ask(postgres, "SELECT extract(epoch FROM now() - pg_postmaster_start_time())")
    time.sleep(max(0.0, 21 - float(seconds)))
    found = HeldRuns(postgres)
    yield found
    found.close()


@pytest.fixture
def holding(postgres: str) -> Iterator[Holding]:
    """Starts another process that holds the run `r1`."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLDING, postgres]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout is not None
        assert started[-1].stdout.readline() == "True\n"
        return started[-1]

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.kill()
        process.communicate()


def is_abandoned_soon(held: HeldRuns) -> bool:
    """Whether the run `r1` is seen to be abandoned, once the server has ended the session of who held it."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if held.is_abandoned("r1"):
            return True
    return False


def test_a_run_is_held_by_one_process(held: HeldRuns, holding: Holding) -> None:
    """A second one is told so, and the first one keeps it."""
    holding()
    with held.hold("r1") as is_ours:
        assert not is_ours
    assert held.held(["r1", "r2"]) == {"r1"}
    assert not held.is_abandoned("r1")


def test_a_run_of_a_killed_process_is_abandoned(held: HeldRuns, holding: Holding) -> None:
    """Until it is let go, and then another process can take it."""
    process = holding()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert held.held(["r1"]) == {"r1"}
    assert is_abandoned_soon(held)
    held.let_go("r1")
    assert held.held(["r1"]) == set()
    assert not held.is_abandoned("r1")
    holding()
    assert not held.is_abandoned("r1")


def test_a_run_is_abandoned_by_who_ends_without_letting_go(held: HeldRuns) -> None:
    """An error counts as death: somebody else is to take the run up."""
    with pytest.raises(ZeroDivisionError), held.hold("r1"):
        raise ZeroDivisionError
    assert is_abandoned_soon(held)


def test_to_look_takes_nothing(held: HeldRuns, holding: Holding) -> None:
    """A run that nobody took is neither held nor abandoned, and may be taken."""
    assert held.held(["r1"]) == set()
    assert not held.is_abandoned("r1")
    holding()


def test_a_session_that_ends_is_begun_again(held: HeldRuns, holding: Holding, postgres: str) -> None:
    """Who holds a run keeps it, and is not taken for dead meanwhile."""
    process = holding()
    for _ in range(2):
        assert (True,) in ask(postgres, END_SESSIONS)
        assert not held.is_abandoned("r1")
        with held.hold("r1") as is_ours:
            assert not is_ours
    assert process.poll() is None


def test_who_lost_its_session_is_waited_for(held: HeldRuns, holding: Holding, postgres: str) -> None:
    """A second worker that is given the run finds its lock free, and leaves it to who takes it again."""
    process = holding()
    os.kill(process.pid, signal.SIGSTOP)
    assert (True,) in ask(postgres, END_SESSIONS)
    while ask(postgres, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = %s::oid", _database(postgres)):
        time.sleep(0.05)

    def go_on(seconds: float) -> None:
        os.kill(process.pid, signal.SIGCONT)
        time.sleep(4 * seconds)

    second = HeldRuns(postgres, sleep=go_on)
    with second.hold("r1") as is_ours:
        assert not is_ours
    second.close()
    assert not held.is_abandoned("r1")


def _database(postgres: str) -> tuple[int]:
    ((number,),) = ask(postgres, "SELECT oid::bigint FROM pg_database WHERE datname = current_database()")
    return (number,)


def test_a_run_that_another_took_over_meanwhile_is_lost(held: HeldRuns, holding: Holding, postgres: str) -> None:
    """Its process ends at once: what it does is another's now."""
    process = holding()
    os.kill(process.pid, signal.SIGSTOP)
    assert (True,) in ask(postgres, END_SESSIONS)
    assert is_abandoned_soon(held)
    held.let_go("r1")
    with held.hold("r1") as is_ours:
        assert is_ours
        os.kill(process.pid, signal.SIGCONT)
        assert process.wait(timeout=60) == -signal.SIGKILL


def test_a_server_that_was_just_started_says_nothing(postgres_template: str) -> None:
    """Those who held runs are still taking them again, so nobody is taken for dead yet."""
    with own_server() as server:
        ask(server.address, "CREATE TABLE kvs (key text NOT NULL UNIQUE, value text)")
        ask(server.address, "CREATE TABLE event_logs (id bigint)")
        held, lost = HeldRuns(server.address), threading.Event()
        with held.hold("r1", lost.set) as is_ours:
            assert is_ours
            server.stop()
            server.start()
            assert not held.is_abandoned("r1")
        assert not held.is_abandoned("r1")
        assert not lost.is_set()
        held.close()
