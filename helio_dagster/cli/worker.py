"""`helio worker`: do the queued runs of a home."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from helio_dagster.cli.health import checked
from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import flush, write

if TYPE_CHECKING:
    from helio_dagster.storage.settings import Settings


def worker(
    runs: Annotated[int, typer.Option("--runs", min=1, max=64, help="Runs at a time.")] = 1,
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether a worker on this machine answers: exit code 0, or 1.")
    ] = False,
) -> int:
    """Do the runs that others start on this home, as `helio run` and Dagster's pages do. Ctrl-C stops after the current one."""
    settings = settings_from_environment()
    if check:
        from helio_dagster.launch.dispatching.extra import require_worker_here

        return checked(lambda: f"a worker answers: {require_worker_here(settings)}")
    return _become_worker(settings, runs)


def _become_worker(settings: Settings, runs: int) -> NoReturn:
    """Check that the home can be used, and replace this process by a worker of Celery's."""
    from helio_dagster.launch.dispatching.extra import needed_dispatch, open_app
    from helio_dagster.launch.record.instance import open_instance
    from helio_dagster.launch.web.processes import environment_of_processes
    from helio_dagster.resources.shared_tables import join

    place = needed_dispatch(settings).place
    open_app(settings)
    with open_instance(settings):
        pass  # its tables are made, and an older release is refused
    more = ["leaves"] if join(settings) else []
    write(f"A worker of the home {settings.home}, for runs from {place}. Ctrl-C stops it.\n")
    flush()
    environment = environment_of_processes(settings, settings.instance)
    command = [sys.executable, "-m", "helio_dagster.launch.dispatching.worker", str(runs), *more]
    os.execve(command[0], command, environment)  # noqa: S606 - our own interpreter; the signals of a terminal reach Celery itself
