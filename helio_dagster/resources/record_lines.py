"""Lines that a run on one machine leaves for another, in Dagster's table of keys and values of a record in PostgreSQL.

Rows are numbered in the order in which they were written, and each holds one line or several. They are there for as long as
somebody may wait for the run.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator

from helio_dagster.domain.errors import StorageError
from helio_dagster.resources.postgres_connection import PATIENCE_S
from helio_dagster.resources.postgres_questions import PostgresQuestions

_log = logging.getLogger(__name__)
_KEY = "helio/lines/"
_LAST = "SELECT key FROM kvs WHERE starts_with(key, %s) ORDER BY key DESC LIMIT 1"
_WRITE = "INSERT INTO kvs (key, value) VALUES (%s, %s) ON CONFLICT (key) DO NOTHING"
_NEW = """
    SELECT key, value FROM unnest(%s::text[], %s::text[]) AS asked (prefix, after)
    JOIN kvs ON starts_with(key, prefix) AND key > after ORDER BY key
"""
_FORGET = "DELETE FROM kvs WHERE starts_with(key, %s)"
_SWEEP = """
    DELETE FROM kvs WHERE starts_with(key, %s) AND NOT EXISTS (
        SELECT 1 FROM runs WHERE run_id = split_part(key, '/', 3) AND create_timestamp > now() - interval '7 days'
    )
"""
_PAUSE_S = 0.5


class LineWriter:
    """Writes lines from a thread of its own: one row for all that came while the last one was written.

    Parameters
    ----------
    address
        The record's.
    run_id
        The run.
    sleep
        Waits for some seconds.

    Raises
    ------
    StorageError
        The server cannot be reached, refuses, or fails.
    """

    def __init__(self, address: str, run_id: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._questions, self._prefix, self._sleep = PostgresQuestions(address), f"{_KEY}{run_id}/", sleep
        last = self._questions.rows(_LAST, (self._prefix,), patience_s=PATIENCE_S)  # of a process that was killed
        self._next = int(last[0][0].rpartition("/")[2]) + 1 if last else 1
        self._lines: list[str] = []
        self._access, self._closes_by = threading.Condition(), float("inf")
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def write(self, line: str) -> None:
        """Write a line, soon."""
        with self._access:
            self._lines.append(line)
            self._access.notify()

    def close(self) -> None:
        """Wait until all is written, for half a minute if the server is away."""
        with self._access:
            self._closes_by = time.monotonic() + PATIENCE_S
            self._access.notify()
        self._thread.join()
        self._questions.close()

    def _work(self) -> None:
        while True:
            with self._access:
                self._access.wait_for(lambda: self._lines or self._closes_by < float("inf"))
                lines, self._lines = self._lines, []
            if not lines:
                return
            if not self._is_written("\n".join(lines)):
                return
            self._next += 1

    def _is_written(self, text: str) -> bool:
        """Write a row, however often it takes; False where there is no more time for it."""
        while True:
            try:
                self._questions.rows(_WRITE, (f"{self._prefix}{self._next:010d}", text))
            except StorageError as error:
                if time.monotonic() > self._closes_by:
                    _log.warning("who waits for this run is not told all that it did: %s", error)
                    return False
                self._sleep(_PAUSE_S)
            else:
                return True


class LineReader:
    """Reads what runs wrote since it looked last.

    Parameters
    ----------
    address
        The record's.
    """

    def __init__(self, address: str) -> None:
        self._questions = PostgresQuestions(address)
        self._read: dict[str, int] = {}

    def new(self, run_ids: Collection[str]) -> Iterator[tuple[str, str]]:
        """Run and line, in the order of each run.

        Raises
        ------
        StorageError
            The server cannot be reached, refuses, or fails.
        """
        prefixes = [f"{_KEY}{each}/" for each in run_ids]
        after = [f"{prefix}{self._read.get(each, 0):010d}" for each, prefix in zip(run_ids, prefixes, strict=True)]
        for key, text in self._questions.rows(_NEW, (prefixes, after)):
            run_id, _, number = str(key).removeprefix(_KEY).rpartition("/")
            self._read[run_id] = int(number)
            for line in str(text).splitlines():
                yield run_id, line

    def forget(self, run_id: str) -> None:
        """Delete the lines of a run."""
        self._questions.rows(_FORGET, (f"{_KEY}{run_id}/",))
        self._read.pop(run_id, None)

    def sweep(self) -> None:
        """Delete lines for somebody who did not wait for the end of a run, a week after it was queued."""
        self._questions.rows(_SWEEP, (_KEY,))

    def close(self) -> None:
        """End the connection."""
        self._questions.close()
