"""The logs of a home: one file per command that changed something. What is written into them belongs to `cli.command_log`."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from helio_dagster.domain.errors import InputError

MOST_FILES = 50
MOST_BYTES = 50_000_000
LONGEST = 5_000_000
"""Bytes of one log."""
_NAME = re.compile(r"[0-9]{8}-[0-9]{6}-[a-z-]+-[0-9]+\.log")


@dataclass(frozen=True)
class LogFiles:
    """Logs as files of one folder, which also holds those of the web UI's processes; only their owner can read them."""

    folder: Path

    def all(self) -> list[Path]:
        """The logs, the newest first."""
        try:
            found = [path for path in self.folder.iterdir() if _NAME.fullmatch(path.name)]
        except OSError:
            return []
        return sorted(found, key=lambda path: path.name, reverse=True)

    def find(self, words: str) -> Path:
        """The newest log whose name contains these words; InputError where there is none."""
        found = next((path for path in self.all() if words in path.name), None)
        if found is None:
            raise InputError(
                f"there is no log {words!r:.80}" if words else "there are no logs yet", hint="`helio logs --list` lists them."
            )
        return found

    def new(self, command: str, now: datetime) -> int:
        """Begin a log, and delete the oldest ones beyond the bounds; gives its open file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._prune()
        path = self.folder / f"{now:%Y%m%d-%H%M%S}-{command.replace(' ', '-')}-{os.getpid()}.log"
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def _prune(self) -> None:
        size = 0
        for number, path in enumerate(self.all(), start=1):
            with suppress(OSError):
                size += path.stat().st_size
                if number >= MOST_FILES or size > MOST_BYTES - LONGEST:
                    path.unlink()
