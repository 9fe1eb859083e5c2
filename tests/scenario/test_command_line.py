"""From a sentence to a figure through the command line, as a new user types it in an empty folder."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.scenario.processes import helio, surroundings
from tests.tiers import by_day

REQUEST = "compare ACE and Wind |B| for 2003-10-29"
NAME = "ace_and_wind_magnetic_field_magnitude"


@dataclass(frozen=True)
class Shell:
    """An empty working folder and no `HELIO_` setting."""

    folder: Path

    def helio(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `helio` to its end, without a terminal."""
        return helio(self.folder, *arguments)

    def json(self, *arguments: str) -> Any:
        """The one document that a command prints with `--json`."""
        return read_json(self.helio(*arguments, "--json"))

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the interpreter in the folder."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=surroundings(self.folder),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=300,
            check=False,
        )


def read_json(done: subprocess.CompletedProcess[str]) -> Any:
    """The one document that was printed."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@cache
def one_pipeline() -> str:
    """The file of a plan, made once a process."""
    with tempfile.TemporaryDirectory() as folder:
        done = helio(Path(folder), "plan", "ACE |B| for 2003-10-29", "--archive", "demo", "-o", "one.yaml")
        assert done.returncode == 0, done.stderr
        return (Path(folder) / "one.yaml").read_text()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """An empty folder to work in."""
    return Shell(tmp_path)


def test_a_sentence_becomes_a_pipeline_is_replayed_and_reused(shell: Shell) -> None:
    """Plan, save, check, run, run again, status, export: each command says what it did, and the second run does nothing."""
    (shell.folder / "pipelines").mkdir()
    planned = shell.json("plan", REQUEST, "--archive", "demo", "-o", "pipelines")
    assert (planned["status"], planned["planner"], planned["start"], planned["stop"]) == (
        "plan",
        "offline",
        "2003-10-29",
        "2003-10-30",
    )
    assert (shell.folder / "pipelines" / f"{NAME}.yaml").is_file()
    assert shell.helio("check").returncode == 0

    first = shell.json("run", NAME, "2003-10-29")
    assert first["status"] == "success"
    assert first["partitions"] == ["2003-10-29"]
    assert {step: counts["computed"] for step, counts in first["steps"].items()} == dict.fromkeys(first["steps"], 1)
    assert Path(first["figures"][0]["html"]).stat().st_size > 10_000

    second = shell.json("run", NAME, "2003-10-29")
    assert second["run_id"] is None
    assert {step: (counts["computed"], counts["reused"]) for step, counts in second["steps"].items()} == dict.fromkeys(
        second["steps"], (0, 1)
    )

    status = shell.json("status", NAME, "2003-10-29")
    assert {asset["partitions"][0]["state"] for asset in status["assets"]} == {"fresh"}

    shown = shell.json("show", f"{NAME}/ace_b_mag", "2003-10-29")
    assert (shown["partition"], shown["unit"], shown["run_id"]) == ("2003-10-29", "nT", first["run_id"])
    assert [source["name"] for source in shown["sources"]] == ["ac_h0_mfi_20031029_v01.cdf"]

    exported = shell.helio("export", f"{NAME}/ace_b_mag", "2003-10-29", "-o", "b.csv")
    assert exported.returncode == 0, exported.stderr
    lines = (shell.folder / "b.csv").read_text().splitlines()
    rows = [line for line in lines if not line.startswith("#")]
    assert "# column ace_b_mag [nT]: |B|" in lines
    assert rows[0] == "time,ace_b_mag"
    assert rows[1].startswith("2003-10-29T00:00:")
    assert float(rows[1].split(",")[1]) > 0


def test_the_demo_does_the_main_job_in_an_empty_folder(shell: Shell) -> None:
    """It ends well, its last replay redoes nothing, and its figures are there and say that the data are synthetic."""
    done = read_json(shell.python("-m", "helio_dagster", "demo", "--json"))
    first, other, again = done["runs"]
    assert {run["status"] for run in done["runs"]} == {"success"}
    assert first["partitions"] != other["partitions"]
    assert first["partitions"] == again["partitions"]
    assert len(first["partitions"]) == 3
    assert again["run_id"] is None
    assert sum(counts["computed"] for counts in again["steps"].values()) == 0
    page = Path(first["figures"][0]["html"])
    assert "SYNTHETIC DATA" in page.read_text()
    assert page.with_suffix(".png").is_file()


def test_a_replay_loads_no_language_model_client(shell: Shell) -> None:
    """Promise 1: after a whole run in one process, none of the clients' packages was imported, and no key was there."""
    assert shell.helio("plan", "ACE |B| for 2003-10-29", "--archive", "demo", "-o", "one.yaml").returncode == 0
    script = (
        "import sys\n"
        "from helio_dagster.cli.edge import run_app\n"
        "code = run_app(['run', 'one.yaml', '2003-10-29'])\n"
        "clients = {'openai', 'anthropic', 'pydantic_ai', 'google.genai', 'litellm', 'helio_dagster.agent.planner'}\n"
        "print(code, sorted(clients & set(sys.modules)))\n"
    )
    done = shell.python("-c", script)
    assert done.stdout.splitlines()[-1] == "0 []", done.stdout + done.stderr


def test_help_and_plan_load_neither_dagster_nor_pandas(shell: Shell) -> None:
    """What a person waits for at the prompt imports nothing heavy."""
    script = (
        "import sys\n"
        "from helio_dagster.cli.edge import run_app\n"
        "run_app(['--help'])\n"
        "run_app(['plan', 'ACE |B| for 2003-10-29'])\n"
        "print(sorted({'dagster', 'mcp', 'pandas', 'plotly', 'pyarrow', 'scipy'} & set(sys.modules)))\n"
    )
    done = shell.python("-c", script)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


WRONG: list[tuple[list[str], int, str]] = [
    (["run", "nothing_here", "2003-10-29"], 2, "there is no pipeline 'nothing_here'"),
    (["run", "../escape", "2003-10-29"], 2, "is not a pipeline name"),
    (["run", "one.yaml", "0000-01-01"], 2, "0000-01-01"),
    (["run", "one.yaml", "9999-01-01"], 2, "9999-01-01"),
    (["run", "one.yaml", "2003-10-30", "2003-10-29"], 2, "2003-10-29"),
    (["run", "one.yaml", "2003-02-30"], 2, "2003-02-30"),
    (["run", "one.yaml", "2199-01-01"], 2, "not over yet"),
    (["run", "one.yaml", "2000-01-01", "2020-01-01"], 3, "That is a long run. Start it?"),
    (["run", "one.yaml"], 2, "no time range"),
    (["plan", "the weather in Paris tomorrow"], 3, "I have no data of"),
    (["plan", ""], 2, "request"),
    (["export", "demo/AC_H0_MFI/BGSEc", "2003-10-29", "-o", "b.xls"], 2, "demo/AC_H0_MFI/BGSEc"),
    (["frobnicate"], 2, "frobnicate"),
    (["pipelines", "rm", "one"], 2, "there is no pipeline 'one'"),
    (["ui", "--port", "99999"], 2, "65535"),
]
BY_DAY = (0, 1, 3, 4, 7, 8, 9, 12)
"""One of each kind: names, times, ranges, requests and commands."""


@pytest.mark.parametrize("case", by_day(WRONG, *(WRONG[place] for place in BY_DAY)), ids=lambda case: " ".join(case[0]))
def test_wrong_input_is_one_clear_message(tmp_path: Path, case: tuple[list[str], int, str]) -> None:
    """The exit code of the design, the thing that is wrong by name, and no traceback."""
    arguments, code, told = case
    (tmp_path / "one.yaml").write_text(one_pipeline())
    done = helio(tmp_path, *arguments)
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    assert told in said
    assert "Traceback" not in said
