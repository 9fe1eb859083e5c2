"""From a pipeline to a figure in a paper, and from a picture that was mailed back to the same figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.scenario.processes import helio


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a pipeline on the demo archive."""
    (tmp_path / "pipelines").mkdir()
    planned = helio(
        tmp_path, "plan", "ACE magnetic field magnitude for 2003-10-29", "--archive", "demo", "-o", "pipelines/storm.yaml"
    )
    assert planned.returncode == 0, planned.stderr
    return tmp_path


@pytest.mark.nightly  # by day what a picture carries is read in tests/unit/figures
def test_a_picture_that_was_mailed_is_made_again(home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Drawn for a column, shown, imported elsewhere from the picture alone, and drawn there to the same bytes."""
    made = helio(home, "figure", "storm", "2003-10-29", "--style", "agu", "--width", "column", "--letters", "-o", "fig1.pdf")
    assert (made.returncode, "ran what was missing" in made.stderr) == (0, True), made.stderr
    assert "95 x " in made.stdout
    again = helio(
        home, "figure", "storm/overview", "2003-10-29", "--style", "agu", "--width", "column", "--letters", "-o", "2.pdf"
    )
    assert again.stderr == ""
    content = (home / "fig1.pdf").read_bytes()
    assert (home / "2.pdf").read_bytes() == content

    other = tmp_path_factory.mktemp("elsewhere")
    (other / "mailed.pdf").write_bytes(content)
    shown = helio(other, "show", "mailed.pdf").stdout
    assert "not in this home" in shown
    assert "AC_H0_MFI v01 (demo)" in shown
    commands = [line.strip() for line in shown.splitlines()]
    assert "again     helio figure storm/overview 2003-10-29T00:00:00 2003-10-30T00:00:00" in commands
    assert "read it, then: helio pipelines import storm.yaml" in commands
    (other / "storm.yaml").write_text(helio(other, "show", "mailed.pdf", "--yaml").stdout)
    assert helio(other, "pipelines", "import", "storm.yaml").returncode == 0
    words = ["storm/overview", "2003-10-29T00:00:00", "2003-10-30T00:00:00"]
    redone = helio(other, "figure", *words, "--style", "agu", "--width", "column", "--letters", "-o", "fig1.pdf")
    assert redone.returncode == 0, redone.stderr
    assert (other / "fig1.pdf").read_bytes() == content
    assert "as in this home" in helio(other, "show", "mailed.pdf").stdout


def test_what_a_step_says_of_paper_makes_nothing_stale(home: Path) -> None:
    """`print:` on the step is taken, an option goes over it, and the stored figure stays as it is."""
    assert helio(home, "run", "storm", "2003-10-29").returncode == 0
    path = home / "pipelines" / "storm.yaml"
    path.write_text(path.read_text().replace("    figure:\n", "    figure:\n      print: {width: 100 mm, footer: true}\n"))
    assert "print: {width: 100 mm" in path.read_text()
    report = json.loads(helio(home, "run", "storm", "2003-10-29", "--json").stdout)
    assert report["run_id"] is None
    for options, width in (([], 100.0), (["--width", "120mm"], 120.0)):
        made = helio(home, "figure", "storm", "2003-10-29", "--format", "svg", *options, "--json")
        (figure,) = json.loads(made.stdout)["figures"]
        assert (figure["width_mm"], figure["file"]) == (width, "storm__overview__20031029_20031030.svg")
    assert "pipeline storm" in (home / figure["file"]).read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--width", "20mm"], "has no room for labels"),
        (["--width", "85"], "write column, page, or a length with its unit"),
        (["--format", "eps"], "eps is not a figure format"),
        (["--format", "pdf", "-o", "a.png"], "disagree"),
        (["--style", "nature"], "--style nature"),
    ],
)
def test_what_cannot_be_printed_is_said_before_anything_runs(home: Path, options: list[str], said: str) -> None:
    """One message, and no home is made."""
    done = helio(home, "figure", "storm", "2003-10-29", *options)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (home / ".helio" / "data").exists()
