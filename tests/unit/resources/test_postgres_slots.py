"""Slots for requests that processes share by locks of PostgreSQL."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack, closing

import pytest

from helio_dagster.domain.errors import ArchiveUnavailable
from helio_dagster.resources.postgres_slots import PostgresSlots
from tests.postgres import ask

HOST = "archive.example.org"
HOLDING = """
import sys, threading
from contextlib import ExitStack
from helio_dagster.resources.postgres_slots import PostgresSlots
slots, stack = PostgresSlots(sys.argv[1]), ExitStack()
for _ in range(int(sys.argv[2])):
    stack.enter_context(slots.taken("archive.example.org", 5, threading.Event()))
print("has them", flush=True)
sys.stdin.readline()
"""


def free(address: str, number: int = 5) -> int:
    """How many slots a process could take now."""
    with closing(PostgresSlots(address)) as slots, ExitStack() as stack:
        taken, stopping = 0, threading.Event()
        stopping.set()  # nobody waits
        try:
            for _ in range(number + 1):
                stack.enter_context(slots.taken(HOST, number, stopping))
                taken += 1
        except ArchiveUnavailable:
            pass
        return taken


def test_processes_share_the_slots_of_a_host(postgres: str) -> None:
    """Five in all, of this session and of another process; one that is killed frees its own."""
    assert free(postgres) == 5
    command = [sys.executable, "-c", HOLDING, postgres, "3"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "has them\n"
        assert free(postgres) == 2
        other.send_signal(signal.SIGKILL)
        other.wait()
    while ask(postgres, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' LIMIT 1"):
        pass
    assert free(postgres) == 5


def test_a_slot_that_is_freed_is_taken_by_who_waits(postgres: str) -> None:
    """Threads of one process too: a session could have the same lock twice."""
    most, now, lock = 0, 0, threading.Lock()
    with closing(PostgresSlots(postgres)) as one, closing(PostgresSlots(postgres)) as other:

        def work(slots: PostgresSlots) -> None:
            nonlocal most, now
            for _ in range(5):
                with slots.taken(HOST, 2, threading.Event()):
                    with lock:
                        now += 1
                        most = max(most, now)
                    with lock:
                        now -= 1

        threads = [threading.Thread(target=work, args=[slots]) for slots in (one, other) * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert 0 < most <= 2


def test_without_the_server_the_process_goes_on(postgres: str, caplog: pytest.LogCaptureFixture) -> None:
    """It says once that only its own limit holds; a slot that was held is let go without an error."""
    unreachable = postgres.replace(":5432", ":1").replace(":5447", ":1")
    with closing(PostgresSlots(unreachable)) as slots, caplog.at_level(logging.WARNING):
        for _ in range(7):
            with slots.taken(HOST, 1, threading.Event()), slots.taken(HOST, 1, threading.Event()):
                pass
    assert len([each for each in caplog.records if "limit is this process" in each.message]) == 1
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'helio-requests %%'"
    end += " AND datname = current_database()"
    with closing(PostgresSlots(postgres)) as slots, slots.taken(HOST, 1, threading.Event()):
        ask(postgres, end)
