"""Locks of runs: who holds one lives, and who died held it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from helio_dagster.storage.held_runs import hold, is_abandoned, is_held, let_go

HOLDING = """
import sys
from pathlib import Path
from helio_dagster.storage.held_runs import hold
with hold(Path(sys.argv[1]), "r1") as is_ours:
    print(is_ours, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holding(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts another process that holds the run `r1`."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLDING, str(tmp_path)]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout is not None
        assert started[-1].stdout.readline() == "True\n"
        return started[-1]

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.kill()
        process.communicate()


def test_a_run_is_held_by_one_process(tmp_path: Path, holding: Callable[[], subprocess.Popen[str]]) -> None:
    """A second one is told so, and the first one keeps it."""
    holding()
    with hold(tmp_path, "r1") as is_ours:
        assert not is_ours
    assert is_held(tmp_path, "r1")
    assert not is_abandoned(tmp_path, "r1")


def test_a_run_of_a_killed_process_is_abandoned(tmp_path: Path, holding: Callable[[], subprocess.Popen[str]]) -> None:
    """Until it is let go, and then another process can take it."""
    process = holding()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert is_held(tmp_path, "r1")
    assert is_abandoned(tmp_path, "r1")
    let_go(tmp_path, "r1")
    assert not is_held(tmp_path, "r1")
    assert not is_abandoned(tmp_path, "r1")
    holding()
    assert not is_abandoned(tmp_path, "r1")


def test_a_run_is_abandoned_by_who_ends_without_letting_go(tmp_path: Path) -> None:
    """An error counts as death: somebody else is to take the run up."""
    with pytest.raises(ZeroDivisionError), hold(tmp_path, "r1"):
        raise ZeroDivisionError
    assert is_abandoned(tmp_path, "r1")


def test_to_look_takes_nothing(tmp_path: Path, holding: Callable[[], subprocess.Popen[str]]) -> None:
    """A run that nobody took is neither held nor abandoned, and may be taken."""
    assert not is_held(tmp_path, "r1")
    assert not is_abandoned(tmp_path, "r1")
    holding()
