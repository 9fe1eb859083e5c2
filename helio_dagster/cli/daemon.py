"""`helio daemon`: Dagster's daemon of a home, as a process of its own."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from helio_dagster.cli.health import checked
from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import flush, write, write_error


def daemon(
    check: Annotated[bool, typer.Option("--check", help="Only say whether one runs on this home: exit code 0, or 1.")] = False,
) -> int:
    """Run Dagster's daemon alone: schedules, sensors, backfills and the queue of runs. Ctrl-C stops it.

    `helio ui` has one of its own; beside this command it needs `--no-daemon`, because a record has one daemon.
    """
    settings = settings_from_environment()
    if check:
        from helio_dagster.launch.record.heartbeats import require_daemon

        return checked(lambda: f"the daemon lives: last sign at {require_daemon(settings, datetime.now(UTC)):%H:%M:%S} UTC")
    from helio_dagster.launch.web.daemon import running_daemon

    write_error("Starting Dagster …\n")
    with running_daemon(settings) as running:
        write(f"The daemon of the home {settings.home}. Ctrl-C stops it.\n")
        flush()
        try:
            running.watch()
        except KeyboardInterrupt:
            write_error("\nStopping …\n")
    return 0
