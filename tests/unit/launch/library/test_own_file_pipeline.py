"""What `helio add` says of a path that is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.launch.library.own_file_pipeline import propose
from helio_dagster.storage.settings import Settings


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("dn_magn_g16_d20240510_v1.csv", "dn_magn_g16_d_v1"),
        ("ground-2024-05-10.csv", "ground"),
        ("2024_131_mag.csv", "mag"),
        ("abk20240510dmin.csv", "abkdmin"),
        ("b1.csv", "b1"),
        ("2024.csv", "own_file"),
    ],
)
def test_the_name_of_a_pipeline_is_that_of_the_file_without_its_date(file: str, name: str, tmp_path: Path) -> None:
    """What counts spacecraft or versions stays."""
    (tmp_path / file).write_text("time,H\n2024-01-01,1\n2024-01-02,2\n")
    found = propose([tmp_path / file], Settings.from_environment({"HELIO_HOME": str(tmp_path / "home")}, tmp_path))
    assert found.pipeline.name == name


def test_a_format_of_times_that_is_none_is_one_message(tmp_path: Path) -> None:
    """As in a pipeline's file."""
    (tmp_path / "g.csv").write_text("t,H\n24-01-01,1\n24-01-02,2\n")
    settings = Settings.from_environment({"HELIO_HOME": str(tmp_path / "home")}, tmp_path)
    with pytest.raises(InputError, match="%y is a year of two digits"):
        propose([tmp_path / "g.csv"], settings, time=["t"], time_format="%y-%m-%d")


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
