"""Lists at any width: words and names stay whole, and without a terminal nothing is wrapped."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
from collections.abc import Callable

import pytest

from helio_dagster.cli.console import Console
from helio_dagster.cli.entries import Entry, print_entries

LABEL = "Level 2 Flux Gate Magnetometer Survey DC Magnetic Field for MMS Satellite Number 1, 8 or 16 samples/s"
ENTRIES = [
    Entry(("MMS1_FGM_SRVY_L2", "MMS1", "62.5 ms", "2015-09 to now"), (LABEL, "mms1_fgm_b_gse_srvy_l2, mms1_fgm_b_gsm_srvy_l2")),
    Entry(("AC_H0_MFI", "ACE", "16 s", "1997-09 to now"), ("", "BGSEc, Magnitude")),
]
TITLES = ("dataset", "mission", "cadence", "data")


def _print() -> None:
    print_entries(TITLES, ENTRIES)


def _at_a_terminal(columns: int, show: Callable[[], None]) -> list[str]:
    """What is shown at a real terminal so wide, without its colors."""
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover - the other process
        os.environ.pop("COLUMNS", None)
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        os.environ["TERM"] = "xterm"
        with os.fdopen(os.dup(1), "w") as out:
            import sys

            sys.stdout = out
            show()
        os._exit(0)
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 65536)
        except OSError:
            break
        if not shown:
            break
    os.waitpid(child, 0)
    os.close(terminal)
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).split("\r\n")


@pytest.mark.parametrize("columns", [80, 60, 30])
def test_words_and_names_stay_whole_at_a_terminal(columns: int) -> None:
    """No line is longer than the terminal; facts are in columns where these fit, else one after the other."""
    lines = _at_a_terminal(columns, _print)
    assert max(map(len, lines)) <= columns
    words = " ".join(lines).split()
    wanted = [word for entry in ENTRIES for text in (*entry.cells, *entry.texts) for word in text.split()]
    assert [word for word in words if word not in TITLES] == wanted
    assert (lines[0].split() == list(TITLES)) == (columns > 30)


def test_without_a_terminal_nothing_is_wrapped(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text is one line, tables are as wide as they are, and a rule is no longer than a usual terminal."""
    monkeypatch.delenv("COLUMNS", raising=False)
    _print()
    assert f"    {LABEL}\n" in capsys.readouterr().out
    Console().print(f"{LABEL} " * 5)
    assert len(capsys.readouterr().out.splitlines()) == 1
    Console().rule("next")
    assert len(capsys.readouterr().out.rstrip("\n")) == 80
