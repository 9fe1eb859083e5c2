"""`helio mcp install` and `helio doctor`, as a person types them; and `helio mcp` where its package is missing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.scenario.processes import Terminal, helio, surroundings


def test_nothing_is_written_without_a_yes(tmp_path: Path) -> None:
    """The entry and its place are shown first; without a terminal the exit code says that a person must answer."""
    done = helio(tmp_path, "mcp", "install", "gemini-cli")
    assert done.returncode == 3
    assert str(tmp_path / ".gemini" / "settings.json") in done.stdout
    assert '"mcpServers"' in done.stdout
    assert not (tmp_path / ".gemini").exists()
    terminal = Terminal(tmp_path, ["mcp", "install", "gemini-cli"], {})
    terminal.until("Add this to Gemini CLI? [y/N]")
    terminal.type("n")
    assert terminal.end() == 3
    assert not (tmp_path / ".gemini").exists()
    terminal = Terminal(tmp_path, ["mcp", "install", "gemini-cli"], {})
    terminal.until("[y/N]")
    terminal.type("y")
    terminal.until("Written. Start `gemini`")
    assert terminal.end() == 0
    again = helio(tmp_path, "mcp", "install", "gemini-cli")
    assert (again.returncode, "It is already there." in again.stdout) == (0, True)


@pytest.mark.nightly  # by day an installed entry is used in `test_mcp`
def test_doctor_starts_each_entry_as_its_client_does(tmp_path: Path) -> None:
    """One works, and one whose command is gone is named with the reason."""
    assert helio(tmp_path, "mcp", "install", "claude-code", "--yes").returncode == 0
    broken = {"mcpServers": {"helio": {"command": str(tmp_path / "gone"), "args": []}}}
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text(json.dumps(broken))
    found = json.loads(helio(tmp_path, "doctor", "--json").stdout)["mcp"]
    assert (found["tools"], found["problem"]) == (11, "")
    assert found["clients"]["claude-code"] == {"tools": 11, "problem": ""}
    assert found["clients"]["cursor"]["problem"]
    shown = helio(tmp_path, "doctor").stdout
    assert "claude-code: works (11 tools)" in shown
    assert "cursor: DOES NOT WORK" in shown


def test_without_the_package_there_is_one_clear_message(tmp_path: Path) -> None:
    """It is an extra."""
    import subprocess

    script = (
        "import sys\n"
        "from importlib.machinery import PathFinder\n"
        "class Without(PathFinder):\n"
        "    @classmethod\n"
        "    def find_spec(cls, name, path=None, target=None):\n"
        "        return None if name.partition('.')[0] == 'mcp' else super().find_spec(name, path, target)\n"
        "sys.meta_path[:] = [Without if each is PathFinder else each for each in sys.meta_path]\n"
        "from helio_dagster.cli.edge import run_app\n"
        "sys.exit(run_app(['mcp']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=surroundings(tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'helio-dagster[mcp]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_words_are_one_clear_message(tmp_path: Path) -> None:
    """A client, an archive or a folder that is none."""
    for arguments, told in (
        (["install", "claud-code"], "claude-code"),
        (["install", "codex", "--archive", "nasa"], "cdaweb or demo"),
        (["--archive", "nasa"], "cdaweb or demo"),
        (["--folder", "nowhere"], "nowhere"),
    ):
        done = helio(tmp_path, "mcp", *arguments)
        assert done.returncode == 2, arguments
        assert told in done.stderr
        assert "Traceback" not in done.stderr
