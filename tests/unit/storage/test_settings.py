"""Settings from the environment that are lists of folders."""

from __future__ import annotations

from pathlib import Path

from helio_dagster.storage.settings import Settings


def test_folders_of_own_files(tmp_path: Path) -> None:
    """Several, relative ones from the working directory; another process gets the same."""
    found = Settings.from_environment({"HELIO_OWN_FILES": f"data:{tmp_path}/x"}, tmp_path)
    assert found.own_files == (tmp_path / "data", tmp_path / "x")
    assert Settings.from_environment(found.to_environment(), tmp_path / "elsewhere").own_files == found.own_files
