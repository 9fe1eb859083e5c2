"""Slots for requests that processes on one machine share by locks of a file."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from helio_dagster.domain.errors import ArchiveUnavailable
from helio_dagster.resources.file_slots import FileSlots

HOST = "archive.example.org"
HOLDING = """
import sys, threading
from contextlib import ExitStack
from pathlib import Path
from helio_dagster.resources.file_slots import FileSlots
slots, stack = FileSlots(Path(sys.argv[1])), ExitStack()
for _ in range(int(sys.argv[2])):
    stack.enter_context(slots.taken("archive.example.org", 5, threading.Event()))
print("has them", flush=True)
sys.stdin.readline()
"""


def free(path: Path, host: str = HOST, number: int = 5) -> int:
    """How many slots somebody in this process could take now."""
    slots, taken, stopping = FileSlots(path), 0, threading.Event()
    stopping.set()  # nobody waits
    with ExitStack() as stack:
        try:
            for _ in range(number + 1):
                stack.enter_context(slots.taken(host, number, stopping))
                taken += 1
        except ArchiveUnavailable:
            pass
    return taken


@pytest.mark.slow
def test_processes_share_the_slots_of_a_host(tmp_path: Path) -> None:
    """Five in all, of two processes; those of another host are its own, and a process that is killed frees its slots."""
    path = tmp_path / "deep" / "requests.lock"
    command = [sys.executable, "-c", HOLDING, str(path), "3"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "has them\n"
        assert (free(path), free(path, "another.example.org")) == (2, 5)
        other.send_signal(signal.SIGKILL)
        other.wait()
    assert free(path) == 5
    assert path.stat().st_size == 0


def test_threads_share_them_too(tmp_path: Path) -> None:
    """Of one process, over two views of the file: the system would give a process the same lock twice."""
    most, now, access, path = 0, 0, threading.Lock(), tmp_path / "requests.lock"

    def work(slots: FileSlots) -> None:
        nonlocal most, now
        for _ in range(5):
            with slots.taken(HOST, 2, threading.Event()):
                with access:
                    now += 1
                    most = max(most, now)
                with access:
                    now -= 1

    threads = [threading.Thread(target=work, args=[FileSlots(path)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 0 < most <= 2
    assert free(path) == 5


def test_a_process_that_is_forked_has_none_of_them(tmp_path: Path) -> None:
    """It takes others, and those of the process that forked it stay taken after its end."""
    path = tmp_path / "requests.lock"
    with FileSlots(path).taken(HOST, 5, threading.Event()):
        child = os.fork()
        if child == 0:
            os._exit(free(path))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
        assert free(path) == 4
    assert free(path) == 5


def test_slots_that_nobody_frees_are_not_waited_for_without_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A process that was suspended may hold them: after two minutes the archive is asked beside it, and that is said."""
    now = 0.0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    slots = FileSlots(tmp_path / "requests.lock", sleep=sleep, clock=lambda: now)
    with caplog.at_level(logging.WARNING), slots.taken(HOST, 1, threading.Event()):
        with slots.taken(HOST, 1, threading.Event()):
            assert 120 < now < 121
        assert "asked beside them" in caplog.text
        assert free(tmp_path / "requests.lock", number=1) == 0, "the first one still has it"


def test_without_the_file_each_process_goes_on(tmp_path: Path) -> None:
    """Its folder cannot be made: nothing is waited for, and nothing fails."""
    (tmp_path / "file").write_text("")
    slots = FileSlots(tmp_path / "file" / "requests.lock")
    with slots.taken(HOST, 1, threading.Event()), slots.taken(HOST, 1, threading.Event()):
        pass
