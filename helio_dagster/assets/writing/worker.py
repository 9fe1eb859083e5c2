"""The process that writes tables for a run. Started by `table_writer`; decides nothing.

Run as `python -m helio_dagster.assets.writing.worker`: tables come on stdin, what is known of them leaves on stdout. It ends
when stdin does. What it cannot write the run writes itself, and so finds out why.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from helio_dagster.assets.writing.messages import READY, Writing, receive, send
from helio_dagster.assets.writing.written import Written
from helio_dagster.storage.tables import TableStore


def serve() -> None:
    """Write tables until stdin ends, or the run that sends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run closes stdin
    replies, run = os.dup(sys.stdout.fileno()), os.getppid()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library that prints cannot garble a reply
    send(replies, READY)
    while True:
        try:
            asked: Writing = receive(sys.stdin.fileno())
        except EOFError:
            return
        if os.getppid() != run:  # it was killed: what it has not recorded is another run's to make
            return
        send(replies, _write(asked))


def _write(asked: Writing) -> Written | None:
    """Write a table; None if that failed."""
    try:
        stored = TableStore.write_file(Path(asked.path), asked.table, asked.provenance)
        return Written.of(stored, asked.table, asked.window, asked.excluded_s)
    except Exception:  # noqa: BLE001 - the edge of the process: the run does the same again, and raises what it finds
        return None


if __name__ == "__main__":
    serve()
