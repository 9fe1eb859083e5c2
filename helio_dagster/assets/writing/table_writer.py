"""Hand small tables to the process that writes them, and take back what it says. What comes of a table is not decided here.

Writing a small table takes a millisecond, most of it in Python: threads would wait for each other.
"""

from __future__ import annotations

import logging
import os
import select
import subprocess
import sys
import threading
from pathlib import Path

import helio_dagster
from helio_dagster.assets.writing.messages import READY, Writing, receive, send
from helio_dagster.assets.writing.written import Written
from helio_dagster.domain.table import Table

_log = logging.getLogger(__name__)
SMALL_BYTES = 256 * 2**10
"""Tables up to this size are not worth a thread."""
_PIPE_BYTES = 2**20
_MOST_COLUMNS = 64
"""Of a table that is handed over: its reply must fit into a pipe that nobody reads while more tables are sent."""
MANY_TABLES = 150
"""So many small tables are worth the start of a process."""


class TableWriter:
    """Writes small tables in a process that is started for the first run of many, and ended by `close`.

    It only ever saves time: a table that it does not take, or fails to write, its caller writes.

    Parameters
    ----------
    cores
        The processor cores that the program may use; with one there is no process.
    """

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = self._has_failed = False
        self._refused = self._sent = self._received = 0
        self._replies: dict[int, Written | None] = {}
        self._access = threading.RLock()

    def start(self) -> None:
        """Start the process, if there is a core for it, and return at once; it takes tables as soon as it is ready."""
        with self._access:
            if self._process is None and not self._has_failed and self._cores > 1:
                root = str(Path(helio_dagster.__file__).parents[1])
                paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "helio_dagster.assets.writing.worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    bufsize=0,
                    pipesize=_PIPE_BYTES,
                    env={**os.environ, "PYTHONPATH": paths},
                )

    @property
    def is_ready(self) -> bool:
        """Whether the process has started and can be handed tables."""
        with self._access:
            if not self._is_ready and self._process is not None and self._has_reply():
                self._is_ready = receive(self._output) == READY
            return self._is_ready

    @property
    def pid(self) -> int | None:
        """The number of the process; None while there is none."""
        return self._process.pid if self._process is not None else None

    def begin(self, writing: Writing) -> int | None:
        """Hand over a table; the number to ask `result` for, or None if it is not taken."""
        if not is_small(writing.table) or not _is_plain(writing.table):
            return None
        with self._access:
            if self._process is None:
                self._refused += 1
                if self._refused >= MANY_TABLES:
                    self.start()
                return None
            try:
                if not self.is_ready:
                    return None
                send(self._input, writing)
            except (OSError, EOFError):
                self._fail()
                return None
            self._sent += 1
            return self._sent

    def is_done(self, number: int) -> bool:
        """Whether `result` need not wait."""
        with self._access:
            return number <= self._received or self._has_failed or self._process is None or self._has_reply()

    def result(self, number: int) -> Written | None:
        """What is known of a table, once it is written; None if it was not. A number can be asked for once."""
        with self._access:
            while self._received < number and self._process is not None:
                try:
                    reply = receive(self._output)
                except (OSError, EOFError):
                    self._fail()
                else:
                    self._received += 1
                    self._replies[self._received] = reply
            return self._replies.pop(number, None)

    def close(self) -> None:
        """End the process; a later `start` begins anew."""
        with self._access:
            self._end()
            self._has_failed = False
            self._refused = 0

    def _has_reply(self) -> bool:
        poller = select.poll()
        poller.register(self._output, select.POLLIN)
        return bool(poller.poll(0))

    def _fail(self) -> None:
        """Do without the process from now on."""
        _log.warning("The process that writes tables has ended: tables are written by the run itself from here on.")
        self._has_failed = True
        self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process, self._is_ready = None, False
        self._received = self._sent
        self._replies.clear()

    @property
    def _input(self) -> int:
        return self._process.stdin.fileno() if self._process and self._process.stdin else -1

    @property
    def _output(self) -> int:
        return self._process.stdout.fileno() if self._process and self._process.stdout else -1


def is_small(table: Table) -> bool:
    """Whether writing a table takes less time than handing it to a thread is worth."""
    return table.time.nbytes + sum(values.nbytes for values in table.columns.values()) <= SMALL_BYTES


def _is_plain(table: Table) -> bool:
    """Whether the values of a table are numbers and times in a few columns."""
    is_wide = len(table.columns) > _MOST_COLUMNS or bool(table.meta.axes)
    return not is_wide and all(values.dtype.kind in "fiuM" for values in table.columns.values())
