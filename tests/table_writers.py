"""A process that writes tables, ready to be asked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from helio_dagster.assets.writing.table_writer import TableWriter

_PATIENCE_S = 60


@contextmanager
def running_table_writer() -> Iterator[TableWriter]:
    """Start the process and wait until it takes tables; it ends with the block."""
    with closing(TableWriter(cores=2)) as writer:
        writer.start()
        deadline = time.monotonic() + _PATIENCE_S
        while not writer.is_ready:
            assert time.monotonic() < deadline, "the process does not start"
            time.sleep(0.02)
        yield writer
