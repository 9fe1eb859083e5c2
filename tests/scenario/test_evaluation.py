"""`helio eval` as people and programs meet it: planners side by side, groups of requests, wrong files and settings."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helio_dagster.cli.edge import run_app
from tests.scenario.processes import ROOT
from tests.scenario.scripts import call, fetch, figure, operation, plan

REQUESTS = """\
now: 2026-03-10T15:30Z
lists:
  ace_b: ["AC_H?_MFI/B*"]
requests:
- {set: tune, request: "ACE |B| on 2003-10-29", expect: plan, fetch: [ace_b], compute: [magnitude], panels: 1,
   range: 2003-10-29 2003-10-30}
- {set: report, given: "ACE |B| on 2003-10-29", request: "mach die Linie rot", expect: edits,
   changes: {"figure.panels[[]0].traces[[]0].color": red}}
- {set: report, given: "ACE |B| on 2003-10-29", request: "undo that", expect: undo}
"""
RED = {"kind": "edit_step", "step": "overview", "changes": {"figure.panels[0].traces[0].color": "red"}}
SCRIPT = [
    plan(
        "ACE |B|",
        "on 2003-10-29",
        fetch("b", "AC_H0_MFI/BGSEc", archive="cdaweb"),
        operation("b_mag", "magnitude", vector="b"),
        figure(["b_mag"]),
    ),
    call("search_catalog", words="ACE magnetic field"),
    call("submit_edits", edits=[RED]),
    call("refuse", reasons=["There is nothing to undo."]),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with requests and the script of a model; no model is configured."""
    monkeypatch.chdir(tmp_path)
    for name in ("HELIO_MODEL", "HELIO_MODEL_SMALL", "HELIO_MODEL_URL", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "mine.yaml").write_text(REQUESTS)
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT))
    return tmp_path


def rows(printed: str) -> list[list[str]]:
    """The words of each line."""
    return [line.split() for line in printed.splitlines()]


def test_planners_are_printed_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    """Each set in a table of its own, then what a planner did not get right; a wrong answer is no failure."""
    assert run_app(["eval", "mine.yaml", "--planner", "offline", "--planner", "scripted:script.json"]) == 0
    printed = capsys.readouterr().out
    tune, report = printed.split("Set report: 2 requests.")
    assert "Set tune: 1 request." in tune
    assert ["offline", "scripted:script.json"] in rows(tune)
    assert ["right", "1", "1"] in rows(tune)
    assert ["plan", "1", "of", "1", "1", "of", "1"] in rows(tune)
    assert ["right", "1", "1"] in rows(report)
    assert ["edits", "0", "of", "1", "1", "of", "1"] in rows(report)
    assert ["asks", "1", "1"] in rows(report)
    assert ["rounds", "·", "3", "(1.5", "each)"] in rows(report)
    assert ["cost", "·", "unknown"] in rows(report)
    assert "'mach die Linie rot' after 'ACE |B| on 2003-10-29' (expected: edits)" in report
    assert "scripted:script.json  asks: refusal, not undo: There is nothing to undo." in report
    assert "\n'ACE |B| on 2003-10-29' (expected" not in report


def test_programs_read_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """With every answer; the default is the offline planner where no model is configured."""
    assert run_app(["eval", "mine.yaml", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (planner,) = document["planners"]
    assert planner["planner"] == "offline"
    assert {name: planner["sets"][name]["right"] for name in ("tune", "report")} == {"tune": 1, "report": 1}
    assert (planner["requests"], planner["rounds"], planner["cost_usd"]) == (3, 0, 0)
    assert [each["answers"][0]["verdict"] for each in document["requests"]] == ["right", "asks", "right"]


def test_the_configured_model_is_evaluated_beside_the_offline_planner(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no planner is named; one that fails makes the command fail, and the others are still printed."""
    monkeypatch.setenv("HELIO_MODEL", "scripted:script.json")
    Path("script.json").write_text(json.dumps([{"trouble": "outage"}] * 9))
    assert run_app(["eval", "mine.yaml", "--only", "undo"]) == 1
    printed = rows(capsys.readouterr().out)
    assert ["offline", "scripted:script.json"] in printed
    assert ["right", "1", "·"] in printed
    assert ["failed", "·", "1"] in printed


def test_groups_are_sets_and_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    """Repeated, any of them counts; another word is an error that names the groups."""
    assert run_app(["eval", "mine.yaml", "--only", "tune", "--only", "undo", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["expect"] for each in document["requests"]] == ["plan", "undo"]
    assert run_app(["eval", "mine.yaml", "--only", "reports"]) == 2
    assert "there is no group 'reports' of requests\n  Did you mean report?" in capsys.readouterr().err


def test_a_faulty_file_is_refused_with_line_and_path(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is asked."""
    Path("mine.yaml").write_text(REQUESTS.replace("expect: undo", "expect: undone"))
    assert run_app(["eval", "mine.yaml"]) == 2
    printed = capsys.readouterr()
    assert "mine.yaml:9: requests[2].expect: 'undone' is not allowed here\n  Did you mean undo?" in printed.err
    assert printed.out == ""


@pytest.mark.parametrize(
    ("planner", "said"),
    [
        ("online", "there is no planner 'online'\n  Write offline, or provider:model"),
        ("google:gemini-3.8-flash", "GOOGLE_API_KEY or GEMINI_API_KEY is not set"),
        ("mistral:small", "does not name a known provider"),
        ("scripted:gone.json", "the script gone.json cannot be read"),
    ],
)
def test_a_planner_that_cannot_be_had_is_refused(planner: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Before any request is asked."""
    assert run_app(["eval", "mine.yaml", "--planner", "offline", "--planner", planner]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.out == ""


def test_what_was_judged_is_printed_when_it_is_stopped() -> None:
    """Ctrl-C at a model that costs money does not lose its answers; the command has not succeeded."""
    command = [sys.executable, "-P", "-m", "helio_dagster", "eval", "--planner", "offline", "-v"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "offline: right: ACE |B| last week\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert "Stopped. These are the results so far.\n" in err
    assert "'ACE |B| last week' (expected: plan)\n    offline  right\n" in out
    assert "forecast Kp for tomorrow" not in out or "forecast Kp for tomorrow' (expected: refusal)\n    offline" not in out
    assert process.returncode == 1
