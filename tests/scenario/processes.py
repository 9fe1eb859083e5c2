"""`helio` as a process of its own: to its end without a terminal, or in a pseudo terminal. What is said stands in the tests."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.prepared import prepared

PATIENCE_S = 120
ROOT = Path(__file__).parents[2]
_COLORS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[>=]|\r")
_PROMPT = re.compile(r"^(say|answer|approve|retry)[^>\n]*> \Z", re.MULTILINE)


def surroundings(folder: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a new user in an empty folder: no `HELIO_` setting and no key."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm",
        "USER": "ada",
        "LOGNAME": "ada",
        **(more or {}),
    }


def helio(
    folder: Path, *arguments: str, said: str | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `helio` in a folder to its end, without a terminal; `said` is what its standard input gives."""
    return prepared().run(arguments, cwd=folder, env=surroundings(folder, environment), said=said or "")


def _take_terminal() -> None:
    """Make standard input the terminal that Ctrl-C comes from."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """`helio` in a pseudo terminal: what it shows, and what is typed."""

    def __init__(self, folder: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self.folder = folder
        self._master, slave = pty.openpty()
        shape = termios.tcgetattr(slave)
        shape[3] &= ~termios.ECHO
        termios.tcsetattr(slave, termios.TCSANOW, shape)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "helio_dagster", *arguments],
            cwd=folder,
            env=surroundings(folder, {"COLUMNS": "160", **environment}),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self._shown = ""
        self._open = True

    def until(self, words: str) -> str:
        """What is shown up to and with these words, from where was read last."""
        deadline = time.monotonic() + PATIENCE_S
        while words not in self._shown:
            left = deadline - time.monotonic()
            assert left > 0, f"{words!r} is not shown: {self._shown[-3000:]}"
            if not self._read(left):
                assert words in self._shown, f"it ended before {words!r}: {self._shown[-3000:]}"
        place = self._shown.index(words) + len(words)
        shown, self._shown = self._shown[:place], self._shown[place:]
        return shown

    def until_prompt(self) -> str:
        """What is shown up to the next prompt, from where was read last."""
        deadline = time.monotonic() + PATIENCE_S
        while not _PROMPT.search(self._shown):
            left = deadline - time.monotonic()
            assert left > 0, f"no prompt is shown: {self._shown[-3000:]}"
            assert self._read(left), f"it ended before a prompt: {self._shown[-3000:]}"
        shown, self._shown = self._shown, ""
        return shown

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._master, f"{line}\n".encode())

    def press(self, key: str) -> None:
        """Press Ctrl and a key: for C the terminal interrupts every process in its foreground, as a real one does."""
        os.write(self._master, bytes([ord(key) & 0x1F]))

    def paste(self, text: str) -> None:
        """Paste a text, marked as terminals mark it."""
        os.write(self._master, f"\x1b[200~{text}\x1b[201~".encode())

    def end(self) -> int:
        """Wait for the process to end; its exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self._open and (left := deadline - time.monotonic()) > 0 and self._read(left):
            pass
        return self.process.wait(max(1, deadline - time.monotonic()))

    def hang_up(self) -> int:
        """Close the terminal, as a window that is closed; the exit code of the process."""
        os.close(self._master)
        self._open = False
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        """End the process and its terminal where they are still there."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(PATIENCE_S)
        if self._open:
            os.close(self._master)
            self._open = False

    def _read(self, patience_s: float) -> bool:
        """Read on; False at the end."""
        ready, _, _ = select.select([self._master], [], [], patience_s)
        if not ready:
            return True
        try:
            read = os.read(self._master, 65536)
        except OSError:
            return False
        self._shown += _COLORS.sub("", read.decode(errors="replace"))
        return bool(read)
