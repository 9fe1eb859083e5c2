"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.atomic import atomic_path, storage_error, write_bytes


def test_the_file_appears_at_the_end(tmp_path: Path) -> None:
    """Until the block ends the old content stands; then the new one, readable by others, and nothing beside it."""
    path = tmp_path / "deep" / "file.txt"
    write_bytes(path, b"old")
    with atomic_path(path) as temporary:
        temporary.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]


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
