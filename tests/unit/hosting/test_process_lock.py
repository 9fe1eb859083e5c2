"""A file that a process holds: others see that, which it is, and stop it."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from helio_dagster.hosting.process_lock import ProcessLock, holder_of, name_process


def sleeper(held: int) -> subprocess.Popen[bytes]:
    """A process that has a lock and does nothing."""
    return subprocess.Popen([sys.executable, "-c", "input()", "chat"], stdin=subprocess.PIPE, pass_fds=(held,))


def test_a_lock_is_held_as_long_as_its_process(tmp_path: Path) -> None:
    """Also when the one that took it has let go; it is named, and stopped by anybody."""
    lock = ProcessLock(tmp_path / "x.run")
    assert not lock.is_held()
    assert not lock.stop()
    with lock.taken() as held:
        assert held is not None
        process = sleeper(held)
        name_process(held, process.pid)
    assert lock.is_held()
    assert int(lock.path.read_text()) == process.pid
    with lock.taken() as again:
        assert again is None
    assert lock.stop()
    process.wait()
    assert not lock.is_held()


def test_the_holder_is_named(tmp_path: Path) -> None:
    """By its number, or not at all where the system does not say."""
    lock = ProcessLock(tmp_path / "x.lock")
    assert holder_of(lock.path) == ""
    with lock.taken():
        assert holder_of(lock.path) == "" or str(os.getpid()) in holder_of(lock.path)
    assert holder_of(lock.path) == ""


def test_those_who_only_look_do_not_take_each_other_for_the_holder(tmp_path: Path) -> None:
    """However many look at once: a server that follows a run for several calls says that it runs only while it does."""
    lock = ProcessLock(tmp_path / "lock")
    with lock.taken() as held:
        assert held is not None
        assert lock.is_held()

    def look(_place: int) -> int:
        return sum(lock.is_held() for _ in range(500))

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(look, range(4))) == 0
