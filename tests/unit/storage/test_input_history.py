"""The lines that are kept for the up arrow."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from helio_dagster.storage.input_history import MOST_LINES, InputHistory


def test_lines_come_back_in_a_private_file(tmp_path: Path) -> None:
    """The oldest first; the same line twice is kept once; pasted lines become one."""
    history = InputHistory(tmp_path / "history")
    for line in ("ACE |B| last week", "approve", "approve", "make it red\nand thick", "  "):
        history.keep(line)
    assert InputHistory(tmp_path / "history").lines() == ["ACE |B| last week", "approve", "make it red and thick"]
    assert stat.S_IMODE((tmp_path / "history").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["history"]


def test_the_oldest_lines_are_dropped(tmp_path: Path) -> None:
    """The file never grows beyond its bound."""
    path = tmp_path / "history"
    path.write_text("".join(f"line {number}\n" for number in range(MOST_LINES)))
    InputHistory(path).keep("the newest")
    assert InputHistory(path).lines()[0] == "line 1"
    assert len(InputHistory(path).lines()) == MOST_LINES


@pytest.mark.parametrize(
    "line",
    [
        "sk-proj-abcdefghijklmnop1234",
        "my key is AIzaSyD1234567890abcdefghijklmnopqrstuv",
        "export OPENAI_API_KEY=short1",
        "password: hunter22",
        "get https://ada:hunter22@example.org/data",
        "d41d8cd98f00b204e9800998ecf8427e",
    ],
)
def test_what_looks_like_a_key_is_not_kept(line: str, tmp_path: Path) -> None:
    """Neither keys by their form nor by the word before them."""
    assert InputHistory(tmp_path / "history").keep(line) is None
    assert not (tmp_path / "history").exists()


@pytest.mark.parametrize(
    "line",
    ["flux of PSP_FLD_L2_MAG_RTN_4_SA_PER_CYC in 2020", "the key parameters of Wind", "https://cdaweb.gsfc.nasa.gov/WS/"],
)
def test_requests_are_kept(line: str, tmp_path: Path) -> None:
    """Ids of datasets and addresses are not secrets."""
    assert InputHistory(tmp_path / "history").keep(line) == line


def test_a_history_that_cannot_be_used_is_none(tmp_path: Path) -> None:
    """A folder in its place: no lines, and no error."""
    history = InputHistory(tmp_path)
    assert history.lines() == []
    assert history.keep("ACE |B|") == "ACE |B|"
