"""Claims of partitions between processes: each is made by one at a time, and a dead process holds none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.claims import NoClaims, SharedClaims

MAKING = """
import sys
from pathlib import Path
from helio_dagster.storage.claims import SharedClaims
for keys in SharedClaims(Path(sys.argv[1])).rounds(sys.argv[2], [key or None for key in sys.argv[3:]]):
    print(*(key or "" for key in keys), flush=True)
    sys.stdin.readline()
"""
"""Prints the keys that it has, and lets go of them when it is sent a line."""

Making = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def making(tmp_path: Path) -> Iterator[Making]:
    """Starts another process that makes partitions, once it has said which it has."""
    started: list[subprocess.Popen[str]] = []

    def start(asset: str, *keys: str, has: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", MAKING, str(tmp_path), asset, *keys]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert said(started[-1]) == has
        return started[-1]

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.kill()
        process.communicate()


def fail_over(claims: SharedClaims) -> None:
    """Have a key, and fail."""
    for _ in claims.rounds("p/b", ["d1"]):
        raise ZeroDivisionError


def said(process: subprocess.Popen[str]) -> str:
    """The next line of a process."""
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def test_what_is_free_comes_first_and_the_rest_when_it_is_free(tmp_path: Path, making: Making) -> None:
    """In two lists, which together are all keys; the first while another process still makes its own."""
    other = making("p/b", "d2", has="d2")
    with closing(SharedClaims(tmp_path)) as claims:
        rounds = claims.rounds("p/b", ["d1", "d2", "d3"])
        assert next(rounds) == ["d1", "d3"]
        assert other.poll() is None
        other.communicate("go on\n")
        assert list(rounds) == [["d2"]]


def test_nobody_else_has_a_key_while_it_is_looked_at(tmp_path: Path, making: Making) -> None:
    """Another process that wants the same keys gets them when the loop goes on, and not before."""
    with closing(SharedClaims(tmp_path)) as claims:
        rounds = claims.rounds("p/b", ["d1", "d2"])
        assert next(rounds) == ["d1", "d2"]
        other = making("p/b", "d1", "d3", has="d3")
        assert list(rounds) == []
        assert other.stdin is not None
        other.stdin.write("go on\n")
        other.stdin.flush()
        assert said(other) == "d1"


def test_keys_of_a_loop_that_failed_are_free(tmp_path: Path, making: Making) -> None:
    """An error in the body lets go of what it had."""
    with closing(SharedClaims(tmp_path)) as claims:
        with pytest.raises(ZeroDivisionError):
            fail_over(claims)
        making("p/b", "d1", has="d1")


def test_a_killed_process_holds_nothing(tmp_path: Path, making: Making) -> None:
    """Neither for who looks nor for who waits."""
    other = making("p/b", "d1", has="d1")
    with closing(SharedClaims(tmp_path)) as claims:
        assert claims.busy("p/b", ["d1", "d2"]) == {"d1"}
        os.kill(other.pid, signal.SIGKILL)
        assert list(claims.rounds("p/b", ["d1"])) == [["d1"]]
        assert claims.busy("p/b", ["d1"]) == set()


def test_to_look_takes_nothing(tmp_path: Path, making: Making) -> None:
    """What was free when somebody looked is free afterwards."""
    with closing(SharedClaims(tmp_path)) as claims:
        assert claims.busy("p/b", ["d1", None]) == set()
        making("p/b", "d1", "", has="d1 ")


def test_assets_are_apart(tmp_path: Path, making: Making) -> None:
    """The same day of another asset is another partition."""
    making("p/b", "d1", has="d1")
    with closing(SharedClaims(tmp_path)) as claims:
        assert claims.busy("p/mag", ["d1"]) == set()
        assert list(claims.rounds("p/mag", ["d1"])) == [["d1"]]


def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    """With its path."""
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(StorageError, match="taken"):
        SharedClaims(tmp_path / "taken" / "claims").busy("p/b", ["d1"])


def test_without_others_all_keys_are_free(tmp_path: Path) -> None:
    """At once, in their order, and without a file."""
    claims = NoClaims()
    assert list(claims.rounds("p/b", ["d2", "d1"])) == [["d2", "d1"]]
    assert claims.busy("p/b", ["d1"]) == set()
    assert list(tmp_path.iterdir()) == []
