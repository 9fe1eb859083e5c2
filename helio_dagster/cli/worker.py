"""`helio worker`: do the queued runs of a home."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import flush, write


def worker(
    runs: Annotated[int, typer.Option("--runs", min=1, max=64, help="Runs at a time.")] = 1,
) -> int:
    """Do the runs that others start on this home, as `helio run` and Dagster's pages do. Ctrl-C stops after the current one."""
    settings = settings_from_environment()
    from helio_dagster.launch.dispatching.extra import needed_dispatch, open_app
    from helio_dagster.launch.record.instance import open_instance
    from helio_dagster.launch.web.ui import environment_of_processes

    place = needed_dispatch(settings).place
    open_app(settings)
    with open_instance(settings):
        pass  # its tables are made, and an older release is refused
    write(f"A worker of the home {settings.home}, for runs from {place}. Ctrl-C stops it.\n")
    flush()
    environment = environment_of_processes(settings, settings.instance)
    command = [sys.executable, "-m", "helio_dagster.launch.dispatching.worker", str(runs)]
    os.execve(command[0], command, environment)  # noqa: S606 - our own interpreter; the signals of a terminal reach Celery itself
