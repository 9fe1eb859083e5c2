"""What `helio add` says of a path that is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.launch.library.own_file_pipeline import propose
from helio_dagster.storage.settings import Settings


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("pipe.csv", "is a pipe or a device, not a file"),
        ("folder.csv", "is a folder"),
        ("loop.csv", "is a link that leads to no file"),
        ("gone.csv", "there is no file"),
    ],
)
def test_what_is_no_file_is_said(name: str, problem: str, tmp_path: Path) -> None:
    """A pipe is not waited for."""
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    with pytest.raises(InputError, match=problem):
        propose([tmp_path / name], Settings.from_environment({"HELIO_HOME": str(tmp_path / "home")}, tmp_path))
