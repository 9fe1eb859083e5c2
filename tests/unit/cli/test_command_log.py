"""The log of a command: what stands in it, who can read it, and how much is kept."""

from __future__ import annotations

import logging
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.cli.command_log import CommandLog, logged
from helio_dagster.cli.logs import logs
from helio_dagster.domain.errors import InputError
from helio_dagster.storage.log_files import LONGEST, MOST_FILES, LogFiles

LOG = logging.getLogger("helio_dagster.somewhere")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of this process."""
    made = tmp_path / "home"
    made.mkdir()
    monkeypatch.setenv("HELIO_HOME", str(made))
    return made


def test_a_log_tells_what_was_done_without_secrets(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fine lines too, which the terminal does not show; only its owner can read it."""
    with logged("run"):
        LOG.debug("computed %s", "cdaweb/AC_H0_MFI/BGSEc")
        LOG.warning("https://ada:hunter22@example.org/a?token=abcdef failed\x1b[2J")
    [path] = LogFiles(home / "logs").all()
    text = path.read_text()
    assert "computed cdaweb/AC_H0_MFI/BGSEc" in text
    assert "warning: https://example.org/a?token=… failed\\x1b[2J" in text
    assert "ended after" in text
    assert "hunter22" not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert logs() == 0
    assert text in capsys.readouterr().out


def test_a_bug_is_logged_with_its_traceback(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And the terminal says where; what a person caused has none."""
    with pytest.raises(ZeroDivisionError), logged("run"):
        assert 1 / 0
    assert "ZeroDivisionError" in LogFiles(home / "logs").all()[0].read_text()
    assert "`helio logs`" in capsys.readouterr().err
    with pytest.raises(InputError), logged("prune"):
        raise InputError("no such thing")
    text = LogFiles(home / "logs").find("prune").read_text()
    assert "failed: no such thing" in text
    assert "Traceback" not in text


def test_what_changes_nothing_is_not_logged_and_no_home_is_made(home: Path) -> None:
    """`helio status` leaves nothing; a command that makes no home gets no log."""
    with logged("status"):
        LOG.warning("x")
    assert list(home.iterdir()) == []
    home.rmdir()
    with logged("prune"):
        LOG.warning("x")
    assert not home.exists()


def test_a_log_waits_for_its_home(tmp_path: Path) -> None:
    """What was said before there was one is in it."""
    log = CommandLog(tmp_path / "home", LogFiles(tmp_path / "home" / "logs"), "run")
    log.add("first")
    (tmp_path / "home").mkdir()
    log.add("second")
    log.end()
    [path] = LogFiles(tmp_path / "home" / "logs").all()
    assert [line[9:] for line in path.read_text().splitlines()] == ["first", "second"]


@pytest.mark.slow
def test_logs_are_bounded(tmp_path: Path) -> None:
    """A log has an end, and the oldest ones are deleted; other files of the folder stay."""
    files = LogFiles(tmp_path)
    (tmp_path / "daemon.log").write_text("of the web UI")
    for number in range(MOST_FILES + 3):
        os.close(files.new("run", datetime(2024, 1, 1, number // 60, number % 60, tzinfo=UTC)))
    assert len(files.all()) == MOST_FILES
    assert files.all()[-1].name.startswith("20240101-0003")
    assert (tmp_path / "daemon.log").is_file()
    log = CommandLog(tmp_path, files, "chat")
    for _ in range(3):
        log.add("x y " * (LONGEST // 6))
    log.end()
    assert files.find("chat").stat().st_size < 1.1 * LONGEST
    assert files.find("chat").read_text().endswith("The log is full.\n")


def test_a_log_that_cannot_be_written_is_none(home: Path) -> None:
    """A file in the place of its folder: the command goes on."""
    (home / "logs").write_text("")
    with logged("run"):
        LOG.warning("x")
    with pytest.raises(InputError, match="no logs yet"):
        logs()
