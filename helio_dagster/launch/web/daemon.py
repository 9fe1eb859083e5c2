"""Dagster's daemon over a home, alone or beside the web UI: what starts schedules, sensors, backfills and queued runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from helio_dagster.launch.record.one_daemon import the_only_daemon
from helio_dagster.launch.web.processes import Processes, code_served, prepare
from helio_dagster.storage.settings import Settings

NAME = "daemon"


@contextmanager
def running_daemon(settings: Settings) -> Iterator[Processes]:
    """The daemon of a home and its code server; both end with the block, and with this process however it ends.

    Raises
    ------
    StorageError
        The home cannot be written, or another daemon runs on its record.
    HelioError
        One of the processes ended at once.
    """
    prepare(settings)
    with the_only_daemon(settings) as keep, code_served(settings, NAME) as processes:
        start_daemon(processes, keep)
        processes.check()
        yield processes


def start_daemon(processes: Processes, keep: Callable[[], None]) -> None:
    """Start the daemon over a code server; who calls this holds the record's one seat, and `keep` sees that it still does."""
    processes.run_only_while(keep)
    processes.start(NAME, ["dagster._daemon", "run", "--workspace", str(processes.write_workspace())])
