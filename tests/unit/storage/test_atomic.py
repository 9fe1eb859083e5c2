"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.atomic import LEASE_S, SHORT_LEASE_S, atomic_files, atomic_path, storage_error, sweep, write_bytes
from helio_dagster.storage.file_changes import change_files
from helio_dagster.storage.process_world import process_world


def test_the_file_appears_at_the_end(tmp_path: Path) -> None:
    """Until the block ends the old content stands; then the new one, and nothing beside it."""
    path = tmp_path / "deep" / "file.txt"
    write_bytes(path, b"old")
    with atomic_path(path) as temporary:
        temporary.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(path.parent.iterdir()) == [path]


def test_files_appear_together_or_not_at_all(tmp_path: Path) -> None:
    """A block that fails leaves the folder as it was, or absent; one that ends well replaces what has the same name."""
    folder = tmp_path / "deep" / "results"
    for is_there in (False, True):
        with pytest.raises(RuntimeError):
            leave_half_written(folder)
        assert [path.read_bytes() for path in tmp_path.rglob("*.txt")] == ([b"new"] if is_there else [])
        assert (tmp_path / "deep").exists() == is_there
        with atomic_files(folder) as temporary:
            (temporary / "one.txt").write_bytes(b"new")
            assert len(list(folder.glob("*.txt"))) == is_there
        assert [path.name for path in folder.iterdir()] == ["one.txt"]


def leave_half_written(folder: Path) -> None:
    """Fail after one of several files."""
    with atomic_files(folder) as temporary:
        (temporary / "one.txt").write_bytes(b"newer")
        raise RuntimeError


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_who_may_read_a_file_is_for_the_umask_to_say(tmp_path: Path, umask: int, mode: int) -> None:
    """A person who keeps files to themselves keeps these too."""
    before = os.umask(umask)
    try:
        write_bytes(tmp_path / "file.txt", b"new")
        change_files({tmp_path / "other.txt": b"new"})
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in tmp_path.iterdir()] == [mode, mode]


def test_a_failing_block_leaves_nothing_behind(tmp_path: Path) -> None:
    """An exception keeps the old file and removes the temporary one."""
    path = tmp_path / "file.txt"
    write_bytes(path, b"old")
    with pytest.raises(ZeroDivisionError), atomic_path(path):
        _ = 1 / 0
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EDQUOT, "quota"),
        (errno.EACCES, "not writable"),
        (errno.EROFS, "read-only"),
        (errno.EIO, "HELIO_HOME"),
    ],
)
def test_every_refusal_has_a_remedy(number: int, remedy: str) -> None:
    """What the operating system says becomes one message with the path and what to do."""
    error = storage_error(OSError(number, "no"), Path("/home/x"))
    assert "/home/x" in error.problem
    assert remedy in error.hint


def test_a_name_too_long_is_a_storage_error(tmp_path: Path) -> None:
    """No traceback for what a name of a pipeline can cause."""
    with pytest.raises(StorageError):
        write_bytes(tmp_path / ("x" * 300), b"")


def test_what_a_killed_process_left_is_swept_and_a_running_one_s_is_kept(tmp_path: Path) -> None:
    """The name of an unfinished file tells whose it is."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / f".2023-01-02.parquet.{process_world()}-{ended.pid}.abc123_x.part"
    kept = tmp_path / f".2023-01-02.parquet.{process_world()}-{os.getpid()}.abc123_x.part"
    whole = tmp_path / "2023-01-02.parquet"
    for path in (left, kept, whole):
        path.write_bytes(b"x")
    sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([kept, whole])


@pytest.mark.parametrize(("world", "lease_s"), [("0badcafe-", LEASE_S), ("", SHORT_LEASE_S)])
def test_a_file_of_another_machine_is_left_alone_while_it_is_written(tmp_path: Path, world: str, lease_s: float) -> None:
    """On a shared volume, whose processes nobody sees from here: it goes when nothing was written to it for long enough."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    theirs = tmp_path / f".2023-01-02.parquet.{world}{ended.pid}.abc123_x.part"
    theirs.write_bytes(b"x")
    written = theirs.stat().st_mtime
    sweep(tmp_path, clock=lambda: written + lease_s - 60)
    assert theirs.exists()
    sweep(tmp_path, clock=lambda: written + lease_s + 60)
    assert not theirs.exists()


def test_a_process_in_another_container_is_in_another_world(tmp_path: Path) -> None:
    """Numbers of processes are counted anew in a namespace of its own, where the machine and its name are the same."""
    command = [sys.executable, "-c", "from helio_dagster.storage.process_world import process_world; print(process_world())"]
    same = subprocess.run(command, capture_output=True, text=True, check=True)
    assert same.stdout.strip() == process_world()
    apart = subprocess.run(
        ["unshare", "--user", "--pid", "--fork", *command],  # noqa: S607 - wherever the system has it
        capture_output=True,
        text=True,
        check=False,
    )
    if apart.returncode and "unshare" in apart.stderr:
        pytest.skip("namespaces are not allowed here")
    assert apart.stdout.strip() != process_world()
    assert len(apart.stdout.strip()) == 8


def test_what_no_process_of_ours_named_does_not_stop_a_sweep(tmp_path: Path) -> None:
    """A file called `.part`, a number that is not a process, a folder."""
    for name in (".part", ".a.99999999999999999999.b.part", ".a.².b.part"):
        (tmp_path / name).touch()
    (tmp_path / ".folder.part").mkdir()
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".folder.part"]


def test_an_unfinished_file_bears_its_process(tmp_path: Path) -> None:
    """What `sweep` reads is what `atomic_path` writes; a missing folder has nothing to sweep."""
    with atomic_path(tmp_path / "a.b.parquet") as temporary:
        assert temporary.name.split(".")[-3] == f"{process_world()}-{os.getpid()}"
        sweep(tmp_path)
        assert temporary.exists()
    sweep(tmp_path / "missing")
