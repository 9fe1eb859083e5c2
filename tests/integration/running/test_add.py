"""`helio add`, from a file in the working directory to a figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.prepared import prepared


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of two days and a gap between them."""
    lines = [
        f"2024-01-0{day}T{hour:02d}:{minute:02d},{hour}" for day in (1, 3) for hour in range(24) for minute in range(0, 60, 5)
    ]
    (tmp_path / "Ground 7.csv").write_text("Time,H (nT)\n" + "\n".join(lines) + "\n")
    return tmp_path


def helio(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run a command there."""
    environment = {"HELIO_HOME": str(folder / "home"), "HELIO_PIPELINES": str(folder / "pipelines")}
    done = prepared().run(arguments, cwd=folder, env=environment)
    return done.returncode, done.stdout, done.stderr


def test_from_a_file_to_a_figure(folder: Path) -> None:
    """The proposal is shown, saved and valid, the file copied, and the run makes a figure."""
    code, out, err = helio(folder, "add", "Ground 7.csv", "--yes")
    assert code == 0, err
    assert "576 records on 2 days, 2024-01-01 to 2024-01-04" in out
    assert "whole days without records: 2024-01-02 to 2024-01-03" in out
    assert (folder / "pipelines" / "data" / "Ground 7.csv").read_bytes() == (folder / "Ground 7.csv").read_bytes()
    assert "approved" not in (folder / "pipelines" / "ground.yaml").read_text()
    assert helio(folder, "check")[0] == 0
    code, out, err = helio(folder, "run", "ground", "2024-01-01", "2024-01-04", "--json")
    assert code == 0, err
    report = json.loads(out)
    assert (report["steps"]["h"]["computed"], report["steps"]["h"]["empty"]) == (2, 1)
    assert len(report["figures"]) == 1


def test_nobody_there_saves_nothing(folder: Path) -> None:
    """A program must accept it with --yes."""
    code, _, err = helio(folder, "add", "Ground 7.csv")
    assert (code, "Add --yes" in err) == (3, True)
    assert not (folder / "pipelines").exists()


def test_a_pipeline_is_not_replaced(folder: Path) -> None:
    """Unless it is forced."""
    helio(folder, "add", "Ground 7.csv", "--yes")
    code, _, err = helio(folder, "add", "Ground 7.csv", "--yes")
    assert (code, "there is a pipeline ground already" in err) == (2, True)
    assert helio(folder, "add", "Ground 7.csv", "--yes", "--force", "--json")[0] == 0
