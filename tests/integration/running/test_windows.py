"""Runs over the windows of a list: shared partitions once, results for each window, one failure alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from helio_dagster import run_windows
from helio_dagster.domain.errors import InputError
from helio_dagster.launch.running.windows import read_windows
from tests.integration.running.conftest import MakeSite, Mission, Site

WITH_NUMBERS = """
version: 1
name: basic
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: numbers
    over: range
    compute: {operation: facts_of, inputs: {series: mag}, options: {statistics: [mean]}}
"""
LIST = """\
# Name : three windows;
# Creation Date : 2026-01-01T00:00:00;
2023-01-02T06:00:00 2023-01-03T06:00:00 first
2023-01-03T01:00:00 2023-01-03T09:30:00 second
2023-01-04T00:00:00 2023-01-04T12:00:00 third
"""


@pytest.fixture
def site(make_site: MakeSite, tmp_path: Path) -> Site:
    """A home, and a list of windows elsewhere."""
    (tmp_path / "windows.txt").write_text(LIST)
    return make_site("home", WITH_NUMBERS)


def test_each_window_has_its_result_and_days_are_made_once(site: Site, tmp_path: Path, shell: Callable) -> None:
    """The same numbers and bytes as a run over that range alone; nothing is left to do the second time."""
    path = str(tmp_path / "windows.txt")
    ran = shell(site, "run", "basic", "--windows", path, "--json")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert "AMDA time table: 3 events" in ran.stderr
    assert [window["id"] for window in report["windows"]] == ["first", "second", "third"]
    assert sorted(Path(name).stem for name in site.files("basic/numbers")) == [
        "20230102T060000_20230103T060000",
        "20230103T010000_20230103T093000",
        "20230104_20230104T120000",
    ]
    computed = [window["report"]["steps"]["mag"]["computed"] for window in report["windows"]]
    assert computed == [2, 0, 1]
    files = site.files("basic")
    again = json.loads(shell(site, "run", "basic", "--windows", path, "--json").stdout)
    assert [window["report"]["run_id"] for window in again["windows"]] == [None] * 3
    assert shell(site, "run", "basic", "2023-01-03T01:00", "2023-01-03T09:30").returncode == 0
    assert site.files("basic") == files
    forced = json.loads(shell(site, "run", "basic", "--windows", path, "--force", "--json").stdout)
    steps = [window["report"]["steps"] for window in forced["windows"]]
    assert [(each["mag"]["computed"], each["b"]["computed"]) for each in steps] == [(2, 2), (0, 0), (1, 1)]
    assert [each["numbers"]["computed"] for each in steps] == [2, 1, 1]
    assert site.files("basic") == files


def test_one_window_that_fails_leaves_the_others(site: Site, tmp_path: Path, mission: Mission, shell: Callable) -> None:
    """With exit code 1 and the reason; a window outside time fails alone too."""
    mission.spoil("2023-01-04")
    path = tmp_path / "windows.txt"
    path.write_text(LIST + "2099-01-01 2099-01-02 later\n")
    ran = shell(site, "run", "basic", "--windows", str(path))
    assert ran.returncode == 1
    assert "partial: 2 of 4 windows done" in ran.stdout
    assert "first: success" in ran.stdout
    assert "third: failed" in ran.stdout
    assert "is not over yet" in ran.stdout


def test_what_a_window_lacks_is_said_with_it(site: Site, tmp_path: Path, shell: Callable) -> None:
    """What is not as expected, and stopped the steps that read it, as a run over that range alone says it."""
    stopping = "inputs: {vector: b}}\n    expect: {max: 0, severity: block}\n"
    site.save(WITH_NUMBERS.replace("inputs: {vector: b}}\n", stopping))
    ran = shell(site, "run", "basic", "--windows", str(tmp_path / "windows.txt"), "--yes")
    assert ran.returncode == 1
    assert "stopped: mag 2023-01-02 is not as expected" in ran.stdout
    assert "change `expect:` in the file" in ran.stdout


def test_windows_from_python(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pairs of times."""
    monkeypatch.setenv("HELIO_PIPELINES", str(site.settings.pipelines))
    monkeypatch.setenv("HELIO_CDAWEB_URL", site.settings.cdaweb_url)
    report = run_windows("basic", [("2023-01-02", "2023-01-03"), ("2023-01-03", "2023-01-04")], home=site.settings.home)
    assert [window.status for window in report.windows] == ["success", "success"]
    assert report.exit_code == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the list is empty"),
        ("2023-01-02\n", "has no stop"),
        ("2023-01-03 2023-01-02\n", "stop is not after"),
        (None, "there is no list"),
    ],
)
def test_what_is_no_list_of_windows_is_said(tmp_path: Path, text: str | None, problem: str) -> None:
    """Before anything is run."""
    path = tmp_path / "wrong.txt"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=problem):
        read_windows(path)


def test_a_pipeline_over_events_has_its_own_list(site: Site, tmp_path: Path, shell: Callable) -> None:
    """And other ways to ask for a range exclude each other."""
    site.save(
        "version: 1\nname: storms\npartitions: {events: list, after: PT1H}\nsteps:\n"
        "  - id: list\n    table: {csv: '2023-01-02', source: x}\n".replace("'2023-01-02'", '"time\\n2023-01-02"')
    )
    path = str(tmp_path / "windows.txt")
    ran = shell(site, "run", "storms", "--windows", path)
    assert (ran.returncode, "helio run storms --all" in ran.stderr) == (2, True)
    assert shell(site, "run", "basic", "2023-01-02", "--windows", path).returncode == 2
