"""Lines are asked for also by a Python without `readline`."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from helio_dagster.cli.line_editor import LineEditor
from helio_dagster.storage.input_history import InputHistory


def test_without_readline_lines_are_read_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No keys, but the same history file; the end of the input is Ctrl-D."""
    monkeypatch.setitem(sys.modules, "readline", None)
    monkeypatch.setattr(sys, "stdin", io.StringIO("  ACE |B| last week\n"))
    editor = LineEditor(InputHistory(tmp_path / "history"))
    assert editor.ask("say> ") == "ACE |B| last week"
    with pytest.raises(EOFError):
        editor.ask("say> ")
    assert InputHistory(tmp_path / "history").lines() == ["ACE |B| last week"]
