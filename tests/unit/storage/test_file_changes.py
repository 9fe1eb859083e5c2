"""Several files changed together."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.storage.file_changes import change_files


def test_files_are_written_replaced_and_removed(tmp_path: Path) -> None:
    """Folders are made, and nothing else is left."""
    old, gone, new = tmp_path / "old", tmp_path / "gone", tmp_path / "deep" / "er" / "new"
    old.write_bytes(b"before")
    gone.write_bytes(b"away")
    change_files({new: b"1", old: b"2"}, removed=[gone])
    assert {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == {
        "old": b"2",
        "deep/er/new": b"1",
    }


@pytest.mark.parametrize("fails", ["write", "remove"])
def test_where_one_cannot_change_none_does(tmp_path: Path, fails: str) -> None:
    """What was replaced before the failure is as it was, what was new is gone."""
    old, blocked = tmp_path / "old", tmp_path / "blocked"
    old.write_bytes(b"before")
    blocked.mkdir()
    contents = {tmp_path / "new": b"1", old: b"2"}
    more, removed = ({blocked: b"3"}, []) if fails == "write" else ({}, [blocked])
    with pytest.raises(StorageError, match="blocked"):
        change_files({**contents, **more}, removed=removed)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blocked", "old"]
    assert old.read_bytes() == b"before"


def test_a_folder_that_cannot_be_made_changes_nothing(tmp_path: Path) -> None:
    """A file stands where a folder is needed: found before the first file changes."""
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(StorageError, match="cannot use"):
        change_files({tmp_path / "a": b"1", tmp_path / "file" / "b": b"2"})
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
