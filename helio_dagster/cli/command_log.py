"""The log of one command: what it was asked, what was fetched, computed and failed, warnings, and tracebacks of bugs."""

from __future__ import annotations

import logging
import os
import shlex
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import typer

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import write_error
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.secrets import masked
from helio_dagster.domain.shortage import shortage_of
from helio_dagster.domain.visible_text import visible
from helio_dagster.storage.log_files import LONGEST, LogFiles

LOGGED = frozenset(
    (
        *("demo", "chat", "run", "verify", "prune", "reindex", "ui", "serve", "mcp", "catalog refresh"),
        *("pipelines rm", "pipelines rename", "pipelines import", "pipelines fork", "operations save", "operations rm"),
    )
)
"""Commands that change something."""
_MOST_WAITING = 1000
_EMBEDDED_SERVER = "helio_dagster.archives.cdas.server"


class CommandLog(logging.Handler):
    """Writes records to a file of the home, without keys and passwords.

    No home is made for a log: until there is one, lines wait. Where the file cannot be written there is no log, and no error.
    """

    def __init__(self, home: Path, files: LogFiles, command: str) -> None:
        super().__init__()
        self._home, self._files, self._command = home, files, command
        self._began = datetime.now(UTC)
        self._file: int | None = None
        self._waiting: list[bytes] = []
        self._left = LONGEST

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record of one of our loggers, but what the embedded archive's own server says."""
        if record.name == _EMBEDDED_SERVER and record.levelno < logging.INFO:
            return
        self.add(f"{record.levelname.lower()}: {record.getMessage()}")

    def add(self, text: str) -> None:
        """Write a line, or several."""
        line = f"{datetime.now(UTC):%H:%M:%S} {visible(masked(text))}\n".encode("utf-8", "replace")
        if self._left <= 0:
            return
        self._left -= len(line)
        self._waiting = [*self._waiting, line if self._left > 0 else b"The log is full.\n"][-_MOST_WAITING:]
        with suppress(OSError):
            self._write()

    def end(self) -> None:
        """Close the file; what still waits for a home is dropped."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self) -> None:
        if self._file is None and self._home.is_dir():
            self._file = self._files.new(self._command, self._began)
        if self._file is not None:
            os.write(self._file, b"".join(self._waiting))
            self._waiting.clear()


@contextmanager
def logged(command: str) -> Iterator[None]:
    """Log what happens in the block; only what changes something is logged."""
    if command not in LOGGED:
        yield
        return
    settings = settings_from_environment()
    log = CommandLog(settings.home, LogFiles(settings.logs), command)
    ours = logging.getLogger("helio_dagster")
    level, began = ours.level, time.monotonic()
    ours.addHandler(log)
    ours.setLevel(logging.DEBUG)  # the terminal's handler has a level of its own
    log.add(f"{datetime.now(UTC):%Y-%m-%d} UTC, in {Path.cwd()}: helio {shlex.join(sys.argv[1:])}")
    ending = "ended"
    try:
        yield
    except KeyboardInterrupt:
        ending = "stopped"
        raise
    except HelioError as error:
        ending = f"failed: {error}"
        raise
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        ending = f"failed: {traceback.format_exc()}"
        if not isinstance(error, OSError) and shortage_of(error) is None:
            write_error("This is a bug in helio. `helio logs` shows the traceback again, for a report.\n")
        raise
    finally:
        log.add(f"{ending} after {time.monotonic() - began:.1f} s")
        log.end()
        ours.removeHandler(log)
        ours.setLevel(level)
